package page

import (
	"strings"
	"testing"
)

func TestSlips(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"catalog", "catalog", 0},
		{"", "", 0},
		{"", "c", 1},
		{"catalog", "catlog", 1},
		{"catalog", "catalogs", 1},
		{"catalog", "xcatalog", 1},
		{"catalog", "catalox", 1},
		{"catalog", "xatalog", 1},
		{"catalog", "actalog", 1},
		{"catalog", "catalgo", 1},
		{"目录", "目标", 1},
		{"catalog", "catalogue", 2},
		{"catalog", "toc", 2},
		{"catalog", "ctaalgo", 2},
		{"catalog", "xatalox", 2},
		{"", "ca", 2},
		{"catalog", "cxtalo", 2},
	}
	for _, tt := range tests {
		if got := slips(tt.a, tt.b); got != tt.want {
			t.Errorf("slips(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := slips(tt.b, tt.a); got != tt.want {
			t.Errorf("slips(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

// What a fault tells to write is a good marker with the same selectors.
func FuzzReadMarker(f *testing.F) {
	for _, a := range corpus(f) {
		for line := range strings.Lines(string(a.Files[0].Data)) {
			f.Add(strings.TrimSuffix(line, "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, ok := readMarker(s)
		if !ok || m.fault == "" {
			return
		}
		again, ok := readMarker(m.String())
		if !ok || again.fault != "" || again.end != m.end {
			t.Errorf("readMarker(%q) tells to write %q, which reads as %+v", s, m.String(), again)
		}
	})
}
