package confirmed

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiffLines is how many lines of one difference a finding shows.
const maxDiffLines = 60

// text is a piece of a file and the line of the file for each of its lines.
type text struct {
	text string
	line func(int) int // by the index of a line of the text
}

// unified is a unified diff with the line numbers of the file.
func unified(path string, old, now text) string {
	u, err := udiff.ToUnifiedDiff(path+" (confirmed)", path, old.text, udiff.Lines(old.text, now.text), 3)
	if err != nil {
		return ""
	}
	for _, h := range u.Hunks {
		h.FromLine = old.line(h.FromLine - 1)
		h.ToLine = now.line(h.ToLine - 1)
	}
	return capped(u.String())
}

// whole shows a text of which no former version is known.
func whole(path, why string, now text) string {
	lines := strings.SplitAfter(now.text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s (all of it is shown: %s)\n+++ %s\n@@ -0,0 +%d,%d @@\n", path, why, path, now.line(0), len(lines))
	for _, l := range lines {
		b.WriteString("+" + l)
	}
	return capped(b.String())
}

func capped(diff string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(diff, "\n"), "\n")
	if len(lines) <= maxDiffLines {
		return diff
	}
	return strings.Join(lines[:maxDiffLines], "") + fmt.Sprintf("... %d more lines\n", len(lines)-maxDiffLines)
}
