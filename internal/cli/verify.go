package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentplan/sdk/docs/schema"
	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/report"
	"github.com/agentplan/sdk/internal/scope"
	"github.com/agentplan/sdk/internal/settings"
)

// Verify runs verify-catalog and returns its exit code.
func Verify(args []string, stdout, stderr io.Writer) int {
	return execute(newVerify(args), args, stdout, stderr)
}

const verifyLong = `verify-catalog checks that the generated sections of a module's pages, and its
generated Go, are what the source gives, and that pages and source agree on what
is documented where; and it judges the hand-written rest of the pages: the same
structure in every language, links that lead somewhere, code and names that
exist, and what people confirmed (see gen-catalog confirm --help). Findings that
were accepted are not printed (see gen-catalog baseline --help).

It reads the Go files of the module, the pages in docs/LANG for each language, the
pages that .catalog.yaml names, and the directory of generated Go. It writes
nothing, ever.

With --changed REV it judges only what a change since that revision can have
touched, in the working tree as it is; REV is compared itself, not a merge base.

Findings go to standard output, one a line, as "path:line: rule: message", each
with its remedy; all of them come out of one run. Where gen-catalog would write
other bytes, the difference is shown.

Exit codes: 0 everything is fresh, 1 there are findings, 2 it could not run.`

const verifyExample = `  verify-catalog
  verify-catalog --docs website --langs en
  verify-catalog --format github
  verify-catalog --changed origin/main`

func newVerify(args []string) *cobra.Command {
	var flags settings.Flags
	var format, since string
	var explain, noBaseline, asSchema bool
	var rules []string
	cmd := newCommand("verify-catalog", "Check generated sections of Markdown pages against Go source", verifyLong, verifyExample, &flags)
	cmd.Flags().StringVar(&format, "format", string(report.Text), "how findings are printed: text, json, github or sarif")
	cmd.Flags().StringSliceVar(&rules, "rules", nil, "judge by these `RULES` only, comma-separated (default: all)")
	cmd.Flags().BoolVar(&asSchema, "json-schema", false, "print the JSON Schema of what --format json prints, and do nothing else")
	cmd.Flags().StringVar(&since, "changed", "", "judge only what can have changed since the git revision `REV` (default: everything)")
	cmd.Flags().BoolVar(&noBaseline, "no-baseline", false, "print the findings that the baseline accepts as well")
	cmd.Flags().BoolVar(&explain, "explain", false, "say on standard error which names and fences of the pages were judged, which were not, and why")
	verify := func(cmd *cobra.Command) error {
		s, err := load(cmd, &flags)
		if err != nil {
			return err
		}
		o := catalog.Options{Judge: true}
		if cmd.Flags().Changed("changed") {
			s.Disk.Vague("git says what is judged")
			if o.Change, err = scope.Read(cmd.Context(), s, since); err != nil {
				return asFailures(err)
			}
		}
		r := catalog.Build(cmd.Context(), s, o)
		if noBaseline {
			withAccepted(r)
		}
		looked := checked(r)
		if len(rules) > 0 {
			r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return !slices.Contains(rules, string(f.Rule)) })
		}
		if explain {
			explainProse(cmd.ErrOrStderr(), r)
		}
		err = finish(cmd.OutOrStdout(), report.Format(format), r.Findings, r.Failures)
		if len(r.Failures) == 0 && (err == nil || errors.Is(err, errFindings)) {
			fmt.Fprintf(cmd.ErrOrStderr(), "verify-catalog: %s\n", summary(r, rules, looked))
		}
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if asSchema {
			_, err := io.WriteString(cmd.OutOrStdout(), schema.Findings())
			return err
		}
		if !slices.Contains(report.Formats(), report.Format(format)) {
			return usageError{fmt.Errorf("--format %q is not text, json, github or sarif", format)}
		}
		if err := checkRules(cmd, "rules", rules); err != nil {
			return err
		}
		return replayed(cmd, args, &flags, verify)
	}
	return cmd
}

// withAccepted makes a result what it would be without a baseline.
func withAccepted(r *catalog.Result) {
	r.Findings = slices.DeleteFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == finding.Baseline })
	r.Findings, r.Accepted = append(r.Findings, r.Accepted...), nil
	r.Sort()
}

// checkRules finds fault with a flag that names rules.
func checkRules(cmd *cobra.Command, flag string, rules []string) error {
	if len(rules) == 0 && cmd.Flags().Changed(flag) {
		return usageError{fmt.Errorf("--%s is empty", flag)}
	}
	for _, rule := range rules {
		if !slices.Contains(finding.Rules(), finding.Rule(rule)) {
			return usageError{fmt.Errorf("--%s: there is no rule %q; the rules are %s", flag, rule, ruleNames())}
		}
	}
	return nil
}

// ruleNames lists the rules for a message.
func ruleNames() string {
	var names []string
	for _, r := range finding.Rules() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}
