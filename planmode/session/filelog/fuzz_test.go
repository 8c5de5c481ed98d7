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

	"github.com/agentplan/sdk/planmode/session"
)

// checkFile opens a file of those bytes. It opens with the events of its good lines and
// takes an append, or the error names file and line and the file is as it was.
func checkFile(t *testing.T, name string, content []byte) (events []session.Event, err error) {
	t.Helper()
	store, path := placeFile(t, "s", name, content)
	store = quiet(t, store)
	log, err := store.open(t.Context(), "s")
	if err != nil {
		var corrupt *session.CorruptError
		switch {
		case errors.Is(err, session.ErrVersion):
		case !errors.As(err, &corrupt) || corrupt.File != path || corrupt.Line < 1 || corrupt.Err == nil:
			t.Fatalf("open: %v, want a CorruptError of %s", err, path)
		}
		if after, readErr := os.ReadFile(path); readErr != nil || !bytes.Equal(content, after) {
			t.Fatalf("the refused file was changed, %v", readErr)
		}
		return nil, err
	}
	for e, err := range log.Read(t.Context(), 0) {
		if err != nil || e.Seq != uint64(len(events)) {
			t.Fatalf("event %d has seq %d, %v", len(events), e.Seq, err)
		}
		events = append(events, e)
	}
	if tip, err := log.Tip(t.Context()); err != nil || tip != int64(len(events)) {
		t.Fatalf("tip is %d, %v, after %d events", tip, err, len(events))
	}
	end := session.TurnEnd(1, session.TurnInterrupted)
	if _, err := log.Append(t.Context(), int64(len(events)), end); err != nil {
		t.Fatalf("append after %d events: %v", len(events), err)
	}
	after := readAll(t, mustOpen(t, store, "s"), 0)
	if len(after) != len(events)+1 || !slices.Equal(typesOf(after), append(typesOf(events), end.Type)) {
		t.Fatalf("after an append to %v the file holds %v", typesOf(events), typesOf(after))
	}
	return events, nil
}

func seeds(f *testing.F) (raw, zstd [][]byte) {
	f.Helper()
	for form, into := range map[string]*[][]byte{"raw": &raw, "zstd": &zstd} {
		paths, err := filepath.Glob(filepath.Join("testdata", form, sampleProject, "*", "session.jsonl*"))
		if err != nil || len(paths) == 0 {
			f.Fatal(paths, err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			*into = append(*into, content)
		}
	}
	return raw, zstd
}

// FuzzRawFile opens any bytes as a plain file whose header is good, and compares what is
// read with a naive reading of the lines.
func FuzzRawFile(f *testing.F) {
	raw, _ := seeds(f)
	for _, content := range raw {
		_, lines, _ := bytes.Cut(content, []byte("\n"))
		f.Add(lines)
	}
	f.Add(text(line(0, "turn/start", ""), `{"ty`, line(1, "turn/end", "")))
	f.Add(text(line(0, "x/y", `,"ignorable":true`), line(2, "turn/end", "")))
	f.Add(text(reasoningRow, toolRow, namelessRow))
	f.Fuzz(func(t *testing.T, lines []byte) {
		events, err := checkFile(t, rawName, append(text(headerLine), lines...))
		wantEvents, refused := naive(lines)
		if refused != (err != nil) || err == nil && len(events) != wantEvents {
			t.Fatalf("%d events, %v; a naive reading finds %d and refusal %t", len(events), err, wantEvents, refused)
		}
	})
}

// naive reads lines one by one with the standard library.
func naive(lines []byte) (events int, refused bool) {
	all := bytes.SplitAfter(lines, []byte("\n"))
	for i, line := range all {
		whole := bytes.HasSuffix(line, []byte("\n"))
		if !whole && len(line) == 0 {
			return events, false
		}
		n, ok := int64(1), false
		var seq int64
		if whole && json.Valid(line) {
			var e session.Event
			err := e.UnmarshalJSON(line)
			switch {
			case err == nil && session.CheckEnvelope(e) == nil:
				seq = int64(e.Seq)
			case err == nil || !isChunkRow(line):
				return 0, true
			default:
				row, err := decodeChunks(line)
				if err != nil {
					return 0, true
				}
				seq, n = row.seq0, int64(row.n)
			}
			ok = seq == int64(events)
		}
		if ok {
			events += int(n)
			continue
		}
		for _, rest := range all[i:] {
			var e map[string]json.RawMessage
			var name string
			if bytes.HasSuffix(rest, []byte("\n")) && json.Unmarshal(rest, &e) == nil &&
				json.Unmarshal(e["type"], &name) == nil && name == "turn/end" {
				return 0, true
			}
		}
		return events, false
	}
	return events, false
}

// FuzzZstdFile opens any bytes as a compressed file.
func FuzzZstdFile(f *testing.F) {
	_, zstd := seeds(f)
	for _, content := range zstd {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) { _, _ = checkFile(t, zstdName, content) })
}

