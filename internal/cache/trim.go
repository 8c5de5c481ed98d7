package cache

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// abandoned is the age at which a temporary file is nobody's any more.
const abandoned = time.Hour

// trim deletes the oldest entries until the rest is small enough, and temporary files that
// were left behind. The entry of the key stays. Times are used for nothing but this choice:
// one in the future counts as the oldest.
func (c *Cache) trim(keep Key) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	type file struct {
		name string
		size int64
		age  time.Duration
	}
	now := time.Now()
	var files []file
	var total int64
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		f := file{filepath.Join(c.dir, e.Name()), info.Size(), now.Sub(info.ModTime())}
		if f.age < -time.Minute {
			f.age = 1 << 62
		}
		switch {
		case strings.HasPrefix(e.Name(), tempPrefix):
			if f.age > abandoned {
				_ = os.Remove(f.name) // or the next run does
			}
		case strings.HasSuffix(e.Name(), suffix):
			total += f.size
			if f.name != c.path(keep) {
				files = append(files, f)
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(b.age, a.age) })
	for _, f := range files {
		if total <= c.maxTotal {
			return
		}
		if os.Remove(f.name) == nil {
			total -= f.size
		}
	}
}
