package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEventJSON(t *testing.T) {
	at := time.UnixMilli(1796100248349).UTC()
	for _, c := range []struct {
		line  string
		event Event
	}{
		{
			`{"type":"plan/mode","seq":1,"time":1796100248349,"data":{"active":true}}`,
			Event{Seq: 1, Time: at, Type: "plan/mode", Data: json.RawMessage(`{"active":true}`)},
		},
		{
			`{"type":"user/message","seq":9007199254740991,"time":-1,"data":null,"sourceEventSeqs":[0,7],"surfaceOp":{"op":"replace","start":1,"end":2}}`,
			Event{
				Seq: MaxInt, Time: time.UnixMilli(-1).UTC(), Type: "user/message", Data: json.RawMessage(`null`),
				SourceEventSeqs: []uint64{0, 7}, SurfaceOp: json.RawMessage(`{"op":"replace","start":1,"end":2}`),
			},
		},
		{
			`{"type":"x/\"计划\"\n","seq":0,"time":0,"data":"<&>","sourceEventSeqs":[],"ignorable":true}`,
			Event{Time: time.UnixMilli(0).UTC(), Type: "x/\"计划\"\n", Data: json.RawMessage(`"<&>"`), SourceEventSeqs: []uint64{}, Ignorable: true},
		},
	} {
		line, err := AppendEvent([]byte("x"), c.event)
		if err != nil || string(line) != "x"+c.line {
			t.Errorf("AppendEvent: %s, %v; want %s", line, err, c.line)
		}
		var e Event
		if err := json.Unmarshal([]byte(c.line), &e); err != nil {
			t.Errorf("%s: %v", c.line, err)
		}
		if diff := cmp.Diff(c.event, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
	if b, err := json.Marshal([]Event{{Type: "a", Time: at, Data: json.RawMessage(" [ 1 ] ")}}); err != nil ||
		string(b) != `[{"type":"a","seq":0,"time":1796100248349,"data":[1]}]` {
		t.Errorf("Marshal: %s, %v", b, err)
	}
}

func TestEventHasNoJSON(t *testing.T) {
	data := json.RawMessage(`{}`)
	for _, e := range []Event{
		{Data: data},
		{Type: "a"},
		{Type: "a", Data: json.RawMessage(`{`)},
		{Type: "a", Data: data, SurfaceOp: json.RawMessage(`x`)},
		{Type: "a", Data: data, SurfaceOp: json.RawMessage{}},
		{Type: "a", Data: data, Seq: MaxInt + 1},
		{Type: "a", Data: data, SourceEventSeqs: []uint64{MaxInt + 1}},
		{Type: "a", Data: data, Time: time.UnixMilli(MaxInt + 1)},
	} {
		if line, err := AppendEvent(nil, e); err == nil {
			t.Errorf("%+v is written as %s", e, line)
		}
	}
}

func TestUnmarshalKeepsNothing(t *testing.T) {
	line := []byte(`{"type":"tool/result","seq":0,"time":0,"data":{"a":1},"surfaceOp":"append"}`)
	var e Event
	if err := e.UnmarshalJSON(line); err != nil {
		t.Fatal(err)
	}
	for i := range line {
		line[i] = 'x'
	}
	if string(e.Data) != `{"a":1}` || string(e.SurfaceOp) != `"append"` {
		t.Errorf("the event changed with the line: %s, %s", e.Data, e.SurfaceOp)
	}
}

func lines() []string {
	return []string{
		`{"type":"a","seq":0,"time":0,"data":{}}`,
		`{"type":"a","seq":0,"time":0,"data":{},"ignorable":true}`,
		`{"type":"a","seq":0,"time":0,"data":{},"ignorable":false}`,
		`{"type":"a","seq":0,"time":0,"data":{},"ignorable":null}`,
		`{"type":"a","seq":0,"time":0,"data":{},"sourceEventSeqs":null}`,
		`{"type":"a","seq":0,"time":0,"data":{},"sourceEventSeqs":[1, 2 ,3]}`,
		`{"type":"a","seq":0,"time":0,"data":{},"sourceEventSeqs":[1.5]}`,
		`{"type":"a","seq":0,"time":0,"data":{},"sourceEventSeqs":{"a":1}}`,
		`{"type":"a","seq":0,"time":0,"data":{},"surfaceOp":null}`,
		`{"type":"a","seq":0,"time":0,"data":{},"extra":1}`,
		`{"type":"a","seq":0,"time":0,"data":{},"data":{}}`,
		`{"Type":"a","seq":0,"time":0,"data":{}}`,
		`{"type":"","seq":0,"time":0,"data":{}}`,
		`{"type":1,"seq":0,"time":0,"data":{}}`,
		`{"type":"a","seq":-1,"time":0,"data":{}}`,
		`{"type":"a","seq":-0,"time":-0,"data":{}}`,
		`{"type":"a","seq":0.0,"time":0,"data":{}}`,
		`{"type":"a","seq":"0","time":0,"data":{}}`,
		`{"type":"a","seq":9007199254740991,"time":-9007199254740991,"data":0}`,
		`{"type":"a","seq":9007199254740992,"time":0,"data":0}`,
		`{"type":"a","seq":0,"time":9007199254740992,"data":0}`,
		`{"seq":0,"time":0,"data":{}}`, `{"type":"a","time":0,"data":{}}`, `{"type":"a","seq":0,"data":{}}`, `{"type":"a","seq":0,"time":0}`,
		` { "data" : [ 1 , { } ] , "time" : 5 , "seq" : 6 , "t\u0079pe" : "\u0061" } `,
		`{"type":"a","seq":0,"time":0,"data":{}} {}`, `{"type":"a","seq":0,"time":0,"data":{}`, `{}`, `[]`, `1`, `x`, ``, `{"a":1,}`,
		"{\"type\":\"a\xff\",\"seq\":0,\"time\":0,\"data\":\"\xff\"}",
	}
}

// wanted reads a line by means of encoding/json alone.
func wanted(line []byte) (Event, bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	if !json.Valid(line) {
		return Event{}, false
	}
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return Event{}, false
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return Event{}, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return Event{}, false
		}
		if _, twice := fields[key.(string)]; twice {
			return Event{}, false
		}
		fields[key.(string)] = value
	}
	var e Event
	var ms int64
	known := 0
	take := func(key string, required bool, into any) bool {
		value, ok := fields[key]
		if !ok {
			return !required
		}
		known++
		return string(value) != "null" && json.Unmarshal(value, into) == nil
	}
	ok := take("type", true, &e.Type) && take("seq", true, &e.Seq) && take("time", true, &ms) &&
		take("sourceEventSeqs", false, &e.SourceEventSeqs) && take("ignorable", false, &e.Ignorable)
	if data, has := fields["data"]; has {
		known++
		e.Data = data
	} else {
		ok = false
	}
	if op, has := fields["surfaceOp"]; has {
		known++
		e.SurfaceOp = op
	}
	if _, has := fields["ignorable"]; has && !e.Ignorable {
		ok = false
	}
	if !ok || known != len(fields) || e.Type == "" || e.Seq > MaxInt || ms > MaxInt || ms < -MaxInt {
		return Event{}, false
	}
	var sources []json.RawMessage
	if err := json.Unmarshal(fields["sourceEventSeqs"], &sources); fields["sourceEventSeqs"] != nil && err != nil {
		return Event{}, false
	}
	for i, seq := range e.SourceEventSeqs {
		if seq > MaxInt || string(sources[i]) == "null" {
			return Event{}, false
		}
	}
	e.Time = time.UnixMilli(ms).UTC()
	return e, true
}

