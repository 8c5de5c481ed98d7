// Command agent is a small agent for the terminal with plan mode. Its sessions are files,
// so that one that was interrupted in any way goes on with -resume.
//
// By default a script stands in for the model: no network, the same answers each time.
// With -endpoint and -model it asks a server that speaks the chat completions protocol
// of OpenAI.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, signals))
}

// run is the program: 0 is success, 1 an error, 2 wrong usage.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, signals <-chan os.Signal) int {
	opts, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	ctx := context.Background()
	if opts.list {
		err = listSessions(ctx, opts, stdout)
	} else {
		err = chat(ctx, opts, stdin, stdout, stderr, signals)
	}
	if err != nil {
		fmt.Fprintf(stderr, "agent: %v\n", err)
		return 1
	}
	return 0
}
