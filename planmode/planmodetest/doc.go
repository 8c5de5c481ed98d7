// Package planmodetest checks what others implement for plan mode.
//
// [TestHost] takes an agent loop that implements [planmode.Host] and runs it with a model
// of its own, in a test of the loop's package:
//
//	func TestPlanModeHost(t *testing.T) {
//		planmodetest.TestHost(t, func(t testing.TB, model planmodetest.Model) *planmodetest.Subject {
//			loop := newLoop(t, model) // ask calls model(ctx, request)
//			return &planmodetest.Subject{
//				Host:    loop,
//				Agent:   loop.Agent(),
//				Prompt:  loop.Prompt,
//				Command: loop.Command,
//				Compact: loop.Compact,
//				Nested:  loop.Nested, // calls of tools by tools
//				Child:   loop.Spawn,  // agents that work for the agent
//			}
//		})
//	}
//
// For session logs see package session/sessiontest.
package planmodetest
