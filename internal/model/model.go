// Package model yields the plain typed values between reading Go source and rendering
// it: entries of the catalog. Nothing here knows of syntax trees, pages or files being
// written.
package model

import (
	"encoding/json"
	"go/doc/comment"
	"slices"
	"strings"
	"unicode"
)

// Kind is the kind of a catalog entry.
type Kind string

// The kinds, in the order in which entries of one selector are listed.
const (
	Service Kind = "service"
	Event   Kind = "event"
	Hook    Kind = "hook"
	Config  Kind = "config"
	Tool    Kind = "tool"
	Command Kind = "command"
	Section Kind = "section"
	Type    Kind = "type"

	Untagged Kind = ""        // a declaration that was selected by its Go name
	Package  Kind = "package" // a package comment
)

// Tagged lists the kinds that directives have, in order.
func Tagged() []Kind {
	return []Kind{Service, Event, Hook, Config, Tool, Command, Section, Type}
}

// ShowsMethods reports whether an entry of this kind lists the type's methods.
func (k Kind) ShowsMethods() bool { return k == Service || k == Type || k == Untagged }

// ID names a declaration of a module.
type ID struct {
	Package string `json:"package"` // import path
	Name    string `json:"name"`    // Go name; of a group of consts or vars the first
}

// Entry is one entry of the catalog.
type Entry struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"` // NAME of the directive; the Go name of an untagged one
	Anchor string `json:"anchor"`

	ID          ID       `json:"id"`
	PackageName string   `json:"packageName"`
	Idents      []string `json:"idents,omitempty"` // all exported names, of a group
	Dir         string   `json:"dir"`              // package directory, relative to the module root
	File        string   `json:"file"`             // relative to the module root
	Line        int      `json:"-"`                // of the declared name
	Claim       int      `json:"-"`                // line of the directive, or Line
	GoKind      string   `json:"goKind"`           // type, func, const, var or package

	Surface string `json:"surface,omitempty"` // of an event: surface or log-only
	Mode    string `json:"mode,omitempty"`    // of a hook: its dispatch mode
	Usage   string `json:"usage,omitempty"`   // of a command
	Order   int    `json:"order,omitempty"`   // of a section

	Doc        string          `json:"doc,omitempty"`        // text of the doc comment
	Deprecated bool            `json:"deprecated,omitempty"` // by a paragraph that begins with Deprecated:
	Code       []Code          `json:"code"`
	Members    []Member        `json:"members,omitempty"`
	Constants  []Constant      `json:"constants,omitempty"` // exported ones of a type, or of a group
	Types      []TypeRef       `json:"types,omitempty"`
	Schema     json.RawMessage `json:"schema,omitempty"` // JSON Schema of a tool's arguments

	Guard *Guard   `json:"-"` // what generated Go can hold the source to; nil: nothing
	Owns  []string `json:"-"` // keys of the declarations that the entry shows, one owner each

	Parsed *comment.Doc `json:"-"` // the doc comment; links without an import path are into ID.Package
}

// Code is source as it was written.
type Code struct {
	From string `json:"from,omitempty"` // the type that members are promoted from
	Link *ID    `json:"-"`              // that type, where it is one of the module
	Text string `json:"text"`
}

// Member is a method or field of an entry.
type Member struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"` // method or field
	Anchor     string `json:"anchor"`
	Doc        string `json:"doc,omitempty"`
	Signature  string `json:"signature"`
	From       string `json:"from,omitempty"` // the type it is promoted from
	Deprecated bool   `json:"deprecated,omitempty"`
}

// Constant is the value of an exported constant.
type Constant struct {
	Anchor string `json:"anchor"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`  // string, int, float or bool
	Value  string `json:"value"` // of a string its content, else the literal
	Doc    string `json:"doc,omitempty"`
}

// TypeRef is a type of the module that an entry's signatures mention.
type TypeRef struct {
	Text string `json:"text"` // as the entry's package writes it
	ID   ID     `json:"id"`
	File string `json:"file"`
}

// Anchors returns all anchors of the entry, its own first.
func (e *Entry) Anchors() []string {
	out := []string{e.Anchor}
	add := func(a string) {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	for _, id := range e.Idents {
		add(e.IdentAnchor(id))
	}
	for _, c := range e.Constants {
		add(c.Anchor)
	}
	for _, m := range e.Members {
		add(m.Anchor)
	}
	return out
}

// IdentAnchor is the anchor of one name of a group.
func (e *Entry) IdentAnchor(ident string) string {
	if e.Kind != Untagged {
		return e.Anchor
	}
	return AnchorOf(e.Dir + "." + ident)
}

// Guard says what a declaration has that code outside its package can rely on. It is
// there only for exported declarations without type parameters in a package that other
// packages can import, in a file of every platform.
type Guard struct {
	Decl      string        // type, func, const or var
	Name      string        // the declared name
	Interface bool          // a type whose methods are asked of the type, not of its pointer
	Methods   []GuardMember // with signatures
	Fields    []GuardMember // with types
	Signature []Token       // of a func: its type, from the word func on
}

// GuardMember is a method or field. Tokens is nil where its type cannot be written
// outside the package; then only its name is held.
type GuardMember struct {
	Name   string
	Tokens []Token // of a method: parameters and results; of a field: its type
}

// Token is a piece of source: text as it stands, or a name of a package.
type Token struct {
	Text    string
	Package string // import path; empty for text
	Name    string
}

// AnchorOf replaces every character of an anchor that is neither a letter, nor an ASCII
// digit, nor one of . _ - by a hyphen.
func AnchorOf(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '.' || r == '_' || r == '-' || '0' <= r && r <= '9' || unicode.IsLetter(r):
			return r
		}
		return '-'
	}, s)
}

// IsDeprecated reports whether a doc comment has a paragraph that begins with
// "Deprecated: ", as https://go.dev/wiki/Deprecated defines it.
func IsDeprecated(doc string) bool {
	for par := range strings.SplitSeq(doc, "\n\n") {
		if strings.HasPrefix(strings.TrimLeft(par, "\n"), "Deprecated: ") {
			return true
		}
	}
	return false
}
