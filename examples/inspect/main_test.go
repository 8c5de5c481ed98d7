package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// samples is where copies of the original's session files are.
var samples = filepath.Join("..", "..", "planmode", "session", "filelog", "testdata")

func sample(form, id string) string {
	name := map[string]string{"raw": "session.jsonl", "zstd": "session.jsonl.zstd"}[form]
	return filepath.Join(samples, form, "--home-u-proj--", id, name)
}

func inspected(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// The original's approved exit: its tool result is the approval.
const originalTimeline = `POSITION  EVENT           ACTIVE  PENDING  TOLD  REVIEW
1         command/run     off     on       -     -
2         plan/mode       on      -        -     -
7         request/header  on      -        on    -
14        tool/call       on      -        on    -
15        tool/result     on      off      off   -
17        plan/mode       off     -        off   -
19        request/header  off     -        off   -
`

func TestSamplesOfTheOriginal(t *testing.T) {
	for _, form := range []string{"raw", "zstd"} {
		code, stdout, stderr := inspected(t, sample(form, "sess-1"))
		if diff := cmp.Diff(originalTimeline, stdout); diff != "" || code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d, %s\n%s", form, code, stderr, diff)
		}
	}
	// The name and the place of a file do not matter.
	content, err := os.ReadFile(sample("zstd", "sess-1"))
	if err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(t.TempDir(), "copy of a log")
	if err := os.WriteFile(moved, content, 0o400); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := inspected(t, moved)
	if diff := cmp.Diff(originalTimeline, stdout); diff != "" || code != 0 {
		t.Errorf("moved: exit code %d, %s\n%s", code, stderr, diff)
	}
	if _, stdout, _ := inspected(t, "-all", sample("raw", "sess-1")); strings.Count(stdout, "\n") != 1+21 {
		t.Errorf("all events:\n%s", stdout)
	}
}

// writeSession writes a session file and returns its path.
func writeSession(t *testing.T, events ...session.Event) string {
	t.Helper()
	store, err := filelog.New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := store.Create(t.Context(), session.Header{ID: "a/b: odd"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), 0, events...); err != nil {
		t.Fatal(err)
	}
	return log.(*filelog.Log).Path()
}

func event(kind, data string) session.Event {
	return session.Event{Type: kind, Data: json.RawMessage(data), Ignorable: strings.HasPrefix(kind, "plan/") && kind != planmode.EventMode}
}

