package planmode

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/agentplan/sdk/planmode/session"
)

// The source of the messages that plan mode writes.
const (
	pluginName  = "plan-mode"
	formNotice  = "notice"
	formHandoff = "handoff"
)

// Notice is a message by which plan mode told the model that its context changed, or by
// which it handed a plan over to a new session.
//
//catalog:type
type Notice struct {
	// Position is the position in the log at which the notice ends: it is the last of
	// the first Position events.
	Position int64 `json:"position"`
	// Text is what the model was told.
	Text string `json:"text"`
}

// Notices yields the notices in the agent's log, oldest first, for a host that builds
// its messages otherwise than from the user/message events of the log. It reads the log
// at each use. An error is yielded last.
func (p *PlanMode) Notices(ctx context.Context, agent Agent) iter.Seq2[Notice, error] {
	return func(yield func(Notice, error) bool) {
		log, err := logOf(agent)
		if err != nil {
			yield(Notice{}, fmt.Errorf("read notices: %w", err))
			return
		}
		for e, err := range log.Read(ctx, 0) {
			if err != nil {
				yield(Notice{}, fmt.Errorf("read notices of session %s: %w", log.ID(), err))
				return
			}
			if e.Type != eventUserMessage || !mayHold(e.Data, pluginName) {
				continue
			}
			if form, _, _ := ownMessage(e); form != formNotice && form != formHandoff {
				continue
			}
			if !yield(Notice{Position: int64(e.Seq) + 1, Text: messageText(e)}, nil) {
				return
			}
		}
	}
}

// messageText returns the text blocks of a message.
func messageText(e session.Event) string {
	var message struct {
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(e.Data, &message) != nil {
		return ""
	}
	var texts []string
	for _, raw := range message.Content {
		if block, err := parseObject(raw); err == nil {
			if text, err := block.text("text"); err == nil {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n\n")
}

// notice returns the notice that tells all the model has to be told of s.
func notice(s *Folded) session.Event {
	parts := []string{say(switchText(s))}
	source := NoticeSource{Kind: "plugin", Plugin: pluginName, Form: formNotice, Summary: say(summaryOff)}
	if s.Active {
		source.Summary = say(summaryOn)
	}
	for _, o := range s.past.due() {
		parts = append(parts, verdictText(s, o.Settlement, o.plan))
		source.Reviews = append(source.Reviews, o.ReviewID)
	}
	if len(source.Reviews) > 0 {
		source.Summary = say(summaryAnswer, source.Summary)
	}
	return noticeEvent(NoticeEvent{
		ID:      "plan-notice-" + rand.Text(),
		Role:    "user",
		Content: []session.Block{session.TextBlock(strings.Join(parts, "\n\n"))},
		Source:  source,
	})
}

// switchText returns the text that tells which mode is in force.
func switchText(s *Folded) textID {
	switch {
	case !s.toldWrong() && s.Active:
		return noticeStillOn
	case !s.toldWrong():
		return noticeStillOff
	case s.Active && s.switchedBy == ByPolicy:
		return noticeOnByPolicy
	case s.Active:
		return noticeOn
	case approvalOwed(s):
		return noticeLeft
	case s.switchedBy == ByPolicy:
		return noticeOffByPolicy
	}
	return noticeOff
}

func approvalOwed(s *Folded) bool {
	for _, how := range s.Owed() {
		if how.State == ReviewApproved {
			return true
		}
	}
	return false
}
