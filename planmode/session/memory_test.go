package session_test

import (
	"testing"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/sessiontest"
)

func TestMemoryLog(t *testing.T) {
	sessiontest.TestLog(t, func(*testing.T) session.Log { return session.NewMemoryLog("m") })
}

func TestMemoryStore(t *testing.T) {
	sessiontest.TestStore(t, func(*testing.T) session.Store { return session.NewMemoryStore() })
}
