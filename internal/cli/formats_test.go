package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentplan/sdk/docs/schema"
)

// documentSchemas are the schemas of what verify-catalog prints as one document.
type documentSchemas struct {
	sync.Mutex
	compiled map[string]*jsonschema.Schema
}

// of returns the schema of a format, or nil where its output is no document.
func (d *documentSchemas) of(format string) (*jsonschema.Schema, error) {
	d.Lock()
	defer d.Unlock()
	if s := d.compiled[format]; s != nil {
		return s, nil
	}
	text := schema.Findings()
	switch format {
	case "sarif":
		data, err := os.ReadFile(filepath.Join("..", "report", "testdata", "sarif-schema-2.1.0.json"))
		if err != nil {
			return nil, err
		}
		text = string(data)
	case "json":
	default:
		return nil, nil
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(format, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(format)
	if err == nil {
		d.compiled[format] = s
	}
	return s, err
}

// checkDocument holds what a verify-catalog of a script printed against its schema.
func (d *documentSchemas) checkDocument(ts *testscript.TestScript, args []string) {
	i := slices.Index(args, "--format")
	if args[0] != "verify-catalog" || i < 0 || i+1 == len(args) {
		return
	}
	s, err := d.of(args[i+1])
	ts.Check(err)
	out := ts.ReadFile("stdout")
	if s == nil || out == "" { // bad usage
		return
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
	ts.Check(err)
	ts.Check(s.Validate(doc))
}
