package filelog

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode/session"
)

// bigFile writes a plain session file of about size bytes, with the mix of events that
// a coding session has.
func bigFile(tb testing.TB, size int) (*Store, string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), sampleProject, "s", rawName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString(headerLine + "\n")
	prose := strings.Repeat(`The fold reads \"plan/mode\" and nothing else.\n`, 8)
	seq := 0
	add := func(e session.Event) {
		e.Seq = uint64(seq)
		seq++
		line, err := session.AppendEvent(nil, e)
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	for turn := int64(1); b.Len() < size; turn++ {
		add(session.TurnStart(turn))
		add(session.UserMessage(fmt.Sprintf("m%d", seq), session.UserSource(), session.TextBlock(prose)))
		for step := int64(1); step <= 10; step++ {
			call := fmt.Sprintf("call-%d", seq)
			add(session.StepStart(turn, step))
			fmt.Fprintf(&b, `{"type":"text-chunks","seq0":%d,"time0":1796100248350,"data":{"turn":%d,"step":%d,"index":0,"dt":[1,0,12],"texts":["The ","fold ","is ","pure."]}}`+"\n", seq, turn, step)
			seq += 4
			add(session.AssistantMessage(turn, step, session.Reply{
				ID: fmt.Sprintf("m%d", seq), Provider: "p", Model: "m",
				Content: []session.Block{session.TextBlock(prose), session.ToolCallBlock(call, "read", `{"path":"planmode/fold.go"}`)},
			}))
			add(session.ToolCall(turn, step, call, "read", `{"path":"planmode/fold.go"}`))
			add(session.ToolResult(turn, step, session.ToolOutcome{MessageID: fmt.Sprintf("m%d", seq), CallID: call, Content: []session.Block{session.TextBlock(prose + prose)}}))
			add(session.StepEnd(turn, step))
		}
		add(session.TurnEnd(turn, session.TurnCompleted))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	store, err := New(filepath.Dir(filepath.Dir(filepath.Dir(path))), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return store, path
}

// BenchmarkOpen opens and checks a plain file of 100 MB beside a bare scan of its lines:
//
//	go test -run '^$' -bench Open -benchmem -cpu 1 ./planmode/session/filelog
func BenchmarkOpen(b *testing.B) {
	store, path := bigFile(b, 100<<20)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("validated", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(info.Size())
		for b.Loop() {
			if _, err := store.Open(b.Context(), "s"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		log, err := store.Open(b.Context(), "s")
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		b.SetBytes(info.Size())
		for b.Loop() {
			for _, err := range log.Read(b.Context(), 0) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("line-scan", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(info.Size())
		for b.Loop() {
			file, err := os.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			lines := bufio.NewScanner(file)
			lines.Buffer(make([]byte, 256<<10), 1<<20)
			for lines.Scan() {
			}
			if err := lines.Err(); err != nil {
				b.Fatal(err)
			}
			file.Close()
		}
	})
}

// BenchmarkAppend appends one event beside a bare write and fsync of the same bytes:
//
//	go test -run '^$' -bench Append -benchmem ./planmode/session/filelog
func BenchmarkAppend(b *testing.B) {
	event := session.ToolCall(1, 1, "call-1", "read", `{"path":"planmode/fold.go"}`)
	for _, compress := range []bool{false, true} {
		b.Run(map[bool]string{false: "raw", true: "zstd"}[compress], func(b *testing.B) {
			store, err := New(b.TempDir(), &Options{Compress: compress})
			if err != nil {
				b.Fatal(err)
			}
			log, err := store.Create(b.Context(), session.Header{ID: "s"})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := log.Append(b.Context(), session.Any, event); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("write-fsync", func(b *testing.B) {
		file, err := os.Create(filepath.Join(b.TempDir(), "bare"))
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		line, err := session.AppendEvent(nil, event)
		if err != nil {
			b.Fatal(err)
		}
		line = append(line, '\n')
		b.ReportAllocs()
		for b.Loop() {
			if _, err := file.Write(line); err != nil {
				b.Fatal(err)
			}
			if err := file.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
