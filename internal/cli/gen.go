package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agentplan/sdk/docs/schema"
	"github.com/agentplan/sdk/internal/atomicwrite"
	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/document"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/report"
	"github.com/agentplan/sdk/internal/settings"
)

// Gen runs gen-catalog and returns its exit code.
func Gen(args []string, stdout, stderr io.Writer) int {
	return execute(newGen(args), args, stdout, stderr)
}

const genLong = `gen-catalog writes the generated sections of a module's hand-written Markdown
pages, the same bytes in every language, from doc comments and signatures of its
Go source; and generated Go, where a directory for it is set.

A section stands between two comments, each alone on its line:

  <!-- BEGIN GENERATED catalog planmode.Config -->
  <!-- END GENERATED catalog -->

After "catalog" come selectors: DIR (what directives tag in that package),
DIR#KIND, DIR.Name, DIR.* (everything exported) or DIR#package. DIR is a package
directory relative to the module root, or a dot.

It reads the Go files of the module, the pages in docs/LANG for each language and
the pages that .catalog.yaml names. It writes those pages, between the markers
only, and the directory of generated Go; files whose bytes would not change are
not touched. What it cannot mend is printed to standard output, as
"path:line: rule: message"; pages with such findings stay as they are.

With --json it also prints the model behind the pages to standard output, in the
form that --json-schema describes, unless it could not run.

With --watch it stays: whenever something has changed that a run looks at, it writes
what has become stale and prints all findings that are left, those of verify-catalog
too, until it is interrupted; then the exit code is 0.

Exit codes: 0 written or fresh, 1 there are findings left, 2 it could not run and
nothing is written.`

const genExample = `  gen-catalog
  gen-catalog --docs website --langs en --gen internal/gen
  gen-catalog --json > catalog.json
  gen-catalog --watch`

func newGen(args []string) *cobra.Command {
	var flags settings.Flags
	var asJSON, asSchema, watched bool
	cmd := newCommand("gen-catalog", "Write generated sections of Markdown pages from Go source", genLong, genExample, &flags)
	cmd.AddCommand(newConfirm(), newBaseline())
	cmd.Flags().BoolVar(&asJSON, "json", false, "also print the model of the catalog to standard output; findings then go to standard error")
	cmd.Flags().BoolVar(&asSchema, "json-schema", false, "print the JSON Schema of what --json prints, and do nothing else")
	cmd.Flags().BoolVar(&watched, "watch", false, "stay, write again after each edit, and print what verify-catalog would find")
	generate := func(cmd *cobra.Command) error {
		r, err := build(cmd, &flags, catalog.Options{Members: asJSON})
		if err != nil {
			return err
		}
		written, failed := write(cmd.Context(), r)
		out := cmd.OutOrStdout()
		if asJSON {
			if len(failed) == 0 {
				if err := document.Write(out, r); err != nil {
					return err
				}
			}
			out = cmd.ErrOrStderr()
		}
		if err := finish(out, report.Text, unmended(r, len(failed) > 0), failed); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "gen-catalog: %s on %s, %s written%s\n", plural(r.Regions, "region"), plural(r.Pages, "page"), plural(written, "file"), accepted(r))
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case asJSON && asSchema:
			return usageError{errors.New("--json and --json-schema print different things; give one of them")}
		case watched && (asJSON || asSchema):
			return usageError{errors.New("--watch prints no JSON; give one of the flags")}
		case watched:
			return watchTree(cmd, &flags)
		}
		if asSchema {
			_, err := io.WriteString(cmd.OutOrStdout(), schema.Catalog())
			return err
		}
		return replayed(cmd, args, &flags, generate)
	}
	return cmd
}

// write writes what differs, and returns how many files that were and what failed.
func write(ctx context.Context, r *catalog.Result) (written int, failed []finding.Failure) {
	if len(r.Failures) > 0 {
		return 0, r.Failures
	}
	var batch atomicwrite.Batch
	if len(r.Changes) > 0 {
		r.Settings.Disk.Vague("the run writes files")
	}
	for _, c := range r.Changes {
		if c.Remove {
			batch.Remove(r.Settings.Abs(c.Path))
		} else {
			batch.Write(r.Settings.Abs(c.Path), c.Want)
		}
	}
	if failed = writeFailures(r, batch.Check()); len(failed) > 0 {
		return 0, failed
	}
	written, err := batch.Commit(ctx)
	if err != nil {
		return written, writeFailures(r, []error{err})
	}
	return written, nil
}

// unmended are the findings that remain after the changes: all of them where nothing was
// written, else those that no change mends. What gen-catalog would write is not shown.
func unmended(r *catalog.Result, failed bool) []finding.Finding {
	var out []finding.Finding
	for _, f := range r.Findings {
		if failed || !f.Mended {
			f.Diff, f.Mended = "", false
			out = append(out, f)
		}
	}
	return out
}

func writeFailures(r *catalog.Result, errs []error) []finding.Failure {
	var out []finding.Failure
	for _, err := range errs {
		f := finding.Failure{Message: err.Error()}
		var at *atomicwrite.Error
		if errors.As(err, &at) {
			f.Path = r.Settings.Rel(at.Path)
			f.Message = fmt.Sprintf("%s: %v: %s", at.Op, at.Err, at.Remedy)
		}
		out = append(out, f)
	}
	return out
}
