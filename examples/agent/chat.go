package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/agentplan/sdk/examples/loop"
	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// chat runs a session with the user, and the one that a plan of it is handed over to,
// until the input ends or the user quits.
func chat(ctx context.Context, opts options, stdin io.Reader, stdout, stderr io.Writer, signals <-chan os.Signal) error {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	root, err := openWorkspace(&opts)
	if err != nil {
		return err
	}
	defer root.Close()
	store, err := openStore(opts, logger)
	if err != nil {
		return err
	}
	log, err := openLog(ctx, opts, store)
	if err != nil {
		return err
	}
	questions := make(chan *question)
	plan, err := newPlanMode(opts, reviewer{questions}, store, logger)
	if err != nil {
		return err
	}
	host, err := newHost(plan, root)
	if err != nil {
		return err
	}
	console := newConsole(stdin, stdout)
	for {
		u := &ui{
			console: console, view: &view{console: console, log: log},
			plan: plan, host: host, log: log, attached: opts.attach != "",
			questions: questions, signals: signals,
			turns: make(chan error, 1), changes: make(chan struct{}, 1), watching: make(chan error, 1),
		}
		if err := converse(ctx, opts, u, log); err != nil || u.successor == "" {
			return err
		}
		next, err := store.Open(ctx, u.successor)
		if err != nil {
			return err
		}
		log = next.(*filelog.Log)
	}
}

// converse runs the turns of one session.
func converse(ctx context.Context, opts options, u *ui, log *filelog.Log) error {
	if !u.attached {
		release, err := claim(log)
		if err != nil {
			return err
		}
		defer release()
		repaired, err := loop.Repair(ctx, log)
		if err != nil {
			return err
		}
		if repaired {
			u.console.print("The last turn was cut off; it is closed now.")
		}
	}
	agent, remove, err := newAgent(ctx, opts, u.host, log)
	if err != nil {
		return err
	}
	defer remove()
	u.agent = agent
	return u.run(ctx)
}

// openWorkspace opens the directory of the tools, and makes the default one with a file
// in it.
func openWorkspace(opts *options) (*os.Root, error) {
	if opts.workspace == "" {
		opts.workspace = filepath.Join(opts.dir, "workspace")
		if err := os.MkdirAll(opts.workspace, 0o700); err != nil {
			return nil, fmt.Errorf("make workspace: %w", err)
		}
		readme := filepath.Join(opts.workspace, "README.md")
		if _, err := os.Stat(readme); os.IsNotExist(err) {
			if err := os.WriteFile(readme, []byte("# Workspace\n\nNotes of the agent.\n"), 0o600); err != nil {
				return nil, fmt.Errorf("make workspace: %w", err)
			}
		}
	}
	abs, err := filepath.Abs(opts.workspace)
	if err != nil {
		return nil, fmt.Errorf("open workspace: %w", err)
	}
	opts.workspace = abs
	return os.OpenRoot(abs)
}

// newPlanMode makes plan mode with a reviewer that asks the user, a store for the sessions
// that plans are handed over to, and a gate that lets the tools run which only look.
func newPlanMode(opts options, reviewer planmode.Reviewer, store session.Store, logger *slog.Logger) (*planmode.PlanMode, error) {
	return planmode.New(planmode.Config{Section: guidance}, &planmode.Options{
		Reviewer: reviewer,
		Logger:   logger,
		PlanDir:  opts.plans,
		Sessions: store,
		Gate:     &planmode.Gate{Allow: []string{"list_files", "read_file"}},
	})
}

// newHost makes the host with all that does not depend on the session.
func newHost(plan *planmode.PlanMode, root *os.Root) (*loop.Host, error) {
	host := new(loop.Host)
	host.AddSection("identity", 0, func(context.Context, planmode.Agent) (string, error) { return identity, nil })
	for _, tool := range workspaceTools(root) {
		if _, err := host.AddTool(tool); err != nil {
			return nil, err
		}
	}
	_, err := plan.Mount(host)
	return host, err
}

// newAgent makes the agent of a session with its model and its command.
func newAgent(ctx context.Context, opts options, host *loop.Host, log *filelog.Log) (agent *loop.Agent, remove func(), err error) {
	var model loop.Model = script{}
	if opts.endpoint != "" {
		model = endpoint{url: opts.endpoint, model: opts.model, key: os.Getenv(opts.keyEnv)}
	}
	agent, err = loop.New(ctx, host, log, model, &loop.Options{ReadOnly: opts.attach != ""})
	if err != nil || opts.attach != "" {
		return agent, func() {}, err
	}
	remove, err = host.AddCommand(planmode.Command{
		Name: "compact", Description: "Leave the conversation so far out of the requests to come.",
		Run: func(ctx context.Context, _ planmode.Agent, _ string) (string, error) {
			return "The conversation so far is left out from now on.", agent.Compact(ctx)
		},
	})
	return agent, remove, err
}
