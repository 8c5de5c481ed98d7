package disk

import (
	"io/fs"
	"path/filepath"
)

// WalkDir is [filepath.WalkDir].
func (r *Reader) WalkDir(root string, fn fs.WalkDirFunc) error {
	info, err := r.Lstat(root)
	if err != nil {
		err = fn(root, nil, err)
	} else {
		err = r.walk(root, fs.FileInfoToDirEntry(info), fn)
	}
	if err == fs.SkipDir || err == fs.SkipAll {
		return nil
	}
	return err
}

func (r *Reader) walk(name string, d fs.DirEntry, fn fs.WalkDirFunc) error {
	if err := fn(name, d, nil); err != nil || !d.IsDir() {
		if err == fs.SkipDir && d.IsDir() {
			err = nil
		}
		return err
	}
	entries, err := r.ReadDir(name)
	if err != nil {
		if err = fn(name, d, err); err != nil {
			if err == fs.SkipDir {
				err = nil
			}
			return err
		}
	}
	for _, e := range entries {
		if err := r.walk(filepath.Join(name, e.Name()), e, fn); err != nil {
			if err == fs.SkipDir {
				break
			}
			return err
		}
	}
	return nil
}
