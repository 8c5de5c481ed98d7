package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse holds Parse against what it promises of any source.
func FuzzParse(f *testing.F) {
	for _, a := range corpus(f) {
		f.Add(a.Files[0].Data)
		f.Add(bytes.ReplaceAll(a.Files[0].Data, []byte("\n"), []byte("\r\n")))
	}
	f.Add([]byte(bom + "+++\r+++\r" + beginA + "\r" + end))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Parse(src)
		if err != nil {
			return
		}
		lines := countLines(src) + 1
		last := 0
		for i, r := range p.Regions {
			if r.Line <= last || r.Line > lines || r.Level < 2 || r.Level > 6 {
				t.Errorf("region %d after line %d of %d lines: %+v", i, last, lines, r)
			}
			last = r.End
			p.Body(i)
		}
		last = 0
		for _, problem := range p.Problems {
			if problem.Line <= last || problem.Line > lines || problem.Message == "" {
				t.Errorf("problem after line %d of %d lines: %+v", last, lines, problem)
			}
			last = problem.Line
		}
		for name, line := range p.IDs() {
			if line < 1 || line > lines || name == "" {
				t.Errorf("id %q at line %d of %d lines", name, line, lines)
			}
		}
		if got := p.Splice(nil); !bytes.Equal(got, src) {
			t.Errorf("Splice(nil) = %q, want %q", got, src)
		}
	})
}

// generated wraps arbitrary text as a generator does: in a fence longer than any run of
// backticks in it, between paragraphs of its own.
func generated(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\nGenerated.\n\n<a id=\"service-x\"></a>\n\n### X\n\n" +
		fence + "go catalog\n" + text + "\n" + fence + "\n\nSource: [x.go](x.go)\n\n"
}

// FuzzSplice puts generated bodies into any page: nothing changes outside of the
// markers, the regions stay what they were, and once is enough.
func FuzzSplice(f *testing.F) {
	for _, a := range corpus(f) {
		f.Add(a.Files[0].Data, "// "+beginA+"\n// ```\n"+end)
	}
	f.Add([]byte(bom+beginA+"\r\nold\r"+end), "a\r\nb\rc")
	f.Fuzz(func(t *testing.T, src []byte, text string) {
		p, err := Parse(src)
		if err != nil || len(p.Regions) == 0 {
			return
		}
		if _, err := Parse([]byte(text)); err != nil {
			return
		}
		bodies := make(map[int]string)
		for i := range p.Regions {
			bodies[i] = generated(text)
		}
		out := p.Splice(bodies)
		again, err := Parse(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(outside(p), outside(again)); diff != "" {
			t.Errorf("text outside of regions differs (-want +got):\n%s", diff)
		}
		for i := range again.Regions {
			if diff := cmp.Diff(bodies[i], again.Body(i)); diff != "" {
				t.Errorf("Body(%d) differs (-want +got):\n%s", i, diff)
			}
		}
		if diff := cmp.Diff(selectors(p), selectors(again)); diff != "" {
			t.Errorf("regions differ (-want +got):\n%s", diff)
		}
		if twice := again.Splice(bodies); !bytes.Equal(out, twice) {
			t.Errorf("second Splice differs (-want +got):\n%s", cmp.Diff(string(out), string(twice)))
		}
	})
}

// outside returns the bytes of the page around its regions.
func outside(p *Page) []string {
	var parts []string
	pos := 0
	for _, s := range p.spans {
		parts = append(parts, string(p.source.src[pos:s.begin.next]))
		pos = s.end.start
	}
	return append(parts, string(p.source.src[pos:]))
}

// selectors returns what does not depend on the length of bodies.
func selectors(p *Page) []Region {
	regions := make([]Region, len(p.Regions))
	for i, r := range p.Regions {
		regions[i] = Region{Selectors: r.Selectors, Level: r.Level}
	}
	return regions
}
