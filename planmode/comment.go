package planmode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds on what is quoted of the lines that a comment is about.
const (
	maxQuotedLines = 8
	maxQuotedRunes = 200 // of one line
)

// checkComments reports the first comment that is not about lines of the plan.
func checkComments(comments []Comment, plan string) error {
	lines := 0
	if len(comments) > 0 {
		lines = len(planLines(plan))
	}
	for i, c := range comments {
		if err := c.check(lines); err != nil {
			return fmt.Errorf("comment %d: %w", i+1, err)
		}
	}
	return nil
}

func (c Comment) check(lines int) error {
	switch {
	case c.Line < 1 || c.Line > lines:
		return fmt.Errorf("line %d is none of the plan, which has %d", c.Line, lines)
	case c.EndLine != 0 && (c.EndLine < c.Line || c.EndLine > lines):
		return fmt.Errorf("lines %d to %d are none of the plan, which has %d", c.Line, c.EndLine, lines)
	case c.Text == "":
		return errors.New("text is empty")
	case !utf8.ValidString(c.Text):
		return errors.New("text is not valid UTF-8")
	}
	return nil
}

// planLines returns the lines of a plan without their ends.
func planLines(plan string) []string {
	text := unixLines([]byte(plan))
	return strings.Split(string(bytes.TrimSuffix(text, []byte("\n"))), "\n")
}

// commentsText returns the comments for the model, each after the lines it is about.
func commentsText(comments []Comment, plan string) string {
	lines := planLines(plan)
	parts := make([]string, 0, len(comments))
	for _, c := range comments {
		head := say(quoteLine, c.Line)
		last := max(c.Line, c.EndLine)
		if last > c.Line {
			head = say(quoteLines, c.Line, last)
		}
		parts = append(parts, head+"\n\n"+quotedLines(lines, c.Line, last)+"\n"+c.Text)
	}
	return strings.Join(parts, "\n\n")
}

// quotedLines returns lines first to last as a Markdown quote, cut where they are many or long.
func quotedLines(lines []string, first, last int) string {
	var b strings.Builder
	for n := first; n <= last && n <= len(lines); n++ {
		line := lines[n-1]
		if n-first == maxQuotedLines {
			line = "…"
			n = last
		}
		if cut := []rune(line); len(cut) > maxQuotedRunes {
			line = string(cut[:maxQuotedRunes]) + "…"
		}
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	return b.String()
}

// comments returns the comments of a settlement, which need not fit the plan.
func (o object) comments(key string) ([]Comment, error) {
	if !o.has(key) {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(o[key], &list); err != nil || list == nil {
		return nil, o.unexpected(key, "a list of comments")
	}
	out := make([]Comment, 0, len(list))
	for _, raw := range list {
		c, err := parseComment(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func parseComment(raw json.RawMessage) (c Comment, err error) {
	o, err := parseObject(raw)
	if err != nil {
		return Comment{}, err
	}
	if c.Line, err = o.count("line"); err != nil {
		return Comment{}, err
	}
	if o.has("endLine") {
		if c.EndLine, err = o.count("endLine"); err != nil {
			return Comment{}, err
		}
	}
	c.Text, err = o.text("text")
	return c, err
}
