// Package settings yields what a run of the catalog tools works with: the module, and
// the values of .catalog.yaml under those of the command line.
package settings

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/modfile"

	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/finding"
)

// FileName is the name of the settings file at the module root.
const FileName = ".catalog.yaml"

// Settings are the resolved settings of one run. All paths but Root are relative to
// the module root and have slashes.
type Settings struct {
	Disk *disk.Reader // reads everything that the run looks at

	Root      string   // absolute path of the module root
	Module    string   // module path of go.mod
	GoVersion string   // go version of go.mod, such as 1.26; empty where it has none
	Tools     []string // import paths of go.mod's tool lines
	Ignored   []string // go.mod's ignore lines: ./dir from the root, dir at any depth

	Docs      string
	Langs     []string
	Gen       string // empty: no generated Go
	GOOS      string
	GOARCH    string
	Tags      []string
	Cgo       bool
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
	Disk *disk.Reader // nil: what is read is not remembered

	Dir   string
	Docs  string
	Langs string
	Gen   string
}

// Load finds the module, reads the settings file and lays the flags over it. Its
// errors are of type [finding.Failure].
func Load(flags Flags) (*Settings, error) {
	root, err := findRoot(flags.Disk, flags.Dir)
	if err != nil {
		return nil, err
	}
	s := &Settings{
		Disk: flags.Disk, Root: root, Docs: "docs", Langs: []string{"en", "zh"}, GOOS: "linux", GOARCH: "amd64",
	}
	if err := s.readModule(); err != nil {
		return nil, err
	}
	if err := s.readFile(); err != nil {
		return nil, err
	}
	if err := s.apply(flags); err != nil {
		return nil, err
	}
	return s, nil
}

// findRoot walks up from dir, or from the working directory, to the next go.mod.
func findRoot(d *disk.Reader, dir string) (string, error) {
	start := dir
	if start == "" {
		start = "."
	}
	abs, err := filepath.Abs(start)
	if err != nil {
		return "", finding.Failure{Message: fmt.Sprintf("resolve --dir: %v", err)}
	}
	if info, err := d.Stat(abs); err != nil || !info.IsDir() {
		return "", finding.Failure{Message: fmt.Sprintf("--dir %s: no such directory; name the directory of a Go module", start)}
	}
	for at := abs; ; at = filepath.Dir(at) {
		if info, err := d.Stat(filepath.Join(at, "go.mod")); err == nil && !info.IsDir() {
			// Without links, every path below it is spelled as the go command spells it.
			if real, err := d.EvalSymlinks(at); err == nil {
				return real, nil
			}
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", finding.Failure{Message: fmt.Sprintf("no go.mod in %s or above it; run inside a Go module, or name one with --dir", abs)}
		}
	}
}

func (s *Settings) readModule() error {
	data, err := s.Disk.ReadFile(filepath.Join(s.Root, "go.mod"))
	if err != nil {
		return finding.Failure{Path: "go.mod", Message: "read: " + finding.Cause(err).Error()}
	}
	mod, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		// What a newer go command understands is no fault to us.
		mod, err = modfile.ParseLax("go.mod", data, nil)
	}
	if err != nil {
		line := 0
		var list modfile.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			line = list[0].Pos.Line
			err = list[0].Err
		}
		return finding.Failure{Path: "go.mod", Line: line, Message: fmt.Sprintf("parse: %v; mend go.mod", err)}
	}
	if mod.Module == nil {
		return finding.Failure{Path: "go.mod", Message: "no module line; add one (go mod init)"}
	}
	s.Module = mod.Module.Mod.Path
	if mod.Go != nil {
		s.GoVersion = mod.Go.Version
	}
	for _, t := range mod.Tool {
		s.Tools = append(s.Tools, t.Path)
	}
	for _, ig := range mod.Ignore {
		s.Ignored = append(s.Ignored, strings.TrimSuffix(ig.Path, "/"))
	}
	return nil
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
	case slices.Contains(s.Tools, tool):
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
