package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

// openStore returns the store of the sessions.
func openStore(opts options, logger *slog.Logger) (*filelog.Store, error) {
	return filelog.New(filepath.Join(opts.dir, "sessions"), &filelog.Options{
		Compress: opts.compress,
		Logger:   logger,
	})
}

// openLog opens or creates the session that the options name.
func openLog(ctx context.Context, opts options, store *filelog.Store) (*filelog.Log, error) {
	var log session.Log
	var err error
	switch {
	case opts.resume != "":
		log, err = store.Open(ctx, opts.resume)
	case opts.attach != "":
		log, err = store.Open(ctx, opts.attach)
	default:
		id := opts.id
		if id == "" {
			id = strings.ToLower(rand.Text()[:8])
		}
		log, err = store.Create(ctx, session.Header{ID: id, Cwd: opts.workspace})
	}
	if errors.Is(err, session.ErrNotExist) {
		return nil, fmt.Errorf("%w; -list shows the sessions", err)
	}
	if err != nil {
		return nil, err
	}
	return log.(*filelog.Log), nil
}

// claim makes this process the one that runs the turns of a session, until release is
// called or the process ends in any way.
func claim(log *filelog.Log) (release func(), err error) {
	lock := flock.New(filepath.Join(filepath.Dir(log.Path()), "agent.lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("claim session %s: %w", log.ID(), err)
	}
	if !ok {
		return nil, fmt.Errorf("claim session %s: another process runs it; use -attach %s", log.ID(), log.ID())
	}
	return func() { _ = lock.Unlock() }, nil
}

// listSessions prints the sessions, one a line.
func listSessions(ctx context.Context, opts options, out io.Writer) error {
	store, err := openStore(opts, nil)
	if err != nil {
		return err
	}
	var faults []error
	for header, err := range store.List(ctx) {
		if err != nil {
			faults = append(faults, err)
			continue
		}
		fmt.Fprintf(out, "%s  %s  %s\n", visible(header.ID), header.CreatedAt.UTC().Format(time.DateTime), visible(header.Cwd))
	}
	return errors.Join(faults...)
}
