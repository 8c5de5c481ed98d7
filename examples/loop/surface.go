package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agentplan/sdk/planmode/session"
)

// surface is what the model sees: a fold of the log's messages, kept as a cursor.
type surface struct {
	position int64
	rewinds  uint64
	messages []Message
}

// follow reads what was appended since the last call, or all where events that were read
// have been taken back.
func (s *surface) follow(ctx context.Context, log session.Log) error {
	for {
		err := s.read(ctx, log)
		rewinds := s.rewinds
		if r, ok := log.(session.Rewinder); ok {
			rewinds = r.Rewinds()
		}
		if rewinds == s.rewinds && !errors.Is(err, session.ErrPosition) {
			return err
		}
		*s = surface{rewinds: rewinds}
	}
}

func (s *surface) read(ctx context.Context, log session.Log) error {
	for e, err := range log.Read(ctx, s.position) {
		if err != nil {
			return fmt.Errorf("read session %s: %w", log.ID(), err)
		}
		if err := s.apply(e); err != nil {
			return fmt.Errorf("read session %s: %s with seq %d: %w", log.ID(), e.Type, e.Seq, err)
		}
		s.position = int64(e.Seq) + 1
	}
	return nil
}

// apply folds one event. Notices of plan mode are messages like all others.
func (s *surface) apply(e session.Event) error {
	if e.SurfaceOp == nil {
		return nil
	}
	m, err := decodeMessage(e)
	if err != nil {
		return err
	}
	if string(e.SurfaceOp) == `"append"` {
		s.messages = append(s.messages, m)
		return nil
	}
	var op struct{ Start, End int }
	if err := json.Unmarshal(e.SurfaceOp, &op); err != nil {
		return fmt.Errorf("surfaceOp: %w", err)
	}
	if op.Start < 0 || op.End < op.Start || op.End > len(s.messages) {
		return fmt.Errorf("surfaceOp replaces messages %d to %d of %d", op.Start, op.End, len(s.messages))
	}
	s.messages = slices.Replace(slices.Clone(s.messages), op.Start, op.End, m)
	return nil
}

type block struct {
	Type       string  `json:"type"`
	Text       string  `json:"text"`
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Arguments  string  `json:"arguments"`
	ToolCallID string  `json:"toolCallId"`
	Content    []block `json:"content"`
	IsError    bool    `json:"isError"`
}

type message struct {
	Content []block `json:"content"`
	Source  struct {
		Kind   string `json:"kind"`
		Plugin string `json:"plugin"`
		CallID string `json:"callId"`
	} `json:"source"`
}

// decodeMessage returns the message that an event puts on the surface.
func decodeMessage(e session.Event) (Message, error) {
	var raw message
	var err error
	if e.Type == "user/message" {
		err = json.Unmarshal(e.Data, &raw)
	} else {
		err = json.Unmarshal(e.Data, &struct{ Message *message }{&raw})
	}
	if err != nil {
		return Message{}, err
	}
	m := Message{Role: RoleUser, Text: texts(raw.Content), Plugin: raw.Source.Plugin}
	switch e.Type {
	case "assistant/message":
		m.Role = RoleAssistant
		for _, b := range raw.Content {
			if b.Type == "tool-call" {
				m.Calls = append(m.Calls, Call{ID: b.ID, Name: b.Name, Arguments: b.Arguments})
			}
		}
	case "tool/result":
		m.Role, m.CallID = RoleTool, raw.Source.CallID
		for _, b := range raw.Content {
			if b.Type == "tool-result" {
				m.Text, m.Failed = texts(b.Content), b.IsError
			}
		}
	}
	return m, nil
}

func texts(blocks []block) string {
	var out []string
	for _, b := range blocks {
		if b.Type == "text" {
			out = append(out, b.Text)
		}
	}
	return strings.Join(out, "\n")
}
