package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// reader is an agent that does nothing but have a log.
type reader struct{ log session.Log }

func (r reader) ID() string       { return r.log.ID() }
func (r reader) Log() session.Log { return r.log }
func (r reader) Steer(context.Context, string) error {
	return errors.New("a session that is inspected takes no messages")
}

// printChanges prints what happened to plan mode: who did what, and why.
func printChanges(ctx context.Context, log session.Log, asJSON bool, out io.Writer) error {
	p, err := planmode.New(planmode.Config{Section: "not shown to anybody"}, nil)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if !asJSON {
		fmt.Fprintln(table, "POSITION\tCHANGE\tACTIVE\tPENDING\tBY\tCAUSE\tREVIEW")
	}
	for c, err := range p.Changes(ctx, reader{log}, 0) {
		switch {
		case err != nil:
			return errors.Join(table.Flush(), err)
		case asJSON:
			err = encoder.Encode(c)
		default:
			_, err = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Position, c.Kind,
				mode(&c.To.Active), mode(c.To.Pending), c.Actor, c.Cause, describeReview(c))
		}
		if err != nil {
			return err
		}
	}
	return table.Flush()
}

// describeReview says which review a change is about, and what became of it.
func describeReview(c planmode.Change) string {
	if c.ReviewID == "" {
		return "-"
	}
	text := fmt.Sprint(c.Revision)
	if c.ReviewTo != "" {
		text += " " + string(c.ReviewTo)
	}
	if c.Decision != "" && string(c.Decision) != string(c.ReviewTo) {
		text += " (" + string(c.Decision) + ")"
	}
	if c.Reason != "" {
		text += fmt.Sprintf(": %q", c.Reason)
	}
	return text
}
