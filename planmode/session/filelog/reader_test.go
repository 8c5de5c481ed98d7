package filelog

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/agentplan/sdk/planmode/session"
)

// TestReadersBesideRecovery lets readers, who take no lock, open a session while torn
// tails are cut off and written over: none of what they read at such a moment is damage.
func TestReadersBesideRecovery(t *testing.T) {
	store := quiet(t, newStore(t, t.TempDir(), nil))
	l, err := store.Create(t.Context(), session.Header{ID: "s", Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	log := l.(*Log)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				var damage *session.CorruptError
				if _, err := store.Open(t.Context(), "s"); errors.As(err, &damage) {
					t.Errorf("open beside a recovery: %v", err)
					return
				}
			}
		})
	}
	for i := range 800 {
		tear(t, log.path, `{"type":"step/start","seq":`+strings.Repeat("1", 1+i%60))
		turn := int64(i + 1)
		if _, err := log.Append(t.Context(), session.Any, session.TurnStart(turn), session.TurnEnd(turn, "completed")); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
}

// tear appends the beginning of a line, as a writer does that dies.
func tear(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
