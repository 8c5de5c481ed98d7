package prose

import (
	"bytes"
	"flag"
	"go/doc/comment"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// parse parses text with lookups that know the packages planmode and session,
// and in the package itself Config, Service, Service.Set and Parse.
func parse(text string) *comment.Doc {
	p := comment.Parser{
		LookupPackage: func(name string) (string, bool) {
			switch name {
			case "planmode":
				return "example.com/m/planmode", true
			case "session":
				return "example.com/m/planmode/session", true
			}
			return comment.DefaultLookupPackage(name)
		},
		LookupSym: func(recv, name string) bool {
			switch recv + "." + name {
			case ".Config", ".Service", ".Parse", "Service.Set":
				return true
			}
			return false
		},
	}
	return p.Parse(text)
}

// options links what belongs to the module and leaves the rest.
func options() Options {
	return Options{Level: 3, Link: func(l *comment.DocLink) string {
		name := l.Name
		if l.Recv != "" {
			name = l.Recv + "." + l.Name
		}
		switch {
		case l.ImportPath == "":
			return "#" + LinkDest("m."+name)
		case strings.HasPrefix(l.ImportPath, "example.com/m/"):
			page := LinkDest("../" + strings.TrimPrefix(l.ImportPath, "example.com/m/") + ".md")
			return strings.TrimSuffix(page+"#"+LinkDest(name), "#")
		}
		return ""
	}}
}

// TestGolden reads files of sections NAME/comment, the text of a comment;
// NAME/md, the Markdown wanted; NAME/html, what a reader is shown.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("find golden files: %v, %d found", err, len(files))
	}
	gfm := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got txtar.Archive
		got.Comment = archive.Comment
		for _, f := range archive.Files {
			name, ok := strings.CutSuffix(f.Name, "/comment")
			if !ok {
				continue
			}
			md := Markdown(parse(string(f.Data)), options())
			var html bytes.Buffer
			if err := gfm.Convert([]byte(md), &html); err != nil {
				t.Fatal(err)
			}
			got.Files = append(got.Files, f,
				txtar.File{Name: name + "/md", Data: []byte(md + "\n")},
				txtar.File{Name: name + "/html", Data: html.Bytes()})
		}
		out := txtar.Format(&got)
		if *update {
			if err := os.WriteFile(file, out, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(txtar.Format(archive)), string(out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}
