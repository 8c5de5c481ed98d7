package source

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/gotool"
	"github.com/agentplan/sdk/internal/settings"
)

// granularity is how much older than it is a file may look whose time is exact.
const granularity = 10 * time.Millisecond

func (t goTool) depsKey(importPaths []string) cache.Key {
	return t.key(append([]string{"list -deps"}, importPaths...)...)
}

// recallDeps returns what the go command said about packages and their dependencies if
// everything is as it was then, or nil.
func (t goTool) recallDeps(importPaths []string) []*plainPackage {
	data, ok := t.s.Cache.Get(t.depsKey(importPaths))
	if !ok {
		return nil
	}
	trace, text, err := disk.ParseTrace(data)
	if err != nil || !trace.Holds() {
		return nil
	}
	var plain []*plainPackage
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil
	}
	noteDeps(t.s.Disk, t.s, plain)
	return plain
}

// keepDeps remembers what the go command's answer depends on, and keeps it for a later
// run. An answer that may be older than what is on the disk now is not kept.
func (t goTool) keepDeps(importPaths []string, plain []*plainPackage, start time.Time) {
	s := t.s
	if s.Cache == nil {
		return
	}
	d := disk.New()
	noteDeps(d, s, plain)
	noteDeps(s.Disk, s, plain)
	trace, err := d.Trace()
	if err != nil {
		return
	}
	if name := trace.Newer(start.Add(-granularity)); name != "" {
		s.Disk.Vague(name + " is too new")
		return
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return
	}
	_ = s.Cache.Put(t.depsKey(importPaths), append(trace.Append(nil), text...)) // that it is not kept is no loss
}

// noteDeps remembers where the packages come from.
func noteDeps(d *disk.Reader, s *settings.Settings, plain []*plainPackage) {
	if d == nil {
		return
	}
	tool := gotool.Find(d)
	noteModules(d, s)
	var dirs []string
	for _, p := range plain {
		if p.ImportPath == "unsafe" {
			tool.Release(filepath.Dir(filepath.Dir(p.Dir)))
		}
		dirs = append(dirs, p.Dir)
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		tool.Dependency(dir)
	}
}
