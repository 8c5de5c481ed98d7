package filelog

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode/session"
)

const (
	reasoningRow = `{"type":"reasoning-chunks","seq0":1,"time0":10,"data":{"turn":1,"step":2,"index":3,"dt":[5,-2],"texts":["a","\u00e9\n","c"]}}`
	toolRow      = `{"type":"tool-call-chunks","seq0":4,"time0":20,"data":{"turn":1,"step":2,"index":4,"id":"call-1","name":"read","dt":[1],"args":["{","}"]}}`
	namelessRow  = `{"type":"tool-call-chunks","seq0":6,"time0":30,"data":{"turn":1,"step":2,"index":5,"id":"call-2","texts":["[]"]}}`
)

func packedFile(t *testing.T, name string) *Store {
	lines := []string{line(0, "turn/start", ""), reasoningRow, toolRow, namelessRow, line(7, "turn/end", "")}
	content := text(append([]string{headerLine}, lines...)...)
	if name == zstdName {
		content = frames(t, text(headerLine), text(lines...))
	}
	store, _ := placeFile(t, "s", name, content)
	return store
}

func TestPackedRows(t *testing.T) {
	for _, name := range []string{rawName, zstdName} {
		log := mustOpen(t, packedFile(t, name), "s")
		all := readAll(t, log, 0)
		var got []string
		for i, e := range all {
			if e.Seq != uint64(i) {
				t.Errorf("event %d has seq %d", i, e.Seq)
			}
			if e.Type == "assistant/chunk" {
				got = append(got, e.Time.UTC().Format("05.000 ")+string(e.Data))
			}
		}
		want := []string{
			`00.010 {"turn":1,"step":2,"chunk":{"type":"reasoning-delta","index":3,"text":"a"}}`,
			`00.015 {"turn":1,"step":2,"chunk":{"type":"reasoning-delta","index":3,"text":"\u00e9\n"}}`,
			`00.013 {"turn":1,"step":2,"chunk":{"type":"reasoning-delta","index":3,"text":"c"}}`,
			`00.020 {"turn":1,"step":2,"chunk":{"type":"tool-call-delta","index":4,"id":"call-1","name":"read","argumentsDelta":"{"}}`,
			`00.021 {"turn":1,"step":2,"chunk":{"type":"tool-call-delta","index":4,"id":"call-1","name":"read","argumentsDelta":"}"}}`,
			`00.030 {"turn":1,"step":2,"chunk":{"type":"tool-call-delta","index":5,"id":"call-2","argumentsDelta":"[]"}}`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("chunks (-want +got):\n%s", diff)
		}
		for from := range all {
			if diff := cmp.Diff(all[from:], readAll(t, log, int64(from))); diff != "" {
				t.Errorf("from position %d (-want +got):\n%s", from, diff)
			}
		}
		for _, e := range all {
			if err := session.Validate(e); err != nil {
				t.Errorf("event %d is not valid: %v", e.Seq, err)
			}
		}
		if tip, err := log.Append(t.Context(), 8, session.TurnStart(2)); err != nil || tip != 9 {
			t.Errorf("append after packed rows: position %d, %v", tip, err)
		}
	}
}

// A fork may cut a packed row; what is before the cut stays one row.
func TestPackedRowsAreCut(t *testing.T) {
	for _, c := range []struct{ row, want string }{
		{reasoningRow, `{"type":"reasoning-chunks","seq0":1,"time0":10,"data":{"turn":1,"step":2,"index":3,"dt":[5],"texts":["a","\u00e9\n"]}}`},
		{toolRow, `{"type":"tool-call-chunks","seq0":4,"time0":20,"data":{"turn":1,"step":2,"index":4,"id":"call-1","name":"read","dt":[],"args":["{"]}}`},
	} {
		row, err := decodeChunks([]byte(c.row))
		if err != nil {
			t.Fatal(err)
		}
		got := row.head(nil, row.n-1)
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("row that lacks its last text (-want +got):\n%s", diff)
		}
		if whole := row.head(nil, row.n); string(whole) != c.row {
			t.Errorf("whole row is %s", whole)
		}
	}
	// Outside a turn only a foreign writer puts packed rows; they are cut all the same.
	outside := strings.Replace(reasoningRow, `"seq0":1`, `"seq0":0`, 1)
	for _, name := range []string{rawName, zstdName} {
		content := text(headerLine, outside)
		if name == zstdName {
			content = frames(t, content)
		}
		store, _ := placeFile(t, "s", name, content)
		parent := readAll(t, mustOpen(t, store, "s"), 0)
		for at := range int64(4) {
			child, err := store.Fork(t.Context(), "s", at, "child-"+string(rune('0'+at)))
			if err != nil {
				t.Fatal(err)
			}
			got := readAll(t, child.(*Log), 0)
			if !cmp.Equal(parent[:at], got[:at:at]) || len(got) != int(at)+1 {
				t.Errorf("fork at %d holds %v", at, typesOf(got))
			}
		}
	}
}

// The lines of a parent are copied byte for byte, in either form.
func TestForkCopiesLines(t *testing.T) {
	for _, form := range []string{"raw", "zstd"} {
		for _, compress := range []bool{false, true} {
			store, path := copySample(t, form, "sess-1")
			store = newStore(t, store.dir, &Options{Compress: compress})
			child, err := store.Fork(t.Context(), "sess-1", session.Any, "child")
			if err != nil {
				t.Fatal(err)
			}
			before := slices.Collect(strings.Lines(string(plainText(t, path))))
			after := slices.Collect(strings.Lines(string(plainText(t, child.(*Log).Path()))))
			if diff := cmp.Diff(before[1:], after[1:len(after)-1]); diff != "" {
				t.Errorf("%s, compress %t: lines (-parent +child):\n%s", form, compress, diff)
			}
			if last := after[len(after)-1]; !strings.HasPrefix(last, `{"type":"session/end-seed","seq":21,"time":`) || !strings.HasSuffix(last, `,"data":{}}`+"\n") {
				t.Errorf("the last line is %s", last)
			}
			if compressed(child.(*Log).Path()) != compress {
				t.Errorf("the file of the child is %s", child.(*Log).Path())
			}
		}
	}
}

// A session of several frames and pieces forks and reads from every position.
func TestLargeFork(t *testing.T) {
	store, _ := bigFile(t, 3<<20)
	store.set.compress = true
	parent := readAll(t, mustOpen(t, store, "s"), 0)
	child, err := store.Fork(t.Context(), "s", session.Any, "child")
	if err != nil {
		t.Fatal(err)
	}
	got := readAll(t, child.(*Log), 0)
	if len(got) != len(parent)+1 {
		t.Fatalf("the child has %d events, want %d", len(got), len(parent)+1)
	}
	for i, e := range parent {
		if e.Type != got[i].Type || e.Seq != got[i].Seq || !e.Time.Equal(got[i].Time) || !bytes.Equal(e.Data, got[i].Data) {
			t.Fatalf("event %d differs (-parent +child):\n%s", i, cmp.Diff(e, got[i]))
		}
	}
	for _, log := range []*Log{child.(*Log), mustOpen(t, store, "s")} {
		for from := 0; from < len(parent); from += 997 {
			for e, err := range log.Read(t.Context(), int64(from)) {
				if err != nil || !cmp.Equal(parent[from], e) {
					t.Fatalf("event at %d is %+v, %v", from, e, err)
				}
				break
			}
		}
	}
}
