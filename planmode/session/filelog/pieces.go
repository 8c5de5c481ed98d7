package filelog

import (
	"bytes"
	"errors"
	"io"
)

// piece is a part of a file that begins and ends between two lines.
type piece struct {
	// offset and end bound the part in the file.
	offset, end int64
	// text holds its lines. It is valid until the next piece is read.
	text []byte
	// exact says that text is the part byte for byte, so that a line of it can be found
	// in the file.
	exact bool
	// fault says why the part, and text with it, ends early. The part that follows, if
	// any, is found by looking for where one begins.
	fault error
	// suspect holds what can be made out of a damaged part, not to be trusted.
	suspect []byte
}

// pieces reads a file from an offset on. After the last piece it returns io.EOF.
type pieces interface{ next() (piece, error) }

// errPartialLine is the fault of bytes at the end that have no line end.
var errPartialLine = errors.New("the line is incomplete")

// rawPieces reads a file of plain text.
type rawPieces struct {
	file   io.ReaderAt
	offset int64
	buf    []byte
	have   int    // bytes in buf that are read and not yet returned
	spare  []byte // the buffer of the last piece
}

// rawPieceSize is how much of a plain file is read at once.
const rawPieceSize = 256 << 10

// newRawPieces reads a file from an offset on, where it holds about rest bytes.
func newRawPieces(file io.ReaderAt, offset, rest int64) *rawPieces {
	size := min(max(rest, 0)+1, rawPieceSize) // one more, to find the end at once
	return &rawPieces{file: file, offset: offset, buf: make([]byte, size)}
}

func (p *rawPieces) next() (piece, error) {
	rest := p.buf[:p.have]
	for {
		if len(rest) == len(p.buf) {
			p.buf = append(p.buf, make([]byte, len(p.buf))...)
		}
		n, err := p.file.ReadAt(p.buf[len(rest):], p.offset+int64(len(rest)))
		fresh := p.buf[len(rest) : len(rest)+n]
		rest = p.buf[:len(rest)+n]
		if nl := bytes.LastIndexByte(fresh, '\n'); nl >= 0 {
			return p.take(rest, len(rest)-n+nl+1), nil
		}
		switch {
		case err == io.EOF && len(rest) == 0:
			return piece{}, io.EOF
		case err == io.EOF:
			return p.take(rest, len(rest)), nil
		case err != nil:
			return piece{}, err
		}
	}
}

// take returns the first n bytes of what is read as a piece and keeps the others.
func (p *rawPieces) take(read []byte, n int) piece {
	kept := read[n:]
	p.have = len(kept)
	if len(kept) > 0 {
		// The piece keeps its buffer until the next one; the rest moves to the other.
		if len(p.spare) < len(p.buf) {
			p.spare = make([]byte, len(p.buf))
		}
		copy(p.spare, kept)
		p.buf, p.spare = p.spare, p.buf
	}
	out := piece{offset: p.offset, end: p.offset + int64(n), text: read[:n], exact: true}
	p.offset = out.end
	return out
}
