package subject

import (
	"go/token"
	"path"
	"strings"
)

// ref is one way to read a name.
type ref struct{ dir, name, member string }

// IsName reports whether a word has the form of a name: a directory, and one or two
// exported identifiers.
func IsName(word string) bool { return len(split(word)) > 0 }

// split returns the ways to read a name, those with a member first: a directory may have
// dots too.
func split(word string) []ref {
	i := strings.LastIndexByte(word, '.')
	if i < 0 || !exported(word[i+1:]) {
		return nil
	}
	var out []ref
	rest, last := word[:i], word[i+1:]
	if j := strings.LastIndexByte(rest, '.'); j > 0 && exported(rest[j+1:]) && validDir(rest[:j]) {
		out = append(out, ref{rest[:j], rest[j+1:], last})
	}
	if validDir(rest) {
		out = append(out, ref{dir: rest, name: last})
	}
	return out
}

func exported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// validDir reports whether a directory is written as selectors write it.
func validDir(dir string) bool {
	return dir != "" && path.Clean(dir) == dir && !path.IsAbs(dir) && dir != ".." &&
		!strings.HasPrefix(dir, "../") && !strings.ContainsAny(dir, `\,;:()[]<>"'`)
}
