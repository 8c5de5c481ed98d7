package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentplan/sdk/planmode"
)

// draft is what the user makes of a plan before answering its review: comments on lines and
// a text of their own. Lines keep the numbers that they have in the plan under review.
type draft struct {
	lines    []string // each with its end; "" is one that was taken away
	changed  bool
	comments []planmode.Comment
}

func newDraft(plan string) draft {
	return draft{lines: regexp.MustCompile(`[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$`).FindAllString(plan, -1)}
}

// take does what a line such as "2: why?" or "2-3= one step" asks for, and says what it
// did. It returns false for any other line.
func (d *draft) take(line string) (said string, ok bool) {
	parts := regexp.MustCompile(`^(\d{1,6})(?:-(\d{1,6}))?([:=])\s*(.*)$`).FindStringSubmatch(line)
	if parts == nil {
		return "", false
	}
	first, _ := strconv.Atoi(parts[1]) // at most six digits
	last := first
	if parts[2] != "" {
		last, _ = strconv.Atoi(parts[2])
	}
	if first < 1 || last < first || last > len(d.lines) {
		return fmt.Sprintf("The plan has the lines 1 to %d.", len(d.lines)), true
	}
	text := parts[4]
	if parts[3] == "=" {
		d.rewrite(first, last, text)
		return "Rewritten. approve accepts the plan as you have it now, revise sends it back; lines shows it, forget drops it.", true
	}
	if text == "" {
		return "A comment needs some words.", true
	}
	c := planmode.Comment{Line: first, Text: text}
	if last > first {
		c.EndLine = last
	}
	d.comments = append(d.comments, c)
	return "Noted. revise sends the comments, forget drops them.", true
}

// rewrite puts a line in the place of lines first to last.
func (d *draft) rewrite(first, last int, text string) {
	d.changed = true
	old := d.lines[last-1]
	for i := first; i < last; i++ {
		d.lines[i] = ""
	}
	d.lines[first-1] = text + old[len(strings.TrimRight(old, "\r\n")):]
}

// plan returns the text that the user has made of the plan, "" if that is the plan.
func (d *draft) plan() string {
	if !d.changed {
		return ""
	}
	return strings.Join(d.lines, "")
}

// numbered returns the plan as the user has it, each line with its number.
func (d *draft) numbered() string {
	var b strings.Builder
	for i, line := range d.lines {
		if line != "" {
			fmt.Fprintf(&b, "%3d %s\n", i+1, strings.TrimRight(line, "\r\n"))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
