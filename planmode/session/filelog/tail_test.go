package filelog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode/session"
)

// quiet is a store whose recoveries are not logged and which does not wait for the disk.
func quiet(t *testing.T, store *Store) *Store {
	t.Helper()
	codec := store.codec
	store = newStore(t, store.dir, &Options{Logger: discard()})
	store.codec = codec
	store.disk.sync = func(*os.File) error { return nil }
	return store
}

const headerLine = `{"type":"session","version":0,"id":"s","createdAt":1,"cwd":"/home/u/proj","delegationDepth":0}`

func line(seq int, kind, rest string) string {
	return fmt.Sprintf(`{"type":%q,"seq":%d,"time":1,"data":{}%s}`, kind, seq, rest)
}

func text(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

// Cut anywhere behind its first frame or line, a file opens, holds the events of its
// complete lines, and takes an append.
func TestTruncatedAnywhere(t *testing.T) {
	for _, form := range []string{"raw", "zstd"} {
		t.Run(form, func(t *testing.T) {
			store, path := copySample(t, form, "sess-1")
			store = quiet(t, store)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all := linesOf(t, readAll(t, mustOpen(t, store, "sess-1"), 0))
			first := firstPiece(t, store, path)
			step := 1
			if testing.Short() {
				step = 11
			}
			for cut := len(whole); cut >= int(first); cut -= step {
				if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
					t.Fatal(err)
				}
				log := mustOpen(t, store, "sess-1")
				got := readAll(t, log, 0)
				if len(got) > len(all) || !slices.Equal(all[:len(got)], linesOf(t, got)) {
					t.Fatalf("cut at %d: events are no prefix", cut)
				}
				if form == "raw" {
					if want := len(typesIn(t, whole[:bytes.LastIndexByte(whole[:cut], '\n')+1])); len(got) != want {
						t.Fatalf("cut at %d: %d events, want %d", cut, len(got), want)
					}
				}
				if cut == len(whole)-1 && form == "zstd" && len(got) != len(all) {
					t.Errorf("%d events of a frame that lacks a byte of its checksum, want all %d", len(got), len(all))
				}
				tip := int64(len(got))
				if after, err := log.Append(t.Context(), tip, session.TurnStart(2), session.StepStart(2, 1)); err != nil || after != tip+2 {
					t.Fatalf("cut at %d: append: position %d, %v", cut, after, err)
				}
				if want, on := append(typesOf(got), "turn/start", "step/start"), typesIn(t, plainText(t, path)); !slices.Equal(on, want) {
					t.Fatalf("cut at %d: after an append the file holds %v, want %v", cut, on, want)
				}
				if again := mustOpen(t, store, "sess-1"); again.state.scan.torn != nil || log.Rewinds() != 0 {
					t.Fatalf("cut at %d: the tail is still torn, or the log was rewound", cut)
				}
			}
			for cut := range first {
				if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
					t.Fatal(err)
				}
				_, err := store.Open(t.Context(), "sess-1")
				var corrupt *session.CorruptError
				if !errors.As(err, &corrupt) || corrupt.Line != 1 && form == "raw" {
					t.Fatalf("cut at %d, within the header: %v, want a CorruptError of line 1", cut, err)
				}
			}
		})
	}
}

