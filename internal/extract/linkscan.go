package extract

import (
	"go/ast"
	"go/doc/comment"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/model"
	"github.com/agentplan/sdk/internal/source"
)

// lineRange is a range of lines of a file, both ends included.
type lineRange struct{ from, to int }

// shows records the comments of a declaration, spec or field that the entry shows. In a
// tagged entry they must not have a link that leads nowhere.
func (b *builder) shows(f *source.File, groups ...*ast.CommentGroup) {
	if b.e.Kind == model.Untagged {
		return
	}
	b.x.mu.Lock()
	defer b.x.mu.Unlock()
	for _, g := range groups {
		if g != nil {
			b.x.strict[f] = append(b.x.strict[f], lineRange{b.x.mod.Line(g.Pos()), b.x.mod.Line(g.End())})
		}
	}
}

// showsSpecs records the comments inside a declaration that is shown whole.
func (b *builder) showsSpecs(d *source.Decl) {
	b.shows(d.File, d.Doc)
	if d.Group == nil || d.Kind == source.TypeDecl {
		return
	}
	for _, spec := range d.Group.Specs {
		if vs, ok := spec.(*ast.ValueSpec); ok && (d.Value == nil || d.Value == vs) {
			b.shows(d.File, vs.Doc, vs.Comment)
		}
	}
}

// eachLink calls f with everything in the package's doc comments that has the form of a
// doc link.
func (x *Extractor) eachLink(p *source.Package, f func(link)) {
	for _, file := range p.Files {
		if file.AST == nil {
			continue
		}
		for _, g := range docGroups(file.AST) {
			if slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return strings.Contains(c.Text, "[") }) {
				x.linksIn(file, g, f)
			}
		}
	}
}

// docGroups are the comments of a file's package clause, declarations, specs, fields and
// methods, those behind code included, in source order.
func docGroups(f *ast.File) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	add := func(g *ast.CommentGroup) {
		if g != nil {
			out = append(out, g)
		}
	}
	add(f.Doc)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Doc)
		case *ast.GenDecl:
			add(d.Doc)
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					add(spec.Doc)
					add(spec.Comment)
				case *ast.TypeSpec:
					add(spec.Doc)
					ast.Inspect(spec.Type, func(n ast.Node) bool {
						if field, ok := n.(*ast.Field); ok {
							add(field.Doc)
							add(field.Comment)
						}
						return true
					})
				}
			}
		}
	}
	return out
}

// linksIn finds the links of one comment as go/doc/comment would, taking every name to
// exist, and looks up where they stand.
func (x *Extractor) linksIn(file *source.File, g *ast.CommentGroup, f func(link)) {
	text := g.Text()
	if !strings.Contains(text, "[") {
		return
	}
	parser := &comment.Parser{
		LookupPackage: func(name string) (string, bool) {
			path, ok := x.lookupPackage(file, name)
			if !ok {
				return danglingPackage + name, true
			}
			return path, true
		},
		LookupSym: func(string, string) bool { return true },
	}
	from := 0
	for _, dl := range docLinks(parser.Parse(text)) {
		l := link{file: file, text: plain(dl.Text), recv: dl.Recv, name: dl.Name, pos: g.Pos()}
		if dl.Name == "" {
			continue // [pkg] alone: it is a link only where the package is known
		}
		l.pos, from = locate(g, l.text, from)
		switch {
		case strings.HasPrefix(dl.ImportPath, danglingPackage):
			if !plausiblePackage().MatchString(strings.TrimPrefix(dl.ImportPath, danglingPackage)) {
				continue
			}
			l.dangling = true
		case dl.ImportPath == "":
			l.pkg = file.Pkg
		default:
			if x.mod.StandardDeclares(dl.ImportPath, dl.Recv, dl.Name) {
				continue
			}
			if l.pkg = x.mod.Lookup(dl.ImportPath); l.pkg == nil {
				l.pkg = x.mod.External(dl.ImportPath)
			}
		}
		f(l)
	}
}

// danglingPackage marks a package name that nothing is known of.
const danglingPackage = "?"

var plausiblePackage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]*$`) })

// docLinks returns the doc links of a comment in order.
func docLinks(d *comment.Doc) []*comment.DocLink {
	var out []*comment.DocLink
	inText := func(list []comment.Text) {
		for _, t := range list {
			if dl, ok := t.(*comment.DocLink); ok {
				out = append(out, dl)
			}
		}
	}
	var inBlocks func([]comment.Block)
	inBlocks = func(list []comment.Block) {
		for _, b := range list {
			switch b := b.(type) {
			case *comment.Paragraph:
				inText(b.Text)
			case *comment.Heading:
				inText(b.Text)
			case *comment.List:
				for _, item := range b.Items {
					inBlocks(item.Content)
				}
			}
		}
	}
	inBlocks(d.Content)
	return out
}

func plain(list []comment.Text) string {
	var b strings.Builder
	for _, t := range list {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString(string(t))
		}
	}
	return b.String()
}

// locate finds the next [text] in the group, starting with comment number from.
func locate(g *ast.CommentGroup, text string, from int) (token.Pos, int) {
	for i := from; i < len(g.List); i++ {
		c := g.List[i]
		for _, form := range []string{"[" + text + "]", "[*" + text + "]"} {
			if at := strings.Index(c.Text, form); at >= 0 {
				return c.Slash + token.Pos(at), i
			}
		}
	}
	return g.Pos(), from
}
