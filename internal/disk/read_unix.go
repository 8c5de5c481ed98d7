//go:build unix

package disk

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// readFile reads a file with as few system calls as there can be: os.ReadFile makes three
// times as many, for the sake of files that are no regular ones. The memory of buf is used
// where it is large enough.
func readFile(name string, buf []byte) ([]byte, error) {
	fd, size, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	if size < 0 {
		return readOdd(name)
	}
	defer unix.Close(fd)
	if buf = buf[:cap(buf)]; len(buf) > size {
		buf = buf[:size+1]
	} else {
		buf = make([]byte, size+1)
	}
	n := 0
	for {
		got, err := readSome(fd, name, buf[n:])
		if err != nil {
			return nil, err
		}
		n += got
		switch {
		case got == 0 || n < len(buf) && n == size:
			return buf[:n], nil
		case n == len(buf): // it grew
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// sumFile is the hash of a file's content. It reads into a buffer that is not empty, piece
// by piece.
func sumFile(name string, buf []byte) (Sum, error) {
	fd, size, err := openRegular(name)
	if err != nil {
		return Sum{}, err
	}
	if size < 0 {
		data, err := readOdd(name)
		return sha256.Sum256(data), err
	}
	defer unix.Close(fd)
	n, err := readSome(fd, name, buf)
	if err != nil {
		return Sum{}, err
	}
	if n == size && n < len(buf) {
		return sha256.Sum256(buf[:n]), nil
	}
	h := sha256.New()
	for n > 0 {
		h.Write(buf[:n])
		if n, err = readSome(fd, name, buf); err != nil {
			return Sum{}, err
		}
	}
	return Sum(h.Sum(nil)), nil
}

// openRegular opens a file and returns its size, or -1 and no descriptor where it is not a
// regular file.
func openRegular(name string) (fd, size int, err error) {
	for {
		fd, err = unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return 0, 0, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		_ = unix.Close(fd) // it was only looked at
		return 0, -1, nil
	}
	return fd, int(stat.Size), nil
}

// errNotRegular is why something is not read that has no end, or has one only when others
// say so.
var errNotRegular = errors.New("not a regular file")

// readOdd reads what is no regular file: of the null device nothing, and of others an error.
func readOdd(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return os.ReadFile(name) // the error is that of the system
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return []byte{}, nil
	}
	return nil, &fs.PathError{Op: "read", Path: name, Err: errNotRegular}
}

func readSome(fd int, name string, buf []byte) (int, error) {
	for {
		n, err := unix.Read(fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		return n, nil
	}
}
