// Command gen-catalog writes the generated sections of a module's Markdown pages, and its generated Go,
// from doc comments and signatures. Run it with --help for its manual.
package main

import (
	"os"

	"github.com/agentplan/sdk/internal/cli"
)

func main() {
	os.Exit(cli.Gen(os.Args[1:], os.Stdout, os.Stderr))
}
