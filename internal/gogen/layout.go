package gogen

import (
	"strconv"
	"strings"
)

// Entries are written here in the layout of go/format, which would print nested
// literals once for each level: most of the time of a large catalog. Depths count the
// tabs before the line that a literal begins on. A literal is empty for a zero value,
// which is then not written.

// maxSingle is the size beyond which go/format takes an element for one of several lines.
const maxSingle = 1e6

// values is a composite literal of a T, without its type.
func values[T any](props []prop[T], v T, depth int) string {
	keys, vals := make([]string, 0, len(props)), make([]string, 0, len(props))
	for _, p := range props {
		if val := p.value(v, depth+1); val != "" {
			keys, vals = append(keys, p.key()), append(vals, val)
		}
	}
	if len(keys) == 0 {
		return "{}"
	}
	var b strings.Builder
	b.WriteString("{\n")
	tabs := strings.Repeat("\t", depth)
	for i := 0; i < len(keys); {
		end, width := section(keys, vals, i)
		for ; i < end; i++ {
			b.WriteString(tabs + "\t" + keys[i] + ":")
			b.WriteString(strings.Repeat(" ", width-len(keys[i])+1))
			b.WriteString(vals[i])
			b.WriteString(",\n")
		}
	}
	b.WriteString(tabs)
	b.WriteString("}")
	return b.String()
}

// section finds the elements from i on whose values are aligned: as many as stand on one
// line each, or one that does not. It returns the end and the width of the keys.
func section(keys, vals []string, i int) (end, width int) {
	for end = i; end < len(keys); end++ {
		if strings.Contains(vals[end], "\n") || len(keys[end])+len(": ")+len(vals[end]) > maxSingle {
			break
		}
		width = max(width, len(keys[end]))
	}
	if end == i {
		return i + 1, len(keys[i])
	}
	return end, width
}

// list is the literal of a slice.
func list[T any](typ string, props []prop[T], items []T, depth int) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("[]" + typ + "{\n")
	tabs := strings.Repeat("\t", depth)
	for _, item := range items {
		b.WriteString(tabs + "\t")
		b.WriteString(values(props, item, depth+1))
		b.WriteString(",\n")
	}
	b.WriteString(tabs + "}")
	return b.String()
}

// text is the literal of a string.
func text(s string, depth int) string {
	if s == "" {
		return ""
	}
	return literal(s, depth)
}

// texts is the literal of a slice of strings, on one line.
func texts(list []string) string {
	if len(list) == 0 {
		return ""
	}
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}

func truth(b bool) string {
	if !b {
		return ""
	}
	return "true"
}
