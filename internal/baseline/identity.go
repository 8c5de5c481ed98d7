package baseline

import (
	"regexp"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/settings"
)

// identities tells findings of one module apart. It reads each file once.
type identities struct {
	settings *settings.Settings
	lines    map[string][]string
}

func newIdentities(s *settings.Settings) *identities {
	return &identities{s, map[string][]string{}}
}

// idLength is how many digits of a hash stand for a finding.
const idLength = 16

// entry is the entry that accepts a finding once.
func (ids *identities) entry(f finding.Finding) Entry {
	message, line := situation(f.Message), ""
	if f.Rule != finding.PageMissing && f.Rule != finding.GenStale { // these are about the whole file
		line = ids.line(f.Path, f.Line)
	}
	id := finding.Content(message, line, f.Content)[:idLength]
	return Entry{Path: f.Path, Rule: f.Rule, ID: id, Count: 1, Message: message}
}

// line is the text of a line, without the white space around it. It is empty where the
// file cannot be read or has no such line.
func (ids *identities) line(path string, n int) string {
	lines, ok := ids.lines[path]
	if !ok {
		if data, err := ids.settings.Disk.ReadFile(ids.settings.Abs(path)); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		ids.lines[path] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(lines[n-1], "\ufeff"))
}

var (
	suggestion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \(did you mean [^()]*\?\)`) })
	lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\S:|\bline )\d+(-\d+)?`) })
)

// situation is the part of a message that lasts: without the remedy, which begins with a
// semicolon, without what else may have been meant, which depends on the rest of the
// module, and without numbers of lines.
func situation(message string) string {
	message, _, _ = strings.Cut(message, "; ")
	message = suggestion().ReplaceAllString(message, "")
	message = lineNumber().ReplaceAllString(message, "${1}#")
	return strings.Join(strings.Fields(message), " ")
}
