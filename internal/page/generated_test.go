package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGenerated(t *testing.T) {
	tests := []struct {
		name, body string
		want       Generated
	}{
		{"generated", generated("<a id=\"in-a-fence\"></a>\n[x]: y"), Generated{IDs: map[string]bool{"service-x": true}, All: true}},
		{"several on a line", "<a id=\"x\"></a><a id=\"y.z\"></a>\n\ntext\n", Generated{IDs: map[string]bool{"x": true, "y.z": true}, All: true}},
		{"prose with signs", "a < b = c\n\nthe id <T>\n", Generated{IDs: map[string]bool{}, All: true}},
		{"in a list", "- <a id=\"x\"></a>\n", Generated{IDs: map[string]bool{}}},
		{"in a paragraph", "text\nand <b\nname\n= x>\n", Generated{IDs: map[string]bool{}}},
		{"an open tag", "<a id=\"x\">\n\n", Generated{IDs: map[string]bool{}}},
		{"in a code span", "`\n<a id=\"x\"></a>\n\n`\n", Generated{IDs: map[string]bool{}}},
		{"a definition", "[x]: y\n", Generated{IDs: map[string]bool{}, Defines: true}},
		{"what no scan can read", "~~~\n\n<a id=\"x\"></a>\n\n~~~\n", Generated{IDs: map[string]bool{}, Defines: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, "# T\n\n"+beginA+"\n"+tt.body+end+"\n").Generated()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Generated differs (-want +got):\n%s", diff)
			}
		})
	}
}
