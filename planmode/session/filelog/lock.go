package filelog

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/agentplan/sdk/planmode/session"
)

// The lock of another program cannot be waited for, only tried; it is tried at these
// intervals.
const (
	firstTry = 200 * time.Microsecond
	lastTry  = 20 * time.Millisecond
)

// lockDir takes the lock of a session directory, waiting until the context ends, and
// returns what releases it. The lock belongs to the process and ends with it.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	for wait := firstTry; ; wait = min(2*wait, lastTry) {
		locked, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock session: %w", err)
		}
		if locked {
			// Closing the file releases the lock even if unlocking fails.
			return func() { _ = lock.Unlock() }, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", session.ErrBusy, ctx.Err())
		case <-time.After(wait):
		}
	}
}
