package planmode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/agentplan/sdk/planmode/session/filelog"
)

var (
	killCount = flag.Int("kills", 0, "how many `times` TestKilledSession kills the host of a session; 0 means 20, or 8 with -short")
	killSeed  = flag.Uint64("kills.seed", 0, "seed of TestKilledSession; 0 means a random one")
)

// killsPerSession is how often a session is killed before it is ended in peace.
const killsPerSession = 10

// TestKilledSession kills programs that run a session with plan mode at random moments,
// and looks at what they leave: a host that runs turns alone, or with a desk beside it
// that answers reviews and switches plan mode. The next host resumes. The full run is
//
//	go test -run TestKilledSession -count=1 -v ./planmode -args -kills 200
//
// Sometimes the end of the file that nobody was promised is cut off as well, for the
// kernel seldom tears a small write. The choices follow from the seed; the moment at which
// a kill meets a process cannot be repeated.
func TestKilledSession(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGKILL")
	}
	kills, seed := *killCount, *killSeed
	if kills == 0 {
		kills = 20
		if testing.Short() {
			kills = 8
		}
	}
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var total tally
	for n := 0; total.hosts < kills && !t.Failed(); n++ {
		k := newKilled(t, random, &total, n)
		for range min(killsPerSession, (kills+1)/2, kills-total.hosts) {
			k.round(t)
		}
		k.end(t)
	}
	t.Logf("%d hosts and %d desks killed in %d sessions, the last write torn in %d cases; "+
		"acknowledged: %d events, %d results of exit_plan_mode, %d answers by Settle; in the logs: %d reviews, %d approved, %d notices, %d hand-offs",
		total.hosts, total.desks, total.sessions, total.tears, total.events, total.calls, total.settled, total.reviews, total.approved, total.notices, total.handoffs)
}

// tally counts what happened.
type tally struct {
	sessions, hosts, desks, tears int // hosts and desks that were killed, tails that were cut off
	events, calls, settled        int // acknowledged
	reviews, approved, notices    int // in the logs
	handoffs                      int // in the logs, complete
}

// killed is the course of one session whose processes are killed.
type killed struct {
	config   memberConfig
	random   *rand.Rand
	total    *tally
	store    *filelog.Store
	notes    []note
	solid    int64 // where the acknowledged events end
	checked  int64 // where they ended at the last check
	follower *planmode.PlanMode
	followed *testAgent // nil before there is a session; it lives through all kills
}

func newKilled(t *testing.T, random *rand.Rand, total *tally, n int) *killed {
	k := &killed{
		config: memberConfig{Dir: t.TempDir(), Session: fmt.Sprint("s", n), Compress: n%2 == 1},
		random: random, total: total, follower: newPlanMode(t, nil),
	}
	total.sessions++
	var err error
	k.store, err = filelog.New(k.config.Dir, &filelog.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// running is a member in a process of its own.
type running struct {
	memberConfig
	cmd *exec.Cmd
	out io.ReadCloser
}

// start starts a host or a desk.
func (k *killed) start(t *testing.T, desk bool) *running {
	t.Helper()
	r := &running{memberConfig: k.config}
	r.Desk, r.Seed = desk, k.random.Uint64()
	r.Name = fmt.Sprint("h", k.total.hosts)
	if desk {
		r.Name = fmt.Sprint("d", k.total.desks)
	}
	r.Journal = filepath.Join(k.config.Dir, r.Name+".notes")
	raw, err := json.Marshal(r.memberConfig)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(self)
	r.cmd.Env = append(os.Environ(), memberEnv+"="+string(raw), "GORACE=halt_on_error=1")
	r.cmd.Stderr = os.Stderr
	if r.out, err = r.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it may have ended
		_ = r.cmd.Wait()
	})
	return r
}

// kill kills the process and returns what it has noted.
func (r *running) kill(t *testing.T) []note {
	t.Helper()
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Wait(); err == nil || r.cmd.ProcessState.ExitCode() >= 0 {
		t.Fatalf("%s ended by itself: %v", r.Name, err)
	}
	text, err := os.ReadFile(r.Journal)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var notes []note
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var n note
		if err := json.Unmarshal(line, &n); err != nil {
			t.Fatal(err)
		}
		if n.Kind == "fault" {
			t.Errorf("%s: %s", r.Name, n.Text)
		}
		notes = append(notes, n)
	}
	return notes
}

// round starts one or two processes, kills them and checks what is left.
func (k *killed) round(t *testing.T) {
	host := k.start(t, false)
	members := []*running{host}
	if k.total.hosts%2 == 1 {
		members = append(members, k.start(t, true))
	}
	k.await(t, host)
	k.follow(t)
	if k.random.IntN(2) == 0 {
		slices.Reverse(members)
	}
	var notes []note
	for i, r := range members {
		if i > 0 {
			time.Sleep(time.Duration(k.random.IntN(20)) * time.Millisecond)
		}
		notes = append(notes, r.kill(t)...)
		if r.Desk {
			k.total.desks++
		} else {
			k.total.hosts++
		}
	}
	k.notes = append(k.notes, notes...)
	k.follow(t)
	k.tear(t, notes)
	k.check(t)
}

// await returns when a random part of the host's life is over.
func (k *killed) await(t *testing.T, host *running) {
	t.Helper()
	jitter := time.Duration(k.random.IntN(4000)) * time.Microsecond
	if k.random.IntN(8) == 0 { // perhaps before it has the session
		time.Sleep(10 * jitter)
		return
	}
	// A host that nobody answers makes no more notes, so the time is limited, too.
	noted := make([]byte, 1+k.random.IntN(60))
	if _, err := io.ReadFull(host.out, noted[:1]); err != nil {
		t.Fatalf("%s makes no note: %v", host.Name, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.ReadFull(host.out, noted[1:]) // it ends with the process
	}()
	select {
	case <-done:
		time.Sleep(jitter)
	case <-time.After(250 * time.Millisecond):
	}
}

// follow reads the session as a client does that has it open all the time, also while
// others write.
func (k *killed) follow(t *testing.T) {
	t.Helper()
	if k.followed == nil {
		log, err := k.store.Open(t.Context(), k.config.Session)
		if errors.Is(err, session.ErrNotExist) {
			return
		}
		if err != nil {
			t.Fatalf("open while others write: %v", err)
		}
		k.followed = agentOn(log)
	}
	if _, err := k.follower.Get(t.Context(), k.followed); err != nil {
		t.Errorf("get while others write: %v", err)
	}
}

// tear cuts the file off behind all that was there at the last note of the processes that
// were killed, as if the last write had been torn.
func (k *killed) tear(t *testing.T, notes []note) {
	t.Helper()
	var kept int64
	for _, n := range notes {
		kept = max(kept, n.Size)
	}
	if k.followed == nil || kept == 0 || k.random.IntN(4) == 0 {
		return
	}
	path := k.followed.log.(*filelog.Log).Path()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() <= kept {
		return
	}
	if err := os.Truncate(path, kept+k.random.Int64N(info.Size()-kept)); err != nil {
		t.Fatal(err)
	}
	k.total.tears++
}
