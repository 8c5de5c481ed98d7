package cli

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentplan/sdk/internal/cache"
	"github.com/agentplan/sdk/internal/disk"
	"github.com/agentplan/sdk/internal/gotool"
	"github.com/agentplan/sdk/internal/settings"
)

// envDebug names the environment variable that makes a run say on standard error what it
// had from the cache.
const envDebug = "CATALOG_CACHE_DEBUG"

// exitCode ends a run that has said everything.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// replayed does the work of a command with the arguments of the command line. Where
// everything that an earlier run of the same command looked at is as it was then, what it
// said is said again, byte for byte, and nothing is done. A run that wrote something is
// never said again.
func replayed(cmd *cobra.Command, args []string, flags *settings.Flags, work func(*cobra.Command) error) error {
	m := remember(cmd, args, flags)
	if m == nil {
		return work(cmd)
	}
	if code, ok := m.replay(); ok {
		return code
	}
	cmd.SetOut(&tee{m, stdout, m.out})
	cmd.SetErr(&tee{m, stderr, m.err})
	code := conclude(cmd, work(cmd))
	cmd.SetOut(m.out)
	cmd.SetErr(m.err)
	m.keep(code)
	return exitCode(code)
}

// memory is what is kept of one run.
type memory struct {
	cmd      *cobra.Command
	cache    *cache.Cache
	key      cache.Key
	disk     *disk.Reader
	out, err io.Writer

	said   []chunk
	broken bool // something could not be said
}

// chunk is what was written to one of the two outputs, in the order of writing.
type chunk struct {
	to   byte
	text []byte
}

// remember begins to remember a run, or returns nil where there is no cache. From then on
// the settings that are made of the flags use the cache.
func remember(cmd *cobra.Command, args []string, flags *settings.Flags) *memory {
	c := openCache(cmd, flags)
	dir, err := os.Getwd()
	if c == nil || err != nil {
		return nil
	}
	m := &memory{cmd: cmd, cache: c, disk: disk.New(), out: cmd.OutOrStdout(), err: cmd.ErrOrStderr()}
	flags.Cache, flags.Disk = c, m.disk
	parts := []string{"run", cmd.Name(), dir, fmt.Sprint(colored(m.out), colored(m.err))}
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "GIT_") {
			parts = append(parts, kv)
		}
	}
	slices.Sort(parts[4:])
	parts = append(parts, gotool.Environment()...)
	m.key = c.Key(append(parts, args...)...)
	return m
}

// openCache opens the user's cache unless it is not wanted. A cache that cannot be used is
// no fault.
func openCache(cmd *cobra.Command, flags *settings.Flags) *cache.Cache {
	if flags.NoCache {
		return nil
	}
	c, err := cache.Open()
	if err != nil {
		debugCache(cmd, "not used: %v", err)
		return nil
	}
	return c
}

// replay says what the earlier run said, if there was one and it would say the same.
func (m *memory) replay() (exitCode, bool) {
	data, ok := m.cache.Get(m.key)
	if !ok {
		debugCache(m.cmd, "nothing is kept of such a run")
		return 0, false
	}
	trace, text, err := disk.ParseTrace(data)
	if err != nil {
		return 0, false
	}
	run, ok := parseEnding(text)
	if !ok {
		return 0, false
	}
	if !trace.Holds() {
		debugCache(m.cmd, "something has changed")
		return 0, false
	}
	debugCache(m.cmd, "replayed")
	for _, c := range run.said {
		w := m.out
		if c.to == stderr {
			w = m.err
		}
		if _, err := w.Write(c.text); err != nil {
			return exitFailed, true
		}
	}
	return exitCode(run.code), true
}

// The two outputs in what is kept.
const (
	stdout byte = 1
	stderr byte = 2
)

// ending is how a run ended.
type ending struct {
	code int
	said []chunk
}

func (e ending) append(b []byte) []byte {
	b = append(b, byte(e.code))
	for _, c := range e.said {
		b = binary.AppendUvarint(append(b, c.to), uint64(len(c.text)))
		b = append(b, c.text...)
	}
	return b
}

func parseEnding(b []byte) (e ending, ok bool) {
	if len(b) == 0 || b[0] > exitFailed {
		return e, false
	}
	e.code = int(b[0])
	for b = b[1:]; len(b) > 0; {
		to := b[0]
		size, n := binary.Uvarint(b[1:])
		if n <= 0 || size > uint64(len(b)-1-n) || to != stdout && to != stderr {
			return e, false
		}
		b = b[1+n:]
		e.said = append(e.said, chunk{to, b[:size]})
		b = b[size:]
	}
	return e, true
}

// keep keeps a run that is over.
func (m *memory) keep(code int) {
	trace, err := m.disk.Trace()
	if err == nil && (m.broken || m.cmd.Context().Err() != nil) {
		err = errors.New("it was not said to its end")
	}
	if err == nil {
		err = m.cache.Put(m.key, ending{code, m.said}.append(trace.Append(nil)))
	}
	if err != nil {
		debugCache(m.cmd, "not kept: %v", err)
	}
}

func debugCache(cmd *cobra.Command, format string, args ...any) {
	if os.Getenv(envDebug) != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: cache: %s\n", cmd.Name(), fmt.Sprintf(format, args...))
	}
}

// tee writes to an output and remembers what was written.
type tee struct {
	m  *memory
	to byte
	io.Writer
}

// Write implements [io.Writer].
func (t *tee) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	if err != nil || n < len(p) {
		t.m.broken = true
		return n, err
	}
	if last := len(t.m.said) - 1; last >= 0 && t.m.said[last].to == t.to {
		t.m.said[last].text = append(t.m.said[last].text, p...)
	} else {
		t.m.said = append(t.m.said, chunk{t.to, bytes.Clone(p)})
	}
	return n, err
}
