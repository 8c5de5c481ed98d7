package fence

import (
	"context"
	"os"
	"regexp"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/agentplan/sdk/internal/settings"
)

// goConfig is how the go command is asked for lists of files: for the configured platform
// and tags, outside any workspace, whatever the environment says.
func goConfig(ctx context.Context, s *settings.Settings) *packages.Config {
	cgo := "0"
	if s.Cgo {
		cgo = "1"
	}
	return &packages.Config{
		Context: ctx,
		Dir:     s.Root,
		Env: append(os.Environ(),
			"GOWORK=off", "GOOS="+s.GOOS, "GOARCH="+s.GOARCH, "CGO_ENABLED="+cgo,
			"GOFLAGS="+withoutTags(os.Getenv("GOFLAGS")), "GOEXPERIMENT=", "GOPACKAGESDRIVER=off",
		),
		BuildFlags: []string{"-tags=" + strings.Join(s.Tags, ",")},
	}
}

var tagsFlag = regexp.MustCompile(`^--?tags(=|$)`)

func withoutTags(goflags string) string {
	var kept []string
	for _, f := range strings.Fields(goflags) {
		if !tagsFlag.MatchString(f) {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
}
