package filelog

import (
	"log/slog"
	"os"
	"testing"
)

// testCodec is shared by tests, since one takes a while to make.
var testCodec = &codec{}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// TestMain runs the test binary as another program that uses the package, if the test
// that started it asks for that.
func TestMain(m *testing.M) {
	if job := os.Getenv("FILELOG_TEST_JOB"); job != "" {
		os.Exit(runJob(job, os.Getenv("FILELOG_TEST_DIR"), os.Args[1:]))
	}
	os.Exit(m.Run())
}
