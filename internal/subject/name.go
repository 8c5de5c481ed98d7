package subject

import (
	"go/token"
	"path"
	"strings"
)

// ref is one way to read a name.
type ref struct{ dir, name, member string }

const (
	packageSuffix = "#package" // of the name of a package comment
	allSuffix     = ".*"       // of the name of a type with all that belongs to it
)

// IsName reports whether a word has the form of a name: a directory, and one or two
// exported identifiers, or one with an asterisk, or the word for the package comment.
func IsName(word string) bool {
	if dir, ok := strings.CutSuffix(word, packageSuffix); ok {
		return validDir(dir) && !strings.Contains(dir, "#")
	}
	return len(split(strings.TrimSuffix(word, allSuffix))) > 0
}

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
