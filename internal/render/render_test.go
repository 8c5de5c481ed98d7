package render

import (
	"bytes"
	"go/doc/comment"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplan/sdk/internal/model"
)

// links are targets made of what they are asked for.
type links struct{}

func (links) Decl(id model.ID, member string) string {
	if id.Package != "example.com/m/p" {
		return ""
	}
	return strings.TrimSuffix("#"+id.Name+"."+member, ".")
}

func (links) Source(file string) string {
	if file == "nowhere.go" {
		return ""
	}
	return "../" + file
}

func (links) Mode(mode string) string { return "#mode-" + mode }

func pieces(texts ...string) []model.Piece {
	var out []model.Piece
	for _, text := range texts {
		out = append(out, model.Piece{Text: []byte(text)})
	}
	return out
}

func entries() []*model.Entry {
	id := func(name string) model.ID { return model.ID{Package: "example.com/m/p", Name: name} }
	doc := func(text string) *comment.Doc { return new(comment.Parser).Parse(text) }
	return []*model.Entry{
		{
			Kind: model.Hook, Name: "h", Anchor: "hook-h", ID: id("H"), PackageName: "p", File: "p/a.go", Mode: "emit",
			Parsed: doc("H is called *once*.\n\n# How\n\n  - a\n  - b"), Code: []model.Code{{Pieces: pieces("type H func()")}},
		},
		{
			Name: "T", Anchor: "p.T", ID: id("T"), PackageName: "p", GoKind: "type", File: "p/a.go", Deprecated: true,
			Members: []model.Member{{Name: "M", Anchor: "p.T.M"}},
			Code: []model.Code{
				{Pieces: pieces("type T struct{ U }", "// ```")},
				{Pieces: pieces("func M()"), From: "U", Origin: &model.ID{Package: "example.com/m/p", Name: "U"}},
				{Pieces: pieces("func N()"), From: "v", Origin: &model.ID{Package: "example.com/m/p", Name: "v"}, Constraint: "linux", File: "p/b_linux.go"},
			},
			Types: []model.TypeRef{{Text: "U", ID: id("U"), File: "p/a.go"}, {Text: "q.W", ID: model.ID{Package: "example.com/m/q", Name: "W"}, File: "q/q.go"}},
		},
		{Name: "F", Anchor: "p.F", ID: id("F"), PackageName: "p", GoKind: "func", File: "nowhere.go", Constraint: "linux", Code: []model.Code{{Pieces: pieces("func F()")}}},
	}
}

const body = `
` + intro + `

<a id="hook-h"></a>

### Hook ${BACK}h${BACK}

Dispatch mode: [${BACK}emit${BACK}](#mode-emit). Declared as ${BACK}p.H${BACK}.

H is called \*once\*.

#### How

- a
- b

${FENCE}go catalog
type H func()
${FENCE}

Source: [p/a.go](../p/a.go)

<a id="p.T"></a><a id="p.T.M"></a>

### Type ${BACK}p.T${BACK} (deprecated)

${FENCE}${BACK}go catalog
type T struct{ U }

// ${FENCE}
${FENCE}${BACK}

From [${BACK}U${BACK}](#U):

${FENCE}go catalog
func M()
${FENCE}

From ${BACK}v${BACK}:

Build constraint: ${BACK}linux${BACK}. Source: [p/b_linux.go](../p/b_linux.go)

${FENCE}go catalog
func N()
${FENCE}

Types: [${BACK}U${BACK}](#U), [${BACK}q.W${BACK}](../q/q.go)

Source: [p/a.go](../p/a.go)

<a id="p.F"></a>

### Function ${BACK}p.F${BACK}

Build constraint: ${BACK}linux${BACK}

${FENCE}go catalog
func F()
${FENCE}

Source: nowhere.go

`

func TestBody(t *testing.T) {
	want := strings.NewReplacer("${BACK}", "`", "${FENCE}", "```").Replace(body)
	var r Renderer
	for _, before := range [][]*model.Entry{nil, entries(), entries()[2:]} {
		for range r.Body(before, 2, links{}) {
			break // what is left undone has no part in the next
		}
		var got bytes.Buffer
		for piece := range r.Body(entries(), 3, links{}) {
			got.Write(piece)
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("Body (-want +got):\n%s", diff)
		}
	}
}

func TestBodyOfNothing(t *testing.T) {
	var got []string
	for piece := range new(Renderer).Body(nil, 2, links{}) {
		got = append(got, string(piece))
	}
	if diff := cmp.Diff("\n"+intro+"\n\n", strings.Join(got, "")); diff != "" {
		t.Errorf("Body of no entry (-want +got):\n%s", diff)
	}
}

func BenchmarkBody(b *testing.B) {
	list := slices.Repeat(entries(), 100)
	var r Renderer
	b.ReportAllocs()
	for b.Loop() {
		for range r.Body(list, 2, links{}) {
			continue
		}
	}
}
