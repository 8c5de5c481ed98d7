package report

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/agentplan/sdk/internal/finding"
)

// The parts of SARIF 2.1.0 (OASIS) that a run needs. A path is a URI reference relative
// to the module root, which consumers know as %SRCROOT%.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifMessage `json:"shortDescription"`
		HelpURI string       `json:"helpUri"`
	}
	// sarifInvocation tells a run that found nothing from one that could not be done.
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

const (
	homePage  = "https://github.com/agentplan/sdk"
	rulesPage = homePage + "/blob/main/docs/en/catalog-tools.md#rules"
)

func writeSARIF(w io.Writer, findings []finding.Finding, failed []finding.Failure) error {
	rules := finding.Rules()
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "verify-catalog", InformationURI: homePage}},
		Invocations: []sarifInvocation{{Successful: len(failed) == 0}},
		Results:     []sarifResult{},
	}
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{string(r), sarifMessage{situation(r)}, rulesPage})
	}
	for _, f := range failed {
		n := sarifNotification{Level: "error", Message: sarifMessage{f.Message}}
		if f.Path != "" {
			n.Locations = []sarifLocation{locate(f.Path, f.Line)}
		}
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, n)
	}
	for _, f := range findings {
		text := f.Message
		if f.Diff != "" {
			text += "\n" + f.Diff
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: string(f.Rule), RuleIndex: slices.Index(rules, f.Rule), Level: "error",
			Message:   sarifMessage{text},
			Locations: []sarifLocation{locate(f.Path, max(f.Line, 1))},
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// locate is a place in a file; line 0 means the whole file.
func locate(path string, line int) sarifLocation {
	at := sarifPhysical{Artifact: sarifArtifact{URI: uriReference(path), BaseID: "%SRCROOT%"}}
	if line > 0 {
		at.Region = &sarifRegion{line}
	}
	return sarifLocation{at}
}

// situation says in one sentence what a rule finds.
func situation(r finding.Rule) string {
	switch r {
	case finding.RegionStale:
		return "A generated section is not what the source gives."
	case finding.RegionMissing:
		return "A language lacks a generated section, or selects something else there."
	case finding.PageMissing:
		return "A page does not exist in every language."
	case finding.Marker:
		return "A marker of a generated section does not count."
	case finding.Selector:
		return "A selector is malformed or selects nothing."
	case finding.Unowned:
		return "A declaration with a directive is on no page."
	case finding.OwnedTwice:
		return "A declaration is selected twice in one language."
	case finding.Directive:
		return "A directive is unknown, malformed or out of place."
	case finding.DocMissing:
		return "A member of an entry has no doc comment."
	case finding.DocLink:
		return "A link in a doc comment leads nowhere."
	case finding.GenStale:
		return "Generated Go is not what the source gives."
	case finding.Structure:
		return "Pages of one name differ in their structure."
	case finding.Translation:
		return "The languages of a section are not confirmed to say the same."
	case finding.Prose:
		return "Text is not confirmed to agree with the source that it describes."
	case finding.Symbol:
		return "Inline code names what the module does not have."
	case finding.Declaration:
		return "A quoted declaration differs from the source."
	case finding.Fence:
		return "Code of a page does not compile, or a command of it does not exist."
	case finding.Link:
		return "A link leads to no file."
	case finding.Anchor:
		return "A fragment is no anchor of its page."
	case finding.Baseline:
		return "The baseline accepts what no longer occurs."
	}
	return ""
}
