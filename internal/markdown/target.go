package markdown

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Target is what a destination means on a page.
type Target struct {
	Local    bool   // a relative destination; of any other nothing else is set
	Path     string // relative to the module root, cleaned; it starts with .. outside of it
	Dir      bool   // written with a slash at its end
	Self     bool   // no path was written: the page itself
	Fragment string // percent-decoded, without its number sign
}

var scheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`) })

// Resolve resolves a destination that stands on a page, whose path is relative to the
// module root.
func Resolve(page, dest string) Target {
	if scheme().MatchString(dest) || strings.HasPrefix(dest, "/") {
		return Target{}
	}
	dest, fragment, _ := strings.Cut(dest, "#")
	dest, _, _ = strings.Cut(dest, "?")
	t := Target{Local: true, Fragment: decode(fragment), Path: page, Self: dest == ""}
	if t.Self {
		return t
	}
	dest = decode(dest)
	t.Dir = strings.HasSuffix(dest, "/")
	t.Path = path.Join(path.Dir(page), dest)
	return t
}

// decode resolves percent escapes; what is no escape stays.
func decode(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		return d
	}
	return s
}

// Relative is the path to a file from a page, both relative to the module root.
func Relative(page, file string) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(page)), filepath.FromSlash(file))
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}
