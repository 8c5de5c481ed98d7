// Package parallel yields work that is done at the same time, and whose panics reach the
// one who waits for it: they then end a command as any other panic does, and not the
// process with a page of stacks.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Group is a set of tasks that run at the same time, each in a goroutine of its own. Its
// zero value is ready for use. It must not be copied.
type Group struct {
	tasks sync.WaitGroup
	first atomic.Pointer[Panic]
}

// Go starts a task.
func (g *Group) Go(task func()) {
	g.tasks.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.first.CompareAndSwap(nil, wrap(v))
			}
		}()
		task()
	})
}

// Wait returns when all tasks have. If one of them panicked, it panics with a [*Panic]
// instead; so does each further call.
func (g *Group) Wait() {
	g.tasks.Wait()
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}

// Each calls do with each index below n, in as many goroutines as the program has
// processors, and returns when all calls have. If one of them panics, no new ones are made
// and Each panics with a [*Panic].
func Each(n int, do func(i int)) {
	var next atomic.Int64
	var g Group
	for range min(n, runtime.GOMAXPROCS(0)) {
		g.Go(func() {
			for g.first.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	g.Wait()
}

// Panic is the panic of a task.
type Panic struct {
	Value any    // what the task panicked with
	Stack []byte // where, as [debug.Stack] says it
}

func wrap(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p // of a group within the task: where it began is of use
	}
	return &Panic{Value: v, Stack: debug.Stack()}
}

// String implements [fmt.Stringer].
func (p *Panic) String() string { return fmt.Sprint(p.Value) }
