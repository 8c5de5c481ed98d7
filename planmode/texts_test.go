package planmode

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// permission matches what a model could take for leave to go on.
var permission = regexp.MustCompile(`(?i)approv|accept|consent|agree|permi|allow|proceed|continue|go ahead|go on|carry|you may|you can|implement|execut|start |confirm|grant|authori`)

// denials are the phrases in which a refusal names approval, to say that there is none.
func denials() *strings.Replacer {
	return strings.NewReplacer("o plan was approved", "", "o plan is approved now", "")
}

func TestTexts(t *testing.T) {
	for id, row := range texts() {
		name := fmt.Sprintf("text %d", id)
		if row.format == "" || row.kind == "" {
			t.Errorf("%s is missing", name)
			continue
		}
		t.Run("C043 C047 "+name, func(t *testing.T) {
			switch row.kind {
			case kindApproval:
				if !strings.Contains(row.format, "approved") {
					t.Errorf("an approval does not say so: %q", row.format)
				}
			case kindRefusal:
				if !strings.Contains(row.format, "o plan was approved") && !strings.Contains(row.format, "o plan is approved now") {
					t.Errorf("a refusal does not say that no plan was approved: %q", row.format)
				}
				fallthrough
			case kindNotice, kindFault, kindReply, kindQuote:
				if found := permission.FindString(denials().Replace(row.format)); found != "" {
					t.Errorf("%q could be read as permission in %q", found, row.format)
				}
			case kindLabel:
			default:
				t.Errorf("unknown kind %q", row.kind)
			}
		})
	}
}

// TestOutcomeTexts holds that of all outcomes of a review only an approval gives a
// successful result or words of approval, to a call and in a notice, and that each text
// holds all that the user said.
func TestOutcomeTexts(t *testing.T) {
	const plan, edit = "# T\n\nline three\n", "# Edited text\n"
	c := &call{review: Review{ID: "r", Revision: 1, Plan: plan}}
	folded := Folded{Review: &Review{ID: "r", Revision: 1, Plan: plan}, Approved: &ApprovedPlan{Revision: 1}}
	again := folded
	again.Active = true
	outcomes := map[ReviewState][]Decision{
		ReviewApproved:  {Approve, ApproveEdit, ApproveWithNotes, ApproveFresh, ""},
		ReviewRevise:    {Revise},
		ReviewDismissed: {Dismiss, Leave},
	}
	for _, state := range []ReviewState{ReviewWaiting, ReviewParked, ReviewAborted, ReviewExpired, ReviewSuperseded, "other"} {
		outcomes[state] = []Decision{""}
	}
	for state, decisions := range outcomes {
		for _, decision := range decisions {
			for _, by := range []Actor{ByUser, ByPolicy, ByHost} {
				for _, said := range []Settlement{{}, {Feedback: "words"}, {Comments: []Comment{{Line: 3, Text: "words"}}}, {Plan: edit}} {
					how := said
					how.ReviewID, how.Revision, how.State, how.Decision, how.By = "r", 1, state, decision, by
					name := fmt.Sprintf("C043 C047 C051 C053 %s %s by %s with %+v", state, decision, by, said)
					r := c.result(how)
					approved := state == ReviewApproved
					if r.IsError == approved || (r.Value != nil) != approved {
						t.Errorf("%s gives %+v", name, r)
					}
					for _, text := range []string{r.Content, verdictText(&folded, how, plan)} {
						if got := permission.MatchString(denials().Replace(text)); got != approved {
							t.Errorf("%s gives %q", name, text)
						}
						if said.hasWords() && state.decided() && decision != ApproveFresh && !strings.Contains(text, "words") && !strings.Contains(text, edit) {
							t.Errorf("%s gives %q, which does not say it", name, text)
						}
						if approved && (by == ByPolicy) != strings.Contains(text, "not reviewed by the user") {
							t.Errorf("%s gives %q", name, text)
						}
					}
					if text := verdictText(&again, how, plan); permission.MatchString(denials().Replace(text)) {
						t.Errorf("%s, which no longer stands, gives %q", name, text)
					}
				}
			}
		}
	}
}

func (s ReviewState) decided() bool { return plainDecision(s) != "" }

// TestPagesTellTheReplies holds the table of replies on the pages to the texts.
func TestPagesTellTheReplies(t *testing.T) {
	for _, name := range []string{"../docs/en/plan-mode.md", "../docs/zh/plan-mode.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for id, w := range texts() {
			if w.kind != kindReply || textID(id) == replyNotSent || textID(id) == replyVetoed {
				continue
			}
			if !strings.Contains(string(page), "`"+w.format+"`") {
				t.Errorf("%s does not have the reply %q", name, w.format)
			}
		}
	}
}
