package planmode_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// blockingReviewer waits until it is answered or its context ends, and tells when it was
// asked.
type blockingReviewer struct {
	asked  chan planmode.Review
	answer chan planmode.Verdict
}

func newBlockingReviewer() *blockingReviewer {
	return &blockingReviewer{make(chan planmode.Review, 10), make(chan planmode.Verdict)}
}

func (b *blockingReviewer) Review(ctx context.Context, _ planmode.Agent, r planmode.Review) (planmode.Verdict, error) {
	b.asked <- r
	select {
	case v := <-b.answer:
		return v, nil
	case <-ctx.Done():
		return planmode.Verdict{}, ctx.Err()
	}
}

// calling runs the exit tool in the background within a turn, and returns its review and
// its result to come.
func calling(ctx context.Context, t *testing.T, p *planmode.PlanMode, a *testAgent, b *blockingReviewer) (planmode.Review, <-chan planmode.Result) {
	t.Helper()
	add(t, a, exitCall("c"))
	results := make(chan planmode.Result, 1)
	go func() { results <- p.ExitTool().Call(ctx, a, "c", planArgs(plan)) }()
	return <-b.asked, results
}

func TestExitWaits(t *testing.T) {
	bg := context.Background()
	verdict := func(d planmode.Decision, words string) planmode.Verdict {
		return planmode.Verdict{Decision: d, Feedback: words, SHA256: sha(plan)}
	}
	// logs are the kinds of log a call may wait on: one that can be watched and one that
	// cannot.
	logs := map[string]func() *testAgent{
		"watched": planning,
		"polled":  func() *testAgent { return agentOn(&faultyLog{Log: planning().log}) },
	}
	for kind, agent := range logs {
		t.Run("settled from another process "+kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBlockingReviewer()
				p, other, a := newPlanMode(t, &planmode.Options{Reviewer: b}), newPlanMode(t, nil), agent()
				review, results := calling(bg, t, p, a, b)
				if err := other.Settle(bg, agentOn(a.log), review.ID, verdict(planmode.Approve, "")); err != nil {
					t.Fatal(err)
				}
				if r := <-results; r.IsError {
					t.Error(r.Content)
				} else {
					add(t, a, exitResult("c", r))
				}
				p.BeforeStep(bg, a)
				if diff := cmp.Diff([]string{"mode on", "review open", "review approved", "mode off"}, kinds(t, a.log)); diff != "" {
					t.Error(diff)
				}
			})
		})
		t.Run("superseded by the user C071 "+kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBlockingReviewer()
				p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), agent()
				review, results := calling(bg, t, p, a, b)
				if got := set(t, newPlanMode(t, nil), a, false); got != planmode.Queued {
					t.Errorf("set gives %s", got)
				}
				wantRefusal(t, <-results, "void", "plan mode was left")
				var settled *planmode.SettledError
				if err := p.Settle(bg, a, review.ID, verdict(planmode.Approve, "")); !errors.As(err, &settled) || settled.State != planmode.ReviewSuperseded {
					t.Errorf("a later answer gives %v", err)
				}
			})
		})
	}
	t.Run("settled while the log cannot be read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			log := &gappyLog{MemoryLog: newLog(mode(true), start())}
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), agentOn(log)
			review, results := calling(bg, t, p, a, b)
			synctest.Wait()
			log.fails.Store(true)
			if err := newPlanMode(t, nil).Settle(bg, agentOn(log.MemoryLog), review.ID, verdict(planmode.Approve, "")); err != nil {
				t.Fatal(err)
			}
			if r := <-results; r.IsError || log.fails.Load() {
				t.Errorf("result %+v, the log is yet to fail: %v", r, log.fails.Load())
			}
		})
	})
	t.Run("C113 C081 state of a waiting review", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), planning()
			review, results := calling(bg, t, p, a, b)
			if diff := cmp.Diff(&review, openReview(t, p, a)); diff != "" {
				t.Error(diff)
			}
			b.answer <- verdict(planmode.Revise, "")
			<-results
			if r := openReview(t, p, a); r != nil {
				t.Errorf("review is %+v", r)
			}
		})
	})
	t.Run("a second call while one waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), planning()
			_, results := calling(bg, t, p, a, b)
			wantRefusal(t, p.ExitTool().Call(bg, a, "d", planArgs("no heading")), "already waiting", "revision 1")
			wantRefusal(t, newPlanMode(t, &planmode.Options{Reviewer: b}).ExitTool().Call(bg, a, "e", planArgs(plan)), "already waiting")
			b.answer <- verdict(planmode.Approve, "")
			if r := <-results; r.IsError {
				t.Error(r.Content)
			}
			if len(b.asked) > 0 {
				t.Error("a second review was asked")
			}
		})
	})
	t.Run("calls at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, q, a := newPlanMode(t, &planmode.Options{Reviewer: b}), newPlanMode(t, &planmode.Options{Reviewer: b}), planning()
			var wg sync.WaitGroup
			results := make(chan planmode.Result, 20)
			for i := range 20 {
				wg.Go(func() {
					tool := p.ExitTool()
					if i%2 == 0 {
						tool = q.ExitTool()
					}
					results <- tool.Call(bg, a, string(rune('a'+i)), planArgs(plan))
				})
			}
			b.answer <- verdict(planmode.Approve, "")
			wg.Wait()
			close(results)
			approved := 0
			for r := range results {
				if !r.IsError {
					approved++
				}
			}
			if approved != 1 || len(b.asked) != 1 {
				t.Errorf("%d approved, %d asked", approved, len(b.asked))
			}
		})
	})
	t.Run("D83 cancelled call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), planning()
			ctx, cancel := context.WithCancel(bg)
			_, results := calling(ctx, t, p, a, b)
			cancel()
			wantRefusal(t, <-results, "aborted")
			if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		})
	})
	t.Run("D83 the context reaches the reviewer", func(t *testing.T) {
		type key struct{}
		seen := make(chan any, 1)
		p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(ctx context.Context, r planmode.Review) (planmode.Verdict, error) {
			seen <- ctx.Value(key{})
			return planmode.Verdict{}, planmode.ErrDismissed
		})})
		p.ExitTool().Call(context.WithValue(bg, key{}, "v"), planning(), "c", planArgs(plan))
		if got := <-seen; got != "v" {
			t.Errorf("value is %v", got)
		}
	})
	t.Run("a reviewer that does not listen", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			asked := make(chan struct{})
			p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) {
				close(asked)
				<-release
				return planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}, nil
			})})
			a := planning()
			ctx, cancel := context.WithCancel(bg)
			results := make(chan planmode.Result)
			go func() { results <- p.ExitTool().Call(ctx, a, "c", planArgs(plan)) }()
			<-asked
			cancel()
			wantRefusal(t, <-results, "aborted")
			close(release)
			synctest.Wait()
			if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		})
	})
	t.Run("an answer returned after the end of the call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			asked := make(chan struct{})
			p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(ctx context.Context, r planmode.Review) (planmode.Verdict, error) {
				close(asked)
				<-ctx.Done()
				return planmode.Verdict{Decision: planmode.Approve, SHA256: r.SHA256}, nil
			})})
			a := planning()
			ctx, cancel := context.WithCancel(bg)
			results := make(chan planmode.Result)
			go func() { results <- p.ExitTool().Call(ctx, a, "c", planArgs(plan)) }()
			<-asked
			cancel()
			if r := <-results; r.IsError {
				t.Error(r.Content)
			}
			if diff := cmp.Diff([]string{"mode on", "review open", "review approved"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
		})
	})
	t.Run("Close while a review waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), planning()
			review, results := calling(bg, t, p, a, b)
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"mode on", "review open", "review aborted"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
			wantRefusal(t, <-results, "aborted")
			var settled *planmode.SettledError
			if err := p.Settle(bg, a, review.ID, verdict(planmode.Approve, "")); !errors.As(err, &settled) || settled.State != planmode.ReviewAborted {
				t.Errorf("a later answer gives %v", err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("Close that cannot record", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			log := &faultyLog{Log: planning().log}
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), agentOn(log)
			_, results := calling(bg, t, p, a, b)
			log.fail(fault{0, errDisk})
			if err := p.Close(); !errors.Is(err, errDisk) {
				t.Errorf("error is %v", err)
			}
			wantRefusal(t, <-results)
		})
	})
	t.Run("C061 without a limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), planning()
			_, results := calling(bg, t, p, a, b)
			time.Sleep(24 * time.Hour)
			if r := openReview(t, p, a); r == nil || r.State != planmode.ReviewWaiting {
				t.Errorf("review is %+v", r)
			}
			b.answer <- verdict(planmode.Approve, "")
			if r := <-results; r.IsError {
				t.Error(r.Content)
			}
		})
	})
	t.Run("C061 with a limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBlockingReviewer()
			p, a := newPlanMode(t, &planmode.Options{Reviewer: b, ReviewTimeout: time.Hour}), planning()
			_, results := calling(bg, t, p, a, b)
			time.Sleep(time.Hour - time.Second)
			if r := openReview(t, p, a); r == nil {
				t.Error("the review has ended too early")
			}
			r := <-results
			wantRefusal(t, r, "in time", "plan is kept", "stop here")
			add(t, a, exitResult("c", r))
			if diff := cmp.Diff([]string{"mode on", "review open", "review expired"}, kinds(t, a.log)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(on, state(t, p, a)); diff != "" {
				t.Error(diff)
			}
		})
	})
	t.Run("the reviewer answers late", func(t *testing.T) {
		log := planning().log
		other := newPlanMode(t, nil)
		p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(ctx context.Context, r planmode.Review) (planmode.Verdict, error) {
			if err := other.Settle(bg, agentOn(log), r.ID, verdict(planmode.Revise, "their words")); err != nil {
				t.Error(err)
			}
			return verdict(planmode.Approve, ""), nil
		})})
		wantRefusal(t, exit(t, p, agentOn(log), "c", plan), "their words")
	})
	t.Run("the reviewer parks late", func(t *testing.T) {
		log := planning().log
		other := newPlanMode(t, nil)
		p := newPlanMode(t, &planmode.Options{Reviewer: reviewFunc(func(ctx context.Context, r planmode.Review) (planmode.Verdict, error) {
			if err := other.Settle(bg, agentOn(log), r.ID, verdict(planmode.Approve, "")); err != nil {
				t.Error(err)
			}
			return planmode.Verdict{}, planmode.ErrReviewPending
		})})
		a := agentOn(log)
		if r := exit(t, p, a, "c", plan); r.IsError {
			t.Error(r.Content)
		}
		if diff := cmp.Diff([]string{"mode on", "review open", "review approved"}, kinds(t, log)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("C015 parked, resumed, superseded by a newer plan", func(t *testing.T) {
		p, a := newPlanMode(t, &planmode.Options{Reviewer: pendingReviewer()}), planning()
		r := exit(t, p, a, "c", plan)
		wantRefusal(t, r, "review is open", "revision 1")
		add(t, a, end())
		resumed := newPlanMode(t, &planmode.Options{Reviewer: pendingReviewer()})
		first := openReview(t, resumed, a)
		if first == nil || first.State != planmode.ReviewParked || first.Plan != plan {
			t.Fatalf("review is %+v", first)
		}
		add(t, a, start())
		wantRefusal(t, exit(t, resumed, a, "d", "# Second"), "review is open", "revision 2")
		var settled *planmode.SettledError
		if err := p.Settle(bg, a, first.ID, verdict(planmode.Approve, "")); !errors.As(err, &settled) || settled.State != planmode.ReviewSuperseded {
			t.Errorf("an answer to the first gives %v", err)
		}
	})
}

// gappyLog is a log whose next reading fails once it is told to.
type gappyLog struct {
	*session.MemoryLog
	fails atomic.Bool
}

func (l *gappyLog) Read(ctx context.Context, from int64) iter.Seq2[session.Event, error] {
	if l.fails.CompareAndSwap(true, false) {
		return unreadable{}.Read(ctx, from)
	}
	return l.MemoryLog.Read(ctx, from)
}

// stuckLog takes appends and never answers until the context ends.
type stuckLog struct {
	session.Log
	stuck atomic.Bool
}

func (l *stuckLog) Append(ctx context.Context, expect int64, events ...session.Event) (int64, error) {
	if !l.stuck.Load() {
		return l.Log.Append(ctx, expect, events...)
	}
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestCloseOnStuckLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBlockingReviewer()
		log := &stuckLog{Log: planning().log}
		p, a := newPlanMode(t, &planmode.Options{Reviewer: b}), agentOn(log)
		_, results := calling(context.Background(), t, p, a, b)
		log.stuck.Store(true)
		if err := p.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
		wantRefusal(t, <-results)
	})
}
