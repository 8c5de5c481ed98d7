package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
)

// Kind is what was asked of a path.
type Kind byte

// The kinds of questions.
const (
	Content   Kind = 'c' // which bytes a file has
	Listing   Kind = 'd' // which names and types of entries a directory has
	Existence Kind = 's' // whether there is a file or a directory, through links
	Link      Kind = 'l' // the same of the path itself
	Real      Kind = 'r' // where a path leads without links
	Program   Kind = 'p' // where the search path has a program
)

// Question is something that was asked of the file system.
type Question struct {
	Kind Kind
	Path string
}

// Sum stands for an answer: a SHA-256 over the bytes, names or path that it consists of.
type Sum = [sha256.Size]byte

// sumAbsent is the answer that nothing is there.
var sumAbsent = sha256.Sum256([]byte("\x00absent"))

func sumMode(info fs.FileInfo) Sum {
	return sha256.Sum256([]byte("\x00mode " + info.Mode().Type().String()))
}

func sumListing(entries []fs.DirEntry) Sum {
	var b []byte
	for _, e := range entries {
		b = append(append(b, e.Name()...), 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(e.Type()))
	}
	return sha256.Sum256(b)
}

// asker asks questions again.
type asker struct{ buf []byte }

// answer returns what is so now. It is false where an error may not last.
func (a *asker) answer(q Question) (Sum, bool) {
	if q.Kind == Content {
		sum, err := sumFile(q.Path, a.buf)
		if err != nil {
			return sumAbsent, absent(err)
		}
		return sum, true
	}
	r := New()
	switch q.Kind {
	case Listing:
		_, _ = r.ReadDir(q.Path)
	case Existence:
		_, _ = r.Stat(q.Path)
	case Link:
		_, _ = r.Lstat(q.Path)
	case Real:
		_, _ = r.EvalSymlinks(q.Path)
	case Program:
		_, _ = r.LookPath(q.Path)
	}
	sum, ok := r.facts[q]
	return sum, ok
}
