package planmode

import (
	"encoding/json"
	"strings"
)

// actorWords returns the name of who decided, at the beginning of a sentence, and a
// sentence that follows an approval if that was not the user.
func actorWords(by Actor) (who, note string) {
	if by == ByPolicy {
		return say(whoPolicy), say(notReviewed)
	}
	return say(whoUser), ""
}

// outcomeResult returns what the call that presented a plan tells the model of the
// outcome.
func outcomeResult(how Settlement, plan string) Result {
	who, note := actorWords(how.By)
	switch how.State {
	case ReviewApproved:
		id := approvedPlan
		switch {
		case how.Decision == ApproveFresh:
			id = approvedFresh
		case how.Plan != "":
			id = approvedEdit
		case how.Decision == ApproveWithNotes:
			id = approvedNotes
		}
		return Result{Content: say(id, who, note) + wordsText(how, plan), Value: json.RawMessage(`{"approved":true}`)}
	case ReviewRevise:
		id := refusedRevise
		if how.hasWords() {
			id = refusedReviseWords
		}
		return Result{Content: say(id, who) + wordsText(how, plan), IsError: true}
	case ReviewDismissed:
		id := refusedDismissed
		if how.Decision == Leave {
			id = refusedLeft
		}
		return Result{Content: say(id, who) + wordsText(how, plan), IsError: true}
	case ReviewExpired:
		return refuse(refusedExpired)
	case ReviewSuperseded:
		return refuse(refusedSuperseded)
	}
	return refuse(refusedAborted)
}

// verdictText tells the model in a notice how the review of a plan ended.
func verdictText(s *Folded, how Settlement, plan string) string {
	who, note := actorWords(how.By)
	switch how.State {
	case ReviewApproved:
		id := noticeApproved
		switch {
		case s.Active || s.Approved == nil || s.Approved.Revision != how.Revision || s.Approved.Superseded:
			return say(noticeApprovalGone, how.Revision) + wordsText(how, plan)
		case how.Decision == ApproveFresh:
			id = noticeApprovedFresh
		case how.Plan != "":
			id = noticeApprovedEdit
		case how.Decision == ApproveWithNotes:
			id = noticeApprovedNotes
		}
		return say(id, who, how.Revision, note) + wordsText(how, plan)
	case ReviewRevise:
		id := noticeRevise
		if how.hasWords() {
			id = noticeReviseWords
		}
		return say(id, who, how.Revision) + wordsText(how, plan)
	case ReviewDismissed:
		id := noticeDismissed
		if how.Decision == Leave {
			id = noticeNotTaken
		}
		return say(id, who, how.Revision) + wordsText(how, plan)
	case ReviewExpired:
		return say(noticeExpired, how.Revision)
	}
	return say(noticeAborted, how.Revision)
}

// hasWords reports whether the user said more than a decision.
func (how *Settlement) hasWords() bool {
	return how.Feedback != "" || how.Plan != "" || len(how.Comments) > 0
}

// wordsText returns what the user said beside the decision, each part under words of its
// own. The text that a fresh context begins with is not repeated here.
func wordsText(how Settlement, plan string) string {
	who, _ := actorWords(how.By)
	var b strings.Builder
	part := func(id textID, args ...any) { b.WriteString("\n\n" + say(id, args...)) }
	if how.Feedback != "" {
		part(quoteWords, who, how.Feedback)
	}
	if len(how.Comments) > 0 {
		part(quoteComments, who, commentsText(how.Comments, plan))
	}
	if how.Plan != "" && how.Decision != ApproveFresh {
		part(quoteEdit, who, how.Plan)
	}
	return b.String()
}
