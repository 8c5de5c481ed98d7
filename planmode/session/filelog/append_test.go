package filelog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode/session"
)

func mustCreate(t *testing.T, store *Store, id string) *Log {
	t.Helper()
	log, err := store.Create(t.Context(), session.Header{ID: id, Cwd: "/home/u/proj"})
	if err != nil {
		t.Fatal(err)
	}
	return log.(*Log)
}

func TestFileAndPermissions(t *testing.T) {
	for _, compress := range []bool{false, true} {
		store := newStore(t, filepath.Join(t.TempDir(), "a", "b"), &Options{Compress: compress})
		log := mustCreate(t, store, "x.1/2")
		name := map[bool]string{false: rawName, true: zstdName}[compress]
		if want := filepath.Join(store.dir, "--home-u-proj--", "x.1~002F2", name); log.Path() != want {
			t.Errorf("path is %s, want %s", log.Path(), want)
		}
		if _, err := log.Append(t.Context(), 0, session.TurnStart(1)); err != nil {
			t.Fatal(err)
		}
		modes := map[string]os.FileMode{
			log.Path():                          0o600,
			filepath.Join(log.dir, lockName):    0o600,
			log.dir:                             0o700 | os.ModeDir,
			filepath.Dir(log.dir):               0o700 | os.ModeDir,
			filepath.Dir(filepath.Dir(log.dir)): 0o700 | os.ModeDir,
		}
		for path, want := range modes {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if runtime.GOOS != "windows" && info.Mode() != want {
				t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
			}
		}
		entries, err := os.ReadDir(log.dir)
		if err != nil || len(entries) != 2 {
			t.Errorf("the directory holds %v, %v; want the log and its lock", entries, err)
		}
	}
}

