package parallel

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// caught returns what do panics with, or nil.
func caught(do func()) (v any) {
	defer func() { v = recover() }()
	do()
	return nil
}

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		var calls, most, now atomic.Int64
		seen := make([]int, n)
		Each(n, func(i int) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			seen[i]++
			calls.Add(1)
		})
		for i, times := range seen {
			if times != 1 {
				t.Errorf("n=%d: index %d: %d calls", n, i, times)
			}
		}
		if limit := int64(runtime.GOMAXPROCS(0)); most.Load() > limit {
			t.Errorf("n=%d: %d at the same time, want at most %d", n, most.Load(), limit)
		}
	}
}

func TestEachPanics(t *testing.T) {
	cause := errors.New("out of luck")
	v := caught(func() {
		Each(100, func(i int) {
			if i == 10 {
				panic(cause)
			}
		})
	})
	p, ok := v.(*Panic)
	if !ok {
		t.Fatalf("Each panicked with %#v", v)
	}
	if p.Value != error(cause) || fmt.Sprint(p) != "out of luck" {
		t.Errorf("panic: %v", p.Value)
	}
	if !bytes.Contains(p.Stack, []byte("TestEachPanics")) {
		t.Errorf("the stack is not that of the task:\n%s", p.Stack)
	}
}

func TestGroup(t *testing.T) {
	var g Group
	var sum atomic.Int64
	for i := range 10 {
		g.Go(func() { sum.Add(int64(i)) })
	}
	g.Wait()
	if diff := cmp.Diff(int64(45), sum.Load()); diff != "" {
		t.Error(diff)
	}
	g.Wait() // again, with nothing to wait for
}

// The first panic counts, its stack is that of the task which panicked, and each Wait has it.
func TestGroupPanics(t *testing.T) {
	var g Group
	done := false
	g.Go(func() { Each(1, func(int) { innermost() }) })
	g.tasks.Wait()
	g.Go(func() { done = true })
	for range 2 {
		p, ok := caught(g.Wait).(*Panic)
		if !ok || p.Value != "inside" || !bytes.Contains(p.Stack, []byte("innermost")) {
			t.Errorf("panic: %#v", p)
		}
	}
	if !done {
		t.Error("Wait did not wait for the other task")
	}
}

func innermost() { panic("inside") }
