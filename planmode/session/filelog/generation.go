package filelog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/agentplan/sdk/planmode/session"
)

const (
	rawName  = "session.jsonl"
	zstdName = "session.jsonl.zstd"
	lockName = "session.lock"
)

// VersionError reports a session whose live file is of a format version that this
// package does not read. An older file beside it is out of date and not opened.
type VersionError struct {
	// File is the path of the live file.
	File string
	// Version is the format version in its name.
	Version int
}

// Error names the file and its version.
func (e *VersionError) Error() string {
	return fmt.Sprintf("%s: %v %d: this reads version 0", e.File, session.ErrVersion, e.Version)
}

// Unwrap returns [session.ErrVersion].
func (e *VersionError) Unwrap() error { return session.ErrVersion }

// fileVersion returns the format version that a file name stands for; ok is false if
// it is not the name of a session file.
func fileVersion(name string) (version int, ok bool) {
	if name == rawName || name == zstdName {
		return 0, true
	}
	name, ok = strings.CutPrefix(name, "session.v")
	if !ok {
		return 0, false
	}
	digits, ok := strings.CutSuffix(strings.TrimSuffix(name, ".zstd"), ".jsonl")
	if !ok {
		return 0, false
	}
	version, err := strconv.Atoi(digits)
	return version, err == nil && version > 0
}

// liveFile returns the path of the file in which the session of a directory lives. The
// error wraps session.ErrNotExist if there is none and is a *VersionError if a newer
// format has taken over.
func liveFile(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", session.ErrNotExist
	}
	if err != nil {
		return "", err
	}
	var live []string
	newest := -1
	for _, entry := range entries {
		version, ok := fileVersion(entry.Name())
		if !ok || version < newest {
			continue
		}
		if version > newest {
			newest, live = version, nil
		}
		live = append(live, filepath.Join(dir, entry.Name()))
	}
	switch {
	case newest < 0:
		return "", session.ErrNotExist
	case newest > 0:
		return "", &VersionError{File: live[0], Version: newest}
	case len(live) > 1:
		return "", fmt.Errorf("%s: both %s and %s: cannot tell which is live", dir, rawName, zstdName)
	}
	return live[0], nil
}
