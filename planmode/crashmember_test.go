package planmode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// memberEnv holds the memberConfig of a test binary that is to run as a member of a
// session.
const memberEnv = "PLANMODE_TEST_MEMBER"

// TestMain runs the test binary as a member of a session if the test that started it
// asks for that.
func TestMain(m *testing.M) {
	if raw := os.Getenv(memberEnv); raw != "" {
		err := runMember([]byte(raw))
		fmt.Fprintln(os.Stderr, "member of a session:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// memberConfig says how a program takes part in a session. The host runs the turns; a
// desk answers reviews and switches plan mode from elsewhere.
type memberConfig struct {
	Desk         bool
	Dir, Session string
	Compress     bool
	Journal      string // path
	Name         string // part of the ids that it makes up
	Seed         uint64
}

// member is a program that takes part in a session until it is killed.
type member struct {
	memberConfig
	notes  *journal
	store  *filelog.Store
	log    *notedLog
	plan   *planmode.PlanMode
	random *rand.Rand // of the goroutine that runs the turns or the desk
	ids    int
	turn   int64
	header string // system prompt that this process logged last

	mu      sync.Mutex // guards the rest
	steered []string
	ways    map[string]way // how the reviewer is to behave, by call
}

func runMember(raw []byte) error {
	m := &member{ways: map[string]way{}}
	if err := json.Unmarshal(raw, &m.memberConfig); err != nil {
		return err
	}
	m.random = rand.New(rand.NewPCG(m.Seed, 0))
	file, err := os.OpenFile(m.Journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	m.notes = &journal{file: file}
	log, err := m.open(context.Background())
	if err != nil {
		return err
	}
	m.notes.session = log.Path()
	m.log = &notedLog{log, m.notes}
	opts := &planmode.Options{
		BoundaryTimeout: time.Minute, Logger: slog.New(noting{slog.DiscardHandler, m.notes}),
		ApprovalNotes: true, Sessions: m.store,
	}
	if !m.Desk {
		opts.Reviewer = m
	}
	if m.plan, err = planmode.New(planmode.Config{Section: guidance}, opts); err != nil {
		return err
	}
	if m.Desk {
		return m.serve()
	}
	return m.host()
}

// open opens the session. The host makes it if there is none, and a desk waits for that.
func (m *member) open(ctx context.Context) (*filelog.Log, error) {
	store, err := filelog.New(m.Dir, &filelog.Options{Compress: m.Compress, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	m.store = store
	for {
		log, err := store.Open(ctx, m.Session)
		if errors.Is(err, session.ErrNotExist) && !m.Desk {
			log, err = store.Create(ctx, session.Header{ID: m.Session, Cwd: "/home/u/proj"})
		}
		if err == nil {
			return log.(*filelog.Log), nil
		}
		if !m.Desk || !errors.Is(err, session.ErrNotExist) {
			return nil, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// member is the agent of its session.
func (m *member) ID() string { return m.Session }

func (m *member) Log() session.Log { return m.log }

func (m *member) Steer(_ context.Context, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steered = append(m.steered, text)
	return nil
}

func (m *member) append(events ...session.Event) error {
	_, err := m.log.Append(context.Background(), session.Any, events...)
	return err
}

// appendApart appends events in one batch or one by one.
func (m *member) appendApart(events ...session.Event) error {
	if m.random.IntN(2) == 0 {
		return m.append(events...)
	}
	for _, e := range events {
		if err := m.append(e); err != nil {
			return err
		}
	}
	return nil
}

func (m *member) id(prefix string) string {
	m.ids++
	return fmt.Sprintf("%s-%s-%d", prefix, m.Name, m.ids)
}

// host resumes the session and runs one turn after the other.
func (m *member) host() error {
	ctx := context.Background()
	for {
		_, err := session.RepairLog(ctx, m.log)
		if err == nil {
			break
		}
		if !errors.Is(err, session.ErrConflict) {
			return err
		}
	}
	for e, err := range m.log.Read(ctx, 0) {
		if err != nil {
			return err
		}
		if e.Type == "turn/start" {
			m.turn++
		}
	}
	for {
		for range m.random.IntN(3) {
			if err := m.useDesk(); err != nil {
				return err
			}
		}
		if err := m.runTurn(ctx); err != nil {
			return err
		}
		if m.random.IntN(2) == 0 { // or the next boundary does it
			if _, err := m.plan.ResumeHandoff(ctx, m); err != nil {
				return err
			}
		}
	}
}

// serve is what a desk does beside the host.
func (m *member) serve() error {
	for {
		time.Sleep(time.Duration(m.random.IntN(20)) * time.Millisecond)
		if err := m.useDesk(); err != nil {
			return err
		}
	}
}

// useDesk does what a user does at any time: switch plan mode or answer a review.
func (m *member) useDesk() error {
	switch m.random.IntN(4) {
	case 0:
		_, err := m.plan.Set(context.Background(), m, m.random.IntN(4) > 0)
		return err
	case 1:
		inputs := []string{"", "", " off", " make a plan for " + m.id("thing")}
		if m.Desk {
			inputs = inputs[:3] // what it steers would not get to the host
		}
		return m.command(inputs[m.random.IntN(len(inputs))])
	default:
		return m.settleOpen(m.random, "")
	}
}

func (m *member) command(input string) error {
	id := m.id("command")
	if err := m.append(session.CommandRun(id, planmode.CommandName, input)); err != nil {
		return err
	}
	reply, err := m.plan.Command().Run(context.Background(), m, input)
	if err != nil {
		return err
	}
	return m.append(session.CommandDone(id, reply))
}

func (m *member) runTurn(ctx context.Context) error {
	m.turn++
	m.mu.Lock()
	texts := m.steered
	m.steered = nil
	m.mu.Unlock()
	if len(texts) == 0 {
		texts = []string{"Go on."}
	}
	events := []session.Event{session.TurnStart(m.turn)}
	for _, text := range texts {
		events = append(events, session.UserMessage(m.id("message"), session.UserSource(), session.TextBlock(text)))
	}
	if err := m.appendApart(events...); err != nil {
		return err
	}
	if m.random.IntN(2) == 0 {
		if _, err := m.plan.Set(ctx, m, true); err != nil {
			return err
		}
	}
	for step := range int64(1 + m.random.IntN(4)) {
		if err := m.runStep(ctx, step+1); err != nil {
			return err
		}
	}
	return m.append(session.TurnEnd(m.turn, session.TurnCompleted))
}

func (m *member) runStep(ctx context.Context, step int64) error {
	m.plan.BeforeStep(ctx, m)
	if err := m.append(session.StepStart(m.turn, step)); err != nil {
		return err
	}
	if err := m.derive(ctx); err != nil {
		return err
	}
	if m.random.IntN(4) == 0 { // the request fails and is made again
		m.plan.BeforeStep(ctx, m)
		if err := m.derive(ctx); err != nil {
			return err
		}
	}
	type call struct{ id, name, args string }
	var calls []call
	reply := session.Reply{ID: m.id("message"), Provider: "p", Model: "m", Content: []session.Block{session.TextBlock("I think.")}}
	for range m.random.IntN(3) {
		c := call{m.id("call"), "read", `{"path":"go.mod"}`}
		if m.random.IntN(3) > 0 {
			c.name, c.args = planmode.ToolName, string(planArgs(m.planText(c.id)))
		}
		calls = append(calls, c)
		reply.Content = append(reply.Content, session.ToolCallBlock(c.id, c.name, c.args))
	}
	if err := m.append(session.AssistantMessage(m.turn, step, reply)); err != nil {
		return err
	}
	for _, c := range calls {
		if err := m.append(session.ToolCall(m.turn, step, c.id, c.name, c.args)); err != nil {
			return err
		}
		outcome := session.ToolOutcome{MessageID: m.id("message"), CallID: c.id}
		if c.name == planmode.ToolName {
			r := m.exit(ctx, c.id, json.RawMessage(c.args))
			outcome.IsError = r.IsError
			outcome.Content = []session.Block{session.TextBlock(r.Content)}
		}
		if err := m.append(session.ToolResult(m.turn, step, outcome)); err != nil {
			return err
		}
	}
	return m.append(session.StepEnd(m.turn, step))
}

// derive makes a request and logs its header if that is not the last one.
func (m *member) derive(ctx context.Context) error {
	section, err := m.plan.Section(ctx, m)
	if err != nil {
		return err
	}
	system := "You are a test.\n" + section
	if system == m.header {
		return nil
	}
	reason := session.HeaderChange
	if m.header == "" {
		reason = session.HeaderResume
	}
	m.header = system
	return m.append(session.RequestHeader(session.Request{Provider: "p", Model: "m", System: system}, reason))
}
