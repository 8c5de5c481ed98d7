// Command verify-catalog checks that the generated sections of a module's Markdown pages agree with its Go
// source. Run it with --help for its manual.
package main

import (
	"os"

	"github.com/agentplan/sdk/internal/cli"
)

func main() {
	os.Exit(cli.Verify(os.Args[1:], os.Stdout, os.Stderr))
}
