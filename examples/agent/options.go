package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// options are the choices of the command line.
type options struct {
	dir       string
	workspace string
	plans     string
	id        string
	resume    string
	attach    string
	list      bool
	compress  bool
	endpoint  string
	model     string
	keyEnv    string
}

// parseOptions reads the command line, and prints what is wrong with it.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.dir, "dir", "", "keep sessions and the default workspace under this `directory` (default: agentplan-agent in the user's cache directory)")
	flags.StringVar(&o.workspace, "workspace", "", "let the tools work in this `directory` (default: workspace under -dir)")
	flags.StringVar(&o.plans, "plans", "", "write each revision of a plan to a file in this `directory`")
	flags.StringVar(&o.id, "id", "", "give a new session this `id` (default: a random one)")
	flags.StringVar(&o.resume, "resume", "", "go on with the session of this `id`")
	flags.StringVar(&o.attach, "attach", "", "join the session of this `id` that another process runs: see its state, use /plan, answer reviews")
	flags.BoolVar(&o.list, "list", false, "list the sessions and exit")
	flags.BoolVar(&o.compress, "compress", false, "write a new session compressed (zstd)")
	flags.StringVar(&o.endpoint, "endpoint", "", "ask the model at this `URL`, such as http://localhost:11434/v1 (default: a script, offline)")
	flags.StringVar(&o.model, "model", "", "`name` of the model at -endpoint")
	flags.StringVar(&o.keyEnv, "key-env", "OPENAI_API_KEY", "`name` of the environment variable that holds the key for -endpoint")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if err := o.check(flags.Args()); err != nil {
		fmt.Fprintf(stderr, "agent: %v\nUse -help for the flags.\n", err)
		return options{}, err
	}
	if o.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			fmt.Fprintf(stderr, "agent: find the cache directory: %v\nUse -dir.\n", err)
			return options{}, err
		}
		o.dir = filepath.Join(cache, "agentplan-agent")
	}
	return o, nil
}

func (o options) check(rest []string) error {
	chosen := 0
	for _, set := range []bool{o.id != "", o.resume != "", o.attach != "", o.list} {
		if set {
			chosen++
		}
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case chosen > 1:
		return errors.New("only one of -id, -resume, -attach and -list can be used")
	case (o.endpoint == "") != (o.model == ""):
		return errors.New("-endpoint and -model belong together")
	}
	return nil
}
