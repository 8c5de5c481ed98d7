package planmode_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session/filelog"
	"github.com/google/go-cmp/cmp"
)

// TestSamples folds sessions that the original harness wrote, at every prefix. Each line
// is the first position of a run of prefixes and what was known from there on.
func TestSamples(t *testing.T) {
	sess1 := []string{
		"0 off",
		"1 off announced=on",
		"2 on",
		"4 on turn",
		"7 on told=on turn",
		"15 on pending=off told=off turn", // the plan was approved
		"17 off told=off turn",
		"21 off told=off",
	}
	for _, test := range []struct {
		form, id string
		want     []string
	}{
		{"raw", "sess-1", sess1}, {"zstd", "sess-1", sess1},
		{"zstd", "torn", sess1},
		{"raw", "sess-2", sess1[:3]}, {"zstd", "sess-2", append(sess1[:3:3], "5 off")},
		{"zstd", "go-1", []string{"0 off", "1 on", "2 on turn", "3 on"}},
		{"zstd", "go-extradata", []string{"0 off", "1 on"}},
		{"zstd", "go-ign", []string{"0 off"}},
	} {
		t.Run(test.form+" "+test.id, func(t *testing.T) {
			ctx := context.Background()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("session/filelog/testdata/"+test.form)); err != nil {
				t.Fatal(err)
			}
			store, err := filelog.New(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			log, err := store.Open(ctx, test.id)
			if err != nil {
				t.Fatal(err)
			}
			var s planmode.Folded
			got := []string{"0 " + summary(s)}
			last := summary(s)
			for e, err := range log.Read(ctx, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if s, err = planmode.Fold(s, e); err != nil {
					t.Fatal(err)
				}
				if now := summary(s); now != last {
					got, last = append(got, fmt.Sprint(e.Seq+1, " ", now)), now
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if s, err := newPlanMode(t, nil).Get(ctx, agentOn(log)); err != nil {
				t.Errorf("state is %+v, %v", s, err)
			}
		})
	}
}
