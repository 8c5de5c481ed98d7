package filelog

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// hub tells the watches of a store which session directories changed. It has one
// system watcher for all of them, for as long as there is a watch.
type hub struct {
	mu      sync.Mutex
	watcher *fsnotify.Watcher
	dirs    map[string]map[chan struct{}]bool
}

// subscribe returns a channel that gets a value when a session file of the directory
// may have changed, and what ends that.
func (h *hub) subscribe(dir string) (wake <-chan struct{}, cancel func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watcher == nil {
		if h.watcher, err = fsnotify.NewWatcher(); err != nil {
			return nil, nil, err
		}
		h.dirs = make(map[string]map[chan struct{}]bool)
		go h.run(h.watcher)
	}
	if h.dirs[dir] == nil {
		if err := h.watcher.Add(dir); err != nil {
			h.closeUnused()
			return nil, nil, err
		}
		h.dirs[dir] = make(map[chan struct{}]bool)
	}
	c := make(chan struct{}, 1)
	h.dirs[dir][c] = true
	return c, func() { h.unsubscribe(dir, c) }, nil
}

func (h *hub) unsubscribe(dir string, c chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.dirs[dir], c)
	if len(h.dirs[dir]) > 0 {
		return
	}
	delete(h.dirs, dir)
	_ = h.watcher.Remove(dir) // fails if the directory itself was removed
	h.closeUnused()
}

// closeUnused closes the system watcher if there is no watch. The caller holds mu.
func (h *hub) closeUnused() {
	if len(h.dirs) == 0 {
		_ = h.watcher.Close()
		h.watcher = nil
	}
}

// run passes on what a system watcher reports until it is closed.
func (h *hub) run(w *fsnotify.Watcher) {
	for {
		select {
		case event, ok := <-w.Events:
			if !ok {
				return
			}
			// The directory itself is named when it is removed.
			if _, isSession := fileVersion(filepath.Base(event.Name)); isSession {
				h.wake(w, filepath.Dir(event.Name))
			} else {
				h.wake(w, event.Name)
			}
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
			h.wakeAll(w) // reports may have been lost
		}
	}
}

func (h *hub) wake(w *fsnotify.Watcher, dir string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watcher == w {
		wake(h.dirs[dir])
	}
}

func (h *hub) wakeAll(w *fsnotify.Watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watcher != w {
		return
	}
	for _, watches := range h.dirs {
		wake(watches)
	}
}

func wake(watches map[chan struct{}]bool) {
	for c := range watches {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
