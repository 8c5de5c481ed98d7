package filelog

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxSlug is where the name of a project is cut, so that with its dashes it fits into
// the 255 bytes of a file name.
const maxSlug = 251

// projectDir names the directory of the sessions of a working directory. Different
// working directories may share one.
func projectDir(cwd string) string {
	if cwd == "" {
		return "_no-cwd"
	}
	var slug strings.Builder
	inRun := false
	for _, r := range cwd {
		if r == '/' || r == '\\' || r == ':' {
			if !inRun {
				slug.WriteByte('-')
			}
			inRun = true
			continue
		}
		inRun = false
		writeEscaped(&slug, r)
	}
	name := strings.TrimLeft(slug.String(), "-")
	if name == "" {
		name = "root"
	}
	return "--" + name[:min(len(name), maxSlug)] + "--"
}

// sessionDir names the directory of a session. Different ids have different names.
func sessionDir(id string) (string, error) {
	switch {
	case id == "":
		return "", errors.New("id is empty")
	case !utf8.ValidString(id):
		return "", fmt.Errorf("id %q is not UTF-8", id)
	case id == ".":
		return "~002E", nil
	case id == "..":
		return "~002E~002E", nil
	}
	var name strings.Builder
	for _, r := range id {
		writeEscaped(&name, r)
	}
	if name.Len() > 255 {
		return "", fmt.Errorf("id %q is too long: its directory name has %d bytes of at most 255", id, name.Len())
	}
	return name.String(), nil
}

// writeEscaped writes r itself if every file system takes it in a name, else each of
// its UTF-16 units as ~ and four hexadecimal digits.
func writeEscaped(b *strings.Builder, r rune) {
	switch {
	case 'A' <= r && r <= 'Z', 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
		b.WriteRune(r)
	default:
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(b, "~%04X", unit)
		}
	}
}
