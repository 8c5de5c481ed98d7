package catalog

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/gogen"
	"github.com/agentplan/sdk/internal/model"
)

// renderGen renders the generated Go and records what differs: files to write, and files
// with our header that are no longer produced.
func (b *build) renderGen() {
	if b.Settings.Gen == "" || slices.ContainsFunc(b.Entries, func(e *model.Entry) bool { return e.Lacks != "" }) {
		return
	}
	files, err := gogen.Files(b.Entries, gogen.Options{Importable: b.importable, Builds: b.Settings.Several()})
	if err != nil {
		b.Fail(b.Settings.Gen, 0, "render generated Go: %v", err)
		return
	}
	produced := map[string]bool{}
	folders := map[string]bool{}
	for _, f := range files {
		name := path.Join(b.Settings.Gen, f.Path)
		produced[name] = true
		folders[path.Dir(name)] = true
		b.compareGen(name, f.Content)
	}
	b.leftovers(produced, folders)
}

func (b *build) compareGen(name string, want []byte) {
	have, err := b.Settings.Disk.ReadFile(b.Settings.Abs(name))
	switch {
	case err == nil && !gogen.IsGenerated(have):
		b.Add(name, 1, finding.GenStale, "a hand-written file stands where generated Go belongs; move it out of %s", path.Dir(name))
		return
	case err == nil && bytes.Equal(have, want):
		return
	case err == nil:
		b.Findings = append(b.Findings, finding.Finding{
			Path: name, Line: 1, Rule: finding.GenStale,
			Message: "generated Go is not what the source gives; run `" + b.Settings.GenCommand() + "`",
			Diff:    unified(name, string(have), string(want), 0),
			Mended:  true,
			Content: finding.Content(string(have), string(want)),
		})
	case os.IsNotExist(err):
		b.mended(name, "generated Go is missing; run `"+b.Settings.GenCommand()+"`")
	default:
		b.Fail(name, 0, "read: %v", err)
		return
	}
	b.Changes = append(b.Changes, Change{Path: name, Want: want})
}

// mended reports a file of generated Go that gen-catalog writes or deletes.
func (b *build) mended(name, message string) {
	b.Findings = append(b.Findings, finding.Finding{Path: name, Line: 1, Rule: finding.GenStale, Message: message, Mended: true})
}

// leftovers finds generated files that are no longer produced, and hand-written Go in
// folders of generated Go.
func (b *build) leftovers(produced, folders map[string]bool) {
	root := b.Settings.Abs(b.Settings.Gen)
	err := b.Settings.Disk.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		rel, err := filepath.Rel(b.Settings.Root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if produced[rel] {
			return nil
		}
		src, err := b.Settings.Disk.ReadFile(name)
		if err != nil {
			return err
		}
		switch {
		case gogen.IsGenerated(src):
			b.mended(rel, "generated Go that is no longer produced; run `"+b.Settings.GenCommand()+"`, which deletes it")
			b.Changes = append(b.Changes, Change{Path: rel, Remove: true})
		case folders[path.Dir(rel)]:
			b.Add(rel, 1, finding.GenStale, "hand-written Go in a folder of generated Go; move it to another folder")
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		b.Fail(b.Settings.Gen, 0, "read the directory of generated Go: %v", err)
	}
}

// importable reports whether generated Go may import a package: not a command, and no
// internal package of another subtree.
func (b *build) importable(importPath string) bool {
	gen := b.Settings.Owner(b.Settings.Gen)
	if gen == nil {
		return false
	}
	for _, mod := range b.mod.Builds() {
		// What another module has, go.mod need not require.
		if p := mod.Lookup(importPath); p != nil && (p.Name == "main" || b.Settings.Owner(p.Dir) != gen) {
			return false
		}
	}
	from := path.Join(gen.Join(b.Settings.Gen), "guard")
	rest := "/" + importPath + "/"
	i := strings.LastIndex(rest, "/internal/")
	if i < 0 {
		return true
	}
	parent := strings.TrimPrefix(rest[:i], "/")
	return parent != "" && (from == parent || strings.HasPrefix(from, parent+"/"))
}
