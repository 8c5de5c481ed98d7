// Package session holds the event log of an agent session, the only state there is.
package session
