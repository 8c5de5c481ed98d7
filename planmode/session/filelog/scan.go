package filelog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/agentplan/sdk/planmode/session"
)

// spot is a place in a file: so many events, lines and bytes lie before it.
type spot struct {
	position int64
	lines    int
	offset   int64
}

// scan is one pass over the lines of a file. It checks each: JSON, envelope, types and
// the sequence.
type scan struct {
	path  string
	known []string
	// header receives the first line if the pass begins with it.
	header session.Header
	// visit, unless nil, gets each row after the header with its line and ends the pass
	// by returning false. Both are valid for the call only.
	visit func(line []byte, r *row) bool

	row row // the current one

	// solid is the spot up to which the file is good as it is. An append goes there.
	solid spot
	// tip is the spot after the last good line. It lies beyond solid by the lines kept.
	tip spot
	// kept holds the good lines of a torn or faulty frame that begins at solid.
	kept []byte
	// torn says what follows the tip, a tail to be cut off; nil if nothing follows.
	torn *session.CorruptError
	// diverged says that good lines which an earlier pass found are gone.
	diverged bool
	// marks are spots at which reading can begin.
	marks []spot
}

// run goes on from solid to the end of the file. The error is a *session.CorruptError if
// a line is refused, or if it cannot be read and a turn ended after it: then it was not
// the tail that a crash leaves.
func (s *scan) run(ctx context.Context, src pieces) error {
	before := s.kept
	s.tip, s.kept, s.torn = s.solid, nil, nil
	// The marks of an earlier pass may be in use by readers.
	s.marks = s.marks[:len(s.marks):len(s.marks)]
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := src.next()
		if err == io.EOF {
			s.diverged = s.diverged || len(before) > 0
			if s.tip.lines == 0 {
				return s.corrupt(errors.New("the header is missing"))
			}
			return nil
		}
		if err != nil {
			return err
		}
		s.diverged = s.diverged || !bytes.HasPrefix(p.text, before)
		before = nil
		s.mark(spot{position: s.tip.position, lines: s.tip.lines, offset: p.offset})
		used, goOn, err := s.piece(p)
		if err != nil || !goOn {
			return err
		}
		if s.torn == nil {
			continue
		}
		if s.solid.lines == 0 {
			return s.torn // files are made with their header in place
		}
		ended, err := turnEnds(ctx, append(p.text[used:], p.suspect...), src)
		if err == nil && ended {
			return s.torn
		}
		return err
	}
}

// piece reads the lines of p and returns how many bytes of its text are good. It sets
// torn if they are not all; goOn is false if the visitor has enough.
func (s *scan) piece(p piece) (used int, goOn bool, err error) {
	fault := p.fault
	for used < len(p.text) {
		n := bytes.IndexByte(p.text[used:], '\n')
		if n < 0 {
			if fault == nil {
				fault = errPartialLine
			}
			break
		}
		goOn, torn, err := s.line(p.text[used : used+n])
		if err != nil || !goOn && torn == nil {
			return used, false, err
		}
		if torn != nil {
			fault = torn
			break
		}
		used += n + 1
		if p.exact {
			s.tip.offset = p.offset + int64(used)
			s.solid = s.tip
			s.mark(s.tip)
		}
	}
	if fault == nil {
		s.tip.offset = p.end
		s.solid = s.tip
		return used, true, nil
	}
	s.torn = s.corrupt(fault)
	if !p.exact {
		s.kept = bytes.Clone(p.text[:used])
	}
	return used, true, nil
}

// line reads one line. Torn is a fault that a crash may have made, err any other.
func (s *scan) line(line []byte) (goOn bool, torn, err error) {
	if s.tip.lines == 0 {
		if err := s.header.UnmarshalJSON(line); err != nil {
			if errors.Is(err, session.ErrVersion) {
				return false, nil, fmt.Errorf("%s:1: %w", s.path, err)
			}
			return false, nil, s.corrupt(err)
		}
		s.tip.lines++
		return true, nil, nil
	}
	r := &s.row
	if err := r.decode(line, s.known); err != nil {
		if syntax := (*session.SyntaxError)(nil); errors.As(err, &syntax) {
			return false, err, nil
		}
		if r.event.Type != "" {
			err = fmt.Errorf("event %q: %w", r.event.Type, err)
		}
		return false, nil, s.corrupt(err)
	}
	if r.seq() != s.tip.position {
		return false, fmt.Errorf("seq is %d, want %d", r.seq(), s.tip.position), nil
	}
	if s.visit != nil && !s.visit(line, r) {
		return false, nil, nil
	}
	s.tip.position += r.count()
	s.tip.lines++
	return true, nil, nil
}

// corrupt is the error of the line after the last good one.
func (s *scan) corrupt(err error) *session.CorruptError {
	return &session.CorruptError{File: s.path, Line: s.tip.lines + 1, Err: err}
}

// markEvery is how many bytes of a file lie between two marks, at least.
const markEvery = 32 << 10

func (s *scan) mark(at spot) {
	if n := len(s.marks); n == 0 || at.offset >= s.marks[n-1].offset+markEvery {
		s.marks = append(s.marks, at)
	}
}

// turnEnds reports whether a turn ends in a whole line of text or of a later piece.
func turnEnds(ctx context.Context, text []byte, src pieces) (bool, error) {
	for {
		for line := range bytes.Lines(text) {
			whole := line[len(line)-1] == '\n'
			if whole && string(lineType(line)) == "turn/end" {
				return true, nil
			}
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		p, err := src.next()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		text = p.text
	}
}
