package planmode_test

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/google/go-cmp/cmp"
)

// TestLogAttributes holds what is logged to the names that the package comment gives.
func TestLogAttributes(t *testing.T) {
	var out bytes.Buffer
	p := newPlanMode(t, &planmode.Options{Logger: slog.New(slog.NewJSONHandler(&out, nil)), Gate: &planmode.Gate{}})
	logged := func() map[string]any {
		t.Helper()
		defer out.Reset()
		line := map[string]any{}
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("%v in %s", err, out.Bytes())
		}
		delete(line, "time")
		return line
	}
	full := func() *testAgent {
		log := &faultyLog{Log: newLog(mode(true), start(), header())}
		log.fail(fault{0, errDisk})
		return agentOn(log)
	}
	disk := "disk is full"
	t.Run("boundary", func(t *testing.T) {
		a := full()
		add(t, agentOn(a.log.(*faultyLog).Log), event("plan/select", `{"active":false,"by":"user"}`))
		p.BeforeStep(context.Background(), a)
		want := map[string]any{"level": "WARN", "msg": "plan mode: step boundary not applied", "agent": "agent", "session": "s", "error": disk}
		if diff := cmp.Diff(want, logged()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("boundary without a log", func(t *testing.T) {
		p.BeforeStep(context.Background(), agentOn(nil))
		want := map[string]any{"level": "WARN", "msg": "plan mode: step boundary not applied", "agent": "agent", "error": "agent has no log"}
		if diff := cmp.Diff(want, logged()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("gate", func(t *testing.T) {
		wantRefused(t, p, full(), "write")
		want := map[string]any{"level": "WARN", "msg": "plan mode: refused tool call not logged", "agent": "agent", "session": "s", "tool": "write", "error": disk}
		if diff := cmp.Diff(want, logged()); diff != "" {
			t.Error(diff)
		}
		wantRefused(t, p, agentOn(unreadable{newLog()}), "write")
		if got := logged(); got["tool"] != "write" || got["session"] != "s" || got["error"] == nil {
			t.Errorf("logged %v", got)
		}
	})
}

// TestLogKeys looks for attributes in the source that the package comments do not name.
func TestLogKeys(t *testing.T) {
	seen := map[string]bool{}
	for dir, names := range map[string][]string{
		".":                                 {"session", "agent", "review", "revision", "seq", "tool", "path", "error"},
		filepath.Join("session", "filelog"): {"session", "seq", "path", "line", "bytes", "kept", "error"},
	} {
		doc, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.Contains(string(doc), "//   - "+name+": ") {
				t.Errorf("%s: the package comment does not name the attribute %s", dir, name)
			}
		}
		for _, key := range logKeys(t, dir) {
			seen[key] = true
			if !slices.Contains(names, key) {
				t.Errorf("%s: the attribute %q is logged and not documented", dir, key)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("nothing is logged")
	}
}

// logKeys returns the keys that calls of package slog in dir have, by its constants too.
func logKeys(t *testing.T, dir string) []string {
	t.Helper()
	files, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	var calls []ast.Expr
	constants := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if len(n.Values) == 1 && strings.HasPrefix(n.Names[0].Name, "log") {
					if text, ok := literal(n.Values[0]); ok {
						constants[n.Names[0].Name] = text
					}
				}
			case *ast.CallExpr:
				calls = append(calls, keysOf(n)...)
			}
			return true
		})
	}
	var keys []string
	for _, e := range calls {
		text, ok := literal(e)
		if id, isName := e.(*ast.Ident); isName {
			text, ok = constants[id.Name]
		}
		if !ok {
			t.Errorf("%s: a key of an attribute is neither a literal nor a constant", dir)
		}
		keys = append(keys, text)
	}
	return keys
}

// keysOf returns the keys of a call of slog or of a logger.
func keysOf(call *ast.CallExpr) []ast.Expr {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	on := ""
	switch x := f.X.(type) {
	case *ast.Ident:
		on = x.Name
	case *ast.SelectorExpr:
		on = x.Sel.Name
	}
	switch {
	case on == "slog" && slices.Contains([]string{"String", "Int", "Int64", "Uint64", "Bool", "Any", "Time", "Duration"}, f.Sel.Name):
		return call.Args[:1]
	case on == "logger" && slices.Contains([]string{"Warn", "Info", "Error", "Debug"}, f.Sel.Name):
		return pairs(call.Args[1:])
	case on == "logger" && strings.HasSuffix(f.Sel.Name, "Context"):
		return pairs(call.Args[2:])
	}
	return nil
}

// pairs returns the keys of arguments that are keys and values in turn.
func pairs(args []ast.Expr) []ast.Expr {
	var keys []ast.Expr
	for i := 0; i < len(args); i += 2 {
		keys = append(keys, args[i])
	}
	return keys
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
