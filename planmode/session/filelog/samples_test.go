package filelog

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/agentplan/sdk/planmode/session"
)

const sampleProject = "--home-u-proj--"

// copySample copies a sample that the original wrote into a store of its own and
// returns the store and the path of the file.
func copySample(t *testing.T, form, id string) (*Store, string) {
	t.Helper()
	name := map[string]string{"raw": rawName, "zstd": zstdName}[form]
	content, err := os.ReadFile(filepath.Join("testdata", form, sampleProject, id, name))
	if err != nil {
		t.Fatal(err)
	}
	return placeFile(t, id, name, content)
}

// placeFile makes a store with one session file of that content.
func placeFile(t *testing.T, id, name string, content []byte) (*Store, string) {
	t.Helper()
	root := t.TempDir()
	path := filepath.Join(root, sampleProject, id, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	store := newStore(t, root, nil)
	store.codec = testCodec
	return store, path
}

// plainText returns the text of a session file by another way than the package does.
func plainText(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !compressed(path) {
		return content
	}
	decoder, err := zstd.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	var text bytes.Buffer
	if _, err := decoder.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// typesIn returns the types of the events in a text of lines, packed rows unpacked.
func typesIn(t *testing.T, text []byte) []string {
	t.Helper()
	var types []string
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		var e struct {
			Type string
			Data struct{ Texts []string }
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case i == 0:
		case e.Type == "text-chunks":
			for range e.Data.Texts {
				types = append(types, "assistant/chunk")
			}
		default:
			types = append(types, e.Type)
		}
	}
	return types
}

func readAll(t *testing.T, log session.Log, from int64) []session.Event {
	t.Helper()
	var events []session.Event
	for e, err := range log.Read(t.Context(), from) {
		if err != nil {
			t.Fatalf("read from %d: %v", from, err)
		}
		events = append(events, e)
	}
	return events
}

func typesOf(events []session.Event) []string {
	var types []string
	for _, e := range events {
		types = append(types, e.Type)
	}
	return types
}

func mustOpen(t *testing.T, store *Store, id string) *Log {
	t.Helper()
	log, err := store.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return log.(*Log)
}

func TestSamples(t *testing.T) {
	for _, c := range []struct{ form, id string }{
		{"raw", "sess-1"}, {"raw", "sess-2"},
		{"zstd", "sess-1"}, {"zstd", "sess-2"}, {"zstd", "go-1"}, {"zstd", "torn"},
		{"zstd", "go-ign"}, {"zstd", "go-extradata"},
	} {
		t.Run(c.form+"/"+c.id, func(t *testing.T) {
			store, path := copySample(t, c.form, c.id)
			want := typesIn(t, plainText(t, path))
			log := mustOpen(t, store, c.id)
			all := readAll(t, log, 0)
			if diff := cmp.Diff(want, typesOf(all)); diff != "" {
				t.Fatalf("events (-want +got):\n%s", diff)
			}
			for from := range all {
				if diff := cmp.Diff(all[from:], readAll(t, log, int64(from))); diff != "" {
					t.Errorf("from position %d (-want +got):\n%s", from, diff)
				}
			}
			if tip, err := log.Append(t.Context(), int64(len(all)), session.TurnStart(2)); err != nil || tip != int64(len(all))+1 {
				t.Errorf("append: position %d, %v", tip, err)
			}
			if got := typesIn(t, plainText(t, path)); !slices.Equal(got, append(want, "turn/start")) {
				t.Errorf("after an append the file holds %v", got)
			}
		})
	}
}

func TestSampleHeaders(t *testing.T) {
	store := newStore(t, "testdata/raw", nil)
	got := map[string]session.Header{}
	for h, err := range store.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got[h.ID] = h
	}
	if h := got["sess-1"]; h.Cwd != "/home/u/proj" || h.CreatedAt.UnixMilli() != 1796100248345 || h.ParentSession != "" {
		t.Errorf("sess-1 has header %+v", h)
	}
	if h := got["sess-2"]; h.ParentSession != "sess-1" || h.SeedLength != 3 {
		t.Errorf("sess-2 has header %+v", h)
	}
	for id, h := range got {
		line, err := h.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		text := plainText(t, filepath.Join("testdata/raw", sampleProject, id, rawName))
		want, _, _ := bytes.Cut(text, []byte("\n"))
		if diff := cmp.Diff(decoded(t, want), decoded(t, line)); diff != "" {
			t.Errorf("header of %s written again (-want +got):\n%s", id, diff)
		}
	}
}

func decoded(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// What the original refuses is refused here too, with file, line and reason.
func TestRefusedSamples(t *testing.T) {
	for _, c := range []struct {
		id   string
		want string
		is   error
	}{
		{"go-unk", `:2: event "x/y": event type is unknown and not ignorable`, session.ErrUnknownType},
		{"go-extra", `:2: decode event: unknown key "writer"`, nil},
	} {
		t.Run(c.id, func(t *testing.T) {
			store, path := copySample(t, "zstd", c.id)
			before, _ := os.ReadFile(path)
			_, err := store.Open(t.Context(), c.id)
			var corrupt *session.CorruptError
			if !errors.As(err, &corrupt) || corrupt.File != path || corrupt.Line != 2 {
				t.Fatalf("open: %v, want a CorruptError of line 2", err)
			}
			if got := corrupt.Error(); got != path+c.want {
				t.Errorf("error is %q, want %q", got, path+c.want)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v does not wrap %v", err, c.is)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
	t.Run("known to the program", func(t *testing.T) {
		_, path := copySample(t, "zstd", "go-unk")
		store := newStore(t, filepath.Dir(filepath.Dir(filepath.Dir(path))), &Options{KnownTypes: []string{"x/y"}})
		log := mustOpen(t, store, "go-unk")
		if _, err := log.Append(t.Context(), 1, session.Event{Type: "x/y"}); err != nil {
			t.Error(err)
		}
		if got := typesOf(readAll(t, log, 0)); !slices.Equal(got, []string{"x/y", "x/y"}) {
			t.Errorf("events are %v", got)
		}
	})
}

func TestPackedRowOfSample(t *testing.T) {
	store, _ := copySample(t, "raw", "sess-1")
	events := readAll(t, mustOpen(t, store, "sess-1"), 8)[:4]
	want := []struct {
		ms   int64
		data string
	}{
		{1796100248350, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}`},
		{1796100248351, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"b"}}`},
		{1796100248351, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"c"}}`},
		{1796100248351, `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"d"}}`},
	}
	for i, e := range events {
		if e.Seq != uint64(8+i) || e.Time.UnixMilli() != want[i].ms || string(e.Data) != want[i].data {
			t.Errorf("event %d is %d at %d: %s", 8+i, e.Seq, e.Time.UnixMilli(), e.Data)
		}
	}
}
