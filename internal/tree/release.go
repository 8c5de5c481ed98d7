package tree

import (
	"hash/maphash"
	"runtime"
	"slices"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/parallel"
	"github.com/agentplan/sdk/internal/settings"
)

// largePage is the size in bytes from which a page is released.
const largePage = 256 << 10

// Release forgets the text of large pages with regions: most of it is generated, and what
// is made of the source does not depend on it. Until [Tree.Restore] such a page has neither
// Src nor what [page.Page] reads out of it.
func (t *Tree) Release() {
	for s := range t.sides {
		s.release(t.seed)
	}
}

func (t *Tree) sides(yield func(*Side) bool) {
	for _, g := range t.Groups {
		for _, s := range g.Sides {
			if !yield(s) {
				return
			}
		}
	}
}

// release reports whether the text of the page is no longer used.
func (s *Side) release(seed maphash.Seed) bool {
	if s.Page == nil || len(s.Page.Problems) > 0 || len(s.Src) < largePage || !s.Page.Release() {
		return false
	}
	s.sum, s.released = maphash.Bytes(seed, s.Src), true
	s.Src = nil
	return true
}

// Restore reads the released pages again and reports whether all are as they were. One that
// is not is a failure in out, and from then on a page that cannot be read.
func (t *Tree) Restore(s *settings.Settings, out *finding.List) bool {
	var released []*Side
	for side := range t.sides {
		if side.released {
			released = append(released, side)
		}
	}
	if len(released) == 0 {
		return true
	}
	runtime.GC() // or the pages are read into memory that the program does not have yet
	whys := make([]string, len(released))
	parallel.Each(len(released), func(i int) { whys[i] = released[i].restore(s, t.seed) })
	for i, why := range whys {
		if why != "" {
			out.Fail(released[i].Path, 0, "%s; run again", why)
			released[i].Page, released[i].broken = nil, true
		}
	}
	return !slices.ContainsFunc(whys, func(why string) bool { return why != "" })
}

// restore returns what keeps the page from being as it was.
func (s *Side) restore(set *settings.Settings, seed maphash.Seed) (why string) {
	s.released = false
	src, err := set.Disk.ReadFile(set.Abs(s.Path))
	switch {
	case err != nil:
		return "read page again: " + finding.Cause(err).Error()
	case maphash.Bytes(seed, src) != s.sum:
		return "the page was changed during the run"
	}
	s.Src = src
	s.Page.Restore(src)
	return ""
}
