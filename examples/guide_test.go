// Package examples_test holds the host guide against the code that it shows.
package examples_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// fences returns the contents of the fences of a page whose info string is exactly info.
func fences(t *testing.T, page, info string) []string {
	t.Helper()
	source := readText(t, page)
	var out []string
	err := ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		fence, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering || fence.Info == nil || string(fence.Info.Value(source)) != info {
			return ast.WalkContinue, nil
		}
		out = append(out, string(fence.Lines().Value(source)))
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readText reads a file, with line feeds as line ends however it was checked out.
func readText(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(content), "\r\n", "\n"))
}

// Every go fence of the guide is a part of an example file, so that it compiles and is
// tested, and both languages show the same.
func TestGuideShowsExamples(t *testing.T) {
	sources := map[string]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".go" {
			sources[path] = "\n" + string(readText(t, filepath.FromSlash(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string][]string{}
	for _, lang := range []string{"en", "zh"} {
		page := filepath.Join("..", "docs", lang, "host-guide.md")
		pages[lang] = fences(t, page, "go")
		if len(pages[lang]) == 0 {
			t.Errorf("%s has no go fence", page)
		}
		for _, code := range pages[lang] {
			found := false
			for _, source := range sources {
				found = found || strings.Contains(source, "\n"+code)
			}
			if !found {
				first, _, _ := strings.Cut(code, "\n")
				t.Errorf("%s: the fence that begins with %q is not in any example file", page, first)
			}
		}
	}
	if diff := cmp.Diff(pages["en"], pages["zh"]); diff != "" {
		t.Errorf("the languages show different code (-en +zh):\n%s", diff)
	}
	if diff := cmp.Diff(consoles(t, "en"), consoles(t, "zh")); diff != "" {
		t.Errorf("the languages show different output (-en +zh):\n%s", diff)
	}
}

// What the guide prints of a session is what the agent prints.
func TestGuideShowsTranscript(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("agent", "testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("transcripts are %q, %v", files, err)
	}
	var transcript string
	for _, file := range files {
		transcript += string(readText(t, file))
	}
	for _, console := range consoles(t, "en") {
		output := console
		if _, session, found := strings.Cut(console, "-- default mode\n"); found {
			output = session
		}
		for line := range strings.Lines(output) {
			line = strings.TrimRight(line, "\n ")
			if !strings.Contains(transcript, line) {
				t.Errorf("the agent does not print %q", line)
			}
		}
	}
}

func consoles(t *testing.T, lang string) []string {
	t.Helper()
	return fences(t, filepath.Join("..", "docs", lang, "host-guide.md"), "console")
}
