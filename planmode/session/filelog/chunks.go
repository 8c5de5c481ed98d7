package filelog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/internal/jsonscan"
)

// chunkRow is a line that stands for n consecutive assistant/chunk events, one for each
// text that a model streamed. Its byte slices share memory with the line.
type chunkRow struct {
	kind string // the type of the row
	seq0 int64
	time int64 // of the first event, ms

	turn, step, index []byte
	id, name          []byte // of a tool call; name may be nil
	gaps, texts       []byte // JSON arrays; gaps may be nil
	n                 int
}

// chunkKind returns the type of a packed row that name is.
func chunkKind(name []byte) (kind string, ok bool) {
	switch string(name) {
	case "text-chunks":
		return "text-chunks", true
	case "reasoning-chunks":
		return "reasoning-chunks", true
	case "tool-call-chunks":
		return "tool-call-chunks", true
	}
	return "", false
}

// isChunkRow reports whether a line is JSON whose type is that of a packed row.
func isChunkRow(line []byte) bool {
	_, ok := chunkKind(lineType(line))
	return ok
}

// lineType returns the type of a line that is a JSON object, or nil.
func lineType(line []byte) (name []byte) {
	i := jsonscan.Space(line, 0)
	if i == len(line) || line[i] != '{' {
		return nil
	}
	members := jsonscan.Walk(line, i)
	for members.Next() {
		if string(members.Key()) == "type" {
			name, _ = jsonscan.Text(members.Value())
		}
	}
	if end, err := members.End(); err != nil || jsonscan.End(line, end) != nil {
		return nil
	}
	return name
}

// decodeChunks reads a packed row. Like session.DecodeEvent it tells a line that is not
// JSON by a *session.SyntaxError.
func decodeChunks(line []byte) (chunkRow, error) {
	var r chunkRow
	var fault error
	var seen [4]int
	i := jsonscan.Space(line, 0)
	members := jsonscan.Walk(line, i)
	for members.Next() {
		value := members.Value()
		var ok bool
		switch key := members.Key(); string(key) {
		case "type":
			seen[0]++
			name, _ := jsonscan.Text(value)
			r.kind, ok = chunkKind(name)
		case "seq0":
			seen[1]++
			r.seq0, ok = jsonscan.Integer(value)
			ok = ok && r.seq0 >= 0
		case "time0":
			seen[2]++
			r.time, ok = jsonscan.Integer(value)
		case "data":
			seen[3]++
			ok = value[0] == '{' && r.data(value)
		}
		if !ok && fault == nil {
			fault = fmt.Errorf("decode packed row: %.80q is unknown or not as it should be", members.Key())
		}
	}
	end, err := members.End()
	if err == nil {
		err = jsonscan.End(line, end)
	}
	switch {
	case err != nil:
		return r, fmt.Errorf("decode packed row: %w", err)
	case fault != nil:
		return r, fault
	case seen != [4]int{1, 1, 1, 1}:
		return r, errors.New("decode packed row: type, seq0, time0 and data must each stand once")
	case r.kind == "tool-call-chunks" && r.id == nil:
		return r, errors.New("decode packed row: the id of the tool call is missing")
	case r.seq0+int64(r.n)-1 > session.MaxInt:
		return r, errors.New("decode packed row: seq is beyond 2^53-1")
	}
	return r, nil
}

// data reads the payload of a packed row and reports whether it is as it should be. A
// tool call has its texts under args.
func (r *chunkRow) data(value []byte) bool {
	members := jsonscan.Walk(value, 0)
	for members.Next() {
		value := members.Value()
		switch string(members.Key()) {
		case "turn":
			r.turn = value
		case "step":
			r.step = value
		case "index":
			r.index = value
		case "id":
			r.id = value
		case "name":
			r.name = value
		case "dt":
			r.gaps = value
		case "texts", "args":
			if r.texts != nil {
				return false
			}
			r.texts = value
		}
	}
	for _, number := range [][]byte{r.turn, r.step, r.index} {
		if _, ok := jsonscan.Integer(number); !ok {
			return false
		}
	}
	for _, name := range [][]byte{r.id, r.name} {
		if name != nil && name[0] != '"' {
			return false
		}
	}
	isText := func(b []byte) bool { return b[0] == '"' }
	isInteger := func(b []byte) bool { _, ok := jsonscan.Integer(b); return ok }
	var ok bool
	if r.n, ok = count(r.texts, isText); !ok || r.n == 0 {
		return false
	}
	if r.gaps == nil {
		return true
	}
	gaps, ok := count(r.gaps, isInteger)
	return ok && gaps == r.n-1
}

