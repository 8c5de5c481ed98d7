package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agentplan/sdk/internal/confirmed"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/report"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/source"
	"github.com/agentplan/sdk/internal/tree"
)

const confirmLong = `confirm records in docs/sync.lock that sections of pages say the same in every
language, and what the source says that they describe.

verify-catalog prints the command for each section that needs it, with a token
that stands for the bytes as they are: where they have moved since, nothing is
recorded. A section is named by its page in any language and its anchor.

It reads the pages, the Go files of the module, the lock file and, where it is
there, git. It writes the lock file and nothing else.

A tree adopts this with --baseline, which records every section as it is and
refuses where there is a lock file already.

Exit codes: 0 recorded, 1 a section has moved since, 2 it could not run.`

const confirmExample = `  gen-catalog confirm docs/zh/store.md#errors@3f9c2a71
  gen-catalog confirm --baseline`

func newConfirm() *cobra.Command {
	var flags settings.Flags
	var baseline bool
	cmd := newCommand("confirm [flags] PATH#ANCHOR@TOKEN...", "Record that sections say the same in every language", confirmLong, confirmExample, &flags)
	cmd.Flags().BoolVar(&baseline, "baseline", false, "make the lock file with every section as it is")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		switch {
		case baseline && len(args) > 0:
			return usageError{errors.New("--baseline takes no sections")}
		case !baseline && len(args) == 0:
			return usageError{errors.New("no section named")}
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := load(cmd, &flags)
		if err != nil {
			return err
		}
		var out finding.List
		in := confirmedInput(cmd.Context(), s, &out)
		var result confirmed.Result
		if len(out.Failures) == 0 {
			if baseline {
				result = confirmed.Baseline(cmd.Context(), in, &out)
			} else {
				result = confirmed.Confirm(cmd.Context(), in, args, &out)
			}
		}
		out.Sort()
		if err := finish(cmd.OutOrStdout(), report.Text, out.Findings, out.Failures); err != nil {
			return err
		}
		tellConfirmed(cmd.ErrOrStderr(), in, result)
		return nil
	}
	return cmd
}

// confirmedInput reads what a confirmation is about.
func confirmedInput(ctx context.Context, s *settings.Settings, out *finding.List) confirmed.Input {
	return confirmed.Input{
		Settings: s,
		Tree:     tree.Load(s, out),
		Module:   source.Start(ctx, s).Module(out),
		Command:  s.GenCommand("confirm"),
	}
}

// tellConfirmed says what was recorded.
func tellConfirmed(w io.Writer, in confirmed.Input, r confirmed.Result) {
	for _, why := range r.Skipped {
		fmt.Fprintf(w, "gen-catalog: no section confirmed: %s\n", why)
	}
	fmt.Fprintf(w, "gen-catalog: %s confirmed, %d removed, in %s\n", plural(len(r.Confirmed), "section"), len(r.Removed), in.LockPath())
}
