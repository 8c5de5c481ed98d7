// Package loop is a small agent loop with the seams of plan mode: it shows what a host
// does, and the guide for hosts takes its code from here.
//
// A [Host] holds what plug-ins registered, an [Agent] runs turns on a session log, a
// [Model] answers requests. All state of an agent is in its log, so that an agent made
// on the log of an earlier process goes on where that one stopped; see [Repair].
package loop
