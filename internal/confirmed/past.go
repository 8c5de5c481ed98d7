package confirmed

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/history"
	"github.com/agentplan/sdk/internal/page"
	"github.com/agentplan/sdk/internal/section"
	"github.com/agentplan/sdk/internal/settings"
	"github.com/agentplan/sdk/internal/subject"
)

// former is something whose confirmed version is wanted: a side of a passage, or a
// declaration.
type former struct {
	side    side
	subject *subject.Subject
	want    string // the hash that was confirmed
}

// past finds confirmed versions in the history of files. It asks git for all of them
// together, and not at all if there are none.
type past struct {
	disk    *disk.Reader
	root    string
	texts   map[string]map[string]*section.Section // path -> hash -> what has it; nil: not found yet
	sources map[string]map[sourceKey]*subject.Subject
	missing string // why a version that was not found is not there
}

type sourceKey struct {
	subject *subject.Subject
	want    string
}

func newPast(s *settings.Settings) *past {
	return &past{
		disk:    s.Disk,
		root:    s.Root,
		texts:   map[string]map[string]*section.Section{},
		sources: map[string]map[sourceKey]*subject.Subject{},
	}
}

func (h *past) wantText(f former) {
	if h.texts[f.side.path] == nil {
		h.texts[f.side.path] = map[string]*section.Section{}
	}
	h.texts[f.side.path][f.want] = nil
}

func (h *past) wantSource(f former) {
	if h.sources[f.subject.Path] == nil {
		h.sources[f.subject.Path] = map[sourceKey]*subject.Subject{}
	}
	h.sources[f.subject.Path][sourceKey{f.subject, f.want}] = nil
}

// search reads the history. What goes wrong is the reason why a version is missing.
func (h *past) search(ctx context.Context) {
	paths := slices.AppendSeq(slices.Collect(maps.Keys(h.texts)), maps.Keys(h.sources))
	if len(paths) == 0 {
		return
	}
	history.Remember(h.disk, h.root)
	defer history.Remember(h.disk, h.root)
	repo, err := history.Open(ctx, h.root)
	if err != nil {
		h.missing = err.Error()
		return
	}
	h.missing = "the history does not have what was confirmed"
	if repo.Shallow() {
		h.missing = "the shallow history does not have what was confirmed; git fetch --unshallow gets the rest"
	}
	err = repo.Walk(ctx, paths, func(path, id string) bool {
		src, err := repo.Read(ctx, id)
		if err != nil {
			h.missing = err.Error()
			return true
		}
		return h.version(path, src)
	})
	if err != nil {
		h.missing = err.Error()
	}
	if err := repo.Close(); err != nil && ctx.Err() == nil {
		h.missing = err.Error()
	}
}

// version looks at one version of a file, and reports whether all that is wanted of the
// file is found.
func (h *past) version(path string, src []byte) bool {
	if open(h.texts[path]) {
		h.readPage(src, h.texts[path])
	}
	for key, found := range h.sources[path] {
		if found != nil {
			continue
		}
		if old, ok := key.subject.In(src); ok && old.Sum == key.want {
			h.sources[path][key] = old
		}
	}
	return !open(h.texts[path]) && !open(h.sources[path])
}

func (h *past) readPage(src []byte, wanted map[string]*section.Section) {
	p, err := page.Parse(src)
	if err != nil {
		return // it was no page then
	}
	for _, s := range section.Parse(p) {
		if found, ok := wanted[s.Sum()]; ok && found == nil {
			wanted[s.Sum()] = s
		}
	}
}

// open reports whether something is still to be found.
func open[K comparable, V any](wanted map[K]*V) bool {
	for _, v := range wanted {
		if v == nil {
			return true
		}
	}
	return false
}

// textDiff is what was edited in one language since the confirmation.
func (h *past) textDiff(f former) string {
	now := text{f.side.Text, func(i int) int { return at(f.side.Lines, i) }}
	old := h.texts[f.side.path][f.want]
	if old == nil {
		return whole(f.side.path, h.missing, now)
	}
	return unified(f.side.path, text{old.Text, func(i int) int { return at(old.Lines, i) }}, now)
}

// sourceDiff is how a declaration changed since the confirmation.
func (h *past) sourceDiff(f former) string {
	now := text{f.subject.Text, func(i int) int { return f.subject.Line + i }}
	old := h.sources[f.subject.Path][sourceKey{f.subject, f.want}]
	switch {
	case old == nil:
		return whole(f.subject.Path, h.missing, now)
	case old.Text == now.text:
		return fmt.Sprintf("%s: the declaration reads the same, but stands elsewhere\n", f.subject.Path)
	}
	return unified(f.subject.Path, text{old.Text, func(i int) int { return old.Line + i }}, now)
}

// at is the line of the page on which line i of a section stands.
func at(lines []int, i int) int {
	if len(lines) == 0 {
		return 0
	}
	return lines[min(i, len(lines)-1)]
}
