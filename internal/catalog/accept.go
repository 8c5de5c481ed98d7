package catalog

import (
	"errors"

	"github.com/agentplan/sdk/internal/baseline"
	"github.com/agentplan/sdk/internal/finding"
)

// accept takes the findings that the module's baseline accepts out of the others. Where
// all was judged, it also reports what the baseline need not accept any more.
func (b *build) accept(judged bool) {
	base, err := baseline.Read(b.Settings)
	var failure finding.Failure
	if errors.As(err, &failure) {
		b.Failures = append(b.Failures, failure)
	}
	if base == nil {
		return
	}
	b.Findings, b.Accepted = base.Split(b.Settings, b.Findings)
	if judged && len(b.Failures) == 0 {
		base.Check(b.Settings, b.Accepted, b.accounts, &b.List)
	}
}

// accounts reports whether all findings are known that an entry of the baseline may accept.
func (b *build) accounts(e baseline.Entry) bool {
	return b.Scope == nil || b.Scope.All(e.Path, e.Rule)
}
