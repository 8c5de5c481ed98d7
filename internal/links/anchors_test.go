package links

import (
	"testing"

	"github.com/agentplan/sdk/internal/markdown"
	"github.com/agentplan/sdk/internal/slug"
)

func TestSlug(t *testing.T) {
	tests := []struct{ name, markdown, want string }{
		{"lower case", "# Plan Mode", "plan-mode"},
		{"digits", "# Version 2 of 10", "version-2-of-10"},
		{"underscore", "# exit_plan_mode", "exit_plan_mode"},
		{"underscores of emphasis", "# _the_ exit", "the-exit"},
		{"hyphen", "# step-boundary", "step-boundary"},
		{"hyphen between spaces", "# one - two", "one---two"},
		{"en dash", "# one – two", "one--two"},
		{"em dash", "# one—two", "onetwo"},
		{"ampersand", "# Build & run", "build--run"},
		{"character reference", "# Build &amp; run", "build--run"},
		{"numeric reference", "# caf&#233;", "café"},
		{"slash", "# Turn/step", "turnstep"},
		{"dots", "# planmode.Service.Set", "planmodeserviceset"},
		{"file name", "# .catalog.yaml", "catalogyaml"},
		{"question mark", "# Why?", "why"},
		{"quotes", `# The "plan" isn't law`, "the-plan-isnt-law"},
		{"typographic quotes", "# The “plan” isn’t law", "the-plan-isnt-law"},
		{"brackets", "# Set (agent, active)", "set-agent-active"},
		{"plus", "# C++ and C#", "c-and-c"},
		{"colon", "# Note: read me", "note-read-me"},
		{"code", "# The `set` call", "the-set-call"},
		{"code with markup", "# `a_b*c*`", "a_bc"},
		{"code with two words", "# `go test` runs", "go-test-runs"},
		{"command", "# `/plan [off|message]`", "plan-offmessage"},
		{"flag", "# `--format`", "--format"},
		{"emphasis", "# A *very* **bold** claim", "a-very-bold-claim"},
		{"link text", "# See [the guide](x.md)", "see-the-guide"},
		{"link in brackets", "# See [`New`](x.md#New)", "see-new"},
		{"image", "# ![logo](x.png) Title", "-title"},
		{"image alone", "# ![logo](x.png)", ""},
		{"tag", "# Press <kbd>Tab</kbd>", "press-tab"},
		{"comment", "# Title<!-- why -->", "title"},
		{"backslash", `# snake\_case \*star\*`, "snake_case-star"},
		{"Chinese", "# 计划模式", "计划模式"},
		{"Chinese and Latin", "# 计划模式 Plan Mode", "计划模式-plan-mode"},
		{"full-width punctuation", "# 配置（可选）：一个键", "配置可选一个键"},
		{"full-width comma", "# 提问，回答。", "提问回答"},
		{"Chinese quotes", "# 所谓“计划”与《规范》", "所谓计划与规范"},
		{"ideographic comma and dots", "# 读、写……", "读写"},
		{"full-width space", "# 计划　模式", "计划模式"},
		{"full-width digits", "# 第１节", "第１节"},
		{"Japanese", "# プランのモード", "プランのモード"},
		{"Korean", "# 계획 모드", "계획-모드"},
		{"accents", "# Über Élan", "über-élan"},
		{"Cyrillic", "# Режим Плана", "режим-плана"},
		{"Greek", "# ΣΑΣ", "σασ"},
		{"combining mark", "# e\u0301tude", "e\u0301tude"},
		{"emoji first", "# 🚀 Getting started", "-getting-started"},
		{"emoji last", "# Done 🎉", "done-"},
		{"emoji alone", "# 🎉", ""},
		{"emoji with selector", "# ⚙️ Settings", "\ufe0f-settings"},
		{"shortcode", "# :white_check_mark: Done", "white_check_mark-done"},
		{"roman numeral", "# Part Ⅷ", "part-ⅷ"},
		{"superscript", "# x² and ½", "x-and-"},
		{"arrow", "# read → model", "read--model"},
		{"two spaces", "# a  b", "a--b"},
		{"no-break space", "# a\u00a0b", "ab"},
		{"closing number signs", "# Title ##", "title"},
		{"setext", "Title\n=====", "title"},
		{"setext of two lines", "One\ntwo\n---", "onetwo"},
		{"currency", "# $5 for 10%", "5-for-10"},
		{"undertie", "# a‿b", "a‿b"},
		{"HTML", "<h2 align=\"center\">Plan <em>Mode</em></h2>", "plan-mode"},
		{"HTML over lines", "<h1>\n  <img src=\"x.png\">\n  Plan &amp; mode\n</h1>", "plan--mode"},
		{"HTML with Markdown in it", "<h1>\n\nPlan *mode*\n\n</h1>", "plan-mode"},
		{"in a list", "- # Plan mode", "plan-mode"},
		{"in a quote", "> # Plan mode", "plan-mode"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := markdown.Parse([]byte(tt.markdown)).Headings()
			if len(h) != 1 {
				t.Fatalf("%d headings in %q", len(h), tt.markdown)
			}
			if got := slug.Of(h[0].Text); got != tt.want {
				t.Errorf("slug.Of(%q) = %q, want %q", h[0].Text, got, tt.want)
			}
		})
	}
}

func TestAnchorsLenient(t *testing.T) {
	a := newAnchors(markdown.Parse([]byte("# ⚙️ Settings\n\n## Title <!-- c -->\n\n## x²\n\n## Plan {#plan-id}\n\n<a id=\"mark\"></a><a name=\"Named\"></a>\n")))
	for fragment, want := range map[string]bool{
		"\ufe0f-settings": true, "-settings": true, "settings": false,
		"title": true, "title-": true,
		"x": true, "x²": true,
		"plan-id": true, "plan-plan-id": true, "plan": false,
		"mark": true, "user-content-mark": true, "Mark": false, "Named": true, "named": false,
	} {
		if got := a.has(fragment); got != want {
			t.Errorf("has(%q) = %v, want %v", fragment, got, want)
		}
	}
}
