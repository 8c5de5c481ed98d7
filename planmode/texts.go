package planmode

import "fmt"

// textID names a text that reaches the model or the user.
type textID int

// textKind tells what a text does.
type textKind string

const (
	kindRefusal  textKind = "refusal"  // tells the model that nothing was approved
	kindApproval textKind = "approval" // tells the model that a plan was approved
	kindNotice   textKind = "notice"   // tells the model which mode is in force
	kindFault    textKind = "fault"    // a part of a refusal: what is wrong with the plan
	kindReply    textKind = "reply"    // answers the user's command
	kindLabel    textKind = "label"    // describes a tool or a command
	kindQuote    textKind = "quote"    // a part of a text: who decided, or leads to what they wrote
)

// Every text that reaches the model or the user. Their wording is in texts.
const (
	labelTool textID = iota
	labelPlan
	labelCommand
	sectionChild

	refusedNoAgent
	refusedClosed
	refusedUnreadable
	refusedInactive
	refusedLeaving
	refusedLeavingSoon
	refusedChild
	refusedWaiting
	refusedPlan
	refusedPlanStop
	refusedNoReviewer
	refusedNotOpened
	refusedNotRecorded
	refusedRevise
	refusedReviseWords
	refusedDismissed
	refusedLeft
	refusedAborted
	refusedReviewerError
	refusedExpired
	refusedParked
	refusedKept
	refusedSuperseded
	refusedVeto
	refusedVetoStop
	refusedVetoAnswer
	refusedTool
	refusedToolStop
	refusedChildTool
	refusedChildToolStop
	refusedToolUnknown

	faultArguments
	faultMissing
	faultNotString
	faultTooLong
	faultNotUTF8
	faultNUL
	faultEmpty
	faultBeginning
	faultTitle
	faultFence

	approvedPlan
	approvedEdit
	approvedNotes
	approvedFresh
	handedOver
	summaryHandoff

	whoUser
	whoPolicy
	notReviewed
	quoteWords
	quoteComments
	quoteEdit
	quoteLine
	quoteLines

	noticeOn
	noticeOff
	noticeOnByPolicy
	noticeOffByPolicy
	noticeLeft
	noticeStillOn
	noticeStillOff
	noticeApproved
	noticeApprovedEdit
	noticeApprovedNotes
	noticeApprovedFresh
	noticeApprovalGone
	noticeRevise
	noticeReviseWords
	noticeDismissed
	noticeNotTaken
	noticeAborted
	noticeExpired
	summaryOn
	summaryOff
	summaryAnswer

	replyOn
	replyOnQueued
	replyOnCancelled
	replyOnAlready
	replyOnSelected
	replyOff
	replyOffQueued
	replyOffCancelled
	replyOffAlready
	replyOffSelected
	replyNotSent
	replyVetoed

	textCount // how many there are
)

// wording is one row of the table.
type wording struct {
	kind   textKind
	format string // a format of package fmt
}

