package planmode

import (
	"context"
	"fmt"
	"sync"

	"github.com/agentplan/sdk/planmode/session"
)

// Health is what a [PlanMode] has observed of a host since it was made. It is no state:
// another process has observed other things.
//
//catalog:type
type Health struct {
	// Steps counts the step boundaries after which plan mode was in force.
	Steps int `json:"steps"`
	// Unrendered counts those of them after which the section was not rendered before
	// the next boundary, or before the turn ended. The model was then not told that it
	// is to plan.
	Unrendered int `json:"unrendered"`
}

// Err returns what is wrong with the host and what to do about it, nil if nothing is.
func (h Health) Err() error {
	if h.Unrendered == 0 {
		return nil
	}
	return fmt.Errorf("plan mode is mounted but not shown to the model: %d of %d steps in plan mode ran without the section %s: "+
		"render what was given to AddSection, or PlanMode.Section, in the system prompt of each request", h.Unrendered, h.Steps, SectionName)
}

// Health returns what was observed of the steps of the agent. It is kept for as long as
// the log is among the 256 used last.
func (p *PlanMode) Health(ctx context.Context, agent Agent) (Health, error) {
	log, v, err := p.read(ctx, agent)
	if err != nil {
		return Health{}, err
	}
	return p.cursors.of(log).steps.health(!v.TurnOpen), nil
}

// observation is what was seen of the steps on one log.
type observation struct {
	mu     sync.Mutex
	seen   Health
	expect bool // the section is to be rendered before the next boundary
}

// crossed notes a boundary and the mode that it left.
func (o *observation) crossed(active bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.expect {
		o.seen.Unrendered++
	}
	if o.expect = active; active {
		o.seen.Steps++
	}
}

// rendered notes that the section was rendered.
func (o *observation) rendered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.expect = false
}

// health returns what was seen. With over no step is under way.
func (o *observation) health(over bool) Health {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := o.seen
	if over && o.expect {
		seen.Unrendered++
	}
	return seen
}

// modeAfter returns the mode in force after events that plan mode wrote.
func modeAfter(active bool, events []session.Event) bool {
	for _, e := range events {
		if e.Type == EventMode {
			active, _ = parseMode(e)
		}
	}
	return active
}
