//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// readFile reads a file into a buffer, or into a new one where that is too small, with as
// few system calls as there can be: os.ReadFile makes three times as many, for the sake of
// files that are no regular ones.
func readFile(name string, buf []byte) ([]byte, error) {
	fd, err := retry(func() (int, error) { return unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return os.ReadFile(name)
	}
	if size := int(stat.Size) + 1; cap(buf) < size {
		buf = make([]byte, size)
	}
	buf = buf[:cap(buf)]
	n := 0
	for {
		got, err := retry(func() (int, error) { return unix.Read(fd, buf[n:]) })
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		n += got
		switch {
		case got == 0 || n < len(buf) && n == int(stat.Size):
			return buf[:n], nil
		case n == len(buf): // it grew
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// retry makes a system call again where a signal came in between.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
