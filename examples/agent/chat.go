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
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// chat runs a session with the user until the input ends or the user quits.
func chat(ctx context.Context, opts options, stdin io.Reader, stdout, stderr io.Writer, signals <-chan os.Signal) error {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	root, err := openWorkspace(&opts)
	if err != nil {
		return err
	}
	defer root.Close()
	log, err := openLog(ctx, opts, logger)
	if err != nil {
		return err
	}
	console := newConsole(stdin, stdout)
	questions := make(chan *question)
	plan, err := newPlanMode(opts, reviewer{questions}, logger)
	if err != nil {
		return err
	}
	if opts.attach == "" {
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
			console.print("The last turn was cut off; it is closed now.")
		}
	}
	host := new(loop.Host)
	agent, err := newAgent(ctx, opts, host, plan, log, root)
	if err != nil {
		return err
	}
	u := &ui{
		console: console, view: &view{console: console, log: log},
		plan: plan, host: host, agent: agent, log: log, attached: opts.attach != "",
		questions: questions, signals: signals,
		turns: make(chan error, 1), changes: make(chan struct{}, 1), watching: make(chan error, 1),
	}
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

// newPlanMode makes plan mode with a reviewer that asks the user and a gate that lets the
// tools run which only look.
func newPlanMode(opts options, reviewer planmode.Reviewer, logger *slog.Logger) (*planmode.PlanMode, error) {
	return planmode.New(planmode.Config{Section: guidance}, &planmode.Options{
		Reviewer: reviewer,
		Logger:   logger,
		PlanDir:  opts.plans,
		Gate:     &planmode.Gate{Allow: []string{"list_files", "read_file"}},
	})
}

// newAgent puts the agent together: the host, what is registered with it, the model.
func newAgent(ctx context.Context, opts options, host *loop.Host, plan *planmode.PlanMode, log *filelog.Log, root *os.Root) (*loop.Agent, error) {
	host.AddSection("identity", 0, func(context.Context, planmode.Agent) (string, error) { return identity, nil })
	for _, tool := range workspaceTools(root) {
		if _, err := host.AddTool(tool); err != nil {
			return nil, err
		}
	}
	if _, err := plan.Mount(host); err != nil {
		return nil, err
	}
	var model loop.Model = script{}
	if opts.endpoint != "" {
		model = endpoint{url: opts.endpoint, model: opts.model, key: os.Getenv(opts.keyEnv)}
	}
	agent, err := loop.New(ctx, host, log, model, &loop.Options{ReadOnly: opts.attach != ""})
	if err != nil {
		return nil, err
	}
	if opts.attach != "" {
		return agent, nil
	}
	_, err = host.AddCommand(planmode.Command{
		Name: "compact", Description: "Leave the conversation so far out of the requests to come.",
		Run: func(ctx context.Context, _ planmode.Agent, _ string) (string, error) {
			return "The conversation so far is left out from now on.", agent.Compact(ctx)
		},
	})
	return agent, err
}
