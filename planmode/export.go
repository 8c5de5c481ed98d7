package planmode

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// planFile returns the path to which a review of the session is exported, "" for none.
func (p *PlanMode) planFile(sessionID string, r *Review) string {
	if p.opts.PlanDir == "" {
		return ""
	}
	return filepath.Join(p.opts.PlanDir, planFileName(sessionID, r))
}

// planFileName returns the name of the file of a review. It follows from the log alone,
// and no two reviews have the same: the end of the name is made of the ids of session and
// review.
func planFileName(sessionID string, r *Review) string {
	sum := sha256.Sum256([]byte(sessionID + "\x00" + r.ID))
	name := fmt.Sprintf("%03d-", r.Revision)
	if title := fileTitle(r.Title); title != "" {
		name += title + "-"
	}
	return name + hex.EncodeToString(sum[:6]) + ".md"
}

// Export writes each revision of the plan in the agent's log to [Options.PlanDir] that is
// not there yet, and returns the paths of all, oldest first. Revisions are exported when
// their reviews are opened, so that this is for a session whose directory was lost or
// set later. It goes on after a revision that cannot be written and returns all errors.
func (p *PlanMode) Export(ctx context.Context, agent Agent) ([]string, error) {
	if p.opts.PlanDir == "" {
		return nil, errors.New("export plan: no PlanDir is set")
	}
	var paths []string
	var errs []error
	for r, err := range p.Revisions(ctx, agent) {
		if err == nil {
			err = writeNew(r.File, []byte(r.Plan))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("export plan: %w", err))
			continue
		}
		paths = append(paths, r.File)
	}
	return paths, errors.Join(errs...)
}

// exportOpened exports a review that was just opened. Whatever goes wrong is logged and
// keeps nobody from reviewing, nor does a file system that hangs.
func (p *PlanMode) exportOpened(ctx context.Context, agent Agent, r *Review) {
	if r.File == "" {
		return
	}
	written := make(chan error, 1)
	go func() { written <- writeNew(r.File, []byte(r.Plan)) }()
	timer := time.NewTimer(p.opts.BoundaryTimeout)
	defer timer.Stop()
	var err error
	select {
	case err = <-written:
	case <-timer.C:
		err = fmt.Errorf("writing takes longer than %v", p.opts.BoundaryTimeout)
	}
	if err != nil {
		p.warn(ctx, agent, "plan not exported", slog.String(logReview, r.ID), slog.Int(logRevision, r.Revision),
			slog.String(logPath, r.File), slog.Any(logError, err))
	}
}

// writeNew makes a file that is there as a whole or not at all. One with the same content
// may be there already; any other is left alone and is an error.
func writeNew(path string, content []byte) error {
	if found, err := holds(path, content); found || err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make plan directory: %w", err)
	}
	temp := filepath.Join(dir, ".plan-"+rand.Text()+".tmp")
	defer os.Remove(temp)
	if err := writeSynced(temp, content); err != nil {
		return fmt.Errorf("write plan file: %w", err)
	}
	err := os.Link(temp, path)
	if err == nil {
		return nil
	}
	// Another process was first, or the file system has no links.
	if found, err := holds(path, content); found || err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("write plan file: %w", err)
	}
	return nil
}

// holds reports whether the file is there with that content. It is an error if something
// else is there.
func holds(path string, content []byte) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for plan file: %w", err)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("write plan file %s: what is there is no regular file", path)
	}
	now, err := os.ReadFile(path)
	switch {
	case err != nil:
		return false, fmt.Errorf("read plan file: %w", err)
	case !bytes.Equal(now, content):
		return false, fmt.Errorf("write plan file %s: %w with other content", path, fs.ErrExist)
	}
	return true, nil
}

func writeSynced(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
