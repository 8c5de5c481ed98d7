package page

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parseWhole parses a page with the bodies of its regions, which Parse leaves out.
func parseWhole(src []byte) *Page {
	p := &Page{source: newSource(src)}
	p.read(nil)
	return p
}

// everything writes down all that a page tells.
func everything(p *Page) string {
	var b strings.Builder
	b.WriteString(describe(p))
	for i, r := range p.Regions {
		fmt.Fprintf(&b, "%d: end of region %d: %q\n", r.End, i, p.Body(i))
	}
	for _, name := range slices.Sorted(maps.Keys(p.IDs())) {
		fmt.Fprintf(&b, "%d: id %q\n", p.IDs()[name], name)
	}
	return b.String()
}

func checkWhole(t *testing.T, src []byte) {
	t.Helper()
	p, err := Parse(src)
	if err != nil {
		return
	}
	if diff := cmp.Diff(everything(parseWhole(src)), everything(p)); diff != "" {
		t.Errorf("Parse of %q differs from a parse of the whole (-want +got):\n%s", src, diff)
	}
}

// The bodies that a page is parsed without are those of which it is certain where they end.
func TestFindBodies(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
	}{
		{"generated", "# T\n\n" + beginA + "\n" + generated("x") + end + "\n", []string{generated("x")}},
		{"empty", beginA + "\n" + end, []string{""}},
		{"two", beginA + "\na\n" + end + "\nx\n" + beginB + "\nb\n\n" + end + "\n", []string{"a\n", "b\n\n"}},
		{"CRLF", bom + beginA + "\r\n```\r\n" + end + "\r\n```\r\n" + end + "\r\n", []string{"```\r\n" + end + "\r\n```\r\n"}},
		{"lone CR", beginA + "\ra\r" + end + "\r", []string{"a\r"}},
		{"markers in a longer fence", beginA + "\n````go\n```\n" + end + "\n" + beginB + "\n````\n" + end, []string{"````go\n```\n" + end + "\n" + beginB + "\n````\n"}},
		{"indented end of a fence", beginA + "\n```\nx\n   ````  \n" + end, []string{"```\nx\n   ````  \n"}},
		{"what is no end of a fence", beginA + "\n```\n    ```\n\t```\n```x\nx ```\n```\n" + end, []string{"```\n    ```\n\t```\n```x\nx ```\n```\n"}},
		{"list and quote", beginA + "\n- a\n  - b <T>\n\n> 1. c\n" + end, []string{"- a\n  - b <T>\n\n> 1. c\n"}},
		{"in front matter", "---\na: b\n" + beginA + "\n" + end + "\n---\n", nil},
		{"unclosed fence", beginA + "\n```\n" + end + "\n", nil},
		{"fence in no fence", beginA + "\n``` `\n" + end + "\n" + beginB + "\n" + end, []string{""}},
		{"fence of tildes", beginA + "\n~~~\n" + end + "\n~~~\n" + end, nil},
		{"indented fence", beginA + "\n ```\n" + end + "\n ```\n" + end, nil},
		{"HTML up to the end", beginA + "\n<a id=\"x\">\n" + end, nil},
		{"HTML with a line", beginA + "\n<a id=\"x\">\nx\n\n" + end, nil},
		{"comment", beginA + "\n<!-- x\n" + end + "\n-->\n" + end, nil},
		{"other HTML", beginA + "\n<pre>\n\n" + end, nil},
		{"bar of a heading", beginA + "\na\n---\n" + end, nil},
		{"marker in a list", beginA + "\n- <!-- END GENERATED catlog -->\n" + end, nil},
		{"misspelled marker", beginA + "\nEND GENERATED catalog -->\n" + end, nil},
		{"nested", beginA + "\n" + beginB + "\n" + end + "\n" + end, []string{""}},
		{"indented end", beginA + "\n " + end + "\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSource([]byte(tt.src))
			var got []string
			for _, b := range findBodies(&s) {
				got = append(got, string(s.src[b.start:b.end]))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("bodies differ (-want +got):\n%s", diff)
			}
			checkWhole(t, []byte(tt.src))
		})
	}
}

