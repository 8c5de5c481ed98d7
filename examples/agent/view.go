package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// view shows what happens in a log, whoever wrote it: this process, or another one beside
// it. The state that it shows is a fold of the events it has seen.
type view struct {
	console  *console
	log      session.Log
	position int64
	rewinds  uint64
	folded   planmode.Folded
	turns    bool // there was a turn
	status   string
}

// begins reports whether the session begins with a plan that another one handed over, and
// no turn has taken it up.
func (v *view) begins() bool {
	return v.folded.Approved != nil && v.folded.Approved.From != "" && !v.turns
}

// catchUp shows what was appended since the last call. With silent it only takes it in.
func (v *view) catchUp(ctx context.Context, silent bool) error {
	for {
		err := v.read(ctx, silent)
		rewinds := v.rewinds
		if r, ok := v.log.(session.Rewinder); ok {
			rewinds = r.Rewinds()
		}
		if rewinds == v.rewinds && !errors.Is(err, session.ErrPosition) {
			v.showStatus()
			return err
		}
		// Events that were shown have been taken back: fold the log anew.
		v.position, v.rewinds, v.folded, v.turns = 0, rewinds, planmode.Folded{}, false
		silent = true
	}
}

func (v *view) read(ctx context.Context, silent bool) error {
	for e, err := range v.log.Read(ctx, v.position) {
		if err != nil {
			return err
		}
		v.position = int64(e.Seq) + 1
		v.turns = v.turns || e.Type == "turn/start"
		var malformed error
		if v.folded, malformed = planmode.Fold(v.folded, e); malformed != nil {
			v.console.print("! " + malformed.Error())
		}
		if silent {
			continue
		}
		if text := describe(e); text != "" {
			v.console.print(text)
		}
		// With no turn open a selection takes force with the next event.
		if v.folded.TurnOpen || e.Type != planmode.EventSelect && e.Type != planmode.EventReview {
			v.showStatus()
		}
	}
	return nil
}

// showStatus prints the status line when it has changed.
func (v *view) showStatus() {
	if v.folded.Announced != nil {
		return // a command is about to say what it does
	}
	if status := statusLine(v.folded); status != v.status {
		v.status = status
		v.console.print("-- " + status)
	}
}

// statusLine says where plan mode stands.
func statusLine(s planmode.Folded) string {
	names := map[bool]string{true: "plan mode", false: "default mode"}
	state := s.State()
	line := names[state.Active]
	if state.Pending != nil {
		line += ", " + names[*state.Pending] + " from the next step"
	}
	if r := s.Review; r != nil && r.State.Open() {
		line += fmt.Sprintf(", review of revision %d is %s", r.Revision, r.State)
	}
	switch n := s.Status().Refusals; {
	case n == 1:
		line += ", 1 call refused"
	case n > 1:
		line += fmt.Sprintf(", %d calls refused", n)
	}
	return line
}

// watch sends a value whenever the log has grown, until ctx ends.
func watch(ctx context.Context, log session.Watcher, from int64, changes chan<- struct{}) error {
	for _, err := range log.Watch(ctx, from) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case changes <- struct{}{}:
		default:
		}
	}
	return nil
}

// describe returns what an event tells the user, "" if nothing.
func describe(e session.Event) string {
	var data struct {
		Name, Arguments string
		Session         string
		Reason          struct{ Kind string }
		Message         eventMessage
		eventMessage
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return ""
	}
	switch e.Type {
	case "assistant/message":
		return data.Message.text()
	case "user/message":
		if data.Source.Plugin != "" {
			return "[" + data.Source.Plugin + " to the model] " + data.text()
		}
	case "tool/call":
		if data.Name == planmode.ToolName {
			return "> " + data.Name
		}
		return "> " + data.Name + " " + data.Arguments
	case "tool/result":
		for _, b := range data.Message.Content {
			if b.IsError {
				return "  failed: " + short(b.text())
			}
		}
	case planmode.EventHandoff:
		return "(the plan goes on in session " + data.Session + ")"
	case "turn/end":
		if kind := data.Reason.Kind; kind != session.TurnCompleted {
			return "(turn ended: " + kind + ")"
		}
	}
	return ""
}

// short returns the beginning of a text on one line.
func short(text string) string {
	const limit = 100
	line := []rune(oneLine(text))
	if len(line) <= limit {
		return string(line)
	}
	return string(line[:limit]) + "..."
}

type eventMessage struct {
	Source  struct{ Plugin string }
	Content []eventBlock
}

func (m eventMessage) text() string { return eventBlock{Content: m.Content}.text() }

type eventBlock struct {
	Text    string
	IsError bool
	Content []eventBlock
}

func (b eventBlock) text() string {
	var texts []string
	for _, part := range b.Content {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}
