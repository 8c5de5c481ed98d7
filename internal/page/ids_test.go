package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIDs(t *testing.T) {
	tests := []struct {
		name string
		src  string
		want map[string]int
	}{
		{"none", "# Title\n\nid=\"x\" <b>y</b>\n", map[string]int{}},
		{"inline", "text\nand <a id=\"x\"></a> and <a name='y'>y</a>\n", map[string]int{"x": 2, "y": 2}},
		{"in a heading", "# <a id=\"x\"></a>Title\n", map[string]int{"x": 1}},
		{"block", "<div\n  id=x>\n<p ID = 'y' class>\n<br id=\"z\"/>\n</div>\n", map[string]int{"x": 1, "y": 3, "z": 4}},
		{"in a quote and a list", "> <p id=\"x\">\n> text\n\n- a\n  - <a id=\"y\"></a>\n", map[string]int{"x": 1, "y": 5}},
		{"tag over two lines of a quote", "> text <a\n> id=\"x\">b</a>\n", map[string]int{"x": 1}},
		{"first one counts", "<a id=\"x\"></a>\n\n<a id=\"x\"></a>\n", map[string]int{"x": 1}},
		{"first attribute counts", "<a id=\"x\" id=\"y\"></a>\n", map[string]int{"x": 1}},
		{"id and name", "<a id=\"x\" name=\"y\"></a>\n\n<a id=\"z\" name=\"z\"></a>\n", map[string]int{"x": 1, "y": 1, "z": 3}},
		{"name of another element", "<input name=\"x\">\n", map[string]int{}},
		{"other attributes", "<a data-id=\"x\" title='id=\"y\"' href=\"?id=z\"></a>\n", map[string]int{}},
		{"greater-than sign in a value", "<a title=\"a > b\" id=\"x\"></a>\n", map[string]int{"x": 1}},
		{"entities and Chinese", "<a id=\"a&amp;b\"></a><a id=\"计划\"></a>\n", map[string]int{"a&b": 1, "计划": 1}},
		{"empty value", "<a id=\"\" name></a>\n", map[string]int{}},
		{"comment", "<!-- <a id=\"x\"></a>\n<a id=\"y\"></a> -->\n<a id=\"z\"></a>\n", map[string]int{"z": 3}},
		{"comment in a block", "<div>\n<!--><a id=\"x\"> <!-- <a id=\"y\"> --><a id=\"z\">\n</div>\n", map[string]int{"x": 2, "z": 2}},
		{"closing tag", "<div>\n</div id=\"x\">\n<p id=\"y\">\n", map[string]int{"y": 3}},
		{"script", "<script>\nx = '<a id=\"x\">' </SCRIPT ><a id=\"y\">\n", map[string]int{"y": 2}},
		{"tag without end", "<div id=\"x\"\n\n<div id=\"y\n", map[string]int{}},
		{"code", "`<a id=\"x\">`\n\n    <a id=\"y\">\n\n```\n<a id=\"z\">\n```\n", map[string]int{}},
		{"front matter", "---\nx: <a id=\"x\">\n---\n<a id=\"y\"></a>\n", map[string]int{"y": 4}},
		{
			"regions",
			"<a id=\"x\"></a>\n\n" + beginA + "\n\n<a id=\"x\"></a>\n<a id=\"y\"></a>\n\n" + end + "\n<a id=\"z\"></a>\n",
			map[string]int{"x": 1, "z": 9},
		},
		{"region first", beginA + "\n<a id=\"x\"></a>\n\n" + end + "\n<a id=\"x\"></a>\n", map[string]int{"x": 5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n", "\r"} {
				got := parse(t, strings.ReplaceAll(tt.src, "\n", eol)).IDs()
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("IDs with %q differ (-want +got):\n%s", eol, diff)
				}
			}
		})
	}
}
