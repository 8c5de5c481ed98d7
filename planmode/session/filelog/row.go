package filelog

import (
	"bytes"
	"errors"
	"slices"

	"github.com/agentplan/sdk/planmode/session"
)

// row is what one line of a file holds: an event, or a packed row of several.
type row struct {
	event  session.Event
	chunks *chunkRow
}

// seq is the seq of the first event of the row.
func (r *row) seq() int64 {
	if r.chunks != nil {
		return r.chunks.seq0
	}
	return int64(r.event.Seq)
}

// count is how many events the row stands for.
func (r *row) count() int64 {
	if r.chunks != nil {
		return int64(r.chunks.n)
	}
	return 1
}

// decode reads a line, whose memory the row then shares. It wraps a *session.SyntaxError
// if the line is not JSON; any other error is about JSON that a reader refuses.
func (r *row) decode(line []byte, known []string) (err error) {
	r.event, r.chunks = session.Event{}, nil
	if !packed(line) {
		r.event, err = session.DecodeEvent(line)
		if err == nil {
			return checkType(session.CheckEnvelope(r.event), r.event, known)
		}
		if syntax := (*session.SyntaxError)(nil); errors.As(err, &syntax) || !isChunkRow(line) {
			return err
		}
	}
	chunks, err := decodeChunks(line)
	r.chunks = &chunks
	return err
}

// checkType forgives an unknown type that the program knows.
func checkType(err error, e session.Event, known []string) error {
	if errors.Is(err, session.ErrUnknownType) && e.SurfaceOp == nil && slices.Contains(known, e.Type) {
		return nil
	}
	return err
}

// packed reports whether a line begins as the original writes its packed rows.
func packed(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return false
	}
	name, _, ok := bytes.Cut(rest, []byte(`"`))
	if !ok {
		return false
	}
	_, ok = chunkKind(name)
	return ok
}
