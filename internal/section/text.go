package section

import "strings"

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
