// Package testfile yields the files that a test needs. No program imports it.
package testfile

import (
	"os"
	"path/filepath"
	"testing"
)

// Write writes a file, and makes the directories that it is in.
func Write[Text string | []byte](tb testing.TB, name string, text Text) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}
