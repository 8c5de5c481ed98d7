package command

import (
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentplan/sdk/internal/source"
)

// Flags are the flags that a command may define, as far as its source tells: every name
// that is given to a call that defines a flag, in the command's package and in all
// packages of the module that it imports.
type Flags struct {
	Names []string // without dashes, sorted
	Open  bool     // there may be others, or none was found
}

// Has reports whether the flag is not known to be missing.
func (f *Flags) Has(name string) bool {
	return f == nil || f.Open || slices.Contains(f.Names, name)
}

// isDefiner reports whether a name is one of the functions and methods of flag, pflag and
// those made like them that define a flag.
func isDefiner(name string) bool {
	switch name {
	case "Var", "VarP", "VarPF":
		return true
	}
	for _, kind := range []string{"Bool", "Bytes", "Count", "Duration", "Float", "Func", "Int", "IP", "Text", "Time", "Uint", "String"} {
		if strings.HasPrefix(name, kind) {
			return true
		}
	}
	return false
}

// flagName is what the name of a flag looks like.
var flagName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`) })

// readFlags collects the flags of a command.
func (c *Commands) readFlags(main *source.Package) *Flags {
	out := &Flags{}
	seen := map[*source.Package]bool{}
	var visit func(mod *source.Module, p *source.Package)
	visit = func(mod *source.Module, p *source.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		own := c.defined[p]
		if own == nil {
			f := &flagReader{mod: mod}
			f.read(p)
			own = &f.Flags
			c.defined[p] = own
		}
		out.Names = append(out.Names, own.Names...)
		out.Open = out.Open || own.Open
		for _, file := range p.Files {
			if file.AST == nil {
				continue
			}
			for _, spec := range file.AST.Imports {
				if dep := mod.Lookup(strings.Trim(spec.Path.Value, "`\"")); dep != nil {
					visit(mod, dep)
				}
			}
		}
	}
	for _, mod := range c.mod.Builds() {
		if p := mod.Package(main.Dir); p != nil {
			visit(mod, p)
		}
	}
	slices.Sort(out.Names)
	out.Names = slices.Compact(out.Names)
	out.Open = out.Open || len(out.Names) == 0
	for _, name := range []string{"h", "help", "version"} {
		if !slices.Contains(out.Names, name) {
			out.Names = append(out.Names, name)
		}
	}
	return out
}

// flagReader collects the flags that one package defines.
type flagReader struct {
	Flags
	mod *source.Module
}

func (f *flagReader) read(p *source.Package) {
	for _, file := range p.Files {
		if file.AST == nil {
			continue
		}
		ast.Inspect(f.mod.Whole(file), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				f.call(p, file, n)
			case *ast.CompositeLit:
				f.literal(p, n)
			case *ast.Field:
				f.tag(n)
			}
			return true
		})
	}
}

// call reads a call such as fs.StringVarP(&v, "name", "n", "", "usage"). Which of its
// first arguments are names is not told apart: too many names only hide a fault.
func (f *flagReader) call(p *source.Package, file *source.File, call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	if !isDefiner(sel.Sel.Name) {
		f.handOver(file, sel, call)
		return
	}
	if len(call.Args) < 2 {
		return
	}
	named := false
	for _, arg := range call.Args[:min(3, len(call.Args))] {
		if name, ok := f.text(p, arg); ok {
			named = true
			if flagName().MatchString(name) {
				f.Names = append(f.Names, name)
			}
		}
	}
	if !named && len(call.Args) > 2 {
		f.Open = true // a name that only a run can tell
	}
}

// handOver recognizes a set of flags that is given to a function outside the module,
// which may define others.
func (f *flagReader) handOver(file *source.File, sel *ast.SelectorExpr, call *ast.CallExpr) {
	if id, ok := sel.X.(*ast.Ident); ok {
		if importPath := f.mod.Imports(file)[id.Name]; importPath != "" && f.mod.Lookup(importPath) != nil {
			return
		}
	}
	for _, arg := range call.Args {
		if inner, ok := arg.(*ast.CallExpr); ok {
			arg = inner.Fun
		}
		if s, ok := arg.(*ast.SelectorExpr); ok && slices.Contains([]string{"CommandLine", "Flags", "PersistentFlags", "LocalFlags"}, s.Sel.Name) {
			f.Open = true
		}
	}
}

// literal reads a flag that is a value, such as &cli.StringFlag{Name: "name"}.
func (f *flagReader) literal(p *source.Package, lit *ast.CompositeLit) {
	sel, ok := lit.Type.(*ast.SelectorExpr)
	if !ok || !strings.HasSuffix(sel.Sel.Name, "Flag") {
		return
	}
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch key, _ := kv.Key.(*ast.Ident); {
		case key == nil:
		case key.Name == "Name":
			if name, ok := f.text(p, kv.Value); ok {
				f.Names = append(f.Names, name)
			} else {
				f.Open = true
			}
		case key.Name == "Aliases":
			ast.Inspect(kv.Value, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					if name, ok := f.text(p, e); ok {
						f.Names = append(f.Names, name)
					}
				}
				return true
			})
		}
	}
}

// tag notices flags that are struct fields: how their names are made is up to the library.
func (f *flagReader) tag(field *ast.Field) {
	if field.Tag == nil {
		return
	}
	text, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return
	}
	for _, key := range []string{"long", "short", "arg", "flag", "help"} {
		if _, ok := reflect.StructTag(text).Lookup(key); ok {
			f.Open = true
		}
	}
}

// text is the value of a string literal or of a constant of the package.
func (f *flagReader) text(p *source.Package, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return s, err == nil
		}
	case *ast.Ident:
		d := p.Decl(e.Name)
		if d == nil || d.Kind != source.ConstDecl {
			return "", false
		}
		for _, spec := range d.Group.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, id := range vs.Names {
				if id.Name == e.Name && i < len(vs.Values) {
					if lit, ok := vs.Values[i].(*ast.BasicLit); ok {
						return f.text(p, lit)
					}
				}
			}
		}
	}
	return "", false
}
