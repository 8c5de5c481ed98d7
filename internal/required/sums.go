package required

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// sums are the lines of a go.sum.
type sums map[module.Version][]string

// parseSums reads a go.sum.
func parseSums(data []byte) (sums, error) {
	out := sums{}
	for line := range bytes.Lines(data) {
		f := strings.Fields(string(line))
		switch len(f) {
		case 0:
		case 3:
			key := module.Version{Path: f[0], Version: f[1]}
			out[key] = append(out[key], f[2])
		default:
			return nil, fmt.Errorf("go.sum has the line %q", bytes.TrimSpace(line))
		}
	}
	return out, nil
}

// check reports whether go.sum vouches for a sum, and for no other one.
func (s sums) check(m module.Version, sum string) error {
	if lines := s[m]; !slices.Equal(lines, []string{sum}) || !strings.HasPrefix(sum, "h1:") {
		return fmt.Errorf("go.sum does not vouch for %s %s", m.Path, m.Version)
	}
	return nil
}

// sumOfGoMod is the sum that go.sum has of a go.mod: that of a tree of this one file
// (golang.org/x/mod/sumdb/dirhash.Hash1).
func sumOfGoMod(data []byte) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", sha256.Sum256(data)))
	return "h1:" + base64.StdEncoding.EncodeToString(sum[:])
}