func TestFacts(t *testing.T) {
	path := writeSession(t,
		event(planmode.EventSelect, `{"active":true,"by":"user"}`),
		event(planmode.EventMode, `{"active":true}`),
		session.TurnStart(1),
		event("request/header", `{"header":{},"reason":"initial"}`),
		event(planmode.EventReview, `{"id":"r","callId":"c","revision":1,"state":"open","plan":"# Q & A\n","sha256":"00"}`),
		event(planmode.EventReview, `{"id":"r","state":"parked"}`),
		session.TurnEnd(1, session.TurnCompleted),
		event(planmode.EventReview, `{"id":"r","state":"revise","sha256":"00","by":"user","awaited":false}`),
		event(planmode.EventSelect, `{"active":"yes"}`),
	)
	code, stdout, stderr := inspected(t, "-json", path)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	var got []string
	for line := range strings.Lines(stdout) {
		var f struct {
			Position int64
			Event    string
			Active   bool
			Pending  *bool
			Told     *bool
			TurnOpen bool
			Review   *struct{ State, Title string }
			Owed     []string
			Fault    string
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(line[strings.Index(line, `"event"`):]))
		if f.Position == 9 && (!strings.Contains(f.Fault, "seq 8") || len(f.Owed) != 1) {
			t.Errorf("the malformed event: %s", line)
		}
	}
	review := func(state string) string {
		return `"review":{"id":"r","revision":1,"state":"` + state + `","title":"Q & A","sha256":"00"}`
	}
	got = got[:len(got)-1]
	want := []string{
		`"event":"plan/select","active":false,"pending":true,"turnOpen":false}`,
		`"event":"plan/mode","active":true,"turnOpen":false}`,
		`"event":"request/header","active":true,"told":true,"turnOpen":true}`,
		`"event":"plan/review","active":true,"told":true,"turnOpen":true,` + review("waiting") + `}`,
		`"event":"plan/review","active":true,"told":true,"turnOpen":true,` + review("parked") + `}`,
		`"event":"plan/review","active":true,"told":true,"turnOpen":false,` + review("revise") + `,"owed":["r"]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	_, stdout, _ = inspected(t, path)
	if !strings.Contains(stdout, `1 revise "Q & A", 1 to be told  ! `) {
		t.Errorf("table:\n%s", stdout)
	}
}

func TestChanges(t *testing.T) {
	path := writeSession(t,
		event(planmode.EventSelect, `{"active":true,"by":"policy"}`),
		event(planmode.EventMode, `{"active":true}`),
		session.TurnStart(1),
		event(planmode.EventReview, `{"id":"r","callId":"c","revision":1,"state":"open","plan":"# Q & A\n","sha256":"00"}`),
		event(planmode.EventReview, `{"id":"r","state":"revise","sha256":"00","by":"user","awaited":true,"feedback":"less"}`),
		event(planmode.EventReview, `{"id":"s","callId":"d","revision":2,"state":"open","plan":"# Q","sha256":"01"}`),
		event(planmode.EventReview, `{"id":"s","state":"dismissed","decision":"leave","sha256":"01","by":"user","awaited":true}`),
	)
	want := `POSITION  CHANGE          ACTIVE  PENDING  BY      CAUSE      REVIEW
1         pending         off     on       policy  selection  -
2         mode            on      -        policy  selection  -
4         review-opened   on      -        model   presented  1 waiting
5         review-settled  on      -        user    answer     1 revise: "less"
6         review-opened   on      -        model   presented  2 waiting
7         review-settled  on      -        user    answer     2 dismissed (leave)
7         pending         on      off      review  answer     2
`
	code, stdout, stderr := inspected(t, "-changes", path)
	if diff := cmp.Diff(want, stdout); diff != "" || code != 0 || stderr != "" {
		t.Errorf("exit code %d, %s\n%s", code, stderr, diff)
	}
	code, stdout, _ = inspected(t, "-changes", "-json", path)
	if code != 0 || strings.Count(stdout, "\n") != 7 || !strings.Contains(stdout, `"actor":"policy"`) {
		t.Errorf("exit code %d, JSON:\n%s", code, stdout)
	}
	if code, _, _ := inspected(t, "-all", "-changes", path); code != 2 {
		t.Errorf("-all and -changes: exit code %d", code)
	}
}

func TestDamage(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	header := `{"type":"session","version":0,"id":"s","createdAt":0,"delegationDepth":0}` + "\n"
	bad := header + `{"type":"turn/start","seq":0,"time":0,"data":{"turn":1}}` + "\nnot JSON\n" +
		`{"type":"turn/end","seq":1,"time":0,"data":{"turn":1,"reason":{"kind":"completed"}}}` + "\n"
	newer := filepath.Join(dir, "newer")
	if err := os.Mkdir(newer, 0o700); err != nil {
		t.Fatal(err)
	}
	write("newer/session.v2.jsonl", "")
	for name, test := range map[string]struct {
		path string
		code int
		text string
	}{
		"bad line":    {write("bad", bad), 1, filepath.Join(dir, "bad") + ":3: "},
		"bad header":  {write("header", "{}\n"), 1, filepath.Join(dir, "header") + ":1: "},
		"version":     {write("version", strings.Replace(header, `"version":0`, `"version":7`, 1)), 1, ":1: read session header: unsupported session format version: 7"},
		"empty":       {write("empty", ""), 1, filepath.Join(dir, "empty") + ":1: "},
		"zstd magic":  {write("magic", "\x28\xb5\x2f\xfdxxxx"), 1, filepath.Join(dir, "magic")},
		"unknown":     {sample("zstd", "go-unk"), 1, sample("zstd", "go-unk") + ":2: "},
		"torn tail":   {write("torn", header+`{"type":"turn/st`), 0, ""},
		"newer":       {write("newer/session.jsonl", header), 0, "session.v2.jsonl is of a newer format"},
		"no file":     {filepath.Join(dir, "nope"), 1, "nope"},
		"a directory": {dir, 1, "not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := inspected(t, test.path)
			if code != test.code || !strings.Contains(stderr, test.text) || strings.Contains(stderr, "inspect-") {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}

func TestWrongUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
	}{{nil, 2}, {[]string{"a", "b"}, 2}, {[]string{"-nope"}, 2}, {[]string{"-help"}, 0}} {
		if code, _, stderr := inspected(t, test.args...); code != test.code || !strings.Contains(stderr, "Usage: inspect") {
			t.Errorf("%q: exit code %d, %s", test.args, code, stderr)
		}
	}
}
