package planmode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/agentplan/sdk/planmode/session"
)

// handoffSession returns the id of the session to which a review of a session hands its
// plan over. It is always the same, so that nobody who goes on makes a second one, and it
// can stand in the name of a file.
func handoffSession(sessionID, reviewID string) string {
	sum := sha256.Sum256([]byte(sessionID + "\x00" + reviewID))
	return "plan-" + hex.EncodeToString(sum[:16])
}

// advance goes on with the hand-off that is open in the log, if there is one, and returns
// the newest one. With commit it also notes that it is complete and leaves plan mode,
// unless a turn is open by then: its next step boundary does that.
func (p *PlanMode) advance(ctx context.Context, log session.Log, commit bool) (*Handoff, error) {
	for attempt := 0; ; attempt++ {
		v, err := p.cursors.of(log).read(ctx)
		if err != nil || v.Handoff == nil {
			return nil, err
		}
		h := v.handoffOf(log.ID())
		if h.State != HandoffOpen {
			return h, nil
		}
		events, err := p.handOver(ctx, log, v)
		if err == nil && (!commit || v.TurnOpen) {
			return h, nil
		}
		if err == nil {
			if _, err = p.write(ctx, log, v.pos, exitEvents(&v.Folded, events)...); err == nil {
				h.State = HandoffComplete
				return h, nil
			}
		}
		if errors.Is(err, session.ErrConflict) {
			err = pause(ctx, attempt)
		}
		if err != nil {
			return h, h.failed(err)
		}
	}
}

// handOver makes the new session of the hand-off that is open in the log and returns the
// event that notes it. It may have been made before.
func (p *PlanMode) handOver(ctx context.Context, log session.Log, v view) ([]session.Event, error) {
	h := v.handoffOf(log.ID())
	if err := p.deliver(ctx, log, v, h); err != nil {
		return nil, h.failed(err)
	}
	return []session.Event{handoffEvent(HandoffEvent{ID: h.ReviewID, Session: h.Session, SHA256: h.SHA256})}, nil
}

// deliver returns when the session of the hand-off exists and begins with the plan.
func (p *PlanMode) deliver(ctx context.Context, log session.Log, v view, h *Handoff) error {
	if p.opts.Sessions == nil {
		return ErrNoSessions
	}
	// An approval that was read may be a write that its log takes back. To write at its
	// end, be it nothing, is to know that it stands.
	if _, err := log.Append(ctx, v.pos); err != nil {
		return err
	}
	next, err := p.opts.Sessions.Open(ctx, h.Session)
	if errors.Is(err, session.ErrNotExist) {
		next, err = p.create(ctx, log.ID(), h.Session)
	}
	if err != nil {
		return err
	}
	message := handoffMessage(log.ID(), h, v.Approved)
	for attempt := 0; ; attempt++ {
		first, found, err := firstEvent(ctx, next)
		if err != nil {
			return err
		}
		if found {
			return checkDelivered(first, message)
		}
		if err := p.checkParent(ctx, h.Session, log.ID()); err != nil {
			return err
		}
		_, err = p.write(ctx, next, 0, message)
		if !errors.Is(err, session.ErrConflict) {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

// create makes the new session in the directory of the one it comes from, or opens it
// where somebody else was faster.
func (p *PlanMode) create(ctx context.Context, parent, id string) (session.Log, error) {
	header, err := p.headerOf(ctx, parent)
	if err != nil {
		return nil, err
	}
	if header.ID == "" { // the session is kept elsewhere
		header.ID = parent
	}
	next, err := p.opts.Sessions.Create(ctx, session.ForkHeader(header, 0, id))
	if errors.Is(err, session.ErrExist) {
		return p.opts.Sessions.Open(ctx, id)
	}
	return next, err
}

// headerOf returns the header of a session, a zero one if the store has no such session.
func (p *PlanMode) headerOf(ctx context.Context, id string) (session.Header, error) {
	var unreadable error
	for header, err := range p.opts.Sessions.List(ctx) {
		if err == nil && header.ID == id {
			return header, nil
		}
		if err != nil {
			unreadable = err // of another session, or of this one
		}
	}
	if unreadable != nil {
		if _, err := p.opts.Sessions.Open(ctx, id); errors.Is(err, session.ErrNotExist) {
			return session.Header{}, nil
		}
	}
	return session.Header{}, unreadable
}

// checkParent reports an empty session of the id that nobody made for the hand-off.
func (p *PlanMode) checkParent(ctx context.Context, id, parent string) error {
	header, err := p.headerOf(ctx, id)
	if err != nil {
		return err
	}
	if header.ParentSession != parent {
		return fmt.Errorf("session %s exists and was not made from session %s", id, parent)
	}
	return nil
}

// firstEvent returns the first event of a log, or false if it is empty.
func firstEvent(ctx context.Context, log session.Log) (session.Event, bool, error) {
	for e, err := range log.Read(ctx, 0) {
		return e, err == nil, err
	}
	return session.Event{}, false, nil
}

// checkDelivered reports whether a session begins with the message, but for its words.
func checkDelivered(first, message session.Event) error {
	form, _, source := ownMessage(first)
	_, _, wanted := ownMessage(message)
	for _, key := range []string{"reviewId", "sha256", "from"} {
		got, err := source.text(key)
		if want, _ := wanted.text(key); form != formHandoff || err != nil || got != want {
			return errors.New("the session exists and does not begin with the plan")
		}
	}
	return nil
}

// handoffMessage is the event that a new session begins with.
func handoffMessage(from string, h *Handoff, plan *ApprovedPlan) session.Event {
	who, note := actorWords(h.By)
	return noticeEvent(NoticeEvent{
		ID:   "plan-handoff-" + h.ReviewID,
		Role: "user",
		Content: []session.Block{
			session.TextBlock(say(handedOver, who, note)),
			session.TextBlock(plan.Plan),
		},
		Source: NoticeSource{
			Kind: "plugin", Plugin: pluginName, Form: formHandoff, Summary: say(summaryHandoff),
			ReviewID: h.ReviewID, Revision: h.Revision, SHA256: h.SHA256, Edited: plan.Edited, From: from,
		},
	})
}
