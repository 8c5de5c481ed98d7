package disk

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentplan/sdk/internal/parallel"
)

// Fact is a question and the answer that a run was given.
type Fact struct {
	Question
	Sum Sum
}

// Trace is all that a run saw, sorted.
type Trace []Fact

// Trace returns what was seen so far. Its error says why that does not decide a result.
func (r *Reader) Trace() (Trace, error) {
	r.mu.Lock()
	vague := r.vague
	r.mu.Unlock()
	if vague != "" {
		return nil, errors.New(vague)
	}
	return r.Seen(), nil
}

// Seen returns what was seen so far, also where that does not decide a result.
func (r *Reader) Seen() Trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(Trace, 0, len(r.facts))
	for q, sum := range r.facts {
		out = append(out, Fact{q, sum})
	}
	slices.SortFunc(out, func(a, b Fact) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return int(a.Kind) - int(b.Kind)
	})
	return out
}

// Add remembers facts that another trace has.
func (r *Reader) Add(t Trace) {
	for _, f := range t {
		r.remember(f.Kind, f.Path, f.Sum)
	}
}

// Holds asks everything again and reports whether every answer is as it was. It reads
// every byte of every file: no time and no size stands for content.
func (t Trace) Holds() bool {
	var next atomic.Int64
	var broken atomic.Bool
	var work parallel.Group
	for range min(runtime.GOMAXPROCS(0), len(t)/minShare+1) {
		work.Go(func() {
			a := asker{buf: make([]byte, 64<<10)}
			for !broken.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(t) {
					return
				}
				if sum, ok := a.answer(t[i].Question); !ok || sum != t[i].Sum {
					broken.Store(true)
				}
			}
		})
	}
	work.Wait()
	return !broken.Load()
}

// minShare is how many facts are worth a goroutine of their own.
const minShare = 64

// Newer returns the name of a file or directory of the trace that changed at a time or
// later, or whose time cannot tell; or "". Times of whole seconds stand for all of it.
func (t Trace) Newer(when time.Time) string {
	for _, f := range t {
		if f.Kind != Content && f.Kind != Listing || f.Sum == sumAbsent {
			continue
		}
		info, err := os.Stat(f.Path)
		if err != nil {
			return f.Path
		}
		changed := info.ModTime()
		if changed.Nanosecond() == 0 {
			changed = changed.Add(time.Second)
		}
		if !changed.Before(when) {
			return f.Path
		}
	}
	return ""
}

// Append appends the trace in the form that [ParseTrace] reads. Paths share what
// they have in common with the one before.
func (t Trace) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(t)))
	last := ""
	for _, f := range t {
		n := commonPrefix(last, f.Path)
		b = append(b, byte(f.Kind))
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendUvarint(b, uint64(len(f.Path)-n))
		b = append(b, f.Path[n:]...)
		b = append(b, f.Sum[:]...)
		last = f.Path
	}
	return b
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// errTrace is what is wrong with bytes that are no trace.
var errTrace = errors.New("no trace")

// ParseTrace reads a trace and returns the bytes behind it.
func ParseTrace(b []byte) (t Trace, rest []byte, err error) {
	count, b, ok := uvarint(b)
	if !ok || count > uint64(len(b)) { // a fact takes more than a byte
		return nil, nil, errTrace
	}
	t = make(Trace, 0, count)
	last := ""
	for range count {
		if len(b) == 0 {
			return nil, nil, errTrace
		}
		f := Fact{Question: Question{Kind: Kind(b[0])}}
		shared, b1, ok1 := uvarint(b[1:])
		size, b2, ok2 := uvarint(b1)
		if !ok1 || !ok2 || shared > uint64(len(last)) || size > uint64(len(b2)) || uint64(len(b2))-size < uint64(len(f.Sum)) {
			return nil, nil, errTrace
		}
		f.Path = last[:shared] + string(b2[:size])
		b = b2[size:]
		copy(f.Sum[:], b)
		b = b[len(f.Sum):]
		t = append(t, f)
		last = f.Path
	}
	return t, b, nil
}

func uvarint(b []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, false
	}
	return n, b[size:], true
}
