// Package settings yields what a run of the catalog tools works with: the module, and
// the values of .catalog.yaml under those of the command line.
package settings

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/finding"
)

// FileName is the name of the settings file at the module root.
const FileName = ".catalog.yaml"

// Settings are the resolved settings of one run. All paths but Root are relative to
// the module root and have slashes.
type Settings struct {
	Disk  *disk.Reader // reads everything that the run looks at
	Cache *cache.Cache // keeps what a later run may use

	Root      string      // absolute path of the root: of its module, or of a tree of modules
	Module    string      // module path of the root's go.mod; empty where it has none
	GoVersion string      // its go version, such as 1.26; without a go.mod at the root the newest of Modules
	Modules   []*GoModule // the modules whose source is read, sorted by Dir; at least one
	Workspace string      // absolute path of the go.work to go by; empty: none
	Elsewhere []string    // absolute directories of further modules, to which replace and use lines lead

	Docs      string
	Langs     []string
	Gen       string // empty: no generated Go
	Build            // the build that the source is read for, the first of Builds
	Builds    []Build
	Groups    []Group
	SourceURL string // a prefix for Source: links, ending in /; empty: relative links

	given []string // the flags of the command line that a repeated run needs
}

// Group is one entry of the pages setting: one page in the order of the languages.
type Group struct {
	Pages []Page
}

// Page is a page that the settings file names.
type Page struct {
	Path string
	Line int // its line in the settings file
}

// Flags are the values of the command line. Zero values mean that the flag was not
// given.
type Flags struct {
	Disk  *disk.Reader // nil: what is read is not remembered
	Cache *cache.Cache // nil: nothing is kept for a later run

	NoCache bool // the user wants no Cache

	Dir   string
	Docs  string
	Langs string
	Gen   string
}

// Load finds the root, reads the settings file and lays the flags over it. Its errors
// are of type [finding.Failure].
func Load(flags Flags) (*Settings, error) {
	root, err := findRoot(flags.Disk, flags.Dir)
	if err != nil {
		return nil, err
	}
	s := &Settings{Disk: flags.Disk, Cache: flags.Cache, Root: root, Docs: "docs", Langs: []string{"en", "zh"}}
	f := &file{s: s}
	if err := f.read(); err != nil {
		return nil, err
	}
	if err := f.loadModules(); err != nil {
		return nil, err
	}
	if err := f.setBuilds(); err != nil {
		return nil, err
	}
	if err := s.apply(flags); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Settings) apply(flags Flags) error {
	for _, f := range [][2]string{{"--docs", flags.Docs}, {"--langs", flags.Langs}, {"--gen", flags.Gen}} {
		if f[1] != "" {
			s.given = append(s.given, f[0], f[1])
		}
	}
	if flags.Docs != "" {
		s.Docs = filepath.ToSlash(flags.Docs)
	}
	if flags.Langs != "" {
		s.Langs = strings.Split(flags.Langs, ",")
	}
	if flags.Gen != "" {
		s.Gen = filepath.ToSlash(flags.Gen)
	}
	var err error
	if s.Docs, err = s.relative("docs", s.Docs); err != nil {
		return err
	}
	if s.Gen != "" {
		if s.Gen, err = s.relative("gen", s.Gen); err != nil {
			return err
		}
		if s.Gen == "." {
			return finding.Failure{Message: "gen: the module root cannot hold generated Go; name a directory"}
		}
	}
	return s.checkLangs()
}

// relative returns name as a clean path relative to the module root.
func (s *Settings) relative(key, name string) (string, error) {
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(s.Root, name)
		if err != nil {
			return "", finding.Failure{Message: fmt.Sprintf("%s: %s is not in the module", key, name)}
		}
		name = filepath.ToSlash(rel)
	}
	clean := path.Clean(name)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", finding.Failure{Message: fmt.Sprintf("%s: %s is outside the module; name a path below the module root", key, name)}
	}
	return clean, nil
}

func (s *Settings) checkLangs() error {
	for i, lang := range s.Langs {
		bad := func(r rune) bool { return r == '/' || r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) }
		switch {
		case lang == "":
			return finding.Failure{Message: "langs: an empty language; write it as --langs en,zh"}
		case !utf8.ValidString(lang) || strings.ContainsFunc(lang, bad) || strings.HasPrefix(lang, "."):
			return finding.Failure{Message: fmt.Sprintf("langs: %q is no language; a language is the name of a directory in %s", lang, s.Docs)}
		case slices.Index(s.Langs, lang) < i:
			return finding.Failure{Message: fmt.Sprintf("langs: %s is named twice; name each language once", lang)}
		}
	}
	for _, g := range s.Groups {
		if len(g.Pages) > len(s.Langs) {
			p := g.Pages[len(s.Langs)]
			return finding.Failure{Path: FileName, Line: p.Line, Message: fmt.Sprintf("pages: a group of %d pages for %d languages; name at most one page a language", len(g.Pages), len(s.Langs))}
		}
	}
	return nil
}

// Abs is the path on disk of a path relative to the module root.
func (s *Settings) Abs(rel string) string {
	return filepath.Join(s.Root, filepath.FromSlash(rel))
}

// GenCommand is the command line that mends what is stale, as the module's users call
// it: through go run in our own module, through go tool where go.mod pins it, else by
// name; with the words of a subcommand and the flags of this run.
func (s *Settings) GenCommand(words ...string) string {
	const tool = "github.com/agentplan/sdk/cmd/gen-catalog"
	command := "gen-catalog"
	switch {
	case s.Module == "github.com/agentplan/sdk":
		command = "go run ./cmd/gen-catalog"
	case s.rootHasTool(tool):
		command = "go tool gen-catalog"
	}
	return strings.Join(slices.Concat([]string{command}, words, s.given), " ")
}

// Rel is the path relative to the module root of a path on disk.
func (s *Settings) Rel(abs string) string {
	rel, err := filepath.Rel(s.Root, abs)
	if err != nil {
		return abs
	}
	return filepath.ToSlash(rel)
}

// rootHasTool reports whether the go.mod of the root has a tool line for an import path.
func (s *Settings) rootHasTool(importPath string) bool {
	return slices.ContainsFunc(s.Modules, func(m *GoModule) bool {
		return m.Dir == "." && slices.Contains(m.Tools, importPath)
	})
}