// linesOf returns the events as lines of a file, which are compared faster than events.
func linesOf(t *testing.T, events []session.Event) []string {
	t.Helper()
	var lines []string
	for _, e := range events {
		line, err := session.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

// firstPiece returns the size of what must stand at the beginning of a file: its header.
func firstPiece(t *testing.T, store *Store, path string) int64 {
	t.Helper()
	if !compressed(path) {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return int64(bytes.IndexByte(whole, '\n') + 1)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := store.pieces(file, 0).next()
	if err != nil {
		t.Fatal(err)
	}
	return p.end
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		// events is how many open; -1 means corruption of line fault.
		events, fault int
		reason        string
	}{
		{"torn line at the end", []string{line(0, "turn/start", ""), `{"type":"step/st`}, 1, 0, ""},
		{"zeros at the end", []string{line(0, "turn/start", ""), "\x00\x00\x00"}, 1, 0, ""},
		{"empty line at the end", []string{line(0, "turn/start", ""), ""}, 1, 0, ""},
		{"torn line, no turn ends after it", []string{line(0, "turn/start", ""), `{"ty`, line(1, "step/start", "")}, 1, 0, ""},
		{"torn line, a turn ends after it", []string{line(0, "turn/start", ""), `{"ty`, line(1, "turn/end", "")}, -1, 3, "not JSON"},
		{"torn line, a turn ends much later", []string{`{"ty`, line(0, "turn/start", ""), `]`, `{"type":"turn\/end","seq":1,"time":1,"data":{}}`}, -1, 2, "not JSON"},
		{"gap, no turn ends after it", []string{line(0, "turn/start", ""), line(2, "step/start", "")}, 1, 0, ""},
		{"gap, a turn ends after it", []string{line(0, "turn/start", ""), line(2, "step/start", ""), line(3, "turn/end", "")}, -1, 3, "seq is 2, want 1"},
		{"gap before the end of a turn", []string{line(0, "turn/start", ""), line(2, "turn/end", "")}, -1, 3, "seq is 2, want 1"},
		{"repeated seq", []string{line(0, "turn/start", ""), line(0, "turn/end", "")}, -1, 3, "seq is 0, want 1"},
		{"no seq 0", []string{line(1, "turn/start", "")}, 0, 0, ""},
		{"gap in a packed row", []string{line(0, "turn/start", ""), `{"type":"text-chunks","seq0":2,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}`, line(3, "turn/end", "")}, -1, 3, "seq is 2, want 1"},
		{"extra key", []string{line(0, "plan/mode", `,"writer":"go"`)}, -1, 2, `unknown key "writer"`},
		{"repeated key", []string{line(0, "plan/mode", `,"seq":0`)}, -1, 2, `repeated key "seq"`},
		{"missing data", []string{`{"type":"turn/start","seq":0,"time":1}`}, -1, 2, "data is missing"},
		{"missing time", []string{`{"type":"turn/start","seq":0,"data":{}}`}, -1, 2, "time is missing"},
		{"fraction of a seq", []string{`{"type":"turn/start","seq":0.5,"time":1,"data":{}}`}, -1, 2, "seq 0.5"},
		{"time beyond doubles", []string{`{"type":"turn/start","seq":0,"time":9007199254740992,"data":{}}`}, -1, 2, "time 9007199254740992"},
		{"not an object", []string{`[1]`}, -1, 2, "not an object"},
		{"ignorable false", []string{line(0, "x/y", `,"ignorable":false`)}, -1, 2, "ignorable is false"},
		{"unknown type", []string{line(0, "x/y", "")}, -1, 2, "unknown and not ignorable"},
		{"unknown type, ignorable", []string{line(0, "x/y", `,"ignorable":true`)}, 1, 0, ""},
		{"surfaceOp missing", []string{line(0, "user/message", "")}, -1, 2, "surfaceOp is missing"},
		{"surfaceOp forbidden", []string{line(0, "turn/start", `,"surfaceOp":"append"`)}, -1, 2, "surfaceOp is not allowed"},
		{"surfaceOp unknown", []string{line(0, "user/message", `,"surfaceOp":"prepend"`)}, -1, 2, "surfaceOp is neither"},
		{"surfaceOp replaces", []string{line(0, "user/message", `,"surfaceOp":{"op":"replace","start":0,"end":0}`)}, 1, 0, ""},
		{"packed row without texts", []string{`{"type":"text-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":[]}}`}, -1, 2, "packed row"},
		{"packed row with too few gaps", []string{`{"type":"text-chunks","seq0":0,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a","b"]}}`}, -1, 2, "packed row"},
		{"packed row with an extra key", []string{`{"type":"text-chunks","seq0":0,"time0":1,"x":1,"data":{"turn":1,"step":1,"index":0,"dt":[],"texts":["a"]}}`}, -1, 2, "packed row"},
		{"white space", []string{" " + strings.ReplaceAll(line(0, "turn/start", ""), ",", " ,\t") + " \r"}, 1, 0, ""},
		{"escaped keys", []string{`{"\u0074ype":"turn\/start","seq":0,"time":1,"data":{}}`}, 1, 0, ""},
	} {
		for _, name := range []string{rawName, zstdName} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				content := text(append([]string{headerLine}, c.lines...)...)
				if name == zstdName {
					content = frames(t, text(headerLine), text(c.lines...))
				}
				store, path := placeFile(t, "s", name, content)
				store = quiet(t, store)
				log, err := store.Open(t.Context(), "s")
				if c.events >= 0 {
					if err != nil {
						t.Fatal(err)
					}
					if got := readAll(t, log, 0); len(got) != c.events {
						t.Fatalf("%d events, want %d", len(got), c.events)
					}
					if _, err := log.Append(t.Context(), int64(c.events), session.TurnEnd(1, session.TurnInterrupted)); err != nil {
						t.Fatal(err)
					}
					if got := readAll(t, mustOpen(t, store, "s"), 0); len(got) != c.events+1 {
						t.Errorf("%d events after an append, want %d", len(got), c.events+1)
					}
					return
				}
				var corrupt *session.CorruptError
				if !errors.As(err, &corrupt) || corrupt.File != path || corrupt.Line != c.fault || !strings.Contains(corrupt.Err.Error(), c.reason) {
					t.Errorf("open: %v, want %s:%d: ... %s", err, path, c.fault, c.reason)
				}
				if after, _ := os.ReadFile(path); !bytes.Equal(content, after) {
					t.Error("the file was changed")
				}
			})
		}
	}
}

