package main

import (
	"testing"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/sessiontest"
)

func TestStore(t *testing.T) {
	sessiontest.TestStore(t, func(t *testing.T) session.Store {
		store, err := openStore(options{dir: t.TempDir()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return store
	})
}
