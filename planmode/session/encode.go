package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// AppendEvent appends the event to dst as one line of a session file, without the line
// end. Data is written without white space between its tokens, so the result never
// holds a line end. It fails if the event has no JSON form: an empty type, a number
// beyond [MaxInt], a payload that is not JSON. [Validate] checks the further rules.
func AppendEvent(dst []byte, e Event) ([]byte, error) {
	ms := e.Time.UnixMilli()
	switch {
	case e.Type == "":
		return dst, errors.New("encode event: type is empty")
	case e.Seq > MaxInt:
		return dst, fmt.Errorf("encode event %s: seq %d is beyond 2^53-1", e.Type, e.Seq)
	case ms > MaxInt || ms < -MaxInt:
		return dst, fmt.Errorf("encode event %s: time is out of range", e.Type)
	case !json.Valid(e.Data):
		return dst, fmt.Errorf("encode event %s: data is not JSON", e.Type)
	case e.SurfaceOp != nil && !json.Valid(e.SurfaceOp):
		return dst, fmt.Errorf("encode event %s: surfaceOp is not JSON", e.Type)
	}
	dst = append(dst, `{"type":`...)
	dst = appendString(dst, e.Type)
	dst = append(dst, `,"seq":`...)
	dst = strconv.AppendUint(dst, e.Seq, 10)
	dst = append(dst, `,"time":`...)
	dst = strconv.AppendInt(dst, ms, 10)
	dst = append(dst, `,"data":`...)
	dst = appendCompact(dst, e.Data)
	if e.SourceEventSeqs != nil {
		dst = append(dst, `,"sourceEventSeqs":[`...)
		for i, seq := range e.SourceEventSeqs {
			if seq > MaxInt {
				return dst, fmt.Errorf("encode event %s: source seq %d is beyond 2^53-1", e.Type, seq)
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendUint(dst, seq, 10)
		}
		dst = append(dst, ']')
	}
	if e.SurfaceOp != nil {
		dst = append(dst, `,"surfaceOp":`...)
		dst = appendCompact(dst, e.SurfaceOp)
	}
	if e.Ignorable {
		dst = append(dst, `,"ignorable":true`...)
	}
	return append(dst, '}'), nil
}

// appendString appends s as a JSON string without the escapes that only HTML needs.
func appendString(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			return appendEscaped(dst, s)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendEscaped(dst []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic("session: encode a string: " + err.Error())
	}
	return append(dst, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// appendCompact appends valid JSON without the white space between its tokens.
func appendCompact(dst, value []byte) []byte {
	if bytes.ContainsAny(value, " \t\r\n") {
		buf := bytes.NewBuffer(dst)
		if err := json.Compact(buf, value); err != nil {
			panic("session: compact valid JSON: " + err.Error())
		}
		return buf.Bytes()
	}
	return append(dst, value...)
}
