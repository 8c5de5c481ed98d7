package planmode_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// note is what a member has on disk before it answers, and after it was told that
// something is done.
type note struct {
	Kind string // append, present, intent, settled, result or fault
	Size int64  // of the session file when the note was made

	Tip    int64    `json:",omitempty"` // append: where the batch ends
	Events []string `json:",omitempty"` // append: fingerprints of the batch

	Call     string               `json:",omitempty"`
	Review   string               `json:",omitempty"`
	SHA256   string               `json:",omitempty"` // of the plan
	Decision planmode.Decision    `json:",omitempty"`
	Feedback string               `json:",omitempty"`
	Plan     string               `json:",omitempty"` // that the user made of the plan
	Comments []planmode.Comment   `json:",omitempty"`
	State    planmode.ReviewState `json:",omitempty"`
	IsError  bool                 `json:",omitempty"`
	Text     string               `json:",omitempty"` // of the result or the fault
}

// journal is where a member keeps its notes.
type journal struct {
	mu      sync.Mutex
	file    *os.File
	session string // path of the session file
}

// add returns when the note is on disk. It then says so by one byte of output.
func (j *journal) add(n note) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if info, err := os.Stat(j.session); err == nil {
		n.Size = info.Size()
	}
	line, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		panic(err)
	}
	if err := j.file.Sync(); err != nil {
		panic(err)
	}
	fmt.Print(".")
}

func (j *journal) fault(format string, args ...any) {
	j.add(note{Kind: "fault", Text: fmt.Sprintf(format, args...)})
}

// fingerprint identifies an event but for its place and time.
func fingerprint(e session.Event) string {
	e.Seq, e.Time = 0, time.UnixMilli(0)
	line, err := session.AppendEvent(nil, e)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:8])
}

// notedLog is a session file that notes each append that was acknowledged, whoever made
// it.
type notedLog struct {
	*filelog.Log
	notes *journal
}

func (l *notedLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	tip, err := l.Log.Append(ctx, expect, events...)
	if err == nil {
		n := note{Kind: "append", Tip: tip}
		for _, e := range events {
			n.Events = append(n.Events, fingerprint(e))
		}
		l.notes.add(n)
	}
	return tip, err
}

// noting is a log handler that takes what plan mode could not do as a fault: nothing
// stands in its way here.
type noting struct {
	slog.Handler
	notes *journal
}

func (noting) Enabled(context.Context, slog.Level) bool { return true }

func (n noting) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	n.notes.fault("%s", text)
	return nil
}
