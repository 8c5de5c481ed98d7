package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentplan/sdk/docs/schema"
	"github.com/agentplan/sdk/internal/finding"
)

// samples are findings of every rule, and what is hard to write.
func samples() []finding.Finding {
	var out []finding.Finding
	for i, r := range finding.Rules() {
		out = append(out, finding.Finding{Path: "docs/en/a.md", Line: i + 1, Rule: r, Message: "it is not; mend it", Content: "c"})
	}
	return append(out,
		finding.Finding{Path: "docs/zh/指南 100%: a\"b#c?.md", Line: 1, Rule: finding.Link, Message: "<a> & \u2028 \x00 \ufffd {0} %41"},
		finding.Finding{Path: "a:b.md", Line: 1 << 40, Rule: finding.RegionStale, Message: "m", Diff: "--- a\n+++ b\n@@ -1 +1 @@\n-x\r\n+y\n"},
	)
}

func load(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid holds a document that was written against a schema.
func valid(s *jsonschema.Schema, data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

func TestSARIF(t *testing.T) {
	text, err := os.ReadFile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	s := load(t, text)
	for name, tt := range map[string]struct {
		findings []finding.Finding
		failed   []finding.Failure
	}{
		"nothing":  {},
		"findings": {findings: samples()},
		"failures": {samples(), []finding.Failure{{Message: "no module"}, {Path: "a b/c.go", Message: "m"}, {Path: "a.go", Line: 3, Message: "m"}}},
	} {
		var out bytes.Buffer
		if err := Write(&out, SARIF, tt.findings, tt.failed, false); err != nil {
			t.Fatal(err)
		}
		if err := valid(s, out.Bytes()); err != nil {
			t.Errorf("%s: %v\n%s", name, err, &out)
		}
		var log sarifLog
		if err := json.Unmarshal(out.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		run := log.Runs[0]
		if len(run.Results) != len(tt.findings) || len(run.Invocations[0].Notifications) != len(tt.failed) || run.Invocations[0].Successful != (len(tt.failed) == 0) {
			t.Errorf("%s: %d results, invocation %v", name, len(run.Results), run.Invocations[0])
		}
		for i, r := range run.Results {
			f := tt.findings[i]
			if r.RuleID != string(f.Rule) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Locations[0].Physical.Region.StartLine != f.Line {
				t.Errorf("%s: result %v of %v", name, r, f)
			}
		}
	}
	if err := valid(s, []byte(`{"version": "2.1.0", "runs": [{"results": []}]}`)); err == nil {
		t.Error("the schema takes a run without a tool")
	}
}

func TestJSON(t *testing.T) {
	s := load(t, []byte(schema.Findings()))
	for _, findings := range [][]finding.Finding{nil, samples()} {
		var out bytes.Buffer
		if err := Write(&out, JSON, findings, nil, false); err != nil {
			t.Fatal(err)
		}
		if err := valid(s, out.Bytes()); err != nil {
			t.Errorf("%v\n%s", err, &out)
		}
	}
	for _, bad := range []string{
		`{}`, `[{}]`,
		`[{"path": "a", "line": 0, "rule": "link", "message": "m"}]`,
		`[{"path": "a", "line": 1, "rule": "lnk", "message": "m"}]`,
		`[{"path": "a", "line": 1, "rule": "link", "message": "m", "diff": ""}]`,
		`[{"path": "a", "line": 1, "rule": "link", "message": "m", "more": 1}]`,
		`[{"path": "a", "line": 1, "rule": "link"}]`,
	} {
		if valid(s, []byte(bad)) == nil {
			t.Errorf("the schema takes %s", bad)
		}
	}
}

// The schema, and what SARIF says of rules, have all of them.
func TestRules(t *testing.T) {
	var doc struct {
		Items struct {
			Properties struct {
				Rule struct{ Enum []finding.Rule }
			}
		}
	}
	if err := json.Unmarshal([]byte(schema.Findings()), &doc); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(finding.Rules(), doc.Items.Properties.Rule.Enum); diff != "" {
		t.Errorf("rules of the schema (-want +got):\n%s", diff)
	}
	for _, r := range finding.Rules() {
		if situation(r) == "" {
			t.Errorf("nothing is said of the rule %s", r)
		}
	}
}
