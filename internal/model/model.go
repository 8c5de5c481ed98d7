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
	Package string // import path
	Name    string // Go name; of a group of consts or vars the first
}

// Entry is one entry of the catalog.
type Entry struct {
	Kind   Kind
	Name   string // NAME of the directive; the Go name of an untagged one
	Anchor string

	ID          ID
	PackageName string
	Idents      []string // all exported names, of a group
	Dir         string   // package directory, relative to the module root
	File        string   // relative to the module root
	Line        int      // of the declared name
	Claim       int      // line of the directive, or Line
	GoKind      string   // type, func, const, var or package

	Surface string // of an event: surface or log-only
	Mode    string // of a hook: its dispatch mode
	Usage   string // of a command
	Order   int    // of a section

	Doc        string // text of the doc comment
	Deprecated bool   // by a paragraph that begins with Deprecated:
	Code       []Code
	Members    []Member
	Constants  []Constant // exported ones of a type, or of a group
	Types      []TypeRef
	Schema     json.RawMessage // JSON Schema of a tool's arguments
	Schemas    []Schema        // where it differs between builds: all of them, Schema is the first

	// Constraint is the build constraint of the declaration; empty where every configured
	// build sees it.
	Constraint string
	At         *Place // of the declared name; nil where there is one build only

	Lacks string   // why members of the entry are not known, and the remedy; empty: it is whole
	Guard *Guard   // what generated Go can hold the source to; nil: nothing
	Owns  []string // keys of the declarations that the entry shows, one owner each

	Parsed *comment.Doc // the doc comment; links without an import path are into ID.Package
}

// Code is source as it was written.
type Code struct {
	From   string  // the type that members are promoted from, as the entry's file writes it
	Origin *ID     // that type; nil where From is empty
	Pieces []Piece // there may be none where Constraint is not empty

	// Constraint is the build constraint of source that not every build has which sees the
	// entry. File is where it stands, empty for a file that is not of the tree; both are
	// empty for what all of them have.
	Constraint string
	File       string
	Version    bool // it is a version of the declaration: another build has another one

	// Doc is the text of the doc comment of a version of the declaration, where those of
	// the versions differ. The entry's own is empty then.
	Doc        string
	Deprecated bool
	Parsed     *comment.Doc // as of the entry
}

// Text is the source as one text: its pieces with an empty line between one and the next.
func (c Code) Text() string {
	var b strings.Builder
	for i, p := range c.Pieces {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.Write(p.Text)
	}
	return b.String()
}

// Piece is the source of one declaration or member.
type Piece struct {
	Text []byte // may be memory of the file's source, and must not be changed
	At   *Place // nil where there is one build only

	Comment *Comment // a package comment, where there are several builds
}

// Comment is a doc comment.
type Comment struct {
	Doc    string // its text
	Parsed *comment.Doc
}

// Place is where something stands, to tell apart what several builds have.
type Place struct {
	File       string // relative to the root; absolute outside the tree
	Offset     int
	Constraint string // the build constraint of the file
	Outside    bool   // the file is not of the tree
}

// Schema is the JSON Schema of a tool's arguments as some builds have it.
type Schema struct {
	Constraint string
	JSON       json.RawMessage
}

// Member is a method or field of an entry. Its Doc, Signature, Deprecated and Parsed are
// made only where they are asked for.
type Member struct {
	Name       string
	Kind       string // method or field
	Anchor     string
	Doc        string
	Signature  string
	From       string // the type it is promoted from, as the entry's file writes it
	Origin     *ID    // that type; nil where From is empty
	Deprecated bool

	// Constraint is the build constraint of a member that not every build has which sees
	// the entry. A member that differs between builds is there once for each version.
	Constraint string
	At         *Place // nil where there is one build only

	Parsed *comment.Doc // the doc comment; links without an import path are into its package
}

// Constant is the value of an exported constant. Its Doc and Parsed are made only where
// they are asked for.
type Constant struct {
	Anchor string
	Name   string
	Kind   string // string, int, float, complex, bool or unknown
	Value  string // of a string its content, else the literal; empty for an unknown one
	Doc    string

	Constraint string // as of a member
	At         *Place

	Parsed *comment.Doc // the doc comment; links without an import path are into the entry's package
}

// TypeRef is a type of the module that an entry's signatures mention.
type TypeRef struct {
	Text string // as the entry's package writes it
	ID   ID
	File string
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

// Declarations yields each declaration that the entry documents, with its anchor.
func (e *Entry) Declarations(yield func(id ID, anchor string) bool) {
	id := func(name string) ID { return ID{Package: e.ID.Package, Name: name} }
	if !yield(e.ID, e.Anchor) {
		return
	}
	for _, name := range e.Idents {
		if name != e.ID.Name && !yield(id(name), e.IdentAnchor(name)) {
			return
		}
	}
	for _, c := range e.Constants {
		if c.Name != e.ID.Name && !slices.Contains(e.Idents, c.Name) && !yield(id(c.Name), c.Anchor) {
			return
		}
	}
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
