package section

import (
	"regexp"
	"strings"
	"unicode"
)

// splitLines returns the lines of a page without their ends, which may be LF, CRLF or a
// lone CR, and without a byte order mark.
func splitLines(src []byte) []string {
	text := strings.TrimPrefix(string(src), "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// metadataKey tells YAML front matter that starts with an empty line from a thematic
// break.
var metadataKey = regexp.MustCompile(`^["']?[\pL_][^:]*:(\s|$)`)

// frontMatter is the number of lines of YAML or TOML front matter, by the same rules as
// those of package page.
func frontMatter(lines []string) int {
	if len(lines) == 0 {
		return 0
	}
	fence := strings.TrimRight(lines[0], " \t")
	if fence != "---" && fence != "+++" {
		return 0
	}
	seen := false
	for i := 1; i < len(lines); i++ {
		l := strings.TrimRight(lines[i], " \t")
		if l == fence || fence == "---" && l == "..." {
			return i + 1
		}
		if l == "" || seen {
			continue
		}
		if seen = true; i > 1 && fence == "---" && !metadataKey.MatchString(l) {
			return 0
		}
	}
	return 0
}

// Slug is the anchor that GitHub makes of a heading's text, without the number that
// tells repeated headings apart. It is "section" where nothing of the text is left.
func Slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc):
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}
