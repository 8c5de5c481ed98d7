package page

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// key recognizes the first line of YAML front matter that starts with an empty
// line; without it that is a thematic break.
var key = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^["']?[\pL_][^:]*:(\s|$)`) })

// CutFrontMatter returns what follows the YAML or TOML front matter of a page, and the
// number of lines that it takes. An opening line without a closing one is none. The text
// has no byte order mark and its lines end with LF.
func CutFrontMatter(src []byte) ([]byte, int) {
	if !opensFrontMatter(src) {
		return src, 0
	}
	fence, rest := cutLine(src)
	if fence != "---" && fence != "+++" {
		return src, 0
	}
	seen := false
	for n := 2; len(rest) > 0; n++ {
		var line string
		line, rest = cutLine(rest)
		if line == fence || fence == "---" && line == "..." {
			return rest, n
		}
		if !seen && line != "" {
			seen = true
			if n > 2 && fence == "---" && !key().MatchString(line) {
				return src, 0
			}
		}
	}
	return src, 0
}

// opensFrontMatter reports whether the first line may be that of front matter.
func opensFrontMatter(src []byte) bool {
	return bytes.HasPrefix(src, []byte("---")) || bytes.HasPrefix(src, []byte("+++"))
}

// cutLine returns the first line without trailing blanks, and the rest.
func cutLine(src []byte) (string, []byte) {
	line, rest, _ := bytes.Cut(src, []byte("\n"))
	return strings.TrimRight(string(line), " \t"), rest
}