// say returns the text with its verbs filled in.
func say(id textID, args ...any) string {
	format := texts()[id].format
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// texts returns the table of all texts. A refusal says that no plan was approved, says
// what to do instead, and holds no word by which a model could take it for consent.
func texts() [textCount]wording {
	return [textCount]wording{
		labelTool: {kindLabel, "Use only in plan mode. Presents your complete plan to the user for review. " +
			"Call it when the plan is ready, with the whole plan as a Markdown document. " +
			"A successful result means that the user accepted the plan; every other result means that planning is not over."},
		labelPlan: {kindLabel, "The complete plan as a Markdown document that begins with a level-1 heading, such as \"# Title\". " +
			"The user sees exactly this text."},
		labelCommand: {kindLabel, "Switch to plan mode, or back with off. A message is sent to the model under plan mode."},

		sectionChild: {kindNotice, "Plan mode is on for the work that another agent gave you: look around, think and report, and change nothing. " +
			"Report back what you found and what you would do; only that agent presents plans."},

		refusedNoAgent: {kindRefusal, "exit_plan_mode was called without an agent: there is no agent whose plan could be reviewed. " +
			"No plan was approved. Stop here and tell the user."},
		refusedClosed: {kindRefusal, "Plan mode was shut down, so no review can be held. " +
			"No plan was approved. Stop here and wait for the user."},
		refusedUnreadable: {kindRefusal, "The state of plan mode could not be read: %v. " +
			"No plan was approved. Stop here and tell the user."},
		refusedInactive: {kindRefusal, "exit_plan_mode is only available in plan mode, and plan mode is not on. " +
			"Nothing was reviewed and no plan was approved. Stop here and ask the user what to do."},
		refusedLeaving: {kindRefusal, "Plan mode already ends with the next step, by an earlier decision and not by this call. " +
			"Nothing was reviewed and no plan was approved by this call. Stop here."},
		refusedLeavingSoon: {kindRefusal, "The user is leaving plan mode at this moment. " +
			"Nothing was reviewed and no plan was approved by this call. Stop here and wait for the user."},
		refusedChild: {kindRefusal, "Plan mode is on for the work that another agent gave you, and only that agent presents plans. " +
			"Nothing was reviewed and no plan was approved. Report back to it what you found and what you would do."},
		refusedWaiting: {kindRefusal, "A review is already waiting for an answer (revision %d), so this plan was shown to nobody. " +
			"No plan was approved. Stay in plan mode, stop here and wait for that answer."},
		refusedPlan: {kindRefusal, "The plan must be a complete, non-empty Markdown document that begins with a level-1 heading such as \"# Title\": %s. " +
			"It was shown to nobody and no plan was approved. Stay in plan mode, correct the plan and call exit_plan_mode again."},
		refusedPlanStop: {kindRefusal, "The plan must be a complete, non-empty Markdown document that begins with a level-1 heading such as \"# Title\": %s. " +
			"It was shown to nobody and no plan was approved. The %d calls before this one failed, too. " +
			"Stay in plan mode, stop here, tell the user what fails and wait."},
		refusedNoReviewer: {kindRefusal, "There is no review channel here, so nobody can look at the plan. It was not turned down, and no plan was approved. " +
			"Stay in plan mode, stop here and ask the user to switch the mode, for example with /plan off."},
		refusedNotOpened: {kindRefusal, "The review could not be recorded, so it was not held: %v. " +
			"No plan was approved. Stay in plan mode, stop here and tell the user."},
		refusedNotRecorded: {kindRefusal, "The answer to the review could not be recorded: %v. " +
			"No plan was approved so far and the review stays open. Stay in plan mode, stop here and wait for the user; a message will tell if the answer counts after all."},
		refusedRevise: {kindRefusal, "%s wants to keep planning. No plan was approved. " +
			"Stay in plan mode, revise the plan and present it again with exit_plan_mode."},
		refusedReviseWords: {kindRefusal, "%s wants changes to the plan. No plan was approved. " +
			"Stay in plan mode, revise the plan and present it again with exit_plan_mode."},
		refusedDismissed: {kindRefusal, "%s dismissed the review to speak first. No plan was approved. " +
			"Stay in plan mode, stop here and wait for the user."},
		refusedLeft: {kindRefusal, "%s decided to leave plan mode without taking up the plan. No plan was approved. " +
			"Plan mode ends with the next step, but nothing is to be done: stop here and wait for the user."},
		refusedAborted: {kindRefusal, "The review was aborted before it was answered. No plan was approved. " +
			"Stay in plan mode, stop here and wait for the user."},
		refusedReviewerError: {kindRefusal, "The review ended with an error: %v\n\n" +
			"No plan was approved. Stay in plan mode, stop here and wait for the user."},
		refusedExpired: {kindRefusal, "Nobody answered the review in time. No plan was approved; the plan is kept in the session. " +
			"Stay in plan mode, stop here and wait for the user."},
		refusedParked: {kindRefusal, "The plan was handed over for review and the review is open (revision %d). No plan was approved so far. " +
			"Stay in plan mode and stop here; a message will tell the answer."},
		refusedKept: {kindRefusal, "There is no review channel here now, so the plan was kept and its review is open (revision %d). No plan was approved so far. " +
			"Stay in plan mode and stop here; a message will tell the answer when there is one."},
		refusedSuperseded: {kindRefusal, "The review is void: plan mode was left or another plan was presented before it was answered. " +
			"No plan was approved by this call. Stop here and wait for the user."},
		refusedTool: {kindRefusal, "Plan mode is on, and %.80q is not one of the tools that run in plan mode. The call was refused and had no effect. No plan was approved. " +
			"Plan with the other tools, and present the plan with exit_plan_mode when it is complete."},
		refusedToolStop: {kindRefusal, "Plan mode is on, and %.80q is not one of the tools that run in plan mode. The call was refused and had no effect, as were %d calls before it. No plan was approved. " +
			"Stop calling such tools. Present the plan with exit_plan_mode, or stop here and wait for the user."},
		refusedChildTool: {kindRefusal, "Plan mode is on for the work that another agent gave you, and %.80q is not one of the tools that run in plan mode. The call was refused and had no effect. No plan was approved. " +
			"Look around with the other tools, and report back what you found and what you would do."},
		refusedChildToolStop: {kindRefusal, "Plan mode is on for the work that another agent gave you, and %.80q is not one of the tools that run in plan mode. The call was refused and had no effect, as were %d calls before it. No plan was approved. " +
			"Stop calling such tools, and report back what you found."},
		refusedToolUnknown: {kindRefusal, "It could not be found out whether plan mode is on, so the call of %.80q was refused and had no effect: %v. No plan was approved. " +
			"Stop here and tell the user."},

		refusedVeto: {kindRefusal, "A rule of the operator refused the plan: %s\n\n" +
			"It was shown to nobody and no plan was approved. Stay in plan mode. If another plan would satisfy the rule, present it with exit_plan_mode; " +
			"otherwise stop here and tell the user."},
		refusedVetoStop: {kindRefusal, "A rule of the operator refused the plan: %s\n\n" +
			"It was shown to nobody and no plan was approved. The %d calls before this one failed, too. " +
			"Stay in plan mode, stop here, tell the user what fails and wait."},
		refusedVetoAnswer: {kindRefusal, "The review was answered, but a rule of the operator refused the answer: %s\n\n" +
			"No plan was approved, and the review stays open. Stay in plan mode, stop here and wait for the user."},

		faultArguments: {kindFault, "the arguments are not a JSON object with the string plan"},
		faultMissing:   {kindFault, "the argument plan is missing"},
		faultNotString: {kindFault, "the argument plan is %s and not a string"},
		faultTooLong:   {kindFault, "the plan has %d bytes and the limit is %d, which is reached on line %d"},
		faultNotUTF8:   {kindFault, "line %d is not valid UTF-8"},
		faultNUL:       {kindFault, "line %d holds a NUL character"},
		faultEmpty:     {kindFault, "the plan is empty: there is no text on line 1 or below"},
		faultBeginning: {kindFault, "it begins with %s on line %d"},
		faultTitle:     {kindFault, "the heading on line %d has no visible title"},
		faultFence:     {kindFault, "the code fence opened on line %d is never closed, so the plan seems to be cut off"},

		approvedPlan: {kindApproval, "%s approved the plan.%s Plan mode ends with the next step; carry out the plan as approved from then on."},
		approvedEdit: {kindApproval, "%s edited the plan and approved it as edited, in place of the one that you presented.%s " +
			"The whole approved text stands below. Plan mode ends with the next step; carry out that text as approved from then on."},
		approvedNotes: {kindApproval, "%s approved the plan together with the notes below.%s " +
			"Plan mode ends with the next step; carry out the plan as approved from then on and follow the notes."},
		approvedFresh: {kindApproval, "%s approved the plan, to be carried out in a new session that begins with it.%s " +
			"Do not carry it out in this session: stop here and wait for the user."},
		handedOver: {kindApproval, "%s approved the plan below in an earlier session, to be carried out in this one with a fresh context.%s " +
			"Carry it out as approved."},
		summaryHandoff: {kindNotice, "plan handed over"},

		whoUser:       {kindQuote, "The user"},
		whoPolicy:     {kindQuote, "A policy of the operator"},
		notReviewed:   {kindQuote, " It was not reviewed by the user."},
		quoteWords:    {kindQuote, "%s wrote:\n\n%s"},
		quoteComments: {kindQuote, "%s commented on lines of the plan:\n\n%s"},
		quoteEdit:     {kindQuote, "%s edited the plan to this text:\n\n%s"},
		quoteLine:     {kindQuote, "Line %d:"},
		quoteLines:    {kindQuote, "Lines %d to %d:"},

		noticeOn:          {kindNotice, "The user switched to plan mode. Its guidance in the system prompt applies from now on."},
		noticeOff:         {kindNotice, "The user switched plan mode off, back to the default mode. The guidance of plan mode no longer applies."},
		noticeOnByPolicy:  {kindNotice, "A policy of the operator switched to plan mode. Its guidance in the system prompt applies from now on."},
		noticeOffByPolicy: {kindNotice, "A policy of the operator switched plan mode off, back to the default mode. The guidance of plan mode no longer applies."},
		noticeLeft:        {kindNotice, "Plan mode is off, back to the default mode. The guidance of plan mode no longer applies."},
		noticeStillOn:     {kindNotice, "Plan mode is on."},
		noticeStillOff:    {kindNotice, "Plan mode is off: you are in the default mode."},
		noticeApproved:    {kindApproval, "%s approved revision %d of the plan.%s Carry it out as approved."},
		noticeApprovedEdit: {kindApproval, "%s edited revision %d of the plan and approved it as edited, in place of the one that you presented.%s " +
			"The whole approved text stands below. Carry out that text as approved."},
		noticeApprovedNotes: {kindApproval, "%s approved revision %d of the plan together with the notes below.%s " +
			"Carry it out as approved and follow the notes."},
		noticeApprovedFresh: {kindApproval, "%s approved revision %d of the plan, to be carried out in a new session that begins with it.%s " +
			"Do not carry it out in this session: stop here and wait for the user."},
		noticeApprovalGone: {kindRefusal, "The review of revision %d of the plan does not count any more: plan mode was selected again after it. No plan is approved now."},
		noticeRevise:       {kindRefusal, "%s wants revision %d of the plan revised. No plan was approved."},
		noticeReviseWords:  {kindRefusal, "%s wants changes to revision %d of the plan. No plan was approved."},
		noticeDismissed:    {kindRefusal, "%s dismissed the review of revision %d of the plan to speak first. No plan was approved."},
		noticeNotTaken:     {kindRefusal, "%s decided to leave plan mode without taking up revision %d of the plan. No plan was approved. Stop here and wait for the user."},
		noticeAborted:      {kindRefusal, "The review of revision %d of the plan was aborted before it was answered. No plan was approved."},
		noticeExpired:      {kindRefusal, "Nobody answered the review of revision %d of the plan in time. No plan was approved."},
		summaryOn:          {kindNotice, "plan mode on"},
		summaryOff:         {kindNotice, "plan mode off"},
		summaryAnswer:      {kindNotice, "%s, review answered"},

		replyOn:           {kindReply, "Plan mode on now. Use /plan off to leave it."},
		replyOnQueued:     {kindReply, "Plan mode applies from the next step. Use /plan off to cancel."},
		replyOnCancelled:  {kindReply, "Still in plan mode: the exit was cancelled."},
		replyOnAlready:    {kindReply, "Plan mode is already on. Use /plan off to leave it."},
		replyOnSelected:   {kindReply, "Plan mode is already selected and applies from the next step. Use /plan off to cancel."},
		replyOff:          {kindReply, "Plan mode off now."},
		replyOffQueued:    {kindReply, "Leaving plan mode: applies from the next step."},
		replyOffCancelled: {kindReply, "Plan mode entry cancelled."},
		replyOffAlready:   {kindReply, "Plan mode is already off."},
		replyOffSelected:  {kindReply, "Still leaving plan mode: applies from the next step."},
		replyNotSent:      {kindReply, "%s The mode is set, but the message was not sent: %v"},
		replyVetoed:       {kindReply, "The mode stays as it is: %s"},
	}
}
