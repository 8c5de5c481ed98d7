package planmode

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func quote(t *testing.T, plan string) json.RawMessage {
	t.Helper()
	plan = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\f", `\f`, "\x00", `\u0000`).Replace(plan)
	return json.RawMessage(`{"plan":"` + plan + `"}`)
}

func TestPlanAccepted(t *testing.T) {
	for name, test := range map[string]struct{ plan, title string }{
		"plain":                      {"# Title\n\ntext\n", "Title"},
		"title alone":                {"# Title", "Title"},
		"three blanks":               {"   # Title", "Title"},
		"tab after the mark":         {"#\tTitle", "Title"},
		"closing marks":              {"# Title ##  \n", "Title"},
		"BOM":                        {"\ufeff# Title", "Title"},
		"BOM and blank lines":        {"\ufeff\n \t\n# Title", "Title"},
		"blank lines":                {"\n\n   \n# Title", "Title"},
		"C109 CRLF":                  {"# T\r\nbody", "T"},
		"C109 CR":                    {"# T\rbody", "T"},
		"CR before":                  {"\r\r# T\rbody", "T"},
		"C111 other scripts":         {"# 计划\n", "计划"},
		"emoji":                      {"# 🚀", "🚀"},
		"inline":                     {"# A *b* `c` <i>d</i> &amp; \\# [e](x) ![f](y) <http://g.h>\n", "A b c d & # e f http://g.h"},
		"code keeps references":      {"# `&amp;`", "&amp;"},
		"white space":                {"# a \t  b\u00a0c", "a b c"},
		"long title":                 {"# " + strings.Repeat("[", 20000), strings.Repeat("[", 20000)},
		"C107 fences":                {"# T\n\n```go\na\n```\n\n````\n```\n````\n\n`````x\n````\n`````\n\n~~~\n```\n~~~\n", "T"},
		"fence closed by last line":  {"# T\n```\na\n```", "T"},
		"fence closed by longer one": {"# T\n```\na\n`````  ", "T"},
		"fence closed by its list":   {"# T\n\n- ```\n  a\n\ntext\n", "T"},
		"fence closed by next item":  {"# T\n\n- ```\n  a\n- b\n", "T"},
		"fence closed by its quote":  {"# T\n\n> ```\n> a\n\ntext\n", "T"},
		"list ends with last line":   {"# T\n\n- ```\n  a\nend", "T"},
		"item ends with last line":   {"# T\n\n- ```\n  a\n- b", "T"},
		"item ends with empty item":  {"# T\n\n- ```\n  a\n-", "T"},
		"quote ends with last line":  {"# T\n\n> ```\n> a\n***", "T"},
		"quote ends with blank line": {"# T\n\n> ```\n> a\n\n", "T"},
		"text that looks like one":   {"# T\n\n    ```\n    a\n", "T"},
		"backtick in info string":    {"# T\n\n``` a`b\n", "T"},
		"fence in HTML":              {"# T\n\n<!--\n```\n-->\n", "T"},
		"C105 unusual":               {"# T\n\n| a | b |\n|---|---|\n\n---\n\n## S\n\n<details>x</details>\n", "T"},
		"setext later":               {"# T\n\nx\n===\n", "T"},
	} {
		t.Run(name, func(t *testing.T) {
			got, fault := readPlan(quote(t, test.plan), 1<<20)
			if fault != "" {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(test.plan, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.title, planTitle(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlanRefused(t *testing.T) {
	deep := strings.Repeat("> ", maxNesting+50)
	for name, test := range map[string]struct {
		plan string
		want []string // parts of the message
	}{
		"D61 C097 empty":          {"", []string{"empty", "line 1"}},
		"C097 spaces":             {"  \t \n\n", []string{"empty"}},
		"C097 NBSP":               {"\u00a0", []string{"text that is no heading", "line 1"}},
		"C097 BOM":                {"\ufeff", []string{"empty"}},
		"C097 lone mark":          {"#", []string{"line 1", "no visible title"}},
		"lone mark and blanks":    {"\n#  \ntext", []string{"line 2", "no visible title"}},
		"marks alone":             {"# ##", []string{"no visible title"}},
		"invisible title":         {"# \u200b\u2060\u00ad", []string{"no visible title"}},
		"filler title":            {"# \u3164\u2800\ufe0f", []string{"no visible title"}},
		"comment title":           {"# <!-- x -->", []string{"no visible title"}},
		"reference title":         {"# &nbsp;&#8203;", []string{"no visible title"}},
		"empty link":              {"# [](x)", []string{"no visible title"}},
		"D61 text":                {"Do it.\n\n# T", []string{"text that is no heading", "line 1"}},
		"text on line 3":          {"\n\nDo it.", []string{"text that is no heading", "line 3"}},
		"no space":                {"#Title", []string{"text that is no heading"}},
		"seven marks":             {"####### T", []string{"text that is no heading"}},
		"escaped":                 {"\\# T", []string{"text that is no heading"}},
		"second BOM":              {"\ufeff\ufeff# T", []string{"text that is no heading"}},
		"form feed":               {"\f\n# T", []string{"line 1"}},
		"definition":              {"[a]: /x\n# T", []string{"text that is no heading", "line 1"}},
		"level 2":                 {"## T", []string{"a level-2 heading", "line 1"}},
		"level 6":                 {"\n###### T", []string{"a level-6 heading", "line 2"}},
		"setext":                  {"T\n===\n", []string{"setext heading", "line 1"}},
		"setext 2":                {"T\n---\n", []string{"level-2 setext heading", "line 1"}},
		"setext that looks atx":   {"#T\n===\n", []string{"setext heading"}},
		"front matter":            {"---\ntitle: x\n---\n\n# T", []string{"front matter", "line 1"}},
		"front matter CRLF":       {"---\r\ntitle: x\r\n---\r\n\r\n# T", []string{"front matter"}},
		"front matter TOML":       {"+++\ntitle = 1\n+++\n# T", []string{"front matter"}},
		"thematic break":          {"---\n# T", []string{"a thematic break"}},
		"fence":                   {"```markdown\n# T\n```", []string{"a code fence", "line 1"}},
		"tilde fence":             {"\n~~~\n# T\n~~~", []string{"a code fence", "line 2"}},
		"indented code":           {"    # T", []string{"an indented code block"}},
		"tab":                     {"\t# T", []string{"an indented code block"}},
		"BOM and indented code":   {"\ufeff    # T", []string{"an indented code block"}},
		"HTML":                    {"<h1>T</h1>", []string{"an HTML block"}},
		"comment":                 {"<!-- x -->\n# T", []string{"an HTML block"}},
		"list":                    {"- # T", []string{"a list"}},
		"quote":                   {"> # T", []string{"a block quote"}},
		"cut off":                 {"# T\n\n```go\nfunc", []string{"line 3", "never closed"}},
		"cut off with newline":    {"# T\n\n```go\nfunc\n\n", []string{"line 3", "never closed"}},
		"cut off at the fence":    {"# T\n\n```", []string{"line 3", "never closed"}},
		"cut off CRLF":            {"# T\r\n\r\n~~~\r\nx\r\n", []string{"line 3"}},
		"cut off CR":              {"# T\r\r~~~\rx\r", []string{"line 3"}},
		"cut off second":          {"# T\n```\na\n```\n~~~~\n~~~\n", []string{"line 5"}},
		"closing with info":       {"# T\n```\na\n``` x\n", []string{"line 2"}},
		"shorter closing":         {"# T\n````\na\n```\n", []string{"line 2"}},
		"cut off in list":         {"# T\n\n- ```\n  a\n", []string{"line 3"}},
		"cut off in list, blanks": {"# T\n\n- ```\n  a\n\n\n", []string{"line 3"}},
		"cut off in quote":        {"# T\n\n> ```\n> a", []string{"line 3"}},
		"cut off after BOM":       {"\ufeff\n# T\n```\n", []string{"line 3"}},
		"deep":                    {deep + "# T", []string{"a block quote"}},
		"NUL":                     {"# T\nx\x00y", []string{"line 2", "NUL"}},
		"beginning before fence":  {"T\n```\n", []string{"text that is no heading"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, fault := readPlan(quote(t, test.plan), 1<<20)
			for _, part := range test.want {
				if !strings.Contains(fault, part) {
					t.Errorf("message %q lacks %q", fault, part)
				}
			}
		})
	}
}

func TestPlanArguments(t *testing.T) {
	for name, test := range map[string]struct{ args, want string }{
		"none":             {``, "not a JSON object"},
		"null":             {`null`, "not a JSON object"},
		"not JSON":         {`{"plan":`, "not a JSON object"},
		"list":             {`["# T"]`, "not a JSON object"},
		"missing":          {`{}`, "plan is missing"},
		"other case":       {`{"Plan":"# T"}`, "plan is missing"},
		"number":           {`{"plan":4}`, "a number and not a string"},
		"plan null":        {`{"plan":null}`, "null and not a string"},
		"plan object":      {`{"plan":{}}`, "an object and not a string"},
		"plan list":        {`{"plan":[]}`, "a list and not a string"},
		"plan boolean":     {`{"plan":true}`, "a boolean and not a string"},
		"invalid UTF-8":    {"{\"plan\":\"# T\\n\\nx\xff\"}", "line 3 is not valid UTF-8"},
		"half a pair":      {`{"plan":"# T\r\ud83dx"}`, "line 2 is not valid UTF-8"},
		"half a pair last": {`{"plan":"# T\ude00"}`, "line 1 is not valid UTF-8"},
		"two halves":       {`{"plan":"# T\ud83d\u0041"}`, "line 1 is not valid UTF-8"},
		"too long":         {`{"plan":"# T\n` + strings.Repeat("x", 30) + `"}`, "34 bytes and the limit is 32, which is reached on line 2"},
		"escapes":          {`{"plan":"\u0023 \"\\\/\b\f\t\ud83d\ude00", "more":1}`, ""},
		"as long as can":   {`{"plan":"# ` + strings.Repeat("x", 30) + `"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			plan, fault := readPlan(json.RawMessage(test.args), 32)
			if test.want == "" {
				if fault != "" {
					t.Fatal(fault)
				}
				var want struct{ Plan string }
				if err := json.Unmarshal([]byte(test.args), &want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.Plan, plan); diff != "" {
					t.Error(diff)
				}
				return
			}
			if !strings.Contains(fault, test.want) {
				t.Errorf("message %q lacks %q", fault, test.want)
			}
		})
	}
}

func FuzzPlan(f *testing.F) {
	for _, seed := range []string{
		"# T", "\ufeff# T\r\n```\n", "# <a>&#0;", "- > 1. ```\n# x", "---\n+++\n---", "# [a](b \"c\") ![d][e]", "> ```\n>\n", "\t#\t\v#",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, plan string) {
		raw, err := json.Marshal(map[string]string{"plan": plan})
		if err != nil {
			t.Fatal(err)
		}
		got, fault := readPlan(raw, 1<<16)
		if fault != "" {
			planTitle(plan)
			return
		}
		if utf8.ValidString(plan) && got != plan {
			t.Errorf("plan became %q", got)
		}
		if planTitle(got) == "" {
			t.Error("an accepted plan has no title")
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"plan":"# T\ud83d\ude00"}`))
	f.Add([]byte("{\"plan\":\"\xff\\u12\"}"))
	f.Fuzz(func(_ *testing.T, args []byte) {
		readPlan(args, 1<<16)
	})
}
