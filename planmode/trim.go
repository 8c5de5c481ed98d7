package planmode

import (
	"strings"
	"unicode"
)

// isSpace reports whether r is white space to a user: Unicode space or a byte order
// mark, which editors leave behind unseen.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

// commandInput returns what the user wrote after /plan. The command and the fold read
// it by this one function, so that they cannot differ about what `off` is.
func commandInput(input string) string { return strings.TrimFunc(input, isSpace) }

// selects returns the state that the trimmed input of /plan selects.
func selects(input string) bool { return input != "off" }
