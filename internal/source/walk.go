package source

import (
	"cmp"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
)

// walked is what the walk over the modules finds.
type walked struct {
	files   []*File
	foreign []string // files that are not Go but concern the go command, sorted
	odd     []string // what the go command may see otherwise: links, hidden Go files, vendored packages
}

// parseTree reads and parses every Go file of the modules, whatever its build tags, in
// parallel.
func parseTree(s *settings.Settings, fset *token.FileSet) (w walked, err error) {
	for _, gm := range s.Modules {
		if err := w.walk(s, gm); err != nil {
			return walked{}, err
		}
	}
	files := w.files
	err = inParallel(files, func(f *File) (err error) {
		f.Src, err = s.Disk.ReadFile(s.Abs(f.Path))
		return err
	})
	if err != nil {
		return walked{}, err
	}
	size := 0
	for _, f := range files {
		size += len(f.Src)
	}
	names := &platformNames{}
	_ = inParallel(files, func(f *File) error { // faults are kept by file
		f.parse(fset, names)
		if size > maxWhole {
			f.dropBodies()
		}
		return nil
	})
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	return w, nil
}

// notRegular is the fault of a file that is a named pipe or the like.
const notRegular = "not a regular file, and the go command would wait to read it; remove it"

// inParallel does something with all files. Its error is that of the first file with one.
func inParallel(files []*File, do func(*File) error) error {
	chunks := slices.Collect(slices.Chunk(files, 16))
	errs := make([]error, len(chunks))
	parallel.Each(len(chunks), func(i int) {
		for _, f := range chunks[i] {
			if errs[i] = do(f); errs[i] != nil {
				return
			}
		}
	})
	return cmp.Or(errs...)
}

// walk finds the files of one module that concern the go command. It passes over vendor,
// testdata, names that start with _ or a dot, nested modules and the directories that
// go.mod ignores. In the directory of generated Go it looks only for what the go command
// would wait to read.
func (w *walked) walk(s *settings.Settings, gm *settings.GoModule) error {
	top := s.Abs(gm.Dir)
	return s.Disk.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.Root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if name != top && skipDir(s, gm, name, rel) {
				if path.Base(rel) == "vendor" && !inGen(s, rel) {
					w.odd = append(w.odd, rel)
				}
				return fs.SkipDir
			}
			return nil
		}
		base := d.Name()
		isGo := strings.HasSuffix(base, ".go")
		if !isGo && !IsForeign(base) {
			return nil
		}
		hidden := base[0] == '_' || base[0] == '.'
		generated := inGen(s, rel)
		if !generated && (hidden || d.Type()&fs.ModeSymlink != 0) {
			w.odd = append(w.odd, rel)
		}
		if hidden {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if info, err := s.Disk.Stat(name); err != nil || !info.Mode().IsRegular() {
				return nil
			}
		} else if !d.Type().IsRegular() {
			return finding.Failure{Path: rel, Message: notRegular}
		}
		switch {
		case generated:
		case isGo:
			w.files = append(w.files, &File{Path: rel})
		default:
			w.foreign = append(w.foreign, rel)
		}
		return nil
	})
}

func skipDir(s *settings.Settings, gm *settings.GoModule, name, rel string) bool {
	base := path.Base(rel)
	if base == "vendor" || base == "testdata" || base[0] == '_' || base[0] == '.' {
		return true
	}
	if ignoredDir(gm, rel) {
		return true
	}
	info, err := s.Disk.Stat(filepath.Join(name, "go.mod"))
	return err == nil && !info.IsDir()
}

// ignoredDir applies go.mod's ignore lines: ./dir from the module's directory, dir at any
// depth.
func ignoredDir(gm *settings.GoModule, rel string) bool {
	if gm.Dir != "." {
		rel = strings.TrimPrefix(rel, gm.Dir+"/")
	}
	for _, ig := range gm.Ignored {
		if from, ok := strings.CutPrefix(ig, "./"); ok {
			if rel == from {
				return true
			}
		} else if rel == ig || strings.HasSuffix(rel, "/"+ig) {
			return true
		}
	}
	return false
}
