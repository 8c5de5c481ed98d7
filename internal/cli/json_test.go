package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentplan/sdk/docs/schema"
	"github.com/agentplan/sdk/internal/cli"
	"github.com/agentplan/sdk/internal/document"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/page"
	proses "github.com/agentplan/sdk/internal/prose"
)

// checkModel holds what gen-catalog --json prints for a module against the schema, and
// makes the generated sections anew from it and from nothing else. Env is the environment
// of the program, which is searched in its PATH; a module that cannot be read has no model.
func checkModel(t testscript.T, dir string, env []string) {
	program := "gen-catalog"
	for _, v := range env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			for _, bin := range filepath.SplitList(list) {
				if found, err := exec.LookPath(filepath.Join(bin, "gen-catalog")); err == nil {
					program = found
					break
				}
			}
		}
	}
	cmd := exec.Command(program, "--json")
	cmd.Dir, cmd.Env = dir, append(env, "PWD="+dir)
	out, err := cmd.Output()
	code := cmd.ProcessState.ExitCode()
	switch {
	case code == 2 && len(out) == 0:
		return
	case code != 0 && code != 1:
		t.Fatal("gen-catalog --json: ", err, string(out))
	}
	if err := validate(out); err != nil {
		t.Fatal(err)
	}
	if code != 0 {
		return // some pages may be left as they are
	}
	if diff := compareRegions(out, dir); diff != "" {
		t.Fatal("regions made from the model (-page +model):\n" + diff)
	}
}

