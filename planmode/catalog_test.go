package planmode_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/gen/catalog"
	"github.com/agentplan/sdk/planmode"
	"github.com/agentplan/sdk/planmode/session"
)

// What runs must be what the catalog says: the names and values below are those of the
// running code, the catalog's are taken from the source.

func TestCatalogEvents(t *testing.T) {
	for name, surface := range map[string]catalog.Surface{
		planmode.EventMode: catalog.LogOnly, planmode.EventSelect: catalog.LogOnly, planmode.EventReview: catalog.LogOnly,
		planmode.EventRefusal: catalog.LogOnly,
	} {
		e, ok := catalog.EventByName(catalog.EventName(name))
		if !ok || e.Surface != surface {
			t.Errorf("event %s: in the catalog %v, surface %q, want %q", name, ok, e.Surface, surface)
		}
	}
}

func TestCatalogConfigKeys(t *testing.T) {
	c, ok := catalog.ConfigByName(catalog.ConfigPlanMode)
	if !ok || len(c.Keys) == 0 {
		t.Fatalf("no configuration %s in the catalog", catalog.ConfigPlanMode)
	}
	var keys []string
	for _, k := range c.Keys {
		keys = append(keys, k.Name)
	}
	raw := map[string]any{}
	text, err := json.Marshal(planmode.Config{Section: "guidance"})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	if len(raw) != len(keys) {
		t.Errorf("the configuration has %d keys, the catalog %v", len(raw), keys)
	}
	if _, err := planmode.ParseConfig(raw); err != nil {
		t.Errorf("ParseConfig of every key: %v", err)
	}
}

func TestCatalogOutcomes(t *testing.T) {
	want := []planmode.Outcome{planmode.Committed, planmode.Queued, planmode.Cancelled, planmode.Noop}
	typ, ok := catalog.TypeByName(catalog.TypeOutcome)
	if !ok {
		t.Fatal("no type Outcome in the catalog")
	}
	var got []planmode.Outcome
	for _, c := range typ.Constants {
		got = append(got, planmode.Outcome(c.Value))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-running +catalog):\n%s", diff)
	}
}

func TestCatalogTool(t *testing.T) {
	p, err := planmode.New(planmode.Config{Section: "guidance"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tool := p.ExitTool()
	entry, ok := catalog.ToolByName(catalog.ToolName(tool.Name))
	if !ok {
		t.Fatalf("no tool %s in the catalog", tool.Name)
	}
	var got, want any
	if err := json.Unmarshal(tool.Schema, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(entry.Schema), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema of the arguments (-running +catalog):\n%s", diff)
	}
}

func TestCatalogCommandAndSection(t *testing.T) {
	p, err := planmode.New(planmode.Config{Section: "guidance"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	command := p.Command()
	entry, ok := catalog.CommandByName(catalog.CommandName(command.Name))
	if want := "/" + command.Name + " " + command.Hint; !ok || entry.Usage != want {
		t.Errorf("command %s: usage %q in the catalog, want %q", command.Name, entry.Usage, want)
	}
	section, ok := catalog.SectionByName(catalog.SectionName(planmode.SectionName))
	if !ok || section.Order != planmode.SectionOrder {
		t.Errorf("section %s: order %d in the catalog, want %d", planmode.SectionName, section.Order, planmode.SectionOrder)
	}
}

// TestCatalogReviewStates compares the states that a review can have.
func TestCatalogReviewStates(t *testing.T) {
	typ, ok := catalog.TypeByName(catalog.TypeReviewState)
	if !ok {
		t.Fatal("no type ReviewState in the catalog")
	}
	var got []string
	for _, c := range typ.Constants {
		got = append(got, c.Value)
	}
	slices.Sort(got)
	want := []string{
		string(planmode.ReviewAborted), string(planmode.ReviewApproved), string(planmode.ReviewDismissed), string(planmode.ReviewExpired),
		string(planmode.ReviewParked), string(planmode.ReviewRevise), string(planmode.ReviewSuperseded), string(planmode.ReviewWaiting),
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("review states (-running +catalog):\n%s", diff)
	}
}

// TestCatalogDecisions holds D80: an answer is one of the decisions that the catalog
// offers, and the catalog offers none that is refused.
func TestCatalogDecisions(t *testing.T) {
	typ, ok := catalog.TypeByName(catalog.TypeDecision)
	if !ok {
		t.Fatal("no type Decision in the catalog")
	}
	known := func(d planmode.Decision) bool {
		p := newPlanMode(t, &planmode.Options{ApprovalNotes: true, Sessions: session.NewMemoryStore()})
		a, r := parked(t, p)
		err := p.Settle(context.Background(), a, r.ID, planmode.Verdict{Decision: d, SHA256: r.SHA256})
		return err == nil || !strings.Contains(err.Error(), "unknown decision")
	}
	approves := false
	for _, c := range typ.Constants {
		d := planmode.Decision(c.Value)
		approves = approves || d == planmode.Approve
		if !known(d) {
			t.Errorf("the decision %q of the catalog is unknown", d)
		}
	}
	if !approves || known("Approve") || known("") {
		t.Error("the decisions of the catalog are not those that are accepted")
	}
}
