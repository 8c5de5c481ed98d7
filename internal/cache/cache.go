// Package cache yields bytes that an earlier run kept in the user's cache directory.
//
// It promises nothing but that the bytes of a key are bytes that were put under it: what
// is missing, cut short, changed, or of another version of this package is not there. It
// is for its users to know what else an entry depends on than its key. Any number of
// processes may use one directory at the same time.
package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// EnvDir names the environment variable that says where the cache is. Its value off means
// that there is none.
const EnvDir = "CATALOG_CACHE"

const (
	// maxTotal is how many bytes a cache may hold after a write.
	maxTotal = 64 << 20
	// maxEntry is how many bytes an entry may have.
	maxEntry = 16 << 20
)

// header starts every file. It changes with the form of the files, or with what may be
// concluded from an entry of the same key.
const header = "catalog cache 1\n"

// A Cache is a directory of entries. A nil Cache is empty and keeps nothing.
type Cache struct {
	dir      string
	self     string
	maxTotal int64
}

// Open returns the cache of the user for the running program, and makes its directory. The
// cache is nil where the environment turns it off, and where it cannot be used; the error
// says why.
func Open() (*Cache, error) {
	dir := os.Getenv(EnvDir)
	switch {
	case dir == "off":
		return nil, nil
	case dir == "":
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(base, "agentplan-catalog")
	case !filepath.IsAbs(dir):
		return nil, fmt.Errorf("%s=%s is no absolute path", EnvDir, dir)
	}
	self, err := Self()
	if err != nil {
		return nil, err
	}
	return OpenDir(dir, self)
}

// OpenDir returns the cache in a directory for a program of some identity, and makes the
// directory.
func OpenDir(dir, self string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Cache{dir: dir, self: self, maxTotal: maxTotal}, nil
}

// Key names an entry.
type Key [sha256.Size]byte

// Key makes a key of what an entry depends on besides the program that made it. Parts of
// different number or division give different keys.
func (c *Cache) Key(parts ...string) Key {
	h := sha256.New()
	if c != nil {
		fmt.Fprintf(h, "%d:%s", len(c.self), c.self)
	}
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return Key(h.Sum(nil))
}

// path is the file of a key.
func (c *Cache) path(key Key) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:20])+suffix)
}

const (
	suffix     = ".entry"
	tempPrefix = "temp-"
)

// Get returns the bytes of a key.
func (c *Cache) Get(key Key) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	data, err := os.ReadFile(c.path(key))
	if err != nil {
		return nil, false
	}
	rest, ok := bytes.CutPrefix(data, []byte(header))
	if !ok || len(rest) < 2*sha256.Size {
		return nil, false
	}
	sum, rest := rest[:sha256.Size], rest[sha256.Size:]
	if got := sha256.Sum256(rest); !bytes.Equal(sum, got[:]) {
		return nil, false
	}
	if !bytes.HasPrefix(rest, key[:]) {
		return nil, false
	}
	return rest[len(key):], true
}

// errTooLarge is why an entry is not kept.
var errTooLarge = errors.New("the entry is too large")

// Put keeps bytes under a key, and drops entries that were not put for longest where the
// cache becomes too large. An error means that nothing was kept, which is no fault.
func (c *Cache) Put(key Key, data []byte) error {
	if c == nil {
		return nil
	}
	if len(data) > maxEntry || int64(len(data)) > c.maxTotal {
		return errTooLarge
	}
	sum := sha256.New()
	sum.Write(key[:])
	sum.Write(data)
	f, err := os.CreateTemp(c.dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Join([][]byte{[]byte(header), sum.Sum(nil), key[:], data}, nil))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path(key))
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what stays is dropped later
		return err
	}
	c.trim(key)
	return nil
}
