package filelog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// job is this test binary running as another program.
type job struct {
	cmd *exec.Cmd
	out io.ReadCloser
	in  io.WriteCloser
}

// startJob runs a job on the sessions under dir.
func startJob(t *testing.T, name, dir string, args ...string) *job {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	j := &job{cmd: exec.Command(self, args...)}
	j.cmd.Env = append(os.Environ(), "FILELOG_TEST_JOB="+name, "FILELOG_TEST_DIR="+dir)
	j.cmd.Stderr = os.Stderr
	if j.out, err = j.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := j.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = j.cmd.Process.Kill() // it may have ended
		_ = j.cmd.Wait()
	})
	return j
}

func runJob(name, dir string, args []string) int {
	store, err := New(dir, &Options{Compress: os.Getenv("FILELOG_TEST_ZSTD") != "", Logger: discard()})
	if err == nil {
		switch name {
		case "write":
			if args[2] == "slow" {
				store.disk.write = writeSlowly
			}
			err = writeUntilKilled(store, args[0], args[1])
		case "append":
			err = appendOnce(store, args[0], args[1])
		case "hold":
			err = holdLock(store, args[0])
		default:
			err = errors.New("unknown job " + name)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "job", name+":", err)
		return 1
	}
	return 0
}

// writeUntilKilled appends batches to a session, which it makes if need be, and prints
// how many of its events are acknowledged.
func writeUntilKilled(store *Store, id, writer string) error {
	ctx := context.Background()
	log, err := store.Create(ctx, session.Header{ID: id, Cwd: "/p"})
	if errors.Is(err, session.ErrExist) {
		log, err = store.Open(ctx, id)
	}
	if err != nil {
		return err
	}
	fmt.Println(0)
	pad := strings.Repeat("pad ", 64<<10)
	for n := 0; ; {
		var batch []session.Event
		for range 1 + rand.IntN(6) {
			data := map[string]any{"active": true, "writer": writer, "n": n}
			if rand.IntN(12) == 0 {
				data["pad"] = pad[:rand.IntN(len(pad))]
			}
			encoded, err := json.Marshal(data)
			if err != nil {
				return err
			}
			batch = append(batch, session.Event{Type: "plan/mode", Data: encoded})
			n++
		}
		if _, err := log.Append(ctx, session.Any, batch...); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// writeSlowly writes in a few parts with pauses, so that a kill tears the write.
func writeSlowly(file *os.File, b []byte, offset int64) error {
	for len(b) > 0 {
		n := min(1+rand.IntN(len(b)), len(b))
		if _, err := file.WriteAt(b[:n], offset); err != nil {
			return err
		}
		b, offset = b[n:], offset+int64(n)
		time.Sleep(4 * time.Millisecond)
	}
	return nil
}

// appendOnce appends one turn/start.
func appendOnce(store *Store, id, turn string) error {
	number, err := strconv.ParseInt(turn, 10, 64)
	if err != nil {
		return err
	}
	log, err := store.Open(context.Background(), id)
	if err != nil {
		return err
	}
	_, err = log.Append(context.Background(), session.Any, session.TurnStart(number))
	return err
}

// holdLock holds the lock of a session until its input ends.
func holdLock(store *Store, id string) error {
	log, err := store.open(context.Background(), id)
	if err != nil {
		return err
	}
	unlock, err := lockDir(context.Background(), log.dir)
	if err != nil {
		return err
	}
	defer unlock()
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
