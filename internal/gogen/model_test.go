package gogen

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentplan/sdk/internal/model"
)

// Strings that are hard to write down.
var nasty = []string{
	"`code` and \"quotes\"", "two\nlines", "`two`\nlines\n", "\\n is no line\n\\x00", "计划模式。\n👩‍💻\u3000", "\x00\x01\x7f", "\xff\xfe\n\xc0",
	"a\r\nb\r", "\ufeff\n\ufeff", "\u202eabc\n\u2028", "//go:build never\n// +build never\n", "*/ /*\n*/", "%s %d %!\n%",
	strings.Repeat("a long text, ", 500), strings.Repeat("`\n", maxLines+1), "\n\n\n", " trailing \n\t\n",
}

func sample(kind model.Kind, dir, goName, name string) *model.Entry {
	anchor := string(kind) + "-" + name
	if kind == model.Untagged {
		anchor = dir + "." + name
	}
	return &model.Entry{
		Kind: kind, Name: name, Anchor: model.AnchorOf(anchor),
		ID:          model.ID{Package: "example.com/m/" + dir, Name: goName},
		PackageName: dir, Dir: dir, File: dir + "/" + dir + ".go", Line: 7, GoKind: "type",
		Doc:  goName + " is documented.",
		Code: []model.Code{code("", "type "+goName+" struct{}")},
	}
}

// everyKind has one entry of each kind, each with all that its kind can have.
func everyKind() []*model.Entry {
	service := sample(model.Service, "plan", "Service", "planMode")
	service.Doc = "Service reads and sets.\n\nIt quotes `nothing`."
	service.Deprecated = true
	service.Code = append(service.Code, code("io.Closer", "// Close closes.\nClose() error"))
	service.Members = []model.Member{
		{Name: "Get", Kind: "method", Anchor: "service-planMode.Get", Doc: "Get gets.\nAlways.", Signature: "Get(ctx context.Context) (State, error)"},
		{Name: "Field", Kind: "field", Anchor: "service-planMode.Field", Signature: "Field int"},
		{Name: "Close", Kind: "method", Anchor: "service-planMode.Close", Doc: "Close closes.", Signature: "Close() error", From: "io.Closer", Deprecated: true},
	}
	service.Types = []model.TypeRef{{Text: "State", ID: model.ID{Package: "example.com/m/plan", Name: "State"}, File: "plan/state.go"}}
	event := sample(model.Event, "plan", "Changed", "plan/mode")
	event.Surface = "log-only"
	event.Members = []model.Member{{Name: "Active", Kind: "field", Anchor: "event-plan-mode.Active", Signature: "Active bool `json:\"active\"`"}}
	hook := sample(model.Hook, "plan", "BeforeStep", "before-step")
	hook.Mode = "waterfall"
	hook.Members = []model.Member{{Name: "Run", Kind: "method", Anchor: "hook-before-step.Run", Signature: "Run()"}}
	config := sample(model.Config, "plan", "Config", "planMode")
	config.Members = []model.Member{{Name: "Section", Kind: "field", Anchor: "config-planMode.Section", Doc: "Section is text.", Signature: "Section string", From: "Base"}}
	tool := sample(model.Tool, "plan", "ExitArgs", "exit_plan_mode")
	tool.Schema = json.RawMessage("{\n  \"type\": \"object\"\n}")
	tool.Members = []model.Member{{Name: "Plan", Kind: "field", Anchor: "tool-exit_plan_mode.Plan", Signature: "Plan string"}}
	command := sample(model.Command, "plan", "Usage", "plan")
	command.Usage = "/plan [off]"
	command.Idents = []string{"Usage", "Short"}
	command.Constants = []model.Constant{{Name: "Usage", Kind: "string", Value: "/plan"}, {Name: "Short", Kind: "bool", Value: "true", Doc: "Short is short."}}
	section := sample(model.Section, "plan", "Guidance", "plan:policy")
	typ := sample(model.Type, "plan", "Outcome", "Outcome")
	typ.Constants = []model.Constant{{Name: "Queued", Kind: "string", Value: "queued"}}
	typ.Members = []model.Member{{Name: "String", Kind: "method", Anchor: "type-Outcome.String", Signature: "func (o Outcome) String() string"}}
	untagged := sample(model.Untagged, "plan", "ErrClosed", "ErrClosed")
	untagged.Idents = []string{"ErrClosed", "ErrOpen"}
	pkg := sample(model.Package, "plan", "", "plan")
	return []*model.Entry{service, event, hook, config, tool, command, section, typ, untagged, pkg}
}

