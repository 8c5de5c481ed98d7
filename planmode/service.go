package planmode

import "context"

// Service is the state of plan mode, to be read and set. [PlanMode] implements it, and
// both methods may be called at any time from any goroutine, also after
// [PlanMode.Close].
//
//catalog:service planMode
type Service interface {
	// Get returns the state of plan mode at the end of the agent's log: what is in
	// force, and a selection that waits for the next step, if there is one. A
	// /plan command that the log shows as running counts as a selection here.
	//
	// A value in the log that is malformed is passed over. Then Get returns the state
	// that the other events make, together with a [*MalformedError] that names the seq
	// of the event (several of them joined). With any other error the log could not be
	// read and the state is empty.
	Get(ctx context.Context, agent Agent) (State, error)

	// Set selects plan mode (active) or the default mode, in the name of the user, and
	// tells what came of it. With no turn open the selection is in force at once. While
	// a turn is open it waits for the next step boundary; selecting the state in force
	// then takes back what waits. A selection of what is already selected writes
	// nothing. Leaving plan mode ends an open review, which counts as superseded.
	//
	// Set decides on the log as it stands and tries again, until the context ends,
	// when others append meanwhile. After an error nothing has changed, unless the log
	// took a part of the write and then failed; what stands is then the selection,
	// which the next step boundary brings into force. If an append fails but turns out
	// to be in the log, Set returns the outcome as if it had not failed.
	Set(ctx context.Context, agent Agent, active bool) (Outcome, error)
}

// State is plan mode as it stands at the end of a log.
//
//catalog:type
type State struct {
	// Active tells whether plan mode is in force: whether its guidance is part of the
	// next request.
	Active bool `json:"active"`
	// Pending is the state that has been selected and is not yet in force, nil if there
	// is none. It is never equal to Active. It is shared between readers: do not
	// write through it.
	Pending *bool `json:"pending,omitempty"`
}

// Outcome is what came of a [Service.Set].
//
//catalog:type
type Outcome string

// The outcomes of a selection.
const (
	// Committed means that the selection is in the log and in force.
	Committed Outcome = "committed"
	// Queued means that the selection is in the log and will be in force from the next
	// step boundary on.
	Queued Outcome = "queued"
	// Cancelled means that an opposite selection which waited was taken back. The state
	// in force is the one asked for.
	Cancelled Outcome = "cancelled"
	// Noop means that the state asked for was already in force with nothing waiting,
	// or was already selected. Nothing was written.
	Noop Outcome = "noop"
)
