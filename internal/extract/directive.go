package extract

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// directive is one parsed //catalog: comment.
type directive struct {
	kind    model.Kind
	name    string
	surface string
	mode    string
	usage   string
	order   int
	pos     token.Pos
}

// forms is how each directive is written, for the messages.
var forms = map[model.Kind]string{
	model.Service: "//catalog:service NAME",
	model.Event:   "//catalog:event NAME surface, or log-only instead of surface",
	model.Hook:    "//catalog:hook NAME mode=MODE, where MODE is emit, serial, parallel or waterfall",
	model.Config:  "//catalog:config NAME",
	model.Tool:    "//catalog:tool NAME",
	model.Command: "//catalog:command NAME USAGE",
	model.Section: "//catalog:section NAME order=N, where N is a whole number",
	model.Type:    "//catalog:type",
}

// directives returns the catalog's directives of a comment group.
func directives(g *ast.CommentGroup) []*ast.Comment {
	if g == nil {
		return nil
	}
	var out []*ast.Comment
	for _, c := range g.List {
		if strings.HasPrefix(c.Text, source.DirectivePrefix) {
			out = append(out, c)
		}
	}
	return out
}

// parseDirective parses a directive's text. ident is the name of the declaration that
// it stands on.
func parseDirective(c *ast.Comment, ident string) (directive, error) {
	rest := strings.TrimPrefix(c.Text, source.DirectivePrefix)
	word, args, _ := strings.Cut(rest, " ")
	if i := strings.IndexByte(word, '\t'); i >= 0 {
		word, args = word[:i], word[i:]+" "+args
	}
	d := directive{kind: model.Kind(word), pos: c.Pos()}
	form, ok := forms[d.kind]
	if !ok {
		var names []string
		for _, k := range model.Tagged() {
			names = append(names, string(k))
		}
		return d, fmt.Errorf("unknown directive //catalog:%s; the directives are %s", word, strings.Join(names, ", "))
	}
	if !d.parseArgs(strings.TrimSpace(args), ident) {
		return d, fmt.Errorf("malformed %s%s; write it as %s", source.DirectivePrefix, rest, form)
	}
	return d, nil
}

func (d *directive) parseArgs(args, ident string) bool {
	fields := strings.Fields(args)
	if d.kind == model.Type {
		d.name = ident
		return len(fields) == 0
	}
	if len(fields) == 0 {
		return false
	}
	d.name = fields[0]
	rest := fields[1:]
	switch d.kind {
	case model.Event:
		if len(rest) != 1 || rest[0] != "surface" && rest[0] != "log-only" {
			return false
		}
		d.surface = rest[0]
	case model.Hook:
		if len(rest) != 1 {
			return false
		}
		mode, ok := strings.CutPrefix(rest[0], "mode=")
		d.mode = mode
		return ok && slices.Contains([]string{"emit", "serial", "parallel", "waterfall"}, mode)
	case model.Section:
		if len(rest) != 1 {
			return false
		}
		value, ok := strings.CutPrefix(rest[0], "order=")
		n, err := strconv.Atoi(value)
		d.order = n
		return ok && err == nil
	case model.Command:
		d.usage = strings.TrimSpace(strings.TrimPrefix(args, d.name))
		return len(rest) > 0
	default:
		return len(rest) == 0
	}
	return true
}
