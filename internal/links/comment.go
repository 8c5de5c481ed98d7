package links

import (
	"bytes"
	"go/ast"
	"go/doc/comment"
	"regexp"
	"slices"
	"strings"

	"github.com/agentplan/sdk/internal/finding"
	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/source"
)

// comments judges the paths of pages in the doc comments of the module: words that begin
// with the docs directory and end in .md, with or without a fragment. It returns how many
// there are.
func (c *checker) comments(out *finding.List) int {
	if c.Module == nil || c.Settings.Docs == "." {
		return 0
	}
	n := 0
	form := regexp.MustCompile(`(^|[^\w./\\:@~%+-])(` + regexp.QuoteMeta(c.Settings.Docs) + `/[^\s()\[\]"'` + "`" + `,;|#、，。；：（）《》「」“”]*\.md)(#[\pL\pM\pN_.%:/~+-]*)?($|[^\w#])`)
	for _, f := range c.Module.Files {
		if f.AST == nil || f.IsTest() || !bytes.Contains(f.Src, []byte(c.Settings.Docs+"/")) {
			continue
		}
		for _, group := range docComments(f.AST) {
			n += c.commentGroup(f, group, form, out)
		}
	}
	return n
}

func (c *checker) commentGroup(f *source.File, group *ast.CommentGroup, form *regexp.Regexp, out *finding.List) int {
	n := 0
	var code map[string]bool
	for _, com := range group.List {
		for i, line := range strings.Split(com.Text, "\n") {
			for _, m := range mentions(line, form) {
				if code == nil {
					code = codeLines(group.Text())
				}
				if !code[bare(line)] && !isPattern(m.path, c.Settings.Langs) {
					c.mention(f, c.Module.Line(com.Pos())+i, m, out)
					n++
				}
			}
		}
	}
	return n
}

// mention is a path in a comment, with the fragment behind it and its number sign.
type mention struct{ path, fragment string }

// mentions finds the paths of a line. What ends one may be what another begins with.
func mentions(line string, form *regexp.Regexp) []mention {
	var out []mention
	for {
		m := form.FindStringSubmatchIndex(line)
		if m == nil {
			return out
		}
		found, end := mention{path: line[m[4]:m[5]]}, m[5]
		if m[6] >= 0 {
			found.fragment, end = strings.TrimRight(line[m[6]:m[7]], ".:/~+-"), m[7]
		}
		out = append(out, found)
		line = line[end:]
	}
}

// mention judges one path of a comment.
func (c *checker) mention(f *source.File, line int, m mention, out *finding.List) {
	t := markdown.Resolve("page.md", m.path+m.fragment)
	switch {
	case !t.Local || c.missing[t.Path]:
	case !c.files.exists(t.Path):
		out.Add(f.Path, line, finding.Link, "the comment names %s, which does not exist; %s", m.path, c.suggest("page.md", t.Path))
	default:
		c.fragment(f.Path, line, "the comment names "+m.path+m.fragment, t, out)
	}
}

// bare is a line of a comment without the comment's own characters.
func bare(line string) string {
	line = strings.TrimPrefix(strings.TrimSpace(line), "//")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "/*"), "*/")
	return strings.TrimSpace(line)
}

// codeLines returns the lines of the code blocks of a doc comment.
func codeLines(text string) map[string]bool {
	var p comment.Parser
	lines := map[string]bool{}
	for _, block := range p.Parse(text).Content {
		if code, ok := block.(*comment.Code); ok {
			for _, line := range strings.Split(code.Text, "\n") {
				lines[strings.TrimSpace(line)] = true
			}
		}
	}
	return lines
}

// isPattern reports whether a path stands for many: with a wildcard or placeholder, or
// with a directory in capitals, such as docs/LANG/x.md.
func isPattern(name string, langs []string) bool {
	if strings.ContainsAny(name, "*<>{}$?") || strings.Contains(name, "...") || strings.Contains(name, "…") {
		return true
	}
	dirs := strings.Split(name, "/")
	return slices.ContainsFunc(dirs[:len(dirs)-1], func(dir string) bool {
		return dir == strings.ToUpper(dir) && dir != strings.ToLower(dir) && !slices.Contains(langs, dir)
	})
}

// docComments returns the doc comments of a file: of its package, of declarations and of
// fields, methods and specs in them.
func docComments(f *ast.File) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	add := func(groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g != nil {
				out = append(out, g)
			}
		}
	}
	add(f.Doc)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			add(n.Doc)
		case *ast.FuncDecl:
			add(n.Doc)
			return false
		case *ast.TypeSpec:
			add(n.Doc, n.Comment)
		case *ast.ValueSpec:
			add(n.Doc, n.Comment)
		case *ast.Field:
			add(n.Doc, n.Comment)
		}
		return true
	})
	return out
}
