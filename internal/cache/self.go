package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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

// buildID finds the build ID that the linker writes at the start of a program: in a note of
// an ELF file, at the start of the text of others. It is empty where there is none that
// stands for content.
func buildID(head []byte) string {
	id := noteID(head)
	if id == nil {
		_, rest, _ := bytes.Cut(head, []byte("\xff Go build ID: \""))
		id, _, _ = bytes.Cut(rest, []byte("\"\n \xff"))
	}
	if bytes.Count(id, []byte("/")) != 3 {
		return ""
	}
	return string(id)
}

// noteID is the content of the note of an ELF file that holds the build ID: the note's
// sizes of name and content, its type 4 and its name come before it.
func noteID(head []byte) []byte {
	if !bytes.HasPrefix(head, []byte("\x7fELF")) {
		return nil
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		mark := append(make([]byte, 4), "Go\x00\x00"...)
		order.PutUint32(mark, 4)
		i := bytes.Index(head, mark)
		if i < 8 || order.Uint32(head[i-8:]) != 4 {
			continue
		}
		size := int(order.Uint32(head[i-4:]))
		if rest := head[i+len(mark):]; size <= len(rest) {
			return rest[:size]
		}
	}
	return nil
}
