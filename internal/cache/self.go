package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// Self identifies the running program by its bytes: by the build ID that the go command
// gives it, which is a hash of them, or by a hash of the whole file. Entries of another
// build are of no use, also where the two have the same version.
func Self() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return identify(f)
}

// headSize is how much of a program may come before its build ID.
const headSize = 32 << 10

func identify(r io.Reader) (string, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "", err
	}
	head = head[:n]
	if id := buildID(head); id != "" {
		return "build ID " + id, nil
	}
	h := sha256.New()
	h.Write(head)
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return "sha256 " + hex.EncodeToString(h.Sum(nil)), nil
}

// buildID finds the build ID that the linker writes at the start of the text. It is empty
// where there is none that stands for content.
func buildID(head []byte) string {
	_, rest, ok := bytes.Cut(head, []byte("\xff Go build ID: \""))
	if !ok {
		return ""
	}
	id, _, ok := bytes.Cut(rest, []byte("\"\n \xff"))
	if !ok || bytes.Count(id, []byte("/")) != 3 {
		return ""
	}
	return string(id)
}
