package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// asProgram makes the test binary be the program, so that a test can kill it.
const asProgram = "AGENT_EXAMPLE_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// dialogue runs the program on the lines, which are all of its input, and returns what it
// printed.
func dialogue(t *testing.T, args []string, lines ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	input := strings.Join(append(lines, ""), "\n")
	if code := run(args, strings.NewReader(input), &stdout, &stderr, nil); code != 0 {
		t.Fatalf("exit code %d\n%s\n%s", code, stdout.String(), stderr.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", stderr.String())
	}
	return stdout.String()
}

// program is a running program in a process of its own.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	output *transcript
	ended  bool
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, cmd: exec.Command(executable, args...), output: newTranscript()}
	p.cmd.Env = append(os.Environ(), asProgram+"=1")
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

func (p *program) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// kill ends the process as a power cut would.
func (p *program) kill() {
	if !p.ended {
		p.ended = true
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// wait closes the input and waits for the end.
func (p *program) wait() {
	p.t.Helper()
	p.ended = true
	if err := p.stdin.Close(); err != nil {
		p.t.Error(err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%v\n%s", err, p.output.String())
	}
}

// transcript is an output that can be waited on.
type transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func newTranscript() *transcript { return &transcript{changed: make(chan struct{})} }

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(p)
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until the output holds the text. The limit only ends a test that hangs.
func (o *transcript) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		o.mu.Lock()
		found, changed := strings.Contains(o.text.String(), text), o.changed
		o.mu.Unlock()
		if found {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("waited in vain for %q in:\n%s", text, o.String())
		}
	}
}

// readSession returns the events of a session and what they fold to.
func readSession(t *testing.T, dir, id string) ([]session.Event, planmode.Folded) {
	t.Helper()
	store, err := filelog.New(filepath.Join(dir, "sessions"), nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := store.Open(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	var events []session.Event
	var s planmode.Folded
	for e, err := range log.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if err := session.Validate(e); err != nil {
			t.Errorf("event with seq %d: %v", e.Seq, err)
		}
		if s, err = planmode.Fold(s, e); err != nil {
			t.Error(err)
		}
		events = append(events, e)
	}
	return events, s
}

// types returns the types of the events.
func types(events []session.Event) []string {
	var out []string
	for _, e := range events {
		out = append(out, e.Type)
	}
	return out
}
