package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentplan/sdk/internal/catalog"
	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/fence"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/report"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/watch"
)

// watchTree writes what is stale, and does so again after each edit, until the command is
// interrupted. Whatever an edit breaks is said, and the next edit may mend it.
func watchTree(cmd *cobra.Command, flags *settings.Flags) error {
	w, err := watch.New()
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // nothing is lost
	if c := openCache(cmd, flags); c != nil {
		flags.Cache = c
	}
	t := &watcher{cmd: cmd, flags: flags, fences: &fence.Cache{}}
	ctx := cmd.Context()
	for {
		if err := t.round(ctx); err != nil {
			return err
		}
		t.cause, err = w.Follow(t.seen)
		if err == nil && len(t.cause) == 0 {
			t.cause, err = w.Next(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
	}
}

// watcher is the state from one round to the next.
type watcher struct {
	cmd    *cobra.Command
	flags  *settings.Flags
	fences *fence.Cache

	rounds int
	cause  []string // absolute paths that changed before this round
	root   string
	seen   disk.Trace
}

// round is one run over the tree. Only the first can fail.
func (t *watcher) round(ctx context.Context) error {
	t.rounds++
	flags := *t.flags
	flags.Disk = disk.New()
	s, err := load(t.cmd, &flags)
	if err != nil {
		if t.rounds == 1 {
			return err
		}
		t.keep(flags.Disk)
		t.fail(err)
		return nil
	}
	t.root = s.Root
	t.renew()
	r := t.build(ctx, s)
	again := len(leftOver(r)) > 0 || addsFiles(r)
	written, failed := write(ctx, r)
	switch {
	case len(failed) > 0:
	case written > 0 && again:
		// What was written moved the lines that findings name, or is new itself.
		r = t.build(ctx, s)
	default:
		t.settle(r)
	}
	if ctx.Err() == nil {
		t.say(r, written, failed)
	}
	return nil
}

// addsFiles reports whether files come or go by the changes of a result.
func addsFiles(r *catalog.Result) bool {
	return slices.ContainsFunc(r.Changes, func(c catalog.Change) bool {
		_, err := os.Stat(r.Settings.Abs(c.Path)) // not what the run has seen
		return c.Remove || err != nil
	})
}

// build makes the result for the tree as it is, and remembers what it has seen.
func (t *watcher) build(ctx context.Context, s *settings.Settings) *catalog.Result {
	r := catalog.Build(ctx, s, catalog.Options{Judge: true, Fences: t.fences})
	t.keep(s.Disk)
	return r
}

// renew forgets what fences import where that may have changed: outside of the tree.
func (t *watcher) renew() {
	inside := t.root + string(filepath.Separator)
	if len(t.cause) == 0 || slices.ContainsFunc(t.cause, func(p string) bool { return !strings.HasPrefix(p, inside) }) {
		t.fences = &fence.Cache{}
		t.seen = nil
	}
}

// keep remembers what a run has seen. What it took from the cache of fences lies outside of
// the tree, and was seen before.
func (t *watcher) keep(d *disk.Reader) {
	inside := t.root + string(filepath.Separator)
	before := t.seen
	t.seen = d.Seen()
	known := make(map[disk.Question]bool, len(t.seen))
	for _, f := range t.seen {
		known[f.Question] = true
	}
	for _, f := range before {
		if !known[f.Question] && t.root != "" && f.Path != t.root && !strings.HasPrefix(f.Path, inside) {
			t.seen = append(t.seen, f)
		}
	}
}

// settle makes what was written what was seen, so that it is not taken for an edit.
func (t *watcher) settle(r *catalog.Result) {
	want := map[string]disk.Sum{}
	for _, c := range r.Changes {
		if !c.Remove {
			want[r.Settings.Abs(c.Path)] = sha256.Sum256(c.Want)
		}
	}
	for i, f := range t.seen {
		if sum, ok := want[f.Path]; ok && f.Kind == disk.Content {
			t.seen[i].Sum = sum
		}
	}
}

// say prints what is left and one line about the round. Of a round that failed it prints
// why, and no findings: most of them would be about source that is half written.
func (t *watcher) say(r *catalog.Result, written int, failed []finding.Failure) {
	if len(failed) > 0 {
		t.fail(failures(failed))
		return
	}
	left := leftOver(r)
	out, stderr := t.cmd.OutOrStdout(), t.cmd.ErrOrStderr()
	if len(left) > 0 {
		_ = report.Write(out, report.Text, left, nil, colored(out)) // who reads it no longer ends the command
	}
	line := fmt.Sprintf("%s on %s, %s written", plural(r.Regions, "region"), plural(r.Pages, "page"), plural(written, "file"))
	if len(left) > 0 {
		line += ", " + plural(len(left), "finding")
	}
	fmt.Fprintf(stderr, "gen-catalog: %s%s%s%s\n", t.prefix(), line, accepted(r), t.suffix())
}

// fail prints why a round could not be done.
func (t *watcher) fail(err error) {
	stderr := t.cmd.ErrOrStderr()
	var list failures
	if !errors.As(err, &list) {
		list = failures{{Message: err.Error()}}
	}
	for _, f := range list {
		fmt.Fprintf(stderr, "gen-catalog: %s\n", f.Error())
	}
	fmt.Fprintf(stderr, "gen-catalog: %snothing written%s\n", t.prefix(), t.suffix())
}

// prefix names what the round is about.
func (t *watcher) prefix() string {
	if len(t.cause) == 0 {
		return ""
	}
	name := t.cause[0]
	if rel, err := filepath.Rel(t.root, name); err == nil {
		name = filepath.ToSlash(rel)
	}
	if n := len(t.cause) - 1; n > 0 {
		name += fmt.Sprintf(" and %d more", n)
	}
	return name + ": "
}

func (t *watcher) suffix() string {
	if t.rounds > 1 {
		return ""
	}
	return "; watching for edits, stop with Ctrl-C"
}

// leftOver are the findings that no change mends, with their differences.
func leftOver(r *catalog.Result) []finding.Finding {
	var out []finding.Finding
	for _, f := range r.Findings {
		if !f.Mended {
			out = append(out, f)
		}
	}
	return out
}
