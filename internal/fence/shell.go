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
			if commands == nil {
				commands = command.New(mod)
			}
			got := commands.Check(b.text, b.lang == "console", targets)
			r.Shell++
			r.Commands += got.Commands
			for _, f := range got.Faults {
				out.Add(p.path, b.first+f.Line-1, finding.Fence, "%s; mend the command", f.Message)
			}
		}
	}
}
