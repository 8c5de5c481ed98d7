package planmode_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/agentplan/sdk/planmode"
)

// BenchmarkWatchThousand brings all changes of a session of 100,000 events to a thousand
// subscribers, in a session where nearly every event makes one and in one where few do.
func BenchmarkWatchThousand(b *testing.B) {
	const subscribers, total = 1000, 100_000
	ctx := context.Background()
	long := events(b, longLog(b, total-1))
	for name, all := range map[string][]planmode.Change{"busy": nil, "quiet": nil} {
		b.Run(name, func(b *testing.B) {
			a := newAgent(append(long, mode(true))...)
			if name == "busy" {
				a = newAgent(busySession(total)...)
			}
			all = watchTo(ctx, b, newPlanMode(b, nil), a, 0, total)
			b.ReportAllocs()
			for b.Loop() {
				p := newPlanMode(b, nil)
				var done sync.WaitGroup
				for range subscribers {
					done.Go(func() {
						n := 0
						for c, err := range p.Watch(ctx, a, 0) {
							if err != nil || c.Position != all[n].Position || c.Index != all[n].Index {
								b.Errorf("change %d is %s, %v", n, told(c), err)
								return
							}
							if n++; n == len(all) {
								return
							}
						}
					})
				}
				done.Wait()
			}
			delivered := float64(b.N) * subscribers * float64(len(all))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/delivered, "ns/change")
		})
	}
}

// BenchmarkWatchAsleep measures what a subscriber that sleeps takes up.
func BenchmarkWatchAsleep(b *testing.B) {
	const subscribers = 1000
	a := newAgent(busySession(100_000)...)
	for b.Loop() {
		p := newPlanMode(b, nil)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		leave := asleep(b, p, a, subscribers)
		runtime.GC()
		runtime.ReadMemStats(&after)
		leave()
		b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/subscribers, "heap-B/subscriber")
	}
}

// BenchmarkSet sets plan mode while subscribers sleep.
func BenchmarkSet(b *testing.B) {
	for _, n := range []int{0, 1, 1000} {
		b.Run(fmt.Sprint(n, "-asleep"), func(b *testing.B) {
			p, a := newPlanMode(b, nil), newAgent(mode(true))
			leave := asleep(b, p, a, n)
			active := false
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Set(context.Background(), a, active); err != nil {
					b.Fatal(err)
				}
				active = !active
			}
			leave()
		})
	}
}
