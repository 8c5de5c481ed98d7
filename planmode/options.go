package planmode

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// complete checks the options and fills in the defaults.
func (o *Options) complete() error {
	if o.MaxPlanBytes < 0 || o.BoundaryTimeout < 0 || o.ReviewTimeout < 0 || o.MaxInvalidExits < 0 {
		return errors.New("an option is negative")
	}
	if o.MaxPlanBytes == 0 {
		o.MaxPlanBytes = DefaultMaxPlanBytes
	}
	if o.BoundaryTimeout == 0 {
		o.BoundaryTimeout = DefaultBoundaryTimeout
	}
	if o.MaxInvalidExits == 0 {
		o.MaxInvalidExits = DefaultMaxInvalidExits
	}
	if o.PlanDir != "" {
		dir, err := filepath.Abs(o.PlanDir)
		if err != nil {
			return fmt.Errorf("find plan directory: %w", err)
		}
		o.PlanDir = dir
	}
	if o.Gate != nil {
		gate, err := o.Gate.checked()
		if err != nil {
			return err
		}
		o.Gate = gate
	}
	return errors.Join(
		policy("Headless", &o.Headless, HeadlessFail, HeadlessPark),
		policy("QueuedInput", &o.QueuedInput, InputHold, InputFeedback),
		policy("Children", &o.Children, ChildrenOff, ChildrenInherit, ChildrenRefuseReview),
	)
}

// policy checks that the field has one of the values, and sets it to the first where it
// is empty.
func policy[P ~string](field string, value *P, allowed ...P) error {
	if *value == "" {
		*value = allowed[0]
	}
	if !slices.Contains(allowed, *value) {
		return fmt.Errorf("option %s is %q: one of %q was expected", field, *value, allowed)
	}
	return nil
}

// reviewer returns who is asked about plans, nil if nobody is.
func (p *PlanMode) reviewer() Reviewer {
	if p.opts.AutoApprove {
		return autoApprover{}
	}
	return p.opts.Reviewer
}
