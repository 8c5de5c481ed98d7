// Command verify-catalog checks that the generated sections of a module's Markdown pages agree with its Go
// source. Run it with --help for its manual.
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
	os.Exit(cli.Verify(os.Args[1:], os.Stdout, os.Stderr))
}
