// Package report yields findings in the forms that people and machines read.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
)

// Format is a form of output.
type Format string

// The formats of verify-catalog.
const (
	Text   Format = "text"
	JSON   Format = "json"
	GitHub Format = "github"
	SARIF  Format = "sarif"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Text, JSON, GitHub, SARIF} }

// Write writes the findings, which are sorted. Of what kept the run from being done only
// SARIF tells. color colours the differences of the text format.
func Write(w io.Writer, f Format, findings []finding.Finding, failed []finding.Failure, color bool) error {
	switch f {
	case JSON:
		return writeJSON(w, findings)
	case GitHub:
		return writeGitHub(w, findings)
	case SARIF:
		return writeSARIF(w, findings, failed)
	}
	return writeText(w, findings, color)
}

func writeText(w io.Writer, findings []finding.Finding, color bool) error {
	var b strings.Builder
	shown := map[string]finding.Finding{}
	for _, f := range findings {
		b.WriteString(f.String() + "\n")
		if first, ok := shown[f.Diff]; ok && f.Diff != "" {
			fmt.Fprintf(&b, "    (the difference is that of %s:%d)\n", first.Path, first.Line)
			continue
		}
		shown[f.Diff] = f
		for line := range strings.Lines(f.Diff) {
			// Indented, no line of a difference can be taken for a finding.
			b.WriteString("    " + paint(strings.TrimSuffix(line, "\n"), color) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const (
	red   = "\x1b[31m"
	green = "\x1b[32m"
	cyan  = "\x1b[36m"
	plain = "\x1b[0m"
)

func paint(line string, color bool) string {
	if !color || line == "" {
		return line
	}
	switch {
	case strings.HasPrefix(line, "@@"):
		return cyan + line + plain
	case line[0] == '-':
		return red + line + plain
	case line[0] == '+':
		return green + line + plain
	}
	return line
}

// Complete reports whether the format is a document, which is written also where there
// is no finding.
func (f Format) Complete() bool { return f == JSON || f == SARIF }

// uriReference is a path with slashes as a URI reference.
func uriReference(path string) string { return (&url.URL{Path: path}).String() }

func writeJSON(w io.Writer, findings []finding.Finding) error {
	if findings == nil {
		findings = []finding.Finding{}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(findings)
}

// writeGitHub writes workflow commands, which GitHub shows beside the lines of a change.
func writeGitHub(w io.Writer, findings []finding.Finding) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, f := range findings {
		message := f.Message
		if f.Diff != "" {
			message += "\n" + strings.TrimSuffix(f.Diff, "\n")
		}
		fmt.Fprintf(&b, "::error file=%s,line=%d,title=%s::%s\n",
			property.Replace(f.Path), f.Line, property.Replace(string(f.Rule)), data.Replace(message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
