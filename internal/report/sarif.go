package report

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/agentplan/sdk/internal/finding"
)

// The parts of SARIF 2.1.0 (OASIS) that findings need. A path is a URI reference relative
// to the module root, which consumers know as %SRCROOT%.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID string `json:"id"`
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
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

func writeSARIF(w io.Writer, findings []finding.Finding) error {
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: "verify-catalog", Rules: []sarifRule{}}},
		Results: []sarifResult{},
	}
	for _, f := range findings {
		rule := sarifRule{string(f.Rule)}
		index := slices.Index(run.Tool.Driver.Rules, rule)
		if index < 0 {
			index = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
		}
		text := f.Message
		if f.Diff != "" {
			text += "\n" + f.Diff
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: rule.ID, RuleIndex: index, Level: "error",
			Message: sarifMessage{text},
			Locations: []sarifLocation{{sarifPhysical{
				Artifact: sarifArtifact{URI: uriReference(f.Path), BaseID: "%SRCROOT%"},
				Region:   sarifRegion{max(f.Line, 1)},
			}}},
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