// colliding has names that make no identifier, or one that something else has.
func colliding() []*model.Entry {
	var out []*model.Entry
	for _, kind := range append(model.Tagged(), model.Untagged, model.Package) {
		for i, name := range []string{
			"name", "by name", "by-path", "ref", "plan/mode", "plan-mode", "plan-mode", "PlanMode", "//", "", "2fa", "计划", "é", "\xff", "s", "\n\"`", "type", "a1", "a-1", "A1", "a_2",
		} {
			e := sample(kind, "d", fmt.Sprintf("Name%d", i%18), name)
			e.Anchor = model.AnchorOf(fmt.Sprintf("%s-%d", kind, i))
			out = append(out, e)
		}
	}
	root := sample(model.Package, ".", "", "root")
	return append(out, root)
}

// code is code of one piece.
func code(from, text string) model.Code {
	return model.Code{From: from, Pieces: []model.Piece{{Text: []byte(text)}}}
}

// awkward puts hard strings everywhere.
func awkward() []*model.Entry {
	var out []*model.Entry
	for _, kind := range append(model.Tagged(), model.Untagged, model.Package) {
		for i, s := range nasty {
			e := sample(kind, "d", fmt.Sprintf("Name%d", i), fmt.Sprintf("%s-%d", s, i))
			e.ID.Package, e.Dir, e.File, e.Anchor = s, s, s, s
			e.Idents = []string{s, "b"}
			e.Surface, e.Mode, e.Usage, e.Doc, e.Order = s, s, s, s, -i
			e.Code = []model.Code{code(s, s), {}}
			e.Members = []model.Member{
				{Name: s, Kind: "field", Anchor: s, Doc: s, Signature: s, From: s},
				{Name: s, Kind: "method", Anchor: s, Doc: s, Signature: s, From: s},
				{Kind: "field"},
			}
			e.Constants = []model.Constant{{Name: s, Kind: s, Value: s, Doc: s}, {}}
			e.Types = []model.TypeRef{{Text: s, ID: model.ID{Package: s, Name: s}, File: s}, {}}
			e.Schema = json.RawMessage(s)
			out = append(out, e)
		}
	}
	return out
}

// big is a catalog of 400 services with 4,000 methods.
func big() []*model.Entry {
	var out []*model.Entry
	doc := "does what its name says, and tells the caller what a caller must know: which errors\nit returns, what it leaves behind after one, and whether it may be called twice.\n\nIt may be called from any goroutine."
	for i := range 400 {
		name := fmt.Sprintf("Service%d", i)
		e := sample(model.Service, fmt.Sprintf("pkg%d", i/2), name, fmt.Sprintf("area/service-%d", i))
		e.Doc = name + " " + doc
		e.Guard = &model.Guard{Decl: "type", Name: name, Interface: true}
		for j := range 10 {
			method := fmt.Sprintf("Method%d", j)
			sig := method + "(ctx context.Context, state State, names ...string) (State, error)"
			e.Members = append(e.Members, model.Member{Name: method, Kind: "method", Anchor: e.Anchor + "." + method, Doc: method + " " + doc, Signature: sig})
			text := "// " + method + " " + strings.ReplaceAll(doc, "\n", "\n// ") + "\n" + sig
			e.Code[0].Pieces = append(e.Code[0].Pieces, model.Piece{Text: []byte(text)})
			e.Guard.Methods = append(e.Guard.Methods, model.GuardMember{Name: method, Tokens: []model.Token{
				{Text: "(ctx "}, {Package: "context", Name: "Context"}, {Text: ", state "}, {Package: e.ID.Package, Name: "State"},
				{Text: ", names ...string) ("}, {Package: e.ID.Package, Name: "State"}, {Text: ", error)"},
			}})
		}
		e.Types = []model.TypeRef{{Text: "State", ID: model.ID{Package: e.ID.Package, Name: "State"}, File: e.File}}
		out = append(out, e)
	}
	return out
}
