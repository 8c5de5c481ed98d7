package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agentplan/sdk/internal/atomicwrite"
	"github.com/agentplan/sdk/internal/baseline"
	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/confirmed"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/report"
	"github.com/agentplan/sdk/internal/settings"
)

const baselineLong = `baseline accepts today's findings of verify-catalog, so that a tree with old faults
can take up the gate and no new ones get in. It writes docs/baseline.lock; where
there is no docs/sync.lock it makes that as well, as confirm --baseline does.

Where there is a baseline, it only shrinks: what no longer occurs is taken out, and
nothing is added, unless --accept names the rules whose findings of today are to be
accepted too. What is not accepted is printed.

An accepted finding is known by its rule, its path, what it says and the text of
its line: lines may shift, and who touches the line has to mend it. A region, a
quoted declaration, a section and what it describes are accepted as they are now;
once the source or the page moves on, there is a new finding. What keeps a run from
being done at all cannot be accepted.

It reads what verify-catalog reads, and writes the baseline and, where it is
missing, the lock file.

Exit codes: 0 all findings are accepted, 1 some are not, 2 it could not run and
nothing is written.`

const baselineExample = `  gen-catalog baseline
  gen-catalog baseline --accept symbol,fence`

func newBaseline() *cobra.Command {
	var flags settings.Flags
	var accept []string
	cmd := newCommand("baseline", "Accept today's findings of verify-catalog, and no new ones", baselineLong, baselineExample, &flags)
	cmd.Flags().StringSliceVar(&accept, "accept", nil, "accept today's findings of these `RULES` too, comma-separated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkRules(cmd, "accept", accept); err != nil {
			return err
		}
		s, err := load(cmd, &flags)
		if err != nil {
			return err
		}
		old, err := baseline.Read(s)
		if err != nil {
			return asFailures(err)
		}
		r := catalog.Build(cmd.Context(), s, catalog.Options{Judge: true})
		if old == nil && len(r.Failures) == 0 {
			if r, err = adopt(cmd.Context(), s, r, cmd.ErrOrStderr()); err != nil {
				return err
			}
		}
		if len(r.Failures) > 0 {
			return finish(cmd.OutOrStdout(), report.Text, r.Findings, r.Failures)
		}
		fresh := slices.DeleteFunc(r.Findings, func(f finding.Finding) bool {
			if f.Rule == finding.Baseline {
				return true // that is mended now
			}
			taken := old == nil || slices.Contains(accept, string(f.Rule))
			if taken {
				r.Accepted = append(r.Accepted, f)
			}
			return taken
		})
		next := baseline.Of(s, r.Accepted)
		if err := writeBaseline(cmd.Context(), s, next); err != nil {
			return err
		}
		if err := finish(cmd.OutOrStdout(), report.Text, fresh, nil); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "gen-catalog: %s accepted in %s%s\n", plural(len(r.Accepted), "finding"), baseline.Path(s), before(old))
		return nil
	}
	return cmd
}

// adopt confirms every section as it is, where there is no lock file yet, and returns the
// result with the rules that need one.
func adopt(ctx context.Context, s *settings.Settings, r *catalog.Result, stderr io.Writer) (*catalog.Result, error) {
	if r.Prose.Sections.Adopted {
		return r, nil
	}
	var out finding.List
	in := confirmedInput(ctx, s, &out)
	if len(out.Failures) > 0 {
		return nil, failures(out.Failures)
	}
	result := confirmed.Baseline(ctx, in, &out)
	if len(out.Failures) > 0 {
		return nil, failures(out.Failures)
	}
	tellConfirmed(stderr, in, result)
	return catalog.Build(ctx, s, catalog.Options{Judge: true}), nil
}

// writeBaseline writes the baseline where its bytes change.
func writeBaseline(ctx context.Context, s *settings.Settings, b *baseline.Baseline) error {
	name, text := s.Abs(baseline.Path(s)), b.Format()
	if have, err := os.ReadFile(name); err == nil && bytes.Equal(have, text) {
		return nil
	}
	var batch atomicwrite.Batch
	batch.Write(name, text)
	_, err := batch.Commit(ctx)
	var target *atomicwrite.Error
	switch {
	case errors.As(err, &target):
		return failures{{Path: baseline.Path(s), Message: fmt.Sprintf("%s the baseline: %v; %s", target.Op, target.Err, target.Remedy)}}
	case err != nil:
		return failures{{Path: baseline.Path(s), Message: fmt.Sprintf("write the baseline: %v; run the command again", err)}}
	}
	return nil
}

// before says how many findings were accepted before, if there was a baseline.
func before(old *baseline.Baseline) string {
	if old == nil {
		return ""
	}
	n := 0
	for _, e := range old.Entries {
		n += e.Count
	}
	return fmt.Sprintf(", %d before", n)
}
