package cli

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// A fault of ours is exit 2 and one line, like any other run that could not be done (G11).
func TestPanicIsOneLine(t *testing.T) {
	cmd := &cobra.Command{Use: "gen-catalog", RunE: func(*cobra.Command, []string) error {
		panic("out of luck")
	}}
	var stdout, stderr bytes.Buffer
	if code := execute(cmd, nil, &stdout, &stderr); code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	want := "gen-catalog: internal error: out of luck; nothing is written, please report it with the source that shows it\n"
	if diff := cmp.Diff(want, stderr.String()); diff != "" {
		t.Errorf("stderr (-want +got):\n%s", diff)
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout: %q", &stdout)
	}
}