func checkDecode(t *testing.T, line []byte) {
	t.Helper()
	want, ok := wanted(line)
	e, err := DecodeEvent(line)
	if ok != (err == nil) {
		// A decoder of the standard library takes -0 for no unsigned number.
		if strings.Contains(string(line), "-0") {
			return
		}
		t.Fatalf("%q: %v, want acceptance %t", line, err, ok)
	}
	var syntax *SyntaxError
	if errors.As(err, &syntax) == json.Valid(line) && err != nil {
		t.Fatalf("%q: %v, encoding/json says valid is %t", line, err, json.Valid(line))
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Fatalf("%q (-want +got):\n%s", line, diff)
	}
	again, err := AppendEvent(nil, e)
	if err != nil {
		t.Fatalf("%q is not written again: %v", line, err)
	}
	twice, err := DecodeEvent(again)
	if err != nil {
		t.Fatalf("%q, written again as %q: %v", line, again, err)
	}
	twice.Data, e.Data = compact(t, twice.Data), compact(t, e.Data)
	if e.SurfaceOp != nil {
		twice.SurfaceOp, e.SurfaceOp = compact(t, twice.SurfaceOp), compact(t, e.SurfaceOp)
	}
	if diff := cmp.Diff(e, twice); diff != "" {
		t.Fatalf("%q, written again as %q:\n%s", line, again, diff)
	}
}

func compact(t *testing.T, b []byte) json.RawMessage {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDecodeEvent(t *testing.T) {
	for _, line := range lines() {
		checkDecode(t, []byte(line))
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, line := range lines() {
		f.Add([]byte(line))
	}
	f.Fuzz(checkDecode)
}

func BenchmarkDecodeEvent(b *testing.B) {
	line, err := AppendEvent(nil, ToolResult(1, 1, ToolOutcome{MessageID: "m", CallID: "c", Content: []Block{TextBlock(strings.Repeat("text ", 60))}}))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := DecodeEvent(line); err != nil {
			b.Fatal(err)
		}
	}
}
