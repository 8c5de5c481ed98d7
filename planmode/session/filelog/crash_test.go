package filelog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentplan/sdk/planmode/session"
)

// TestKilledWriter kills programs that append to a session at random moments, one or two
// at a time, 240 times (24 with -short), in plain and in zstd files. Half of them write
// slowly, so that the kill leaves a torn tail:
//
//	go test -run TestKilledWriter -count=1 -v ./planmode/session/filelog
//
// After each time the file opens; every event that was acknowledged is there; of a batch
// that was not, a prefix may be there; what was seen before is unchanged; and the session
// takes an append.
func TestKilledWriter(t *testing.T) {
	kills := 120
	if testing.Short() {
		kills = 12
	}
	for _, form := range []string{"raw", "zstd"} {
		t.Run(form, func(t *testing.T) {
			if form == "zstd" {
				t.Setenv("FILELOG_TEST_ZSTD", "1")
			}
			c := &crashes{store: newStore(t, t.TempDir(), &Options{Logger: discard()})}
			for n := 0; n < kills && !t.Failed(); {
				if n%12 == 0 { // a file is killed over and over, then the next one
					c.id, c.seen, c.acked = fmt.Sprintf("s%d", n), nil, map[string]int{}
				}
				n += c.round(t, n)
			}
			t.Logf("%d kills, %d events acknowledged, %d torn tails", kills, c.total, c.torn)
		})
	}
}

// crashes is the course of a session whose writers are killed.
type crashes struct {
	store *Store
	id    string
	seen  []string       // payloads that were in the log after the last kill
	acked map[string]int // events acknowledged by writer
	torn  int            // how often there was a tail to cut off
	total int
}

// round starts one or two writers, kills them, and checks what is left. It returns how
// many it killed.
func (c *crashes) round(t *testing.T, round int) int {
	var jobs []*job
	pace := []string{"fast", "slow"}[rand.IntN(2)]
	for w := range 1 + round%2 {
		jobs = append(jobs, startJob(t, "write", c.store.dir, c.id, fmt.Sprintf("%d-%d", round, w), pace))
	}
	first := make([]byte, 2)
	if rand.IntN(5) > 0 { // else it may die before or while it makes the session
		if _, err := io.ReadFull(jobs[0].out, first); err != nil || string(first) != "0\n" {
			t.Fatalf("a writer begins with %q, %v", first, err)
		}
	}
	time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
	for w, j := range jobs {
		if err := j.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(j.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.cmd.Wait(); err == nil || j.cmd.ProcessState.ExitCode() > 0 {
			t.Fatalf("a writer ended by itself: %v", err)
		}
		// What is said last may lack its line end.
		whole := string(said[:strings.LastIndexByte(string(said), '\n')+1])
		if acks := strings.Fields(whole); len(acks) > 0 {
			n, err := strconv.Atoi(acks[len(acks)-1])
			if err != nil {
				t.Fatal(err)
			}
			c.acked[fmt.Sprintf("%d-%d", round, w)] = n
			c.total += n
		}
	}
	c.check(t)
	return len(jobs)
}

func (c *crashes) check(t *testing.T) {
	log, err := c.store.open(t.Context(), c.id)
	if errors.Is(err, session.ErrNotExist) && len(c.acked) == 0 {
		return // killed before the session was made
	}
	if err != nil {
		t.Fatalf("open after a kill: %v", err)
	}
	if log.state.scan.torn != nil {
		c.torn++
	}
	events := readAll(t, log, 0)
	tip, err := log.Append(t.Context(), int64(len(events)), session.Event{Type: "plan/mode", Data: json.RawMessage(`{"active":true,"writer":"","n":0}`)})
	if err != nil || tip != int64(len(events))+1 {
		t.Fatalf("append after a kill: position %d, %v", tip, err)
	}
	events = readAll(t, mustOpen(t, c.store, c.id), 0)
	var now []string
	next := map[string]int{}
	for i, e := range events {
		var data struct {
			Writer string
			N      int
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if e.Seq != uint64(i) || data.Writer != "" && data.N != next[data.Writer] {
			t.Fatalf("event %d has seq %d and is number %d of writer %s, want %d", i, e.Seq, data.N, data.Writer, next[data.Writer])
		}
		next[data.Writer]++
		now = append(now, string(e.Data))
	}
	for writer, n := range c.acked {
		if next[writer] < n {
			t.Errorf("%d events of writer %s are there, %d were acknowledged", next[writer], writer, n)
		}
	}
	if len(now) < len(c.seen) || !slices.Equal(c.seen, now[:len(c.seen)]) {
		t.Errorf("the %d events after the kill before are no prefix of the %d now", len(c.seen), len(now))
	}
	c.seen = now
}
