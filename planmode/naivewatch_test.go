package planmode_test

import (
	"fmt"

	"github.com/agentplan/sdk/planmode"
)

// changesAt returns what the event at i changes, in lines: what it does to the state, with
// who is behind it, what to each review, oldest first, and what to the hand-off.
func (l naive) changesAt(i int) []string {
	var reviews []string
	for j := range i + 1 {
		if l[j].Type != "plan/review" || l[j].State != "open" {
			continue
		}
		was, is := "", l.reviewAt(i+1, l[j].ID)
		if j < i {
			was = l.reviewAt(i, l[j].ID)
		}
		if was != is {
			reviews = append(reviews, fmt.Sprintf("%s %s to %s", l[j].ID, was, is))
		}
	}
	if was, is := l.handoffAt(i, "s"), l.handoffAt(i+1, "s"); is != nil && (was == nil || *was != *is) {
		reviews = append(reviews, fmt.Sprintf("%s handed over to %s: %s", is.ReviewID, is.Session, is.State))
	}
	var state []string
	was, is := stateWords(l.stateAt(i)), stateWords(l.stateAt(i+1))
	if was != is {
		state = append(state, fmt.Sprintf("%s to %s by %s", was, is, l.behind(i)))
	}
	if l[i].Type == "plan/review" {
		return append(reviews, state...)
	}
	return append(state, reviews...)
}

// behind returns who is behind a change of the state at i.
func (l naive) behind(i int) string {
	if l[i].Type == "command/run" || l[i].Type == "command/done" {
		return "user"
	}
	if l[i].Type == "plan/mode" {
		pending := l.pendingAt(i)
		if pending == nil || *pending != *l[i].Active {
			return "user"
		}
		for i--; ; i-- {
			if value, _ := l.selects(i); value != nil {
				break
			}
		}
	}
	switch _, by := l.selects(i); {
	case l[i].Type == "plan/review", l[i].Type == "tool/result":
		return "review"
	default:
		return by
	}
}

func stateWords(s planmode.State) string {
	words := map[bool]string{true: "on", false: "off"}
	if s.Pending == nil {
		return words[s.Active]
	}
	return words[s.Active] + ">" + words[*s.Pending]
}

// changeWords returns a change as changesAt puts it.
func changeWords(c planmode.Change) string {
	if c.ReviewTo != "" {
		return fmt.Sprintf("%s %s to %s", c.ReviewID, c.ReviewFrom, c.ReviewTo)
	}
	if h := c.Handoff; h != nil {
		return fmt.Sprintf("%s handed over to %s: %s", h.ReviewID, h.Session, h.State)
	}
	return fmt.Sprintf("%s to %s by %s", stateWords(c.From), stateWords(c.To), c.Actor)
}
