package planmode_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
	"github.com/google/go-cmp/cmp"
)

// exported returns the names of the files in dir, with the last part of each as #.
func exported(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, regexp.MustCompile(`[0-9a-f]{12}\.md$`).ReplaceAllString(e.Name(), "#"))
	}
	return out
}

// exporting returns plan mode that asks for another revision each time and exports to dir.
func exporting(t testing.TB, dir string, log *bytes.Buffer) *planmode.PlanMode {
	t.Helper()
	return newPlanMode(t, &planmode.Options{
		Reviewer: answering(planmode.Revise, ""), PlanDir: dir, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
}

// TestC111Titles has plans of the same title in several scripts: each revision has a file
// of its own whose name can be read.
func TestC111Titles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "plans")
	var warned bytes.Buffer
	p, a := exporting(t, dir, &warned), newAgent(mode(true), start())
	for i, title := range []string{"计划", "计划", "План миграции", "خطة العمل", "Add `x` to y: part 2/3?", "🚀 Ship it", "!!!", "CON", "a\u202eb\u200dc"} {
		if r := exit(t, p, a, string(rune('a'+i)), "# "+title+"\n"); !r.IsError {
			t.Fatal(r)
		}
	}
	want := []string{
		"001-计划-#", "002-计划-#", "003-План-миграции-#", "004-خطة-العمل-#", "005-Add-x-to-y-part-2-3-#",
		"006-🚀-Ship-it-#", "007-#", "008-CON-#", "009-abc-#",
	}
	if diff := cmp.Diff(want, exported(t, dir)); diff != "" {
		t.Error(diff)
	}
	if warned.Len() > 0 {
		t.Error(warned.String())
	}
	// Another session has other files.
	b := agentOn(session.NewMemoryLog("other"))
	add(t, b, mode(true), start())
	exit(t, p, b, "c", "# 计划\n")
	if got := exported(t, dir); len(got) != 10 || !slices.Contains(got, "001-计划-#") {
		t.Errorf("files %q", got)
	}
}

// TestC115Exported holds that the SDK writes the plan when its review is opened, byte for
// byte, and that whoever answers it and Revisions know the file.
func TestC115Exported(t *testing.T) {
	const text = "\ufeff# Plan\r\n\r\nWith ``` in a line,\tand \"quotes\".\n"
	dir := t.TempDir()
	var seen string
	p := newPlanMode(t, &planmode.Options{
		PlanDir: dir, Gate: &planmode.Gate{}, // no tool may write
		Reviewer: reviewFunc(func(_ context.Context, r planmode.Review) (planmode.Verdict, error) {
			content, err := os.ReadFile(r.File)
			if err != nil || string(content) != text {
				t.Errorf("while the review waits the file has %q, %v", content, err)
			}
			seen = r.File
			return planmode.Verdict{}, planmode.ErrReviewPending
		}),
	})
	a := newAgent(mode(true), start())
	exit(t, p, a, "c", text)
	if seen == "" || seen != openReview(t, p, a).File || filepath.Dir(seen) != dir {
		t.Errorf("the file is %q, OpenReview says %q", seen, openReview(t, p, a).File)
	}
	for r, err := range p.Revisions(t.Context(), a) {
		if err != nil || r.File != seen {
			t.Errorf("revision has the file %q, %v", r.File, err)
		}
	}
	if runtime.GOOS != "windows" {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("the directory holds %v, %v", entries, err)
		}
	}
}

// TestExportRestores writes what is missing and leaves the rest as it is.
func TestExportRestores(t *testing.T) {
	ctx := context.Background()
	a := newAgent(mode(true), start())
	before := newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")})
	for _, id := range []string{"c1", "c2", "c3"} {
		exit(t, before, a, id, "# Plan\n\n"+id+"\n")
	}
	if paths, err := before.Export(ctx, a); err == nil {
		t.Errorf("without a directory Export returns %q", paths)
	}
	dir := t.TempDir()
	p := exporting(t, dir, new(bytes.Buffer))
	paths, err := p.Export(ctx, a)
	if err != nil || len(paths) != 3 {
		t.Fatal(paths, err)
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(paths[1], []byte("notes of the user"), 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := p.Export(ctx, a)
	if err == nil || !strings.Contains(err.Error(), "with other content") || len(again) != 2 {
		t.Errorf("Export returns %q, %v", again, err)
	}
	want := []string{"# Plan\n\nc1\n", "notes of the user", "# Plan\n\nc3\n"}
	for i, path := range paths {
		if content, err := os.ReadFile(path); err != nil || string(content) != want[i] {
			t.Errorf("%s has %q, %v", path, content, err)
		}
	}
}

// TestExportFailureHidesNothing exports to where nothing can be written: the review is held
// and the failure is logged.
func TestExportFailureHidesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var warned bytes.Buffer
	p := newPlanMode(t, &planmode.Options{
		Reviewer: answering(planmode.Approve, ""), PlanDir: filepath.Join(file, "plans"), Logger: slog.New(slog.NewTextHandler(&warned, nil)),
	})
	a := newAgent(mode(true), start())
	if r := exit(t, p, a, "c", plan); r.IsError {
		t.Error(r.Content)
	}
	for _, attr := range []string{"plan not exported", "agent=agent", "session=s", "review=", "revision=1", "path=", "error="} {
		if !strings.Contains(warned.String(), attr) {
			t.Errorf("no %s in %s", attr, warned.String())
		}
	}
}

// TestExportTouchesNothingElse holds that a link in the place of a file is not followed.
func TestExportTouchesNothingElse(t *testing.T) {
	dir := t.TempDir()
	a := newAgent(mode(true), start())
	exit(t, newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")}), a, "c", plan)
	p := exporting(t, dir, new(bytes.Buffer))
	paths, err := p.Export(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, paths[0]); err != nil {
		t.Skip(err)
	}
	if _, err := p.Export(t.Context(), a); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(target); !os.IsNotExist(err) {
		t.Errorf("the target of the link: %v", err)
	}
}

// TestExportIsDeterministic holds that two processes export to the same names.
func TestExportIsDeterministic(t *testing.T) {
	a := newAgent(mode(true), start())
	exit(t, newPlanMode(t, &planmode.Options{Reviewer: answering(planmode.Revise, "")}), a, "c", plan)
	var names [2][]string
	for i := range names {
		paths, err := exporting(t, t.TempDir(), new(bytes.Buffer)).Export(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			names[i] = append(names[i], filepath.Base(path))
		}
	}
	if diff := cmp.Diff(names[0], names[1]); diff != "" {
		t.Error(diff)
	}
}
