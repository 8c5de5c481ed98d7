package filelog

import (
	"testing"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/sessiontest"
)

func newStore(t *testing.T, dir string, opts *Options) *Store {
	t.Helper()
	store, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestConformance(t *testing.T) {
	for _, compress := range []bool{false, true} {
		t.Run(map[bool]string{false: "raw", true: "zstd"}[compress], func(t *testing.T) {
			sessiontest.TestStore(t, func(t *testing.T) session.Store {
				return newStore(t, t.TempDir(), &Options{Compress: compress})
			})
		})
	}
}
