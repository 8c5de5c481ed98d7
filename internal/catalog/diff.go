package catalog

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiffLines is how many lines of a difference a finding shows.
const maxDiffLines = 60

// unified is a unified diff from what is there to what should be, with line numbers of
// the file: the text starts behind line.
func unified(name, have, want string, line int) string {
	edits := udiff.Lines(have, want)
	u, err := udiff.ToUnifiedDiff(name, name+" (from source)", have, edits, 3)
	if err != nil {
		return ""
	}
	for _, h := range u.Hunks {
		h.FromLine += line
		h.ToLine += line
	}
	text := u.String()
	if text == "" {
		return "only line endings differ\n"
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > maxDiffLines {
		rest := len(lines) - maxDiffLines
		text = strings.Join(lines[:maxDiffLines], "") + fmt.Sprintf("... %d more lines\n", rest)
	}
	return text
}
