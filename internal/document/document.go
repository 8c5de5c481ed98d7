// Package document yields the catalog of a module as a JSON document for other programs.
// Its types are the format: what their keys mean is written down, with what must be there,
// in the JSON Schema that package schema carries.
package document

import "encoding/json"

// Format is the version of the format. It grows when a program that reads the former one
// could misread the new one; a key that is added raises it as well, since the schema
// allows no others.
const Format = 1

// Document is the whole catalog.
type Document struct {
	Format    int      `json:"format"`
	Module    string   `json:"module"`
	Modules   []Module `json:"modules,omitempty"` // where the source is not that of one module at the root
	Languages []string `json:"languages"`
	SourceURL string   `json:"sourceURL"`
	Builds    []Build  `json:"builds"`
	Pages     []Page   `json:"pages"`
	Entries   []Entry  `json:"entries"`
}

// Module is a Go module whose source was read.
type Module struct {
	Dir  string `json:"dir"`
	Path string `json:"path"`
}

// Build is a configuration under which the source was read.
type Build struct {
	GOOS   string   `json:"goos"`
	GOARCH string   `json:"goarch"`
	Tags   []string `json:"tags"`
	Cgo    bool     `json:"cgo"`
}

// Page is a page that shows entries, or defines dispatch modes.
type Page struct {
	Files   []string `json:"files"`
	InTree  bool     `json:"inTree"`
	Modes   []string `json:"modes"`
	Regions []Region `json:"regions"`
}

// Region is a generated region of a page.
type Region struct {
	Selectors []string `json:"selectors"`
	Level     int      `json:"level"`
	Entries   []string `json:"entries"` // anchors
}

// Entry is one entry.
type Entry struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Anchor  string   `json:"anchor"`
	Anchors []string `json:"anchors"`
	Page    string   `json:"page"`

	ID          ID       `json:"id"`
	PackageName string   `json:"packageName"`
	Dir         string   `json:"dir"`
	File        string   `json:"file"`
	GoKind      string   `json:"goKind"`
	Idents      []string `json:"idents"`

	// Of one kind each: event, hook, command, section and tool.
	Surface string          `json:"surface,omitempty"`
	Mode    string          `json:"mode,omitempty"`
	Usage   string          `json:"usage,omitempty"`
	Order   *int            `json:"order,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Schemas []Schema        `json:"schemas,omitempty"`

	Constraint string     `json:"constraint,omitempty"`
	Doc        string     `json:"doc"`
	Markdown   string     `json:"markdown"`
	Deprecated bool       `json:"deprecated"`
	Code       []Code     `json:"code"`
	Members    []Member   `json:"members"`
	Constants  []Constant `json:"constants"`
	Types      []TypeRef  `json:"types"`
}

// ID names a declaration.
type ID struct {
	Package string `json:"package"`
	Name    string `json:"name"`
}

// Code is source as it was written.
type Code struct {
	From   string `json:"from,omitempty"`
	Origin *ID    `json:"origin,omitempty"`
	Text   string `json:"text"`

	// Of source that not every build has which has the entry.
	Constraint string `json:"constraint,omitempty"`
	File       string `json:"file,omitempty"`
	Version    bool   `json:"version,omitempty"`
	Doc        string `json:"doc,omitempty"`
	Markdown   string `json:"markdown,omitempty"`
	Deprecated bool   `json:"deprecated,omitempty"`
}

// Schema is the JSON Schema of a tool's arguments as some builds have it.
type Schema struct {
	Constraint string          `json:"constraint"`
	Schema     json.RawMessage `json:"schema"`
}

// Member is a method or field.
type Member struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Anchor     string `json:"anchor"`
	Doc        string `json:"doc"`
	Markdown   string `json:"markdown"`
	Deprecated bool   `json:"deprecated"`
	Signature  string `json:"signature"`
	From       string `json:"from,omitempty"`
	Origin     *ID    `json:"origin,omitempty"`
	Constraint string `json:"constraint,omitempty"`
}

// Constant is an exported constant and its value.
type Constant struct {
	Name     string `json:"name"`
	Anchor   string `json:"anchor"`
	Kind     string `json:"kind"`
	Value    string `json:"value"`
	Doc      string `json:"doc"`
	Markdown string `json:"markdown"`

	Constraint string `json:"constraint,omitempty"`
}

// TypeRef is a type of the module that signatures mention.
type TypeRef struct {
	Text   string `json:"text"`
	ID     ID     `json:"id"`
	File   string `json:"file"`
	Anchor string `json:"anchor"`
}
