// Package watch yields the moments at which something that a run has read is no longer as
// the run saw it.
//
// What counts is what the trace of the run has: an event on anything else, or one that
// leaves every answer as it was, is none.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/agentplan/sdk/internal/disk"
)

// A burst of events is over when nothing happened for pause, or after limit at the latest.
const (
	pause = 30 * time.Millisecond
	limit = 500 * time.Millisecond
)

// Watcher watches what runs have seen. It is for use by one goroutine.
type Watcher struct {
	events *fsnotify.Watcher
	facts  map[string]disk.Trace // by path
	real   map[string][]string   // paths that lead to a file through links, by its own path
	dirs   map[string]bool       // that are to be watched
}

// New starts a watcher that watches nothing yet.
func New() (*Watcher, error) {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	return &Watcher{events: events}, nil
}

// Close ends the watcher.
func (w *Watcher) Close() error { return w.events.Close() }

// Follow makes the watcher watch what a run has seen, and nothing else. It returns the
// paths, sorted, of which something is no longer as the run saw it, as far as Next would
// not tell.
func (w *Watcher) Follow(seen disk.Trace) (changed []string, err error) {
	w.facts, w.real, w.dirs = map[string]disk.Trace{}, map[string][]string{}, map[string]bool{}
	for _, f := range seen {
		f.Path = filepath.Clean(f.Path)
		w.facts[f.Path] = append(w.facts[f.Path], f)
		if f.Kind == disk.Program {
			continue
		}
		if f.Kind == disk.Listing {
			w.dirs[existing(f.Path)] = true
		}
		w.dirs[existing(filepath.Dir(f.Path))] = true
		if f.Kind == disk.Content {
			w.followLink(f.Path)
		}
	}
	// What was watched before has its events waiting.
	changed, err = w.sync()
	slices.Sort(changed)
	return changed, err
}

// followLink watches the file that a path leads to as well.
func (w *Watcher) followLink(path string) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		w.real[real] = append(w.real[real], path)
		w.dirs[filepath.Dir(real)] = true
	}
}

// existing is the innermost directory of a path that is there.
func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// sync watches the directories that are to be watched. It returns the paths in those that
// were not, of which something has changed meanwhile.
func (w *Watcher) sync() (changed []string, err error) {
	added := map[string]bool{}
	have := map[string]bool{}
	for _, dir := range w.events.WatchList() {
		have[dir] = true
		if !w.dirs[dir] {
			_ = w.events.Remove(dir) // it may be gone
		}
	}
	for dir := range w.dirs {
		if have[dir] {
			continue
		}
		added[dir] = true
		if err := w.events.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("watch %s: %w; the system may allow more (on Linux, sysctl fs.inotify.max_user_watches)", dir, err)
		}
	}
	for path, facts := range w.facts {
		if (added[path] || added[filepath.Dir(path)]) && !facts.Holds() {
			changed = append(changed, path)
		}
	}
	return changed, nil
}

// Next waits until something is no longer as it was seen and changes have come to rest. It
// returns the paths, sorted; none where it is only known that there are some.
func (w *Watcher) Next(ctx context.Context) ([]string, error) {
	for {
		touched, lost, err := w.burst(ctx)
		if err != nil {
			return nil, err
		}
		if lost {
			for _, facts := range w.facts {
				if !facts.Holds() {
					return nil, nil
				}
			}
		}
		changed := w.changed(touched)
		// Directories that came back have to be watched anew.
		back, err := w.sync()
		if err != nil {
			return nil, err
		}
		if changed = append(changed, back...); len(changed) > 0 {
			slices.Sort(changed)
			return slices.Compact(changed), nil
		}
	}
}

// burst waits for events until there are none for a while. Lost reports that there were
// more than are known.
func (w *Watcher) burst(ctx context.Context) (touched map[string]bool, lost bool, err error) {
	touched = map[string]bool{}
	var quiet, end <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-quiet:
			return touched, lost, nil
		case <-end:
			return touched, lost, nil
		case _, ok := <-w.events.Errors:
			if !ok {
				return nil, false, fsnotify.ErrClosed
			}
			lost = true
		case e, ok := <-w.events.Events:
			if !ok {
				return nil, false, fsnotify.ErrClosed
			}
			if !w.concerns(e) {
				continue
			}
			touched[e.Name] = true
			if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				_ = w.events.Remove(e.Name) // it may be watched, and come back as another
			}
		}
		quiet = time.After(pause)
		if end == nil {
			end = time.After(limit)
		}
	}
}

// concerns reports whether an event is about something that was seen.
func (w *Watcher) concerns(e fsnotify.Event) bool {
	return e.Op != fsnotify.Chmod && (len(w.facts[e.Name])+len(w.real[e.Name]) > 0 || w.dirs[e.Name] || w.lists(filepath.Dir(e.Name)))
}

// lists reports whether the entries of a directory were seen.
func (w *Watcher) lists(dir string) bool {
	return slices.ContainsFunc(w.facts[dir], func(f disk.Fact) bool { return f.Kind == disk.Listing })
}

// changed are the paths of which something is no longer as it was seen.
func (w *Watcher) changed(touched map[string]bool) []string {
	var out []string
	for name := range touched {
		paths := append([]string{name}, w.real[name]...)
		for _, path := range paths {
			if facts := w.facts[path]; len(facts) > 0 && !facts.Holds() {
				out = append(out, path)
			}
		}
		for _, f := range w.facts[filepath.Dir(name)] {
			if f.Kind == disk.Listing && !(disk.Trace{f}).Holds() {
				out = append(out, name)
			}
		}
	}
	return out
}
