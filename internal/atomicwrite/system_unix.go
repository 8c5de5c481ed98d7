//go:build unix

package atomicwrite

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// writableAttributeOnly says whether the mode of a directory tells nothing about
// writing in it.
const writableAttributeOnly = false

// accessible reports whether this process may make files in a directory.
func accessible(dir string) bool {
	return unix.Access(dir, unix.W_OK|unix.X_OK) == nil
}

// keepOwner gives a new file the owner and group of the one that it replaces. Only
// root can do so for files of others; for all others the file becomes their own.
func keepOwner(f *os.File, old fs.FileInfo) {
	info, err := f.Stat()
	if err != nil {
		return
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	was, ok2 := old.Sys().(*syscall.Stat_t)
	if ok && ok2 && (is.Uid != was.Uid || is.Gid != was.Gid) {
		_ = f.Chown(int(was.Uid), int(was.Gid))
	}
}
