package planmode_test

import (
	"strings"
	"testing"

	"github.com/agentplan/sdk/planmode"
	"github.com/google/go-cmp/cmp"
)

func TestParseConfig(t *testing.T) {
	for _, test := range []struct {
		name string
		raw  map[string]any
		want string // a part of the error; empty for none
	}{
		{"D01 missing", map[string]any{}, "section is missing: a string is needed"},
		{"D01 nil", nil, "section is missing: a string is needed"},
		{"D02 number", map[string]any{"section": 42}, "section is of type int: a string is needed"},
		{"D02 null", map[string]any{"section": nil}, "a string is needed"},
		{"D03 blank", map[string]any{"section": " \t\n\u00a0\ufeff"}, "section is blank: it must be a non-empty string"},
		{"D03 empty", map[string]any{"section": ""}, "section is blank"},
		{"D05 unknown key", map[string]any{"section": "x", "sections": "y"}, `unknown key "sections": the only key is section, a non-empty string`},
		{"D05 unknown key alone", map[string]any{"Section": "x"}, `unknown key "Section"`},
		{"D04 valid", map[string]any{"section": " Plan first. "}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := planmode.ParseConfig(test.raw)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				test.raw["section"] = "changed"
				if diff := cmp.Diff(planmode.Config{Section: " Plan first. "}, cfg); diff != "" {
					t.Error(diff)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := planmode.New(planmode.Config{Section: " "}, nil); err == nil || !strings.Contains(err.Error(), "section") {
		t.Errorf("a blank section gives %v", err)
	}
	if _, err := planmode.New(planmode.Config{Section: "x"}, &planmode.Options{MaxPlanBytes: -1}); err == nil {
		t.Error("a negative option is accepted")
	}
}
