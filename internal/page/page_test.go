package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	beginA = "<!-- BEGIN GENERATED catalog a -->"
	beginB = "<!-- BEGIN GENERATED catalog b -->"
	end    = "<!-- END GENERATED catalog -->"
)

func TestSplice(t *testing.T) {
	tests := []struct {
		name   string
		src    string
		bodies map[int]string
		want   string
	}{
		{
			name:   "no bodies",
			src:    "x\r\n" + beginA + "\r\nold\n" + end + "\ry",
			bodies: nil,
			want:   "x\r\n" + beginA + "\r\nold\n" + end + "\ry",
		},
		{
			name:   "last line without line ending",
			src:    beginA + "\n" + end,
			bodies: map[int]string{0: "\nnew\n\n"},
			want:   beginA + "\n\nnew\n\n" + end,
		},
		{
			name:   "empty body",
			src:    beginA + "\nold\n\n" + end + "\n",
			bodies: map[int]string{0: ""},
			want:   beginA + "\n" + end + "\n",
		},
		{
			name:   "body without last line ending",
			src:    beginA + "\n" + end + "\n",
			bodies: map[int]string{0: "new"},
			want:   beginA + "\nnew\n" + end + "\n",
		},
		{
			name:   "CRLF and byte order mark",
			src:    bom + beginA + "\r\nold\r\n" + end + "\r\n",
			bodies: map[int]string{0: "\nnew\n"},
			want:   bom + beginA + "\r\n\r\nnew\r\n" + end + "\r\n",
		},
		{
			name:   "lone CR",
			src:    "x\r" + beginA + "\rold\r" + end + "\r",
			bodies: map[int]string{0: "new\n\n"},
			want:   "x\r" + beginA + "\rnew\r\r" + end + "\r",
		},
		{
			name:   "mixed line endings",
			src:    "x\r" + beginA + "\r\nold\n" + end + "\r\r\n" + beginB + "\nold\r\n" + end,
			bodies: map[int]string{0: "new\n", 1: "new\n"},
			want:   "x\r" + beginA + "\r\nnew\r\n" + end + "\r\r\n" + beginB + "\nnew\n" + end,
		},
		{
			name:   "one of two, and one that does not exist",
			src:    beginA + "\nold a\n" + end + "\n" + beginB + "\nold b\n" + end + "\n",
			bodies: map[int]string{1: "new b\n", 2: "no region\n"},
			want:   beginA + "\nold a\n" + end + "\n" + beginB + "\nnew b\n" + end + "\n",
		},
		{
			name:   "white space behind markers",
			src:    beginA + " \t\nold\n" + end + "  \n",
			bodies: map[int]string{0: "new\n"},
			want:   beginA + " \t\nnew\n" + end + "  \n",
		},
		{
			name:   "body with CRLF",
			src:    beginA + "\n" + end + "\n",
			bodies: map[int]string{0: "a\r\nb\rc\n"},
			want:   beginA + "\na\nb\nc\n" + end + "\n",
		},
		{
			name:   "front matter",
			src:    "---\nt: x\n" + beginA + "\n" + end + "\n---\n" + beginA + "\n" + end + "\n",
			bodies: map[int]string{0: "new\n"},
			want:   "---\nt: x\n" + beginA + "\n" + end + "\n---\n" + beginA + "\nnew\n" + end + "\n",
		},
		{
			name:   "BEGIN on the last line",
			src:    "x\n" + beginA,
			bodies: map[int]string{0: "new\n"},
			want:   "x\n" + beginA,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, tt.src).Splice(tt.bodies)
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Splice differs (-want +got):\n%s", diff)
			}
			again := parse(t, string(got)).Splice(tt.bodies)
			if diff := cmp.Diff(string(got), string(again)); diff != "" {
				t.Errorf("second Splice differs (-want +got):\n%s", diff)
			}
		})
	}
}

// A fresh page is not changed, whatever its line endings (G21, G23).
func TestSpliceFresh(t *testing.T) {
	for _, eol := range []string{"\n", "\r\n", "\r"} {
		src := strings.ReplaceAll("# T\n"+beginA+"\n\n## x\n\n"+end+"\ntext\n", "\n", eol)
		p := parse(t, src)
		if diff := cmp.Diff("\n## x\n\n", p.Body(0)); diff != "" {
			t.Errorf("Body with %q differs (-want +got):\n%s", eol, diff)
		}
		if diff := cmp.Diff(src, string(p.Splice(map[int]string{0: p.Body(0)}))); diff != "" {
			t.Errorf("Splice with %q differs (-want +got):\n%s", eol, diff)
		}
	}
}

