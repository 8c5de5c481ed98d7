// Command inspect shows what a session file tells about plan mode: a timeline of the
// events that concern it, each with the state after it, or what changed, by whom and why.
// It reads raw and compressed
// files of this module and of the original harness, and changes nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program: 0 is success, 1 an error, 2 wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "Usage: inspect [-all | -changes] [-json] FILE\n\nShows the plan-mode facts of a session file.")
		flags.PrintDefaults()
	}
	asJSON := flags.Bool("json", false, "print one JSON object a line")
	all := flags.Bool("all", false, "show the events that do not concern plan mode, too")
	changes := flags.Bool("changes", false, "show what changed, by whom and why, instead of the events")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() != 1 || *all && *changes:
		flags.Usage()
		return 2
	}
	if err := inspect(context.Background(), flags.Arg(0), shown{all: *all, changes: *changes, json: *asJSON}, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "inspect: %v\n", err)
		return 1
	}
	return 0
}

// shown says what of a file is shown, and how.
type shown struct{ all, changes, json bool }

func inspect(ctx context.Context, path string, show shown, stdout, stderr io.Writer) error {
	if newer := newerBeside(path); newer != "" {
		fmt.Fprintf(stderr, "inspect: %s is of a newer format and live; %s may be out of date\n", newer, path)
	}
	log, done, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	defer done()
	if show.changes {
		if err := printChanges(ctx, log, show.json, stdout); err != nil {
			return named(err, path)
		}
		return nil
	}
	print, flush := printTable(stdout)
	if show.json {
		print, flush = printJSON(stdout)
	}
	for f, err := range timeline(ctx, log) {
		if err != nil {
			return errors.Join(flush(), named(err, path))
		}
		if !show.all && !f.concerns {
			continue
		}
		if err := print(f); err != nil {
			return err
		}
	}
	return flush()
}