// validate holds a document against the schema.
func validate(doc []byte) error {
	s, err := compileSchema(schema.Catalog())
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

func compileSchema(text string) (*jsonschema.Schema, error) {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	const name = "schema.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, value); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// TestModelOfRepository is gen-catalog --json on this module.
func TestModelOfRepository(t *testing.T) {
	dir := moduleRoot(t)
	var stdout, stderr bytes.Buffer
	if code := cli.Gen([]string{"--json", "--dir", dir}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	if err := validate(stdout.Bytes()); err != nil {
		t.Error(err)
	}
	if diff := compareRegions(stdout.Bytes(), dir); diff != "" {
		t.Errorf("regions made from the model (-page +model):\n%s", diff)
	}
}

// compareRegions makes the regions of all pages in the language directories from a
// document and compares them with those on disk, link targets in prose apart from their
// fragments.
func compareRegions(doc []byte, dir string) string {
	var d document.Document
	if err := json.Unmarshal(doc, &d); err != nil {
		return err.Error()
	}
	m := modelReader{doc: &d, entries: map[string]*document.Entry{}, types: map[document.ID]string{}}
	for i := range d.Entries {
		m.entries[d.Entries[i].Anchor] = &d.Entries[i]
	}
	for _, p := range d.Pages {
		for _, r := range p.Regions {
			for _, a := range r.Entries {
				if id := m.entries[a].ID; m.types[id] == "" {
					m.types[id] = a
				}
			}
		}
	}
	for _, p := range d.Pages {
		for _, file := range p.Files {
			src, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return err.Error()
			}
			parsed, _ := page.Parse(src)
			for i, r := range p.Regions {
				if !p.InTree {
					continue // there, entries of other pages are no links
				}
				want := strings.ReplaceAll(parsed.Body(i), "\r\n", "\n")
				if diff := cmp.Diff(fragments(want), fragments(m.region(p.Files[0], r))); diff != "" {
					return file + ": " + diff
				}
			}
		}
	}
	return ""
}

var fragmentLink = regexp.MustCompile(`\]\([^()\s#]*#([^()\s]*)\)`)

// fragments leaves of each link with a fragment the fragment.
func fragments(text string) string { return fragmentLink.ReplaceAllString(text, "](#$1)") }

// modelReader makes pages of a document, as another program would.
type modelReader struct {
	doc     *document.Document
	entries map[string]*document.Entry // by anchor
	types   map[document.ID]string     // to anchors
}

func (m *modelReader) region(from string, r document.Region) string {
	var b strings.Builder
	block := func(text string) {
		if text != "" {
			b.WriteString("\n" + text + "\n")
		}
	}
	block("_This section is generated from Go source and is the same in every language: `gen-catalog` writes it, `verify-catalog` checks that it is up to date._")
	for _, anchor := range r.Entries {
		m.entry(block, from, r.Level, m.entries[anchor])
	}
	b.WriteString("\n")
	return b.String()
}

func (m *modelReader) entry(block func(string), from string, level int, e *document.Entry) {
	var anchors strings.Builder
	for _, a := range e.Anchors {
		anchors.WriteString(`<a id="` + a + `"></a>`)
	}
	block(anchors.String())
	heading := strings.Repeat("#", level) + " " + e.Title
	if e.Deprecated {
		heading += " (deprecated)"
	}
	block(heading)
	block(m.facts(e))
	var versions []string
	for _, c := range e.Code {
		if c.Version && !slices.Contains(versions, c.File) {
			versions = append(versions, c.File)
		}
	}
	if e.Constraint != "" && versions == nil {
		block("Build constraint: " + proses.CodeSpan(e.Constraint))
	}
	block(shift(e.Markdown, min(level+1, 6)))
	for _, c := range e.Code {
		if c.From != "" {
			text := proses.CodeSpan(c.From)
			if anchor := m.types[*c.Origin]; anchor != "" && 'A' <= c.Origin.Name[0] && c.Origin.Name[0] <= 'Z' {
				text = "[" + text + "](#" + anchor + ")"
			}
			block("From " + text + ":")
		}
		if c.Constraint != "" {
			text := "Build constraint: " + proses.CodeSpan(c.Constraint)
			if c.Deprecated {
				text += " (deprecated)"
			}
			if c.File != "" {
				text += ". Source: " + m.link(from, c.File)
			}
			block(text)
			block(shift(c.Markdown, min(level+1, 6)))
		}
		if c.Text != "" {
			block(string(proses.AppendFence(nil, "go catalog", c.Text)))
		}
	}
	if e.Schemas == nil && len(e.Schema) > 0 {
		e.Schemas = []document.Schema{{Schema: e.Schema}}
	}
	for _, s := range e.Schemas {
		var text bytes.Buffer
		if err := json.Indent(&text, s.Schema, "", "  "); err != nil {
			panic(err)
		}
		label := "JSON Schema of the arguments"
		if s.Constraint != "" {
			label += ", build constraint " + proses.CodeSpan(s.Constraint)
		}
		block(label + ":")
		block(string(proses.AppendFence(nil, "json", text.String())))
	}
	var types []string
	for _, t := range e.Types {
		href := "#" + t.Anchor
		if t.Anchor == "" {
			href = m.source(from, t.File)
		}
		types = append(types, "["+proses.CodeSpan(t.Text)+"]("+href+")")
	}
	if len(types) > 0 {
		block("Types: " + strings.Join(types, ", "))
	}
	if versions == nil {
		versions = []string{e.File}
	}
	for i, file := range versions {
		versions[i] = m.link(from, file)
	}
	block("Source: " + strings.Join(versions, ", "))
}

// link is a link to a source file.
func (m *modelReader) link(from, file string) string {
	text := new(proses.Renderer).AppendText(nil, file)
	return "[" + string(text) + "](" + m.source(from, file) + ")"
}

func (m *modelReader) facts(e *document.Entry) string {
	declared := " Declared as " + proses.CodeSpan(e.PackageName+"."+e.ID.Name) + "."
	switch e.Kind {
	case "", "type":
		return ""
	case "package":
		return "Import path: " + proses.CodeSpan(e.ID.Package)
	case "event":
		if e.Surface == "log-only" {
			return "Log-only event: the model never reads it." + declared
		}
		return "Surface event: part of what the model reads." + declared
	case "hook":
		mode := proses.CodeSpan(e.Mode)
		for _, p := range m.doc.Pages {
			for _, defined := range p.Modes {
				if defined == e.Mode && p.InTree {
					mode = "[" + proses.CodeSpan(e.Mode) + "](#mode-" + e.Mode + ")"
				}
			}
		}
		return "Dispatch mode: " + mode + "." + declared
	case "command":
		return "Usage: " + proses.CodeSpan(e.Usage) + "." + declared
	case "section":
		return "Order: " + strconv.Itoa(*e.Order) + "." + declared
	}
	return strings.TrimSpace(declared)
}

func (m *modelReader) source(from, file string) string {
	if m.doc.SourceURL != "" {
		return m.doc.SourceURL + proses.LinkDest(file)
	}
	return proses.LinkDest(markdown.Relative(from, file))
}

// shift gives the headings of a doc comment another level.
func shift(text string, level int) string {
	lines := strings.Split(text, "\n")
	open := ""
	for i, line := range lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case open == "" && m != nil:
			open = m[1]
		case open != "" && m != nil && strings.HasPrefix(m[1], open) && strings.TrimSpace(line) == m[1]:
			open = ""
		case open == "" && strings.HasPrefix(line, "### "):
			lines[i] = strings.Repeat("#", level) + line[3:]
		}
	}
	return strings.Join(lines, "\n")
}

// TestSchemaIsPublished wants the schema at the address that is its name.
func TestSchemaIsPublished(t *testing.T) {
	var s struct {
		ID string `json:"$id"`
	}
	if err := json.Unmarshal([]byte(schema.Catalog()), &s); err != nil {
		t.Fatal(err)
	}
	const at = "https://raw.githubusercontent.com/agentplan/sdk/main/"
	file, ok := strings.CutPrefix(s.ID, at)
	if !ok || path.Clean(file) != file {
		t.Fatalf("$id is %s, want a file below %s", s.ID, at)
	}
	if diff := cmp.Diff(readFile(t, filepath.Join(moduleRoot(t), file)), schema.Catalog()); diff != "" {
		t.Errorf("%s (-file +printed):\n%s", file, diff)
	}
}
