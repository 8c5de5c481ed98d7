package settings

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/platform"
)

// Build is what decides which files of a package a build sees.
type Build struct {
	GOOS   string
	GOARCH string
	Tags   []string // sorted, each once, where there are several builds
	Cgo    bool
}

// String describes the build in a message.
func (b Build) String() string {
	return fmt.Sprintf("%s/%s, tags %q, cgo %v", b.GOOS, b.GOARCH, strings.Join(b.Tags, ","), b.Cgo)
}

// Several reports whether the pages show the union of what several builds see.
func (s *Settings) Several() bool { return len(s.Builds) > 1 }

// For returns the settings with another of the builds as the one to read the source for.
func (s *Settings) For(b Build) *Settings {
	out := *s
	out.Build = b
	return &out
}

// BuildList describes the configured builds in a message.
func (s *Settings) BuildList() string {
	var all []string
	for _, b := range s.Builds {
		all = append(all, b.String())
	}
	return strings.Join(all, "; ")
}

// platformItem is an entry of the platforms setting.
type platformItem struct {
	Build
	hasTags, hasCgo bool
	line            int
}

const wantPlatforms = "platforms: want a list, each item as linux/amd64 or as {platform: linux/amd64, tags: [x], cgo: true}"

func (f *file) setPlatforms(value *yaml.Node) error {
	if value.Kind != yaml.SequenceNode || len(value.Content) == 0 {
		return failAt(value, wantPlatforms)
	}
	for _, item := range value.Content {
		item = resolveAlias(item)
		p, err := readPlatform(item)
		if err != nil {
			return err
		}
		f.platforms = append(f.platforms, p)
	}
	return nil
}

func readPlatform(item *yaml.Node) (platformItem, error) {
	p := platformItem{line: item.Line}
	if item.Kind == yaml.ScalarNode {
		return p, p.setName(item)
	}
	if item.Kind != yaml.MappingNode {
		return p, failAt(item, wantPlatforms)
	}
	named := false
	seen := map[string]bool{}
	for i := 0; i+1 < len(item.Content); i += 2 {
		key, value := item.Content[i], resolveAlias(item.Content[i+1])
		if seen[key.Value] {
			return p, failAt(key, "platforms: %s is set twice; keep one", key.Value)
		}
		seen[key.Value] = true
		var err error
		switch key.Value {
		case "platform":
			named, err = true, p.setName(value)
		case "tags":
			p.hasTags = true
			p.Tags, err = tagList(key, value)
		case "cgo":
			p.hasCgo = true
			p.Cgo, err = truth(key, value)
		default:
			err = failAt(key, "platforms: unknown key %s; the keys of a platform are platform, tags, cgo", key.Value)
		}
		if err != nil {
			return p, err
		}
	}
	if !named {
		return p, failAt(item, wantPlatforms)
	}
	return p, nil
}

// setName reads GOOS/GOARCH.
func (p *platformItem) setName(n *yaml.Node) error {
	goos, goarch, ok := strings.Cut(n.Value, "/")
	if n.Kind != yaml.ScalarNode || !ok || goos == "" || goarch == "" {
		return failAt(n, "platforms: %q is no platform; write GOOS/GOARCH, such as linux/amd64 (see go tool dist list)", n.Value)
	}
	p.GOOS, p.GOARCH = goos, goarch
	return checkPlatform("platforms", p.Build, n.Line)
}

// checkPlatform refuses a pair that Go does not build for: its files would be chosen by
// rules that no build has.
func checkPlatform(key string, b Build, line int) error {
	if platform.Supported(b.GOOS, b.GOARCH) {
		return nil
	}
	return finding.Failure{Path: FileName, Line: line, Message: fmt.Sprintf("%s: %q is no platform that Go supports (did you mean %s?); write a pair of go tool dist list",
		key, b.GOOS+"/"+b.GOARCH, platform.Nearest(b.GOOS, b.GOARCH))}
}

// setBuilds makes the builds of the platforms, or the one build of goos, goarch, tags and
// cgo. Beside platforms, tags and cgo hold for those that have none of their own.
func (f *file) setBuilds() error {
	s := f.s
	if f.platforms == nil {
		b := Build{GOOS: "linux", GOARCH: "amd64", Tags: f.tags, Cgo: f.cgo}
		if f.goos != "" {
			b.GOOS = f.goos
		}
		if f.goarch != "" {
			b.GOARCH = f.goarch
		}
		s.Build, s.Builds = b, []Build{b}
		key := "goos"
		if f.lines["goarch"] > 0 && (f.lines["goos"] == 0 || platform.IsSystem(b.GOOS)) {
			key = "goarch"
		}
		return checkPlatform(key, b, f.lines[key])
	}
	for _, key := range []string{"goos", "goarch"} {
		if line := f.lines[key]; line > 0 {
			return finding.Failure{Path: FileName, Line: line, Message: key + " contradicts platforms, which names each GOOS/GOARCH; keep one of the two"}
		}
	}
	for _, p := range f.platforms {
		if !p.hasTags {
			p.Tags = f.tags
		}
		if !p.hasCgo {
			p.Cgo = f.cgo
		}
		p.Tags = slices.Compact(slices.Sorted(slices.Values(p.Tags)))
		if slices.ContainsFunc(s.Builds, p.Build.equal) {
			return finding.Failure{Path: FileName, Line: p.line, Message: fmt.Sprintf("platforms: the build %s is named twice; keep one", p.Build)}
		}
		s.Builds = append(s.Builds, p.Build)
	}
	s.Build = s.Builds[0]
	return nil
}

func (b Build) equal(o Build) bool {
	return b.GOOS == o.GOOS && b.GOARCH == o.GOARCH && b.Cgo == o.Cgo && slices.Equal(b.Tags, o.Tags)
}
