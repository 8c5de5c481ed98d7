package filelog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"sync"

	"github.com/agentplan/sdk/planmode/session"
)

// Log is the log of one session file. It is a [session.Log] and a [session.Watcher];
// other programs may append to the file at the same time. It keeps no file open between
// calls and needs no closing.
type Log struct {
	store  *Store
	id     string
	dir    string
	path   string
	writer chan struct{} // holds a token while a goroutine of this log appends

	mu    sync.Mutex
	state state
}

var (
	_ session.Log      = (*Log)(nil)
	_ session.Watcher  = (*Log)(nil)
	_ session.Rewinder = (*Log)(nil)
)

// state is what is known of the file.
type state struct {
	scan    scan
	info    os.FileInfo // of the file as it was scanned; nil before the first time
	fresh   bool        // whether scan tells all of the file that info is of
	witness []byte      // the last bytes before scan.solid
	rewinds uint64
}

// openLog returns the log of the session file at path, unread.
func (s *Store) openLog(id, path string) *Log {
	return &Log{
		store:  s,
		id:     id,
		dir:    filepath.Dir(path),
		path:   path,
		writer: make(chan struct{}, 1),
	}
}

// ID returns the id of the session.
func (l *Log) ID() string { return l.id }

// Path returns the path of the session file.
func (l *Log) Path() string { return l.path }

// Tip returns the position at which the file ends now.
func (l *Log) Tip(ctx context.Context) (int64, error) {
	now, err := l.look(ctx)
	if err != nil {
		return 0, fmt.Errorf("read session %s: %w", l.id, err)
	}
	return now.tip, nil
}

// Rewinds counts how often this log found that events it had read were gone: another
// program's append had failed half way, or the file was replaced. Whoever keeps a value
// folded from the log keeps this number with it, and folds anew when it has changed.
func (l *Log) Rewinds() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.rewinds
}

// view is a state of the file that a reader works from.
type view struct {
	tip     int64
	marks   []spot
	rewinds uint64
}

// mark returns the last spot at which reading can begin to get at position.
func (v view) mark(position int64) spot {
	i := sort.Search(len(v.marks), func(i int) bool { return v.marks[i].position > position })
	if i == 0 {
		return spot{}
	}
	return v.marks[i-1]
}

// look brings the state up to date with the file.
func (l *Log) look(ctx context.Context) (view, error) {
	if err := ctx.Err(); err != nil {
		return view{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(l.path)
	for try := 0; err == nil && !l.state.unchanged(info); try++ {
		var file *os.File
		if file, err = os.Open(l.path); err == nil {
			err = l.scan(ctx, file)
			_ = file.Close() // it was only read
		}
		// A line that was read while a torn tail was cut off and written over is no
		// damage: look again.
		was := info
		corrupt := (*session.CorruptError)(nil)
		if !errors.As(err, &corrupt) || try == maxTries {
			break
		}
		now, statErr := os.Stat(l.path)
		if statErr != nil || os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime()) {
			break
		}
		info, err = now, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", session.ErrNotExist, err)
	}
	if err != nil {
		return view{}, err
	}
	return l.view(), nil
}

func (l *Log) view() view {
	sc := &l.state.scan
	return view{tip: sc.tip.position, marks: sc.marks, rewinds: l.state.rewinds}
}

// unchanged reports whether the file is as it was when it was scanned.
func (st *state) unchanged(info os.FileInfo) bool {
	return st.fresh && os.SameFile(st.info, info) &&
		st.info.Size() == info.Size() && st.info.ModTime().Equal(info.ModTime())
}

// scan reads what is new in the file. It starts over if what it read before is no
// longer there. The caller holds mu.
func (l *Log) scan(ctx context.Context, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	st := &l.state
	st.fresh = false
	pass := st.scan
	pass.diverged = false
	if st.info == nil || !os.SameFile(st.info, info) || !st.attested(file) {
		pass = scan{path: l.path, known: l.store.set.knownTypes, diverged: true}
	}
	if err := pass.run(ctx, l.store.pieces(file, pass.solid.offset)); err != nil {
		return err
	}
	if name := pass.header.ID; name != l.id {
		err := fmt.Errorf("the header names session %q, the directory %q", name, l.id)
		return &session.CorruptError{File: l.path, Line: 1, Err: err}
	}
	witness, err := attest(file, pass.solid.offset)
	if err != nil {
		return err
	}
	pass.row = row{} // it shares memory with the last piece
	if st.info != nil && pass.diverged {
		st.rewinds++
	}
	st.scan, st.witness, st.info, st.fresh = pass, witness, info, true
	return nil
}

// witnessSize is how many bytes attest that a file is still the one that was read.
const witnessSize = 96

// attest returns the last bytes of the file before end.
func attest(file io.ReaderAt, end int64) ([]byte, error) {
	witness := make([]byte, min(end, witnessSize))
	_, err := file.ReadAt(witness, end-int64(len(witness)))
	if err == io.EOF && len(witness) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return witness, err
}

// attested reports whether the last bytes before solid are still there.
func (st *state) attested(file io.ReaderAt) bool {
	now, err := attest(file, st.scan.solid.offset)
	return err == nil && bytes.Equal(now, st.witness)
}

// Read yields the events from a position on. It does not hold up appends, and takes no
// lock that another program can see. A packed row of the original, which stands for
// several events, is yielded as these events, of type assistant/chunk.
func (l *Log) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		now, err := l.look(ctx)
		if err == nil && (from < 0 || from > now.tip) {
			err = fmt.Errorf("position %d of %d: %w", from, now.tip, session.ErrPosition)
		}
		if err == nil && from < now.tip {
			var goOn bool
			if goOn, err = l.read(ctx, now, from, yield); !goOn {
				return
			}
		}
		if err != nil {
			yield(session.Event{}, fmt.Errorf("read session %s: %w", l.id, err))
		}
	}
}

// read yields the events between from and the tip of now. The error is left to the
// caller to yield; goOn is false if yield returned false.
func (l *Log) read(ctx context.Context, now view, from int64, yield func(session.Event, error) bool) (goOn bool, err error) {
	file, err := os.Open(l.path)
	if err != nil {
		return true, err
	}
	defer file.Close()
	goOn = true
	next := from
	emit := func(e session.Event) bool {
		if next >= now.tip {
			return false
		}
		next++
		goOn = yield(e, nil)
		return goOn
	}
	start := now.mark(from)
	pass := scan{path: l.path, known: l.store.set.knownTypes, solid: start}
	pass.visit = func(_ []byte, r *row) bool {
		first := next - r.seq()
		switch {
		case first >= r.count():
			return true
		case r.chunks != nil:
			return r.chunks.events(int(first), emit) && next < now.tip
		}
		return emit(owned(r.event)) && next < now.tip
	}
	err = pass.run(ctx, l.store.pieces(file, start.offset))
	if !goOn || next == now.tip {
		return goOn, nil
	}
	if err == nil {
		return true, fmt.Errorf("position %d: events were taken back: %w", next, session.ErrPosition)
	}
	if _, lookErr := l.look(ctx); lookErr == nil && ctx.Err() == nil {
		err = fmt.Errorf("position %d: events were taken back: %w (%v)", next, session.ErrPosition, err)
	}
	return true, err
}

// owned returns the event with memory of its own.
func owned(e session.Event) session.Event {
	memory := make([]byte, len(e.Data)+len(e.SurfaceOp))
	n := copy(memory, e.Data)
	copy(memory[n:], e.SurfaceOp)
	e.Data = memory[:n:n]
	if e.SurfaceOp != nil {
		e.SurfaceOp = memory[n:]
	}
	return e
}
