package symbol

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/fence/stdlib"
	"github.com/agentplan/sdk/internal/nearest"
)

var (
	pathText    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./@-]+$`) })
	position    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(#.*|(:\d+)+)$`) })
	placeholder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Z][A-Z_]+|[a-z]|n+|foo|bar|baz|qux|name|example|(my|your|some|other)[a-z_-]*)$`)
	})
	qualified = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.*/[^/.]*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?(?:\(\))?$`)
	})
)

// path judges a path that begins with a directory of the module, or with its import path.
func (c *checker) path(p *page, text string) answer {
	if c.isCode(text) {
		return c.code(p, text)
	}
	rel := position().ReplaceAllString(text, "")
	dir, imported := c.mod.Settings.OwnDir(rel)
	if imported {
		rel = dir
	}
	if strings.Contains(rel, "...") || strings.Contains(rel, "@") || !pathText().MatchString(rel) && rel != "" {
		return skip("a pattern, or no path")
	}
	rel = path.Clean(rel)
	if rel == "." {
		return exists("the module")
	}
	first, _, _ := strings.Cut(rel, "/")
	switch {
	case path.IsAbs(rel) || first == "..":
		return skip("a path that does not begin in the module")
	case !imported && !c.isDir(first):
		return skip("a path that does not begin with a directory of the module")
	case c.exists(rel):
		return exists("path")
	case slices.ContainsFunc(strings.Split(rel, "/"), isPlaceholder):
		return skip("a path with a placeholder")
	case c.inGen(rel):
		return skip("a path in the directory of generated Go")
	case entryText().MatchString(text) && c.inFamily(text):
		return skip("a name like those of catalog entries, and no path")
	case c.exists(path.Join(path.Dir(p.path), rel)), c.exists(path.Join(c.mod.Settings.Docs, rel)):
		return answer{verdict: Exists, message: "path from the page", local: true}
	case c.inStandard(rel):
		return exists("package of the standard library")
	}
	if m := qualified().FindStringSubmatch(rel); m != nil {
		if pkg := c.mod.Package(m[1]); pkg != nil {
			return c.inPackage(p, pkg.Name, m[1:], pkg)
		}
	}
	why, near := c.uncertain(rel, imported)
	switch {
	case why != "":
		return skip("%s", why)
	case near == "":
		near = nearest.Of(rel, c.siblings(rel))
	}
	hint := ""
	if near != "" {
		hint = " (did you mean " + near + "?)"
	}
	return missing(text, "there is no such file, directory or package%s", hint)
}

// isCode reports whether a text with a slash is Go code all the same: planmode.Get(a/b).
func (c *checker) isCode(text string) bool {
	i := strings.IndexByte(text, '/')
	return strings.ContainsAny(text[:i], "([{*&") || strings.Contains(text, "//")
}

func isPlaceholder(element string) bool {
	base, _, _ := strings.Cut(element, ".")
	return placeholder().MatchString(base)
}

// isPlaceholderName reports whether an exported name is one that examples have for any.
func isPlaceholderName(name string) bool { return len(name) == 1 && strings.Contains("XYZTN", name) }

// inFamily reports whether catalog entries have names that begin as the text does.
func (c *checker) inFamily(text string) bool {
	first, _, _ := strings.Cut(text, "/")
	for name := range c.names {
		if strings.HasPrefix(name, first+"/") {
			return true
		}
	}
	return false
}

func (c *checker) inGen(rel string) bool {
	gen := c.mod.Settings.Gen
	return gen != "" && (rel == gen || strings.HasPrefix(rel, gen+"/"))
}

func (c *checker) inStandard(rel string) bool {
	root := stdlib.Root(c.mod)
	if root == "" {
		return false
	}
	_, err := c.mod.Settings.Disk.Stat(filepath.Join(root, filepath.FromSlash(rel)))
	return err == nil
}

func (c *checker) isDir(rel string) bool {
	info, err := c.mod.Settings.Disk.Stat(c.mod.Settings.Abs(rel))
	return err == nil && info.IsDir()
}

func (c *checker) exists(rel string) bool {
	_, err := c.mod.Settings.Disk.Stat(c.mod.Settings.Abs(rel))
	return err == nil
}