func TestRestore(t *testing.T) {
	src := "# T\n" + beginA + "\r\n\r\n## x\r\n" + end + "\ntext <a id=\"b\"></a>\n"
	want, got := parse(t, src), parse(t, src)
	if !got.Release() {
		t.Fatal("a page with a region is not released")
	}
	if parse(t, "# T\n").Release() {
		t.Error("a page without a region is released")
	}
	if diff := cmp.Diff(want.Regions, got.Regions); diff != "" {
		t.Errorf("Regions of a released page (-want +got):\n%s", diff)
	}
	got.Restore([]byte(src))
	if diff := cmp.Diff(want.Body(0), got.Body(0)); diff != "" {
		t.Errorf("Body (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.IDs(), got.IDs()); diff != "" {
		t.Errorf("IDs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(string(want.Splice(map[int]string{0: "y\n"})), string(got.Splice(map[int]string{0: "y\n"}))); diff != "" {
		t.Errorf("Splice (-want +got):\n%s", diff)
	}
}

// A page has a body if and only if putting it there changes nothing.
func TestHas(t *testing.T) {
	bodies := []string{"", "\n", "a", "a\n", "\n\na\n\n", "a\r\n", "a\rb\n", "a\n\nb\n"}
	for _, begin := range []string{"\n", "\r\n", "\r"} {
		for _, have := range bodies {
			src := "x\n" + beginA + begin + have + end + "\n"
			p := parse(t, src)
			if len(p.Regions) == 0 {
				continue // the END marker is no line of its own
			}
			for _, body := range bodies {
				want := string(p.Splice(map[int]string{0: body})) == src
				if got := p.Has(0, body); got != want {
					t.Errorf("%q: Has(0, %q) = %v, want %v", src, body, got, want)
				}
			}
			if text, ok := p.Bytes(0); ok && !p.Has(0, string(text)) {
				t.Errorf("%q: Bytes(0) = %q, but Has is false of it", src, text)
			}
		}
	}
	if _, ok := parse(t, beginA+"\na\n"+end).Bytes(0); !ok {
		t.Error("Bytes is false of lines that end with LF")
	}
}

func TestBody(t *testing.T) {
	p := parse(t, "x\n"+beginA+"\r\n\ra\r\n\nb\n"+end+"\n"+beginB+"\n"+end)
	got := []string{p.Body(0), p.Body(1)}
	if diff := cmp.Diff([]string{"\na\n\nb\n", ""}, got); diff != "" {
		t.Errorf("Body differs (-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"invalid byte", "a\r\nb\rc\nd\xffe\n", "decode page: line 4: byte 0xff is not UTF-8: save the page as UTF-8"},
		{"invalid first byte", "\xc3(", "decode page: line 1: byte 0xc3 is not UTF-8: save the page as UTF-8"},
		{"cut off at the end", "a\n\n\xe4\xb8", "decode page: line 3: byte 0xe4 is not UTF-8: save the page as UTF-8"},
		{"invalid after a replacement character", "\ufffd\n\x80", "decode page: line 2: byte 0x80 is not UTF-8: save the page as UTF-8"},
		{"UTF-16 little endian", "\xff\xfea\x00", "decode page: the text is UTF-16: save the page as UTF-8"},
		{"UTF-16 big endian", "\xfe\xff\x00a", "decode page: the text is UTF-16: save the page as UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse([]byte(tt.src))
			if err == nil {
				t.Fatalf("Parse gave %v and no error", p)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("error differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseEmpty(t *testing.T) {
	for _, src := range []string{"", bom, "\n", "\r", "\ufffd", "---", "+++\n+++"} {
		p := parse(t, src)
		if got := describe(p); got != "" {
			t.Errorf("Parse(%q) found %s", src, got)
		}
		if diff := cmp.Diff(src, string(p.Splice(map[int]string{0: "x\n"}))); diff != "" {
			t.Errorf("Splice of %q differs (-want +got):\n%s", src, diff)
		}
	}
}
