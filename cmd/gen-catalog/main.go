// Command gen-catalog writes the generated sections of a module's Markdown pages, and its generated Go,
// from doc comments and signatures. Run it with --help for its manual.
package main

import (
	"os"
	"runtime/debug"

	"github.com/agentplan/sdk/internal/cli"
)

func main() {
	// The command lives for less than a second: collecting garbage rarely is cheaper than
	// the memory that it costs.
	debug.SetGCPercent(200)
	os.Exit(cli.Gen(os.Args[1:], os.Stdout, os.Stderr))
}
