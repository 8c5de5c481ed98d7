package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode"
)

func TestWorkspaceTools(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret.md")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"a.md": "text", "b.bin": "\xff\xfe", "long.txt": strings.Repeat("x", maxRead+1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(dir, "link.md")); err != nil {
		t.Logf("no symbolic links here: %v", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tools := map[string]planmode.Tool{}
	for _, tool := range workspaceTools(root) {
		if !json.Valid(tool.Schema) {
			t.Errorf("schema of %s is not JSON", tool.Name)
		}
		tools[tool.Name] = tool
	}
	for _, test := range []struct {
		tool, args string
		fails      bool
		holds      string
	}{
		{"list_files", `{}`, false, "a.md\nb.bin\nlong.txt"},
		{"read_file", `{"name":"a.md"}`, false, "text"},
		{"read_file", `{"name":"b.bin"}`, true, "not a text file"},
		{"read_file", `{"name":"long.txt"}`, true, "larger than"},
		{"read_file", `{"name":"../secret.md"}`, true, "escapes"},
		{"read_file", `{"name":"link.md"}`, true, ""},
		{"read_file", `{"name":"nope"}`, true, "nope"},
		{"read_file", `{"name":7}`, true, "read arguments"},
		{"read_file", `{`, true, "read arguments"},
		{"write_note", `{"name":"n.md","text":"hi"}`, false, "Wrote 2 bytes to n.md."},
		{"write_note", `{"name":"link.md","text":"hi"}`, true, ""},
		{"write_note", `{"name":"../n.md","text":"hi"}`, true, "without a directory"},
		{"write_note", `{"name":"n.sh","text":"hi"}`, true, "ends in .md"},
		{"write_note", `[]`, true, "read arguments"},
	} {
		got := tools[test.tool].Call(t.Context(), nil, "c", json.RawMessage(test.args))
		if got.IsError != test.fails || !strings.Contains(got.Content, test.holds) || strings.Contains(got.Content, "secret\n") {
			t.Errorf("%s %s: %+v", test.tool, test.args, got)
		}
	}
	if content, err := os.ReadFile(secret); err != nil || string(content) != "secret" {
		t.Errorf("outside the workspace: %q, %v", content, err)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":   "plain\ttext\n",
		"a\r\nb":          "a\nb",
		"over\rwrite":     "over<U+000D>write",
		"\x1b[2Jgone":     "<U+001B>[2Jgone",
		"a\u202eb":        "a<U+202E>b",
		"zero\u200bwidth": "zero<U+200B>width",
		"計画 👩\u200d💻 é":   "計画 👩\u200d💻 é",
		"\u009b31m":       "<U+009B>31m",
	} {
		if diff := cmp.Diff(want, visible(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

func TestRender(t *testing.T) {
	got, err := render("# Add a greeting\n\n1. Write `a.md`.\n\n> quoted\n", 80)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"greeting", "1. Write a.md.", "quoted", "\x1b[1m"} {
		if !strings.Contains(got, text) {
			t.Errorf("no %q in %q", text, got)
		}
	}
	if strings.Contains(got, "\x1b]") || strings.Contains(got, "\x1b[6n") {
		t.Errorf("the rendering asks the terminal something: %q", got)
	}
}