// FuzzDamage damages bytes of a compressed file and cuts it. Only events of the undamaged
// file are read, from the first on.
func FuzzDamage(f *testing.F) {
	raw, _ := seeds(f)
	lines := bytes.SplitAfter(raw[0], []byte("\n"))
	whole := testCodec.frame(text(headerLine))
	for batch := range slices.Chunk(lines[1:], 4) {
		whole = append(whole, testCodec.frame(bytes.Join(batch, nil))...)
	}
	f.Add(uint16(0), byte(0), uint16(0), byte(0), uint16(0))
	f.Add(uint16(150), byte(1), uint16(151), byte(1), uint16(0))
	f.Add(uint16(700), byte(0x55), uint16(30), byte(0), uint16(9))
	f.Fuzz(func(t *testing.T, at uint16, flip byte, at2 uint16, flip2 byte, cut uint16) {
		want, err := checkFile(t, zstdName, whole)
		if err != nil {
			t.Fatal(err)
		}
		damaged := bytes.Clone(whole)
		damaged[int(at)%len(damaged)] ^= flip
		damaged[int(at2)%len(damaged)] ^= flip2
		got, err := checkFile(t, zstdName, damaged[:len(damaged)-int(cut)%len(damaged)])
		if err == nil && (len(got) > len(want) || len(got) > 0 && !cmp.Equal(want[:len(got)], got)) {
			t.Fatalf("events of a damaged file are %v", got)
		}
	})
}

// FuzzNames maps ids to directories and working directories to projects.
func FuzzNames(f *testing.F) {
	for _, id := range []string{"a", "..", "a/b", "~", "🙂", "\xff"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		for _, name := range []string{projectDir(id), func() string { name, _ := sessionDir(id); return name }()} {
			if name == "." || name == ".." || len(name) > 255 || name != filepath.Base(name) && name != "" {
				t.Errorf("%q becomes %q", id, name)
			}
		}
	})
}

// FuzzScan reads any bytes as the rest of a file, without a file. What a pass from the
// beginning finds, one from each mark finds as well.
func FuzzScan(f *testing.F) {
	raw, zstd := seeds(f)
	for _, content := range raw {
		f.Add(content, false)
	}
	for _, content := range zstd {
		f.Add(content, true)
	}
	f.Fuzz(func(t *testing.T, content []byte, compress bool) {
		read := func(from spot) (scan, error) {
			pass := scan{path: "file", solid: from}
			var src pieces = newRawPieces(bytes.NewReader(content), from.offset, 0)
			if compress {
				src = newZstdPieces(testCodec, bytes.NewReader(content), from.offset, 0)
			}
			err := pass.run(t.Context(), src)
			return pass, err
		}
		whole, err := read(spot{})
		var corrupt *session.CorruptError
		switch {
		case err != nil && !errors.As(err, &corrupt) && !errors.Is(err, session.ErrVersion):
			t.Fatalf("scan: %v", err)
		case corrupt != nil && (corrupt.Line < 1 || corrupt.Line > whole.tip.lines+1):
			t.Fatalf("scan: %v after %d lines", corrupt, whole.tip.lines)
		case whole.solid.offset > int64(len(content)) || whole.solid.position > whole.tip.position:
			t.Fatalf("solid is %+v, tip %+v of %d bytes", whole.solid, whole.tip, len(content))
		case err != nil:
			return
		}
		for _, mark := range append(whole.marks, whole.solid) {
			rest, err := read(mark)
			if err != nil || rest.tip != whole.tip || rest.solid != whole.solid || (rest.torn == nil) != (whole.torn == nil) {
				t.Fatalf("from %+v: tip %+v, solid %+v, torn %v, %v; want %+v, %+v, %v",
					mark, rest.tip, rest.solid, rest.torn, err, whole.tip, whole.solid, whole.torn)
			}
		}
	})
}
