package planmode

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Decision is what an answer says about a plan. The values are those of the log and of
// programs: what a user clicks on or types has labels of its own.
//
//catalog:type
type Decision string

// The decisions. Any other value, the zero value too, is refused. An approval beside
// which something is said counts as Revise, whatever is said; only ApproveWithNotes may
// say something.
const (
	// Approve accepts the plan as it was shown.
	Approve Decision = "approve"
	// ApproveEdit accepts the text that the user made of the plan, [Verdict.Plan], in
	// place of the one that was shown.
	ApproveEdit Decision = "approve-edit"
	// ApproveWithNotes accepts the plan together with what [Verdict.Feedback] says,
	// where [Options.ApprovalNotes] is set; without notes it is Approve there. Elsewhere it
	// counts as Revise.
	ApproveWithNotes Decision = "approve-with-notes"
	// ApproveFresh accepts the plan, or the text that the user made of it, and has it
	// carried out in a new session, which begins with it. It needs [Options.Sessions];
	// see [PlanMode.ResumeHandoff].
	ApproveFresh Decision = "approve-fresh"
	// Revise asks for another revision of the plan.
	Revise Decision = "revise"
	// Dismiss closes the review without an answer: the user wants to speak first.
	Dismiss Decision = "dismiss"
	// Leave closes the review without an answer and leaves plan mode: no plan is to be
	// carried out.
	Leave Decision = "leave"
)

// state returns the state in which the decision leaves a review, or "" if there is no
// such decision.
func (d Decision) state() ReviewState {
	switch d {
	case Approve, ApproveEdit, ApproveWithNotes, ApproveFresh:
		return ReviewApproved
	case Revise:
		return ReviewRevise
	case Dismiss, Leave:
		return ReviewDismissed
	}
	return ""
}

// plainDecision returns the decision that a settlement with the state stands for when it
// names none.
func plainDecision(state ReviewState) Decision {
	switch state {
	case ReviewApproved:
		return Approve
	case ReviewRevise:
		return Revise
	case ReviewDismissed:
		return Dismiss
	}
	return ""
}

// takesPlan reports whether the verdict may hold a text that the user made of the plan.
func (d Decision) takesPlan() bool { return d == ApproveEdit || d == ApproveFresh || d == Revise }

// Verdict is an answer to a review.
//
//catalog:type
type Verdict struct {
	// Decision is what the answer says.
	Decision Decision `json:"decision"`
	// Feedback is what the user wrote, to be given to the model word for word. It must
	// be valid UTF-8.
	Feedback string `json:"feedback,omitempty"`
	// SHA256 is [Review.SHA256] of the plan that the answer is about. Take it from what
	// was shown, so that an answer cannot land on another plan.
	SHA256 string `json:"sha256"`
	// Plan is the text that the user made of the plan. ApproveEdit needs it,
	// ApproveFresh and Revise may have it, and no other decision. What holds for a plan
	// of the model holds for it, see [ExitArguments]; it is recorded byte for byte.
	Plan string `json:"plan,omitempty"`
	// Comments are what the user wrote about lines of the plan.
	Comments []Comment `json:"comments,omitempty"`
}

// Comment is what a user wrote about some lines of a plan.
//
//catalog:type
type Comment struct {
	// Line is the first line that it is about, counted from 1 in the plan under review.
	// A line ends with LF, CR or CRLF.
	Line int `json:"line"`
	// EndLine is the last line that it is about; 0 means that Line is the only one.
	EndLine int `json:"endLine,omitempty"`
	// Text is what the user wrote, word for word. It is not empty and valid UTF-8.
	Text string `json:"text"`
}

// Decisions returns the decisions that a review can be answered with under the options
// of p, in the order in which a user expects them.
func (p *PlanMode) Decisions() []Decision {
	out := []Decision{Approve, ApproveEdit}
	if p.opts.ApprovalNotes {
		out = append(out, ApproveWithNotes)
	}
	if p.opts.Sessions != nil {
		out = append(out, ApproveFresh)
	}
	return append(out, Revise, Dismiss, Leave)
}

// CheckVerdict reports what is wrong with a verdict on a review, nil if it can be given
// under the options of p. A [Reviewer] asks before it returns one, while the user can still
// mend it: after that it ends the review.
func (p *PlanMode) CheckVerdict(r Review, v Verdict) error {
	_, err := p.judge(v, &r)
	return err
}

// judge returns how a verdict settles the review, or an error if it is no verdict on it.
func (p *PlanMode) judge(v Verdict, r *Review) (Settlement, error) {
	switch {
	case v.SHA256 == "":
		return Settlement{}, errors.New("verdict names no plan: its SHA256 is empty")
	case v.SHA256 != r.SHA256:
		return Settlement{}, fmt.Errorf("verdict is about another plan: its SHA256 is %.80q and not %q", v.SHA256, r.SHA256)
	case v.Decision.state() == "":
		return Settlement{}, fmt.Errorf("verdict has the unknown decision %.40q", string(v.Decision))
	case !utf8.ValidString(v.Feedback):
		return Settlement{}, errors.New("verdict has feedback that is not valid UTF-8")
	}
	if err := checkComments(v.Comments, r.Plan); err != nil {
		return Settlement{}, err
	}
	if err := checkEdit(v, p.opts.MaxPlanBytes); err != nil {
		return Settlement{}, err
	}
	how := Settlement{Decision: v.Decision, Feedback: v.Feedback, Comments: slices.Clone(v.Comments)}
	if v.Plan != r.Plan { // an edit that changes nothing is none
		how.Plan = v.Plan
	} else if how.Decision == ApproveEdit {
		how.Decision = Approve
	}
	switch {
	case v.Decision.state() != ReviewApproved:
	case v.Decision == ApproveWithNotes && p.opts.ApprovalNotes && v.Feedback == "" && len(v.Comments) == 0:
		how.Decision = Approve // there are no notes
	case len(v.Comments) > 0,
		v.Feedback != "" && v.Decision != ApproveWithNotes,
		v.Decision == ApproveWithNotes && !p.opts.ApprovalNotes:
		how.Decision = Revise
	}
	if how.Decision == ApproveFresh && p.opts.Sessions == nil {
		return Settlement{}, ErrNoSessions
	}
	how.State = how.Decision.state()
	if how.Plan != "" {
		how.PlanSHA256 = hashOf(how.Plan)
	}
	return how, nil
}

// checkEdit reports what is wrong with the text that the user made of the plan.
func checkEdit(v Verdict, limit int) error {
	switch {
	case v.Plan == "" && v.Decision == ApproveEdit:
		return fmt.Errorf("verdict %s holds no plan: put the edited text into Plan", v.Decision)
	case v.Plan == "":
		return nil
	case !v.Decision.takesPlan():
		return fmt.Errorf("verdict %s holds a plan: only %s, %s and %s do", v.Decision, ApproveEdit, ApproveFresh, Revise)
	}
	fault := checkBytes([]byte(v.Plan), limit)
	if fault == "" {
		fault = parsePlan([]byte(v.Plan)).fault
	}
	if fault != "" {
		return fmt.Errorf("verdict holds an edited plan that is none: %s", fault)
	}
	return nil
}
