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
	case !planning && s.stopped:
		return loop.Reply{Text: "I stop here and wait for you."}, nil
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
	edited   string   // the plan as the user edited it or another session handed it over
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
	switch {
	case strings.Contains(text, "in this session: stop here"): // a new one carries the plan out
		s.approved, s.stopped = false, true
	case strings.Contains(text, "approved the plan below in an earlier session"):
		_, s.edited, _ = strings.Cut(text, "Carry it out as approved.\n")
		s.approved, s.task = true, strings.TrimPrefix(oneLine(firstLine(s.edited)), "# ")
	case strings.Contains(text, "approved it as edited"):
		s.approved, s.edited, s.feedback = true, after(text, "edited the plan to this text:\n\n"), nil
	case strings.Contains(text, "wants changes"):
		if edited := after(text, "edited the plan to this text:\n\n"); edited != "" {
			s.edited, s.feedback = edited, nil
		}
		text, _, _ = strings.Cut(text, "The user edited the plan")
		text, comments, _ := strings.Cut(text, "The user commented on lines of the plan:\n\n")
		if words := after(text, "The user wrote:\n\n"); words != "" {
			s.feedback = append(s.feedback, words)
		}
		for line := range strings.Lines(comments) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, ">") && !strings.HasPrefix(line, "Line") {
				s.feedback = append(s.feedback, line)
			}
		}
		s.stopped = false
	case strings.Contains(text, "user approved revision"):
		s.approved = true
	}
}

// after returns what follows the first mark in a text, "" if there is none.
func after(text, mark string) string {
	_, rest, _ := strings.Cut(text, mark)
	return rest
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
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
	if s.edited != "" {
		b.WriteString(strings.TrimRight(s.edited, "\r\n") + "\n")
		for _, words := range s.feedback {
			fmt.Fprintf(&b, "- As you asked: %s\n", oneLine(words))
		}
		return b.String()
	}
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

// noteText returns what the note says: the plan where somebody else wrote it.
func (s scene) noteText() string {
	if s.edited != "" {
		return s.plan()
	}
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