// FuzzWhole holds Parse, which leaves bodies out, against a parse of the whole page.
func FuzzWhole(f *testing.F) {
	for _, a := range corpus(f) {
		f.Add(a.Files[0].Data)
		f.Add(bytes.ReplaceAll(a.Files[0].Data, []byte("\n"), []byte("\r\n")))
	}
	f.Fuzz(checkWhole)
}

// pieces are lines, and parts of lines, of which FuzzWholeLines makes pages: what opens and
// closes blocks and what may be mistaken for it.
var pieces = []string{
	"\n", "\n", "\n", "\r\n", "\r", " ", "  ", "   ", "    ", "\t", "\x00", "\v", "\ufeff", "\u3000",
	beginA + "\n", beginB + "\n", end + "\n", beginA + "\n", end + "\n", end, "\n" + end + "\n",
	beginA + "\n\n", "\n" + beginA + "\n" + generated("x") + end + "\n", generated("x"), generated(end),
	"```\n", "```go\n", "````\n", "``` `\n", "~~~\n", "~~~~ a\n", "```", "`", "``",
	"- ", "-\n", "- - -\n", "* * *\n", "* a\n", "+ b\n", "1. ", "2) c\n", "123456789. d\n", "- ```\n", "- <!--\n", "-\t```\n",
	"> ", ">\n", "> ```\n", "> a\n", ">> b\n", "> - c\n",
	"---\n", "===\n", "***\n", "___\n", "--\n", "=\n", "+++\n", "...\n", "a: b\n",
	"# H\n", "## H\n", "### H ###\n", "#\n", "#x\n",
	"text\n", "文字\n", "text", "a < b > c\n", "_a_\n", "*a*\n", "\\\n", "a  \n", "`a\n", "a`\n",
	"<a id=\"i\"></a>\n", "<a id=\"i\">\n", "<a id=\"j\"></a><a id=\"k\"></a>\n", "<a\n", "id=\"l\">\n", "<b id=m>",
	"<pre>\n", "</pre>\n", "<script>\n", "</script>", "<!--\n", "-->\n", "<!-- x -->\n", "<?\n", "?>\n", "<!X\n", ">\n",
	"<![CDATA[\n", "]]>\n", "<div>\n", "</div>\n", "<p id=\"n\">\n", "<x>\n",
	"[r]: /u\n", "[r]:\n", "/u\n", "\"t\"\n", "[r", "][`", "]\n", "[r]\n", "[x][r]\n", "[^1]: n\n", "](u)\n",
	"| a | b |\n", "|-|-|\n",
	"<!-- END GENERATED catlog -->\n", "END GENERATED catalog -->\n", "<-- BEGIN GENERATED catalog c\n", "BEGIN GENERATED catalog",
	"<!-- BEGIN\n", "GENERATED catalog d -->\n", "<!-- begin generated catalog e -->\n", end + " x\n", "gener", "atalog\n",
}

// assemble makes a page of pieces that bytes choose.
func assemble(choice []byte) []byte {
	var b bytes.Buffer
	for _, c := range choice {
		b.WriteString(pieces[int(c)%len(pieces)])
	}
	return b.Bytes()
}

// FuzzWholeLines does as FuzzWhole does with pages made of pieces.
func FuzzWholeLines(f *testing.F) {
	for i := range pieces {
		f.Add([]byte{14, byte(i), 0, 16, 60, 14, 16})
		f.Add([]byte{byte(i), 14, 23, 16, 14, 24, byte(i), 16, byte(i)})
	}
	f.Fuzz(func(t *testing.T, choice []byte) {
		if len(choice) < 200 {
			checkWhole(t, assemble(choice))
		}
	})
}
