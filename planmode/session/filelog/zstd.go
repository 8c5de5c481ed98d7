package filelog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxFrame is how large the text of one frame may be.
const maxFrame = 1 << 30

var (
	errTornFrame = errors.New("the zstd frame is incomplete")
	errNoFrame   = errors.New("no zstd frame begins here")
)

// frameMagic begins each zstd frame.
const frameMagic = "\x28\xb5\x2f\xfd"

// codec compresses and decompresses zstd frames. It is safe for concurrent use. Its zero
// value is ready; what it works with is made when it is first needed.
type codec struct {
	once    sync.Once
	encoder *zstd.Encoder
	strict  *zstd.Decoder
	salvage *zstd.Decoder // does not look at checksums
}

func (c *codec) init() {
	c.once.Do(func() {
		var errs [3]error
		c.encoder, errs[0] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
		options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame)}
		c.strict, errs[1] = zstd.NewReader(nil, options...)
		c.salvage, errs[2] = zstd.NewReader(nil, append(options, zstd.IgnoreChecksum(true))...)
		if err := errors.Join(errs[:]...); err != nil {
			panic("filelog: options of the zstd codec: " + err.Error())
		}
	})
}

// frame returns text as one frame with a checksum.
func (c *codec) frame(text []byte) []byte {
	c.init()
	return c.encoder.EncodeAll(text, nil)
}

// decode appends the text of a frame to dst. A torn frame gives the text of its whole
// blocks, a damaged one whatever can be made out, each with an error.
func (c *codec) decode(frame, dst []byte, torn bool) ([]byte, error) {
	c.init()
	if torn {
		text, _ := c.salvage.DecodeAll(frame, dst)
		return text, errTornFrame
	}
	before := len(dst)
	text, err := c.strict.DecodeAll(frame, dst)
	if err == nil {
		return text, nil
	}
	text, _ = c.salvage.DecodeAll(frame, dst[:before])
	return text, fmt.Errorf("the zstd frame is damaged: %w", err)
}

// zstdPieces reads a file of zstd frames. A piece is a frame, or several where a line
// goes on from one to the next.
type zstdPieces struct {
	codec  *codec
	file   io.ReaderAt
	offset int64
	ahead  int    // how much is read at once
	buf    []byte // what was read from offset on
	eof    bool
	text   []byte
}

// newZstdPieces reads a file from an offset on, where it holds about rest bytes.
func newZstdPieces(c *codec, file io.ReaderAt, offset, rest int64) *zstdPieces {
	return &zstdPieces{codec: c, file: file, offset: offset, ahead: int(min(max(rest, 0)+1, 64<<10))}
}

func (p *zstdPieces) next() (piece, error) {
	out := piece{offset: p.offset, end: p.offset}
	p.text = p.text[:0]
	for {
		size, err := p.frameSize()
		switch {
		case err == io.EOF && out.end == out.offset:
			return piece{}, io.EOF
		case err == io.EOF:
			return out, nil
		case errors.Is(err, errNoFrame):
			out.fault = err
			if size, err = p.resync(); err != nil {
				return piece{}, err
			}
		case err != nil && err != errTornFrame:
			return piece{}, err
		default:
			whole := len(p.text)
			torn := err == errTornFrame
			p.text, err = p.codec.decode(p.buf[:size], p.text, torn)
			if err == nil {
				break
			}
			out.fault = err
			if inner := p.innerFrame(size); inner < size || !torn {
				out.suspect = bytes.Clone(p.text[whole:])
				p.text, size = p.text[:whole], inner
			}
		}
		p.buf = p.buf[size:]
		p.offset += int64(size)
		out.end = p.offset
		out.text = p.text
		if out.fault != nil || len(p.text) == 0 || p.text[len(p.text)-1] == '\n' {
			return out, nil
		}
	}
}

