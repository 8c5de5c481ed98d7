package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentplan/sdk/examples/loop"
	"github.com/agentplan/sdk/planmode"
)

// script is a model without a mind: its answer is a function of the request alone, so
// that a session that was resumed goes on as if nothing had happened.
type script struct{}

func (script) Name() (provider, model string) { return "script", "script-1" }

// Reply answers a request.
func (script) Reply(ctx context.Context, r loop.Request) (loop.Reply, error) {
	if err := ctx.Err(); err != nil {
		return loop.Reply{}, err
	}
	s := readScene(r.Messages)
	call := func(text, name string, args any) (loop.Reply, error) {
		encoded, err := json.Marshal(args)
		if err != nil {
			return loop.Reply{}, fmt.Errorf("encode arguments: %w", err)
		}
		id := fmt.Sprintf("call-%d", len(r.Messages))
		return loop.Reply{Text: text, Calls: []loop.Call{{ID: id, Name: name, Arguments: string(encoded)}}}, nil
	}
	planning := strings.Contains(r.System, guidance)
	switch {
	case s.approved && !planning && !s.wrote:
		return call("I carry out the plan.", "write_note", map[string]string{"name": s.note(), "text": s.noteText()})
	case s.approved && !planning:
		return loop.Reply{Text: "Done: " + s.note() + " is written as planned."}, nil
	case !planning:
		return loop.Reply{Text: fmt.Sprintf("You wrote: %s\nI am a script and do little without a plan. Try: /plan add a greeting", s.task)}, nil
	case s.stopped:
		return loop.Reply{Text: "I stay in plan mode and wait for you."}, nil
	case s.hasty() && !s.refused:
		return call("I write it at once.", "write_note", map[string]string{"name": s.note(), "text": s.noteText()})
	case s.files == nil:
		text := "I look around first."
		if s.refused {
			text = "Then I plan first."
		}
		return call(text, "list_files", struct{}{})
	case !s.read && s.readable() != "":
		return call("", "read_file", map[string]string{"name": s.readable()})
	default:
		text := "Here is my plan."
		if len(s.feedback) > 0 {
			text = "I changed the plan."
		}
		return call(text, planmode.ToolName, planmode.ExitArguments{Plan: s.plan()})
	}
}

// scene is what the script understands of a conversation since the user's last message.
type scene struct {
	task     string
	files    []string // what list_files told; nil before
	read     bool     // a file was read
	feedback []string // what the user wants changed
	stopped  bool     // the last attempt to leave plan mode ended without an answer
	approved bool
	wrote    bool // the note was written
	refused  bool // the note could not be written
}

func readScene(messages []loop.Message) scene {
	var s scene
	names := map[string]string{} // of the tools, by call
	for _, m := range messages {
		switch {
		case m.Role == loop.RoleUser && m.Plugin == "":
			s = scene{task: m.Text}
		case m.Role == loop.RoleUser:
			s.hear(m.Text)
		case m.Role == loop.RoleAssistant:
			for _, c := range m.Calls {
				names[c.ID] = c.Name
			}
		case names[m.CallID] == planmode.ToolName:
			s.stopped = m.Failed
			s.approved = !m.Failed
			s.hear(m.Text)
		case m.Failed:
			s.refused = s.refused || names[m.CallID] == "write_note"
		case names[m.CallID] == "list_files":
			s.files = append([]string{}, strings.Split(m.Text, "\n")...)
		case names[m.CallID] == "read_file":
			s.read = true
		case names[m.CallID] == "write_note":
			s.wrote = true
		}
	}
	return s
}

// hear takes in what plan mode says in a result or a notice, as a model would.
func (s *scene) hear(text string) {
	_, words, found := strings.Cut(text, "The user wrote:\n\n")
	switch {
	case strings.Contains(text, "wants changes") && found:
		s.feedback = append(s.feedback, words)
		s.stopped = false
	case strings.Contains(text, "user approved revision"):
		s.approved = true
	}
}

// hasty reports whether the user is in a hurry, so that the script tries to act before it
// has a plan.
func (s scene) hasty() bool { return strings.HasSuffix(s.task, " now") }

// readable returns the first file that looks like text, "" if there is none.
func (s scene) readable() string {
	for _, name := range s.files {
		if strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".txt") {
			return name
		}
	}
	return ""
}

func (s scene) plan() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", s.title())
	step := 1
	if s.read {
		fmt.Fprintf(&b, "%d. Keep `%s` as it is; it was read.\n", step, s.readable())
		step++
	}
	fmt.Fprintf(&b, "%d. Write `%s`.\n", step, s.note())
	for _, words := range s.feedback {
		step++
		fmt.Fprintf(&b, "%d. As you asked: %s\n", step, oneLine(words))
	}
	return b.String()
}

func (s scene) noteText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nHello!\n", s.title())
	for _, words := range s.feedback {
		fmt.Fprintf(&b, "\n%s\n", oneLine(words))
	}
	return b.String()
}

// title returns the task as a heading.
func (s scene) title() string {
	task := oneLine(s.task)
	if len(task) > 60 {
		task = strings.ToValidUTF8(task[:60], "")
	}
	first, size := utf8.DecodeRuneInString(task)
	if size == 0 || !strings.ContainsFunc(task, unicode.IsLetter) {
		return "The plan"
	}
	return string(unicode.ToUpper(first)) + task[size:]
}

// note returns the name of the note.
func (s scene) note() string {
	words := strings.FieldsFunc(strings.ToLower(s.title()), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-") + ".md"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
