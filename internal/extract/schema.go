package extract

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/doc/comment"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agentplan/sdk/internal/source"
)

// schema makes the JSON Schema (2020-12) of a tool's arguments from the struct's json
// tags and comments, with the properties in source order.
func (x *Extractor) schema(d *source.Decl) json.RawMessage {
	obj := x.object(d.File.Pkg, d.Name())
	if obj == nil {
		return nil
	}
	s := &schemaMaker{x: x, defs: map[string]*object{}, refs: map[*types.Named]string{}}
	if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
		s.refs[named] = "#"
	}
	root := s.structSchema(obj.Type())
	if len(s.order) > 0 {
		defs := &object{}
		for _, name := range s.order {
			defs.set(name, s.defs[name])
		}
		root.set("$defs", defs)
	}
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic("schema of " + d.Name().Name + ": " + err.Error())
	}
	return out
}

// object is a JSON object that keeps the order of its keys.
type object struct {
	keys   []string
	values map[string]any
}

func (o *object) set(key string, value any) *object {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
	return o
}

// MarshalJSON writes the keys in the order in which they were set.
func (o *object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, k := range o.keys {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := json.Marshal(k)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[k])
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

// schemaMaker makes schemas of the types that a tool's arguments are made of. A named
// struct of a field goes to $defs, so that one may contain itself.
type schemaMaker struct {
	x     *Extractor
	defs  map[string]*object
	order []string
	refs  map[*types.Named]string
}

// structSchema describes a struct's fields as properties. Fields without omitempty or
// omitzero are required, and no others are allowed.
func (s *schemaMaker) structSchema(t types.Type) *object {
	props, required := &object{}, []string{}
	s.addFields(t, props, &required, map[types.Type]bool{})
	o := (&object{}).set("type", "object").set("properties", props)
	if len(required) > 0 {
		o.set("required", required)
	}
	return o.set("additionalProperties", false)
}

func (s *schemaMaker) addFields(t types.Type, props *object, required *[]string, seen map[types.Type]bool) {
	t = deref(t)
	st, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return
	}
	seen[t] = true
	for i := range st.NumFields() {
		f := st.Field(i)
		name, opts, _ := strings.Cut(reflect.StructTag(st.Tag(i)).Get("json"), ",")
		if name == "-" && opts == "" && !strings.Contains(st.Tag(i), `"-,"`) {
			continue
		}
		if f.Embedded() && name == "" && isStruct(deref(f.Type()).Underlying()) {
			s.addFields(f.Type(), props, required, seen)
			continue
		}
		if !f.Exported() {
			continue
		}
		if name == "" {
			name = f.Name()
		}
		if _, ok := props.values[name]; ok {
			continue // a field nearer to the surface hides it
		}
		options := strings.Split(opts, ",")
		props.set(name, s.fieldSchema(f, slices.Contains(options, "string")))
		if !slices.Contains(options, "omitempty") && !slices.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

func (s *schemaMaker) fieldSchema(f *types.Var, quoted bool) *object {
	o := &object{}
	if quoted {
		o.set("type", "string")
	} else {
		o = s.typeSchema(f.Type())
	}
	if doc := s.comment(f); doc != "" {
		o.set("description", doc)
	}
	return o
}

// comment is a field's comment, each paragraph on one line.
func (s *schemaMaker) comment(f *types.Var) string {
	p := s.x.packageOf(f.Pkg())
	if p == nil {
		return ""
	}
	m, ok := p.Member(f.Origin().Pos())
	if !ok || m.Field == nil {
		return ""
	}
	g := m.Field.Doc
	if g == nil {
		g = m.Field.Comment
	}
	if g == nil {
		return ""
	}
	unwrapped := comment.Printer{TextWidth: -1}
	return strings.TrimSpace(string(unwrapped.Text((&comment.Parser{}).Parse(g.Text()))))
}

// typeSchema describes how encoding/json writes a type. What it cannot tell, such as a
// type with its own MarshalJSON, allows any value.
func (s *schemaMaker) typeSchema(t types.Type) *object {
	t = types.Unalias(t)
	if named, ok := t.(*types.Named); ok {
		if o := s.namedSchema(named); o != nil {
			return o
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicSchema(u)
	case *types.Pointer:
		return s.typeSchema(u.Elem())
	case *types.Slice:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
			return (&object{}).set("type", "string").set("contentEncoding", "base64")
		}
		return (&object{}).set("type", "array").set("items", s.typeSchema(u.Elem()))
	case *types.Array:
		return (&object{}).set("type", "array").set("items", s.typeSchema(u.Elem())).
			set("minItems", u.Len()).set("maxItems", u.Len())
	case *types.Map:
		return (&object{}).set("type", "object").set("additionalProperties", s.typeSchema(u.Elem()))
	case *types.Struct:
		return s.structSchema(t)
	}
	return &object{}
}

func basicSchema(b *types.Basic) *object {
	o := &object{}
	info := b.Info()
	switch {
	case info&types.IsString != 0:
		o.set("type", "string")
	case info&types.IsBoolean != 0:
		o.set("type", "boolean")
	case info&types.IsInteger != 0:
		o.set("type", "integer")
		if info&types.IsUnsigned != 0 {
			o.set("minimum", 0)
		}
	case info&types.IsFloat != 0:
		o.set("type", "number")
	}
	return o
}

// namedSchema describes a named type where its name matters: those that marshal
// themselves, those with constants, and structs.
func (s *schemaMaker) namedSchema(named *types.Named) *object {
	obj := named.Obj()
	if obj.Pkg() != nil && obj.Pkg().Path() == "time" && obj.Name() == "Time" {
		return (&object{}).set("type", "string").set("format", "date-time")
	}
	if hasMethod(named, "MarshalJSON") {
		return &object{}
	}
	if hasMethod(named, "MarshalText") {
		return (&object{}).set("type", "string")
	}
	if b, ok := named.Underlying().(*types.Basic); ok {
		o := basicSchema(b)
		if values := s.constants(named); len(values) > 0 {
			o.set("enum", values)
		}
		return o
	}
	if !isStruct(named.Underlying()) {
		return nil
	}
	ref, ok := s.refs[named]
	if !ok {
		name := obj.Name()
		for n := 2; s.defs[name] != nil; n++ {
			name = obj.Name() + strconv.Itoa(n)
		}
		ref = "#/$defs/" + name
		s.refs[named] = ref
		s.order = append(s.order, name)
		s.defs[name] = &object{} // a struct may contain itself
		*s.defs[name] = *s.structSchema(named)
	}
	return (&object{}).set("$ref", ref)
}

func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// constants are the values of a type's exported constants, in source order.
func (s *schemaMaker) constants(named *types.Named) []any {
	p := s.x.packageOf(named.Obj().Pkg())
	if p == nil {
		return nil
	}
	var out []any
	for _, d := range s.x.typedConsts(p, named.Obj().Name()) {
		for _, id := range d.Names {
			c, ok := s.x.object(p, id).(*types.Const)
			if !ok || !ast.IsExported(id.Name) || !types.Identical(c.Type(), named) {
				continue
			}
			switch c.Val().Kind() {
			case constant.String:
				out = append(out, constant.StringVal(c.Val()))
			case constant.Int:
				out = append(out, json.Number(c.Val().ExactString()))
			case constant.Float:
				f, _ := constant.Float64Val(c.Val())
				out = append(out, f)
			}
		}
	}
	return out
}