// count returns how many elements the array b has; ok is false if it is none or holds
// an element that does not pass.
func count(b []byte, pass func([]byte) bool) (n int, ok bool) {
	if len(b) == 0 || b[0] != '[' {
		return 0, false
	}
	elements := jsonscan.Walk(b, 0)
	for elements.Next() {
		if !pass(elements.Value()) {
			return 0, false
		}
		n++
	}
	return n, true
}

// events yields the events that the row stands for, from number first on, with memory
// of their own.
func (r *chunkRow) events(first int, yield func(session.Event) bool) bool {
	texts := jsonscan.Walk(r.texts, 0)
	gaps := jsonscan.Walker{}
	if r.gaps != nil {
		gaps = jsonscan.Walk(r.gaps, 0)
	}
	ms := r.time
	for i := 0; texts.Next(); i++ {
		if i > 0 && r.gaps != nil && gaps.Next() {
			gap, _ := jsonscan.Integer(gaps.Value())
			ms += gap
		}
		if i < first {
			continue
		}
		e := session.Event{
			Seq:  uint64(r.seq0) + uint64(i),
			Time: time.UnixMilli(ms).UTC(),
			Type: "assistant/chunk",
			Data: r.chunk(texts.Value()),
		}
		if !yield(e) {
			return false
		}
	}
	return true
}

// chunk is the payload of one event of the row.
func (r *chunkRow) chunk(text []byte) json.RawMessage {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"turn":%s,"step":%s,"chunk":{"type":`, r.turn, r.step)
	switch r.kind {
	case "text-chunks":
		fmt.Fprintf(&b, `"text-delta","index":%s,"text":%s`, r.index, text)
	case "reasoning-chunks":
		fmt.Fprintf(&b, `"reasoning-delta","index":%s,"text":%s`, r.index, text)
	default:
		fmt.Fprintf(&b, `"tool-call-delta","index":%s,"id":%s`, r.index, r.id)
		if r.name != nil {
			fmt.Fprintf(&b, `,"name":%s`, r.name)
		}
		fmt.Fprintf(&b, `,"argumentsDelta":%s`, text)
	}
	b.WriteString("}}")
	return b.Bytes()
}

// head appends the line, without its end, of a row that holds the first n texts only.
func (r *chunkRow) head(dst []byte, n int) []byte {
	dst = fmt.Appendf(dst, `{"type":%q,"seq0":%d,"time0":%d,"data":{"turn":%s,"step":%s,"index":%s`,
		r.kind, r.seq0, r.time, r.turn, r.step, r.index)
	if r.id != nil {
		dst = fmt.Appendf(dst, `,"id":%s`, r.id)
	}
	if r.name != nil {
		dst = fmt.Appendf(dst, `,"name":%s`, r.name)
	}
	if r.gaps != nil {
		dst = appendFirst(append(dst, `,"dt":`...), r.gaps, n-1)
	}
	key := "texts"
	if r.kind == "tool-call-chunks" {
		key = "args"
	}
	dst = appendFirst(append(dst, `,`+strconv.Quote(key)+`:`...), r.texts, n)
	return append(dst, "}}"...)
}

// appendFirst appends the JSON array of the first n elements of array.
func appendFirst(dst, array []byte, n int) []byte {
	dst = append(dst, '[')
	elements := jsonscan.Walk(array, 0)
	for i := 0; i < n && elements.Next(); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, elements.Value()...)
	}
	return append(dst, ']')
}
