package filelog

import (
	"log/slog"
	"slices"
	"time"
)

// Options are the choices of a [Store]. Nil and zero values are the defaults.
type Options struct {
	// Compress makes new sessions zstd files. Sessions that exist keep their form.
	Compress bool

	// KnownTypes names event types beyond [session.KnownType] that the program knows
	// and that the original's reader, for which these files are written, knows as well
	// through its plug-ins. A log that holds any other type without the ignorable mark
	// is refused, and so is an append of one.
	//
	// [session.KnownType]: https://pkg.go.dev/github.com/agentplan/sdk/planmode/session#KnownType
	KnownTypes []string

	// Logger is told when the tail of a file was cut off or rewritten after a crash.
	// Nil means slog.Default().
	Logger *slog.Logger

	// PollInterval is how often a watch looks at files whose changes the system does
	// not report, as on network file systems. Zero means 250 ms.
	PollInterval time.Duration
}

// settings are the options of a store with the defaults filled in.
type settings struct {
	compress   bool
	knownTypes []string
	logger     *slog.Logger
	poll       time.Duration
}

func newSettings(opts *Options) settings {
	if opts == nil {
		opts = &Options{}
	}
	s := settings{
		compress:   opts.Compress,
		knownTypes: slices.Clone(opts.KnownTypes),
		logger:     opts.Logger,
		poll:       opts.PollInterval,
	}
	if s.logger == nil {
		s.logger = slog.Default()
	}
	if s.poll <= 0 {
		s.poll = 250 * time.Millisecond
	}
	return s
}
