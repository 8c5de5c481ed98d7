// Package cli yields the commands gen-catalog and verify-catalog.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/report"
	"github.com/agentplan/sdk/internal/settings"
)

// The exit codes of both commands.
const (
	exitFresh    = 0 // fresh, or written
	exitFindings = 1 // findings were printed
	exitFailed   = 2 // could not run, and nothing is written
)

// errFindings ends a run with exit code 1.
var errFindings = errors.New("findings")

// envStacks names the environment variable that makes a fault of ours say where it is.
const envStacks = "CATALOG_DEBUG"

// execute runs a command and turns its error into an exit code. A panic is a fault of
// ours; it must not look like a finding, nor leave anything half done.
func execute(cmd *cobra.Command, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			sayPanic(stderr, cmd.Name(), v)
			code = exitFailed
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	return conclude(cmd, cmd.ExecuteContext(ctx))
}

// sayPanic says what a run panicked with, in one line, and what can be done about it.
func sayPanic(w io.Writer, command string, v any) {
	stack := debug.Stack()
	if p, ok := v.(*parallel.Panic); ok {
		stack = p.Stack
	}
	fmt.Fprintf(w, "%s: internal error: %s; nothing is written, please report it with the source that shows it\n",
		command, strings.Join(strings.Fields(fmt.Sprint(v)), " "))
	if os.Getenv(envStacks) == "" {
		fmt.Fprintf(w, "hint: %s=1 %s says where it is\n", envStacks, command)
		return
	}
	fmt.Fprintf(w, "%s", stack)
}

// conclude turns the error of a command into an exit code, and says what kept it from its
// work.
func conclude(cmd *cobra.Command, err error) int {
	stderr := cmd.ErrOrStderr()
	var code exitCode
	switch {
	case err == nil:
		return exitFresh
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.As(err, &code):
		return int(code)
	}
	var failed failures
	if errors.As(err, &failed) {
		for _, f := range failed {
			fmt.Fprintf(stderr, "%s: %s\n", cmd.Name(), f.Error())
		}
		return exitFailed
	}
	fmt.Fprintf(stderr, "%s: %v\n", cmd.Name(), err)
	var usage usageError
	if errors.As(err, &usage) {
		fmt.Fprintf(stderr, "hint: %s --help\n", cmd.Name())
	}
	return exitFailed
}

// failures are the reasons why a run could not be done.
type failures []finding.Failure

func (failures) Error() string { return "could not run" }

// usageError is a fault of the command line.
type usageError struct{ error }

// newCommand is what the two commands have in common.
func newCommand(use, short, long, example string, flags *settings.Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Version: version(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unexpected argument %q", args[0])}
			}
			return nil
		},
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cmd.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.Dir, "dir", "", "where the module is: `DIR`, or the nearest directory above it with a go.mod (default: the working directory)")
	f.StringVar(&flags.Docs, "docs", "", "the directory that holds a directory of pages for each language, relative to the module root (default docs)")
	f.StringVar(&flags.Langs, "langs", "", "the languages, comma-separated; the first gives heading levels and link targets (default en,zh)")
	f.StringVar(&flags.Gen, "gen", "", "the directory of generated Go (default: none)")
	f.BoolVar(&flags.NoCache, "no-cache", false, "neither use nor keep anything of other runs")
	return cmd
}

// build makes the result for the flags of a command.
func build(cmd *cobra.Command, flags *settings.Flags, o catalog.Options) (*catalog.Result, error) {
	s, err := load(cmd, flags)
	if err != nil {
		return nil, err
	}
	return catalog.Build(cmd.Context(), s, o), nil
}

// load makes the settings for the flags of a command.
func load(cmd *cobra.Command, flags *settings.Flags) (*settings.Settings, error) {
	for _, name := range []string{"dir", "docs", "langs", "gen", "changed"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return nil, usageError{fmt.Errorf("--%s is empty", name)}
		}
	}
	if flags.Cache == nil {
		flags.Cache = openCache(cmd, flags)
	}
	s, err := settings.Load(*flags)
	if err != nil {
		return nil, asFailures(err)
	}
	return s, nil
}

func asFailures(err error) error {
	var f finding.Failure
	if errors.As(err, &f) {
		return failures{f}
	}
	return err
}

// version is the version of the module that the command was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	const path = "github.com/agentplan/sdk"
	if info.Main.Path == path {
		return info.Main.Version
	}
	for _, dep := range info.Deps {
		if dep.Path == path {
			return dep.Version
		}
	}
	return "(devel)"
}

// colored reports whether differences are coloured: on a terminal whose user did not ask
// for plain text.
func colored(w io.Writer) bool {
	if t, ok := w.(*tee); ok {
		w = t.Writer
	}
	f, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// plural is n with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// finish prints findings and chooses how the run ends: failures win over findings.
func finish(w io.Writer, format report.Format, findings []finding.Finding, failed []finding.Failure) error {
	if len(findings) > 0 || format.Complete() {
		if err := report.Write(w, format, findings, failed, colored(w)); err != nil {
			return fmt.Errorf("print findings: %w", err)
		}
	}
	switch {
	case len(failed) > 0:
		return failures(failed)
	case len(findings) > 0:
		return errFindings
	}
	return nil
}
