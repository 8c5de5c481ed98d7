package nearest

import "testing"

func TestOf(t *testing.T) {
	names := []string{"New", "Config", "Service", "ParseConfig", "B", "A"}
	for _, tt := range []struct{ name, want string }{
		{"Confg", "Config"}, {"config", "Config"}, {"Nwe", "New"}, {"Servce", "Service"},
		{"Completely", ""}, {"X", "A"}, {"", "A"}, {"SERVICE", "Service"}, {"设置", ""},
	} {
		if got := Of(tt.name, names); got != tt.want {
			t.Errorf("Of(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 2}, {"模式", "模", 1},
	} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