// The lines of a new file are those of the original: exact keys in order.
func TestLines(t *testing.T) {
	store := newStore(t, t.TempDir(), nil)
	log, err := store.Create(t.Context(), session.Header{
		ID: "s", Cwd: "/home/u/proj", CreatedAt: time.UnixMilli(5),
		ParentSession: "p", SeedLength: 2, Extra: map[string]json.RawMessage{"origin": json.RawMessage(`"subagent"`), "delegationDepth": json.RawMessage(`1`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(1796100248349)
	_, err = log.Append(t.Context(), 0,
		session.Event{Type: "plan/mode", Time: at, Data: json.RawMessage("{ \"active\" :\n true }")},
		session.Event{Type: "x/y", Time: at, Ignorable: true, SourceEventSeqs: []uint64{0}, Data: json.RawMessage(`"<&>"`)},
		session.Event{
			Type: "user/message", Time: at, SourceEventSeqs: []uint64{}, SurfaceOp: json.RawMessage(`{"op":"replace", "start":0,"end":1}`),
			Data: json.RawMessage(`{"a":1}`),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"session","version":0,"id":"s","createdAt":5,"cwd":"/home/u/proj","parentSession":"p","seedLength":2,"delegationDepth":1,"origin":"subagent"}
{"type":"plan/mode","seq":0,"time":1796100248349,"data":{"active":true}}
{"type":"x/y","seq":1,"time":1796100248349,"data":"<&>","sourceEventSeqs":[0],"ignorable":true}
{"type":"user/message","seq":2,"time":1796100248349,"data":{"a":1},"sourceEventSeqs":[],"surfaceOp":{"op":"replace","start":0,"end":1}}
`
	if diff := cmp.Diff(want, string(plainText(t, log.(*Log).Path()))); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

// What the original's reader would refuse is not written.
func TestAppendRefuses(t *testing.T) {
	store := newStore(t, t.TempDir(), nil)
	log := mustCreate(t, store, "s")
	before := plainText(t, log.Path())
	data := json.RawMessage(`{}`)
	for want, e := range map[string]session.Event{
		"unknown and not ignorable":    {Type: "x/y", Data: data},
		"surfaceOp is missing":         {Type: "user/message", Data: data},
		"surfaceOp is not allowed":     {Type: "turn/start", Data: data, SurfaceOp: json.RawMessage(`"append"`)},
		"surfaceOp is neither":         {Type: "tool/result", Data: data, SurfaceOp: json.RawMessage(`{"op":"replace"}`)},
		"data is not JSON":             {Type: "turn/start", Data: json.RawMessage(`{`)},
		"data is not UTF-8":            {Type: "turn/start", Data: json.RawMessage("{\"a\":\"\xff\"}")},
		"data is not an object":        {Type: "turn/start", Data: json.RawMessage(`[]`)},
		"an integer beyond":            {Type: "turn/start", Data: json.RawMessage(`{"a":[9007199254740992]}`)},
		"source seq 9007199254740992":  {Type: "turn/start", Data: data, SourceEventSeqs: []uint64{1 << 53}},
		"time is out of range":         {Type: "turn/start", Data: data, Time: time.UnixMilli(math.MaxInt64 / 2)},
		"a boolean was expected":       {Type: "plan/mode", Data: json.RawMessage(`{"active":42}`)},
		"type is not a non-empty":      {Data: data},
		"surfaceOp is not allowed on ": {Type: "x/y", Data: data, Ignorable: true, SurfaceOp: json.RawMessage(`"append"`)},
	} {
		_, err := log.Append(t.Context(), session.Any, session.TurnStart(1), e)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("append of %+v: %v, want ... %s", e, err, want)
		}
	}
	if diff := cmp.Diff(string(before), string(plainText(t, log.Path()))); diff != "" {
		t.Errorf("refused events were written:\n%s", diff)
	}
}

// An append that fails leaves the file as it was, and the next one works.
func TestFailingDisk(t *testing.T) {
	full := errors.New("no space left on device")
	half := func(file *os.File, b []byte, offset int64) error {
		if _, err := file.WriteAt(b[:len(b)/2], offset); err != nil {
			return err
		}
		return full
	}
	broken := func(*os.File) error { return full }
	stuck := func(*os.File, int64) error { return full }
	for _, c := range []struct {
		name  string
		fail  func(d *disk)
		stays bool // whether what was written stays in the file
	}{
		{"write", func(d *disk) { d.write = half }, false},
		{"sync", func(d *disk) { d.sync = broken }, false},
		{"write and truncate", func(d *disk) { d.write, d.truncate = half, stuck }, true},
	} {
		for _, compress := range []bool{false, true} {
			t.Run(c.name+map[bool]string{false: "/raw", true: "/zstd"}[compress], func(t *testing.T) {
				store := newStore(t, t.TempDir(), &Options{Compress: compress, Logger: discard()})
				log, other := mustCreate(t, store, "s"), mustOpen(t, store, "s")
				if _, err := log.Append(t.Context(), 0, session.TurnStart(1)); err != nil {
					t.Fatal(err)
				}
				before, _ := os.ReadFile(log.Path())
				good := store.disk
				c.fail(&store.disk)
				_, err := log.Append(t.Context(), 1, session.StepStart(1, 1), session.StepEnd(1, 1))
				store.disk = good
				if !errors.Is(err, full) {
					t.Fatalf("append: %v, want the error of the disk", err)
				}
				if after, _ := os.ReadFile(log.Path()); !c.stays && !bytes.Equal(before, after) {
					t.Error("the file is not as it was before")
				}
				for _, l := range []*Log{log, other} {
					tip, err := l.Tip(t.Context())
					if err != nil || tip < 1 || tip > 2 || tip == 2 && !c.stays {
						t.Errorf("tip after the failure: %d, %v", tip, err)
					}
				}
				tip, err := log.Append(t.Context(), session.Any, session.TurnEnd(1, session.TurnError))
				if err != nil {
					t.Fatal(err)
				}
				events := readAll(t, other, 0)
				if int64(len(events)) != tip || events[tip-1].Type != "turn/end" {
					t.Errorf("after the next append the log holds %v", typesOf(events))
				}
			})
		}
	}
}

// A program that takes no lock writes between the look at the tail and the write.
func TestUnlockedWriter(t *testing.T) {
	for _, expect := range []int64{1, session.Any} {
		store, path := placeFile(t, "s", rawName, append(text(headerLine, line(0, "turn/start", "")), `{"type":`...))
		store = quiet(t, store)
		log := mustOpen(t, store, "s")
		store.disk.truncate = func(file *os.File, size int64) error {
			if err := file.Truncate(size); err != nil {
				return err
			}
			_, err := file.WriteAt(text(line(1, "step/start", "")), size)
			return err
		}
		tip, err := log.Append(t.Context(), expect, session.StepEnd(1, 1))
		want := []string{"turn/start", "step/start"}
		if expect == session.Any {
			want = append(want, "step/end")
		} else if !errors.Is(err, session.ErrConflict) {
			t.Errorf("append at %d: %v, want ErrConflict", expect, err)
		}
		if expect == session.Any && (err != nil || tip != 3) {
			t.Errorf("append: position %d, %v; want 3", tip, err)
		}
		if diff := cmp.Diff(want, typesIn(t, plainText(t, path))); diff != "" {
			t.Errorf("append at %d leaves (-want +got):\n%s", expect, diff)
		}
	}
}

// Another harness holds the lock for as long as it runs.
func TestBusy(t *testing.T) {
	store := newStore(t, t.TempDir(), nil)
	log := mustCreate(t, store, "s")
	j := startJob(t, "hold", store.dir, "s")
	said := make([]byte, len("held\n"))
	if _, err := io.ReadFull(j.out, said); err != nil || string(said) != "held\n" {
		t.Fatalf("the job says %q, %v", said, err)
	}
	synctest.Test(t, func(t *testing.T) { // where the context ends while the append waits, not before
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := log.Append(ctx, session.Any, session.TurnStart(1))
		if !errors.Is(err, session.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("append while another program holds the lock: %v, want ErrBusy and the context's error", err)
		}
	})
	if tip, err := log.Tip(t.Context()); err != nil || tip != 0 {
		t.Errorf("readers do not lock: tip %d, %v", tip, err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := log.Append(t.Context(), 0, session.TurnStart(1))
		done <- err
	}()
	if err := j.in.Close(); err != nil { // lets go of the lock
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("append once the lock is free: %v", err)
	}
}

// A goroutine of the same log that waits behind another gives up with its context.
func TestBusyInProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := mustCreate(t, newStore(t, t.TempDir(), nil), "s")
		log.writer <- struct{}{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := log.Append(ctx, session.Any, session.TurnStart(1)); !errors.Is(err, session.ErrBusy) {
			t.Errorf("append: %v, want ErrBusy", err)
		}
	})
}

// A reader finds out that events it has seen were taken back, also when others stand in
// their place.
func TestRewinds(t *testing.T) {
	for _, c := range []struct {
		name    string
		rewrite func(content []byte) []byte
		rewinds uint64
	}{
		{"shorter", func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }, 1},
		{"same length", func(b []byte) []byte { return bytes.Replace(b, []byte(`"turn":2`), []byte(`"turn":3`), 1) }, 1},
		{"longer", func(b []byte) []byte {
			b = bytes.Replace(b, []byte(`"turn":2`), []byte(`"turn":3`), 1)
			return append(b, line(2, "turn/start", "")+"\n"...)
		}, 1},
		{"appended to", func(b []byte) []byte { return append(b, line(2, "turn/start", "")+"\n"...) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := newStore(t, t.TempDir(), nil)
			log := mustCreate(t, store, "s")
			if _, err := log.Append(t.Context(), 0, session.TurnStart(1), session.TurnStart(2)); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(log.Path())
			if err != nil {
				t.Fatal(err)
			}
			watched := make(chan error, 1)
			caught := make(chan struct{})
			go func() {
				for e, err := range log.Watch(t.Context(), 0) {
					if err != nil || e.Seq == 2 {
						watched <- err
						return
					}
					if e.Seq == 1 {
						close(caught)
					}
				}
			}()
			<-caught
			changed := c.rewrite(bytes.Clone(content))
			if err := os.WriteFile(log.Path(), changed, 0o600); err != nil {
				t.Fatal(err)
			}
			// The time of a file may be too coarse to tell two writes apart.
			later := time.Now().Add(time.Second)
			if err := os.Chtimes(log.Path(), later, later); err != nil {
				t.Fatal(err)
			}
			// The write itself may be seen half done, as a shorter file.
			err = <-watched
			if c.rewinds > 0 && !errors.Is(err, session.ErrPosition) && !corruptHeader(err) {
				t.Errorf("watch ends with %v, want ErrPosition", err)
			}
			events := readAll(t, log, 0)
			if got := bytes.Count(changed, []byte("\n")) - 1; len(events) != got {
				t.Errorf("%d events, want %d", len(events), got)
			}
			if got := log.Rewinds(); got < c.rewinds {
				t.Errorf("%d rewinds, want %d", got, c.rewinds)
			}
		})
	}
}

// corruptHeader reports whether err is about a file that has no header yet.
func corruptHeader(err error) bool {
	var corrupt *session.CorruptError
	return errors.As(err, &corrupt) && corrupt.Line == 1
}

func TestLogIsGone(t *testing.T) {
	store := newStore(t, t.TempDir(), nil)
	log := mustCreate(t, store, "s")
	if err := os.RemoveAll(log.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), session.Any, session.TurnStart(1)); err == nil {
		t.Error("append to a removed session succeeds")
	}
	if _, err := log.Tip(t.Context()); !errors.Is(err, session.ErrNotExist) {
		t.Errorf("tip: %v, want ErrNotExist", err)
	}
	if _, err := os.Stat(log.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory was made again: %v", err)
	}
}

func TestStrayFiles(t *testing.T) {
	store := newStore(t, t.TempDir(), nil)
	log := mustCreate(t, store, "s")
	for _, path := range []string{
		filepath.Join(store.dir, "README"),
		filepath.Join(filepath.Dir(log.dir), "notes.txt"),
		filepath.Join(log.dir, ".new-1.tmp"),
		filepath.Join(log.dir, "session.jsonl.bak"),
		filepath.Join(log.dir, "session.v0.jsonl"),
		filepath.Join(log.dir, "session.vx.jsonl"),
	} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(log.dir), "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	n := 0
	for h, err := range store.List(t.Context()) {
		if err != nil || h.ID != "s" {
			t.Errorf("listed: %+v, %v", h, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d sessions are listed, want 1", n)
	}
	mustOpen(t, store, "s")
	mustCreate(t, store, "empty")
}
