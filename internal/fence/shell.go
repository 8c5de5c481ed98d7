package fence

import (
	"github.com/agentplan/sdk/internal/fence/command"
	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/source"
)

// checkShell judges the commands of shell fences.
func (s *Set) checkShell(mod *source.Module, r *Report, out *finding.List) {
	var commands *command.Commands
	for _, p := range s.pages {
		var targets []string
		for _, b := range p.fences {
			if b.lang == "make" || b.lang == "makefile" {
				targets = append(targets, command.Targets(b.text)...)
			}
		}
		for _, b := range p.fences {
			if !b.isShell() || b.repeat {
				continue
			}
			switch reason, ignored := b.optOut(); {
			case ignored && reason == "":
				out.Add(p.path, b.line, finding.Fence, "the fence opts out without a reason; write ```%s ignore: REASON", b.lang)
				continue
			case ignored:
				r.ShellOptedOut = append(r.ShellOptedOut, OptOut{p.path, b.line, reason})
				continue
			}
			if commands == nil {
				commands = command.New(mod)
			}
			got := commands.Check(b.text, b.lang == "console", targets)
			r.Shell++
			r.Commands += got.Commands
			for _, f := range got.Faults {
				out.Add(p.path, b.first+f.Line-1, finding.Fence, "%s; mend the command, or write ```%s ignore: REASON to opt out", f.Message, b.lang)
			}
		}
	}
}