// innerFrame returns where within the first size bytes a frame begins that is whole and
// undamaged, and size if none does. There is one if damage made a frame seem longer
// than it was.
func (p *zstdPieces) innerFrame(size int) int {
	for from := 1; from < size; {
		i := bytes.Index(p.buf[from:min(size+len(frameMagic)-1, len(p.buf))], []byte(frameMagic))
		if i < 0 {
			break
		}
		from += i
		inner := newZstdPieces(p.codec, p.file, p.offset+int64(from), int64(size))
		if n, err := inner.frameSize(); err == nil {
			if _, err := p.codec.decode(inner.buf[:n], nil, false); err == nil {
				return from
			}
		}
		from++
	}
	return size
}

// need reads until n bytes from the offset on are there or the file ends.
func (p *zstdPieces) need(n int) error {
	for len(p.buf) < n && !p.eof {
		have := len(p.buf)
		p.buf = slices.Grow(p.buf, max(n-have, p.ahead))
		read, err := p.file.ReadAt(p.buf[have:cap(p.buf)], p.offset+int64(have))
		p.buf = p.buf[:have+read]
		p.eof = err == io.EOF
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// frameSize returns the size of the frame at the offset and reads it. The error is
// io.EOF at the end of the file; errTornFrame where the file ends within the frame, with
// the size of what is there; errNoFrame where no frame can be.
func (p *zstdPieces) frameSize() (int, error) {
	if err := p.need(zstd.HeaderMaxSize); err != nil {
		return 0, err
	}
	if len(p.buf) == 0 {
		return 0, io.EOF
	}
	var header zstd.Header
	if err := header.Decode(p.buf); err != nil {
		if p.eof && len(p.buf) < zstd.HeaderMaxSize && errors.Is(err, io.ErrUnexpectedEOF) &&
			bytes.HasPrefix([]byte(frameMagic), p.buf[:min(4, len(p.buf))]) {
			return len(p.buf), errTornFrame
		}
		return 0, fmt.Errorf("%w: %w", errNoFrame, err)
	}
	size := header.HeaderSize
	if header.Skippable && header.SkippableSize > maxFrame {
		return 0, fmt.Errorf("%w: it is larger than %d bytes", errNoFrame, maxFrame)
	}
	if header.Skippable {
		size += int(header.SkippableSize)
		if err := p.need(size); err != nil {
			return 0, err
		}
		if len(p.buf) < size {
			return len(p.buf), errTornFrame
		}
		return size, nil
	}
	return p.blocks(size, header.HasCheckSum)
}

// blocks goes through the blocks of the frame at the offset, which begin at byte size of
// it, and returns the size of the frame.
func (p *zstdPieces) blocks(size int, checksum bool) (int, error) {
	for last := false; !last; {
		if err := p.need(size + 3); err != nil {
			return 0, err
		}
		if len(p.buf) < size+3 {
			return len(p.buf), errTornFrame
		}
		head := binary.LittleEndian.Uint32([]byte{p.buf[size], p.buf[size+1], p.buf[size+2], 0})
		last = head&1 != 0
		length := int(head >> 3)
		switch kind := head >> 1 & 3; {
		case kind == 3 || length > 128<<10:
			return 0, fmt.Errorf("%w: its block at byte %d is invalid", errNoFrame, size)
		case kind == 1: // one byte that is repeated
			size += 3 + 1
		default:
			size += 3 + length
		}
	}
	if checksum {
		size += 4
	}
	if err := p.need(size); err != nil {
		return 0, err
	}
	if len(p.buf) < size {
		return len(p.buf), errTornFrame
	}
	return size, nil
}

// resync returns how far behind the offset the next frame may begin, at most at the
// end of the file.
func (p *zstdPieces) resync() (int, error) {
	for from := 1; ; {
		if from < len(p.buf) {
			if i := bytes.Index(p.buf[from:], []byte(frameMagic)); i >= 0 {
				return from + i, nil
			}
			from = max(1, len(p.buf)-len(frameMagic)+1)
		}
		if p.eof {
			return len(p.buf), nil
		}
		if err := p.need(len(p.buf) + 1); err != nil {
			return 0, err
		}
	}
}
