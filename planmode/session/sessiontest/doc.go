// Package sessiontest is the conformance suite for session logs. Whoever implements
// [session.Log] or [session.Store] runs it from a test:
//
//	func TestMyLog(t *testing.T) {
//		sessiontest.TestLog(t, func(t *testing.T) session.Log {
//			return mylog.New(t.TempDir())
//		})
//	}
//
// [session.Log]: https://pkg.go.dev/github.com/agentplan/sdk/planmode/session#Log
// [session.Store]: https://pkg.go.dev/github.com/agentplan/sdk/planmode/session#Store
package sessiontest
