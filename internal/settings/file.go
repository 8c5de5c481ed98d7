package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/agentplan/sdk/internal/finding"
)

// file is the settings file while it is read: what depends on other keys is put together
// when all are known.
type file struct {
	s *Settings

	lines     map[string]int // of the keys that are set
	goos      string
	goarch    string
	tags      []string
	cgo       bool
	platforms []platformItem
	modules   []place
	workspace bool
}

// place is a value and its line in the settings file.
type place struct {
	text string
	line int
}

// read reads the settings file, if there is one, over the defaults.
func (f *file) read() error {
	data, err := f.s.Disk.ReadFile(f.s.Abs(FileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return finding.Failure{Path: FileName, Message: "read: " + finding.Cause(err).Error()}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		line, text := yamlError(err)
		return finding.Failure{Path: FileName, Line: line, Message: fmt.Sprintf("parse: %s; mend the YAML", text)}
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return failAt(root, "want a mapping of settings; write one `key: value` a line")
	}
	f.lines = map[string]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if f.lines[key.Value] > 0 {
			return failAt(key, "%s is set twice; keep one", key.Value)
		}
		f.lines[key.Value] = key.Line
		if err := f.set(key, resolveAlias(value)); err != nil {
			return err
		}
	}
	return nil
}

var keys = []string{"docs", "langs", "gen", "goos", "goarch", "tags", "cgo", "platforms", "modules", "workspace", "pages", "source-url"}

func (f *file) set(key, value *yaml.Node) (err error) {
	s := f.s
	switch key.Value {
	case "docs":
		s.Docs, err = text(key, value)
	case "langs":
		s.Langs, err = list(key, value)
	case "gen":
		s.Gen, err = text(key, value)
	case "goos":
		f.goos, err = text(key, value)
	case "goarch":
		f.goarch, err = text(key, value)
	case "tags":
		f.tags, err = tagList(key, value)
	case "cgo":
		f.cgo, err = truth(key, value)
	case "platforms":
		err = f.setPlatforms(value)
	case "modules":
		err = f.setModules(key, value)
	case "workspace":
		f.workspace, err = truth(key, value)
	case "pages":
		err = s.setPages(value)
	case "source-url":
		s.SourceURL, err = text(key, value)
		if err == nil && !strings.HasSuffix(s.SourceURL, "/") {
			s.SourceURL += "/"
		}
	default:
		return failAt(key, "unknown key %s; the keys are %s", key.Value, strings.Join(keys, ", "))
	}
	return err
}

func (s *Settings) setPages(value *yaml.Node) error {
	const want = "pages: want a list of groups, such as [[README.md, README.zh.md], [CONTRIBUTING.md]]"
	if value.Kind != yaml.SequenceNode {
		return failAt(value, want)
	}
	seen := map[string]bool{}
	for _, item := range value.Content {
		item = resolveAlias(item)
		if item.Kind != yaml.SequenceNode || len(item.Content) == 0 {
			return failAt(item, want)
		}
		var g Group
		for _, p := range item.Content {
			p = resolveAlias(p)
			if p.Kind != yaml.ScalarNode || p.Value == "" {
				return failAt(p, want)
			}
			clean := path.Clean(p.Value)
			switch {
			case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../"):
				return failAt(p, "pages: %s is outside the module; name a path below the module root", p.Value)
			case seen[clean]:
				return failAt(p, "pages: %s is named twice; name each page once", p.Value)
			}
			seen[clean] = true
			g.Pages = append(g.Pages, Page{Path: clean, Line: p.Line})
		}
		s.Groups = append(s.Groups, g)
	}
	return nil
}

// truth is true or false.
func truth(key, value *yaml.Node) (out bool, err error) {
	if value.Kind != yaml.ScalarNode || value.Tag != "!!bool" {
		return false, failAt(value, "%s: want true or false", key.Value)
	}
	err = value.Decode(&out)
	return out, err
}

// tagList is a list of build tags.
func tagList(key, value *yaml.Node) ([]string, error) {
	tags, err := list(key, value)
	for _, tag := range tags {
		if err == nil && (tag == "" || strings.ContainsAny(tag, ", \t")) {
			err = failAt(value, "tags: %q is no build tag; write a list, one tag an item", tag)
		}
	}
	return tags, err
}

func text(key, value *yaml.Node) (string, error) {
	if value.Kind != yaml.ScalarNode || value.Tag != "!!str" || strings.TrimSpace(value.Value) == "" {
		return "", failAt(value, "%s: want a string", key.Value)
	}
	return value.Value, nil
}

// list is a list of strings; an empty one is a list too.
func list(key, value *yaml.Node) ([]string, error) {
	if value.Kind != yaml.SequenceNode {
		return nil, failAt(value, "%s: want a list of strings, such as [a, b]", key.Value)
	}
	var out []string
	for _, item := range value.Content {
		item = resolveAlias(item)
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
			return nil, failAt(item, "%s: want a list of strings", key.Value)
		}
		out = append(out, item.Value)
	}
	return out, nil
}

func resolveAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func failAt(n *yaml.Node, format string, args ...any) error {
	return finding.Failure{Path: FileName, Line: n.Line, Message: fmt.Sprintf(format, args...)}
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`) })

// yamlError takes the line out of the YAML library's message.
func yamlError(err error) (line int, text string) {
	m := yamlLine().FindStringSubmatch(strings.SplitN(err.Error(), "\n", 2)[0])
	if m == nil {
		return 0, err.Error()
	}
	line, _ = strconv.Atoi(m[1])
	return line, m[2]
}
