package planmode_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
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

// member is a program that takes part in a session until it is killed.
type member struct {
	memberConfig
	notes  *journal
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
	opts := &planmode.Options{BoundaryTimeout: time.Minute, Logger: slog.New(noting{slog.DiscardHandler, m.notes})}
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

// open opens the session. The host makes it if there is none, and a desk waits for that.
func (m *member) open(ctx context.Context) (*filelog.Log, error) {
	store, err := filelog.New(m.Dir, &filelog.Options{Compress: m.Compress, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
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
func (m *member) ID() string       { return m.Session }
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

// settleOpen answers the review that is open, if there is one, and only that of the call
// if one is given.
func (m *member) settleOpen(random *rand.Rand, call string) error {
	ctx := context.Background()
	review, err := m.plan.OpenReview(ctx, m)
	if err != nil || review == nil || call != "" && review.CallID != call {
		return err
	}
	ways := []way{{kind: "approve"}, {kind: "approve"}, {kind: "revise"}, {kind: "remark"}, {kind: "dismiss"}, {kind: "other plan"}}
	verdict := m.intend(*review, ways[random.IntN(len(ways))])
	err = m.plan.Settle(ctx, m, review.ID, verdict)
	var settled *planmode.SettledError
	switch {
	case errors.As(err, &settled):
		return nil // somebody else was first
	case verdict.SHA256 != review.SHA256:
		if err == nil {
			m.notes.fault("settle took a verdict on another plan than that of review %s", review.ID)
		}
		return nil
	case err != nil:
		return err
	}
	m.notes.add(note{Kind: "settled", Review: review.ID, State: stateAfter(verdict), Feedback: verdict.Feedback})
	return nil
}

// stateAfter is the state in which a verdict on the right plan leaves a review.
func stateAfter(v planmode.Verdict) planmode.ReviewState {
	switch {
	case v.Decision == planmode.Dismiss:
		return planmode.ReviewDismissed
	case v.Decision == planmode.Approve && v.Feedback == "":
		return planmode.ReviewApproved
	}
	return planmode.ReviewRevise
}

// intend makes the verdict and has it on disk before anybody is told.
func (m *member) intend(r planmode.Review, w way) planmode.Verdict {
	v := planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}
	switch w.kind {
	case "revise":
		v.Decision, v.Feedback = planmode.Revise, "other words by "+m.Name+" <"+r.ID+">"
	case "remark":
		v.Feedback = "yes, but by " + m.Name + " <" + r.ID + ">"
	case "dismiss":
		v.Decision, v.Feedback = planmode.Dismiss, "a question by "+m.Name+" <"+r.ID+">"
	case "other plan":
		v.SHA256 = sha("other")
	}
	m.notes.add(note{Kind: "intent", Review: r.ID, Decision: v.Decision, Feedback: v.Feedback, SHA256: v.SHA256})
	return v
}

// way is how the reviewer behaves when it is asked about the plan of a call.
type way struct {
	kind  string
	delay time.Duration
}

// Review implements planmode.Reviewer.
func (m *member) Review(ctx context.Context, _ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	m.mu.Lock()
	w := m.ways[r.CallID]
	m.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(w.delay):
	}
	switch w.kind {
	case "closed":
		return planmode.Verdict{}, planmode.ErrDismissed
	case "pending":
		return planmode.Verdict{}, planmode.ErrReviewPending
	case "error":
		return planmode.Verdict{}, errDisk
	case "block", "left":
		<-ctx.Done()
		return planmode.Verdict{}, ctx.Err()
	}
	return m.intend(r, w), nil
}

// planText is a plan of a few lines or of many.
func (m *member) planText(name string) string {
	text := "# Plan of " + name + " \u2028 <&>\n\n"
	if m.random.IntN(8) == 0 {
		text += strings.Repeat("- a line of \"many\"\n", m.random.IntN(4000))
	}
	return text
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

// exit runs a call of exit_plan_mode while the reviewer and the user behave in some way.
func (m *member) exit(ctx context.Context, id string, args json.RawMessage) planmode.Result {
	var plan struct{ Plan string }
	if err := json.Unmarshal(args, &plan); err != nil {
		panic(err)
	}
	m.notes.add(note{Kind: "present", Call: id, SHA256: sha(plan.Plan)})
	kinds := []string{"approve", "approve", "revise", "remark", "dismiss", "closed", "pending", "pending", "error", "other plan", "block", "block", "left"}
	w := way{kinds[m.random.IntN(len(kinds))], time.Duration(m.random.IntN(8)) * time.Millisecond}
	m.mu.Lock()
	m.ways[id] = w
	m.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	random := rand.New(rand.NewPCG(m.random.Uint64(), 0))
	switch {
	case w.kind == "block", w.kind == "left", m.random.IntN(8) == 0:
		go func() {
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
			if err := m.intervene(ctx, random, w, id, cancel); err != nil {
				m.notes.fault("intervene in call %s: %v", id, err)
			}
		}()
	}
	r := m.plan.ExitTool().Call(ctx, m, id, args)
	m.notes.add(note{Kind: "result", Call: id, IsError: r.IsError, Text: r.Content})
	return r
}

// intervene is what the user does while a call waits: answer elsewhere, leave plan mode,
// cancel the call, or nothing at all.
func (m *member) intervene(ctx context.Context, random *rand.Rand, w way, call string, cancel func()) error {
	if w.kind == "left" {
		_, err := m.plan.Set(context.WithoutCancel(ctx), m, false)
		return err
	}
	switch random.IntN(8) {
	case 0:
	case 1:
		cancel()
	default:
		return m.settleOpen(random, call)
	}
	return nil
}
