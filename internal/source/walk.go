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

// parseTree reads and parses every Go file of the modules, whatever its build tags, in
// parallel. It also returns the files that are not Go but concern the go command.
func parseTree(s *settings.Settings, fset *token.FileSet) (files []*File, foreign []string, err error) {
	for _, gm := range s.Modules {
		names, err := filesOf(s, gm)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".go") {
				files = append(files, &File{Path: name})
			} else {
				foreign = append(foreign, name)
			}
		}
	}
	err = inParallel(files, func(f *File) (err error) {
		f.Src, err = s.Disk.ReadFile(s.Abs(f.Path))
		return err
	})
	if err != nil {
		return nil, nil, err
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
	return files, foreign, nil
}

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

// filesOf finds the files of one module that concern the go command. It passes over vendor, testdata, names that
// start with _ or a dot, nested modules, the directories that go.mod ignores and the
// directory of generated Go.
func filesOf(s *settings.Settings, gm *settings.GoModule) (names []string, err error) {
	top := s.Abs(gm.Dir)
	err = s.Disk.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
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
				return fs.SkipDir
			}
			return nil
		}
		base := d.Name()
		if !strings.HasSuffix(base, ".go") && !IsForeign(base) || base[0] == '_' || base[0] == '.' {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if info, err := s.Disk.Stat(name); err != nil || !info.Mode().IsRegular() {
				return nil
			}
		} else if !d.Type().IsRegular() {
			return finding.Failure{Path: rel, Message: "not a regular file, and the go command would wait to read it; remove it"}
		}
		names = append(names, rel)
		return nil
	})
	return names, err
}

func skipDir(s *settings.Settings, gm *settings.GoModule, name, rel string) bool {
	base := path.Base(rel)
	if base == "vendor" || base == "testdata" || base[0] == '_' || base[0] == '.' {
		return true
	}
	if inGen(s, rel) || ignoredDir(gm, rel) {
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
