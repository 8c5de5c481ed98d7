package cli

import (
	"fmt"
	"io"

	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/symbol"
)

// explainProse tells what was judged of the hand-written text and what was not.
func explainProse(w io.Writer, r *catalog.Result) {
	for _, f := range r.Accepted {
		fmt.Fprintf(w, "accepted: %s\n", f)
	}
	if s := r.Prose.Symbols; s != nil {
		for _, ref := range s.References {
			fmt.Fprintf(w, "%s:%d: %s: %s", ref.Path, ref.Line, ref.Verdict, ref.Text)
			if ref.Why != "" {
				fmt.Fprintf(w, " (%s)", ref.Why)
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "names: %d exist, %d missing, %d exempt, %d not judged\n",
			s.Count(symbol.Exists), s.Count(symbol.Missing), s.Count(symbol.Exempt), s.Count(symbol.NotJudged))
	}
	if c := r.Prose.Code; c != nil {
		for _, o := range c.OptedOut {
			fmt.Fprintf(w, "%s:%d: opted out: go fence (%s)\n", o.Path, o.Line, o.Reason)
		}
		for _, o := range c.ShellOptedOut {
			fmt.Fprintf(w, "%s:%d: opted out: sh fence (%s)\n", o.Path, o.Line, o.Reason)
		}
		for _, o := range c.Unjudged {
			fmt.Fprintf(w, "%s:%d: not judged: go fence (%s)\n", o.Path, o.Line, o.Reason)
		}
		fmt.Fprintf(w, "go fences: %d compile, %d of them as parts of files, %d quote a declaration, %d opt out, %d not judged\n",
			c.Go, c.Excerpts, r.Prose.Declarations, len(c.OptedOut), len(c.Unjudged))
		fmt.Fprintf(w, "sh fences: %d, with %d commands of this module, %d opt out\n", c.Shell, c.Commands, len(c.ShellOptedOut))
	}
	if s := r.Prose.Sections; s.Adopted {
		fmt.Fprintf(w, "sections: %d need a confirmation, %d blocks say what source they describe\n", s.Sections, s.Blocks)
	}
}