func frames(t *testing.T, texts ...[]byte) []byte {
	t.Helper()
	var content []byte
	for _, text := range texts {
		content = append(content, testCodec.frame(text)...)
	}
	return content
}

// A byte that is wrong in the middle of a zstd file is found by the checksum of its
// frame. It is corruption if a turn ended in or after the frame.
func TestDamagedFrame(t *testing.T) {
	header := frames(t, text(headerLine))
	mid := frames(t, text(line(0, "turn/start", ""), line(1, "step/start", "")))
	end := frames(t, text(line(2, "turn/end", "")))
	for i := range mid {
		damaged := bytes.Clone(mid)
		damaged[i] ^= 0x55
		if i == 5 {
			continue // the size of the window, which does not matter to the text
		}
		content := slices.Concat(header, damaged, end)
		store, path := placeFile(t, "s", zstdName, content)
		_, err := store.Open(t.Context(), "s")
		var corrupt *session.CorruptError
		if !errors.As(err, &corrupt) || corrupt.File != path || corrupt.Line < 2 || corrupt.Line > 4 {
			t.Errorf("byte %d: %v, want a CorruptError of a line from 2 to 4", i, err)
		}

		store, _ = placeFile(t, "s", zstdName, slices.Concat(header, damaged))
		log := mustOpen(t, quiet(t, store), "s")
		if got := len(readAll(t, log, 0)); got > 2 {
			t.Errorf("byte %d of the last frame: %d events", i, got)
		}
		if _, err := log.Append(t.Context(), session.Any, session.TurnStart(1)); err != nil {
			t.Errorf("byte %d of the last frame: %v", i, err)
		}
	}
	lone := frames(t, text(line(0, "turn/start", ""), line(1, "turn/end", "")))
	lone[len(lone)-1] ^= 1
	store, _ := placeFile(t, "s", zstdName, slices.Concat(header, lone))
	if _, err := store.Open(t.Context(), "s"); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a turn ends in the damaged frame: %v, want corruption", err)
	}
}

// Frames of other writers need not end with a line.
func TestLineAcrossFrames(t *testing.T) {
	all := text(headerLine, line(0, "turn/start", ""), line(1, "step/start", ""))
	for cut := 1; cut < len(all); cut++ {
		store, path := placeFile(t, "s", zstdName, frames(t, all[:cut], all[cut:]))
		log := mustOpen(t, store, "s")
		if got := readAll(t, log, 0); len(got) != 2 {
			t.Fatalf("cut at %d: %d events, want 2", cut, len(got))
		}
		if _, err := log.Append(t.Context(), 2, session.StepEnd(1, 1)); err != nil {
			t.Fatal(err)
		}
		if got := typesIn(t, plainText(t, path)); len(got) != 3 {
			t.Fatalf("cut at %d: the file holds %v", cut, got)
		}
	}
}

// A writer that dies leaves a torn frame, of which a reader sees the complete lines; the
// same events are there after the next writer has recovered them.
func TestTornFrameKeepsItsLines(t *testing.T) {
	var lines []string
	for seq := range 20000 {
		lines = append(lines, line(seq, "step/start", fmt.Sprintf(`,"sourceEventSeqs":[%d]`, seq*7919%100003)))
	}
	torn := frames(t, text(lines...))
	content := append(frames(t, text(headerLine)), torn[:len(torn)-10]...)
	store, path := placeFile(t, "s", zstdName, content)
	store = quiet(t, store)
	reader, writer := mustOpen(t, store, "s"), mustOpen(t, store, "s")
	before := readAll(t, reader, 0)
	if len(before) == 0 || len(before) == len(lines) {
		t.Fatalf("the torn frame gives %d of %d events: the test needs several blocks", len(before), len(lines))
	}
	tip, err := writer.Append(t.Context(), session.Any, session.TurnEnd(1, session.TurnInterrupted))
	if err != nil || tip != int64(len(before))+1 {
		t.Fatalf("append: position %d, %v; want %d", tip, err, len(before)+1)
	}
	after := readAll(t, reader, 0)
	if diff := cmp.Diff(typesOf(before), typesOf(after[:len(after)-1])); diff != "" {
		t.Errorf("events before and after the recovery differ:\n%s", diff)
	}
	if reader.Rewinds() != 0 || writer.Rewinds() != 0 {
		t.Error("a recovery that kept all events counts as a rewind")
	}
	if got := len(typesIn(t, plainText(t, path))); got != len(after) {
		t.Errorf("the file holds %d events, want %d", got, len(after))
	}
}
