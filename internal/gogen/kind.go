package gogen

import (
	"strconv"

	"github.com/agentplan/sdk/internal/model"
)

// kind describes what is generated for the entries of one kind.
type kind struct {
	kind   model.Kind
	file   string
	typ    string // of an entry
	plural string // the function that returns all entries
	noun   string // of several entries, in comments
	doc    string
	props  []prop[*model.Entry] // besides Name and Source
}

// named reports whether the names of this kind have a type and constants.
func (k kind) named() bool { return k.kind != model.Untagged && k.kind != model.Package }

// nameType is the type of the field Name.
func (k kind) nameType() string {
	if k.named() {
		return k.typ + "Name"
	}
	return "string"
}

// finder is the function that returns one entry.
func (k kind) finder() string {
	if k.kind == model.Package {
		return k.typ + "ByPath"
	}
	return k.typ + "ByName"
}

// kinds are all kinds, in the order in which a page lists them.
func kinds(s *shapes) []kind {
	methods := s.members("Methods", "method")
	fields := s.members("Fields", "field")
	tool := []prop[*model.Entry]{
		str("Schema", "schema,omitempty", "Schema is the JSON Schema of the arguments, as JSON text.",
			func(e *model.Entry) string { return string(e.Schema) }),
		fields,
	}
	if s.builds {
		tool = append(tool, prop[*model.Entry]{
			"Schemas", "[]Schema", "schemas,omitempty", "Schemas are the JSON Schemas of the arguments where the builds have different ones; Schema is the first of them.",
			func(e *model.Entry, depth int) string { return list("Schema", s.schema, e.Schemas, depth) },
		})
	}
	constants := prop[*model.Entry]{
		"Constants", "[]Constant", "constants,omitempty", "Constants are the exported constants: of a type those that have it, of a group all.",
		func(e *model.Entry, depth int) string { return list("Constant", s.constant, e.Constants, depth) },
	}
	return []kind{
		{model.Service, "services.go", "Service", "Services", "services",
			"Service is what code of other packages can call: an interface, or a struct with methods.",
			[]prop[*model.Entry]{methods, fields}},
		{model.Event, "events.go", "Event", "Events", "events",
			"Event is a kind of event, with the type of its payload.",
			[]prop[*model.Entry]{surfaceProp(), fields, methods}},
		{model.Hook, "hooks.go", "Hook", "Hooks", "hooks",
			"Hook is a place where code of other packages can step in: a func type, or an interface.",
			[]prop[*model.Entry]{modeProp(), methods}},
		{model.Config, "configs.go", "Config", "Configs", "configurations",
			"Config is a section of configuration, a struct.",
			[]prop[*model.Entry]{s.keysProp()}},
		{model.Tool, "tools.go", "Tool", "Tools", "tools",
			"Tool is offered to a model to be called. Doc is the description that the model reads.",
			tool},
		{model.Command, "commands.go", "Command", "Commands", "commands",
			"Command is offered to a user to be typed.",
			[]prop[*model.Entry]{
				str("Usage", "usage", "Usage is the line that shows how to type it.",
					func(e *model.Entry) string { return e.Usage }),
				constants, fields, methods,
			}},
		{model.Section, "sections.go", "Section", "Sections", "sections of the system prompt",
			"Section is a part of the system prompt.",
			[]prop[*model.Entry]{
				{"Order", "int", "order", "Order places the section: lower ones come first.",
					func(e *model.Entry, _ int) string { return strconv.Itoa(e.Order) }},
				constants, fields, methods,
			}},
		{model.Type, "types.go", "Type", "Types", "types",
			"Type is a type that signatures of other entries mention.",
			[]prop[*model.Entry]{constants, fields, methods}},
		{model.Untagged, "declarations.go", "Declaration", "Declarations", "declarations that pages show by their Go names",
			"Declaration is an exported declaration that a page shows by its Go name.",
			[]prop[*model.Entry]{constants, fields, methods}},
		{model.Package, "packages.go", "Package", "Packages", "packages whose comments pages show",
			"Package is the comment of a package.", nil},
	}
}

func (s *shapes) members(name, kind string) prop[*model.Entry] {
	return prop[*model.Entry]{
		name, "[]Member", kind + "s,omitempty", name + " are the exported " + kind + "s, those promoted from embedded types last.",
		func(e *model.Entry, depth int) string { return list("Member", s.member, membersOf(e, kind), depth) },
	}
}

func (s *shapes) keysProp() prop[*model.Entry] {
	return prop[*model.Entry]{
		"Keys", "[]Key", "keys,omitempty", "Keys are the fields, those promoted from embedded structs last.",
		func(e *model.Entry, depth int) string { return list("Key", s.key, membersOf(e, "field"), depth) },
	}
}

func membersOf(e *model.Entry, kind string) []model.Member {
	var out []model.Member
	for _, m := range e.Members {
		if m.Kind == kind {
			out = append(out, m)
		}
	}
	return out
}

func surfaceProp() prop[*model.Entry] {
	return prop[*model.Entry]{
		"Surface", "Surface", "surface", "Surface tells who gets to see the event.",
		func(e *model.Entry, depth int) string {
			switch e.Surface {
			case "surface":
				return "OnSurface"
			case "log-only":
				return "LogOnly"
			}
			return text(e.Surface, depth)
		},
	}
}

func modeProp() prop[*model.Entry] {
	return prop[*model.Entry]{
		"Mode", "Mode", "mode", "Mode tells how the listeners of the hook are called.",
		func(e *model.Entry, depth int) string {
			switch e.Mode {
			case "emit":
				return "ModeEmit"
			case "serial":
				return "ModeSerial"
			case "parallel":
				return "ModeParallel"
			case "waterfall":
				return "ModeWaterfall"
			}
			return text(e.Mode, depth)
		},
	}
}
