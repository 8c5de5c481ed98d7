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
			case kindNotice, kindFault, kindReply:
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
// successful result or words of approval, to a call and in a notice.
func TestOutcomeTexts(t *testing.T) {
	c := &call{review: Review{ID: "r", Revision: 1}}
	folded := Folded{Review: &Review{ID: "r", Revision: 1}, Approved: &ApprovedPlan{Revision: 1}}
	for _, state := range []ReviewState{ReviewWaiting, ReviewParked, ReviewApproved, ReviewRevise, ReviewDismissed, ReviewAborted, ReviewExpired, ReviewSuperseded, "other"} {
		for _, by := range []Actor{ByUser, ByPolicy, ByHost} {
			for _, feedback := range []string{"", "words"} {
				how := Settlement{ReviewID: "r", Revision: 1, State: state, By: by, Feedback: feedback}
				r := c.result(how)
				if approved := state == ReviewApproved; r.IsError == approved || (r.Value != nil) != approved {
					t.Errorf("%s by %s gives %+v", state, by, r)
				}
				for _, text := range []string{r.Content, verdictText(&folded, how)} {
					if got := permission.MatchString(denials().Replace(text)); got != (state == ReviewApproved) {
						t.Errorf("%s by %s gives %q", state, by, text)
					}
				}
			}
		}
	}
	again := folded
	again.Active = true
	if text := verdictText(&again, Settlement{Revision: 1, State: ReviewApproved}); permission.MatchString(denials().Replace(text)) {
		t.Errorf("an approval that no longer stands gives %q", text)
	}
}

// TestPagesTellTheReplies holds the table of replies on the pages to the texts.
func TestPagesTellTheReplies(t *testing.T) {
	for _, name := range []string{"../docs/en/plan-mode.md", "../docs/zh/plan-mode.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for id, w := range texts() {
			if w.kind != kindReply || textID(id) == replyNotSent {
				continue
			}
			if !strings.Contains(string(page), "`"+w.format+"`") {
				t.Errorf("%s does not have the reply %q", name, w.format)
			}
		}
	}
}
