package prose

import "testing"

func TestJoin(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"Latin", "a\nb", "a b"},
		{"blanks around", "a \t\n  b", "a b"},
		{"blank lines", "a\n\n\nb", "a b"},
		{"carriage returns", "a\r\nb\rc", "a b c"},
		{"ends", "\n a \n", "a"},
		{"Han", "计划\n模式", "计划模式"},
		{"Han and kana", "計画\nモード\nです", "計画モードです"},
		{"iteration and long vowel marks", "人\n々\nー\nあ", "人々ーあ"},
		{"half-width kana", "ｱ\nｲ", "ｱｲ"},
		{"full-width letters", "Ａ\n１\n中", "Ａ１中"},
		{"Han and Latin", "计划\nmode\n模式", "计划 mode 模式"},
		{"Han and digit", "第\n1\n章", "第 1 章"},
		{"full-width punctuation and Latin", "计划，\nmode", "计划，mode"},
		{"Latin and full-width punctuation", "mode\n（计划）", "mode（计划）"},
		{"corner brackets", "mode\n「x」\nmode", "mode「x」mode"},
		{"Western punctuation and Han", "计划,\n模式", "计划, 模式"},
		{"Hangul", "한국\n어", "한국 어"},
		{"Hangul and punctuation", "한국。\n어", "한국。 어"},
		{"Hangul and Han", "한\n中", "한 中"},
		{"quotes in Chinese", "他说“好”\n然后\n“走”", "他说“好”然后“走”"},
		{"quotes in English", "he said “yes”\nand\n“no”", "he said “yes” and “no”"},
		{"quoted Latin in Chinese", "“plan”\n模式", "“plan”模式"},
		{"dashes", "计划——\n模式\n——\n完", "计划——模式——完"},
		{"dash in English", "plan —\nmode", "plan — mode"},
		{"mark on Han", "か\u3099\n中", "か\u3099中"},
		{"variation of Han", "葛\U000E0100\n城", "葛\U000E0100城"},
		{"emoji", "计划🎉\n模式", "计划🎉 模式"},
		{"code", "计划`模式`\n`模式`计划", "计划`模式``模式`计划"},
		{"Arabic", "سلام\nسلام", "سلام سلام"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l line
			l.appendText(tt.text)
			l.join()
			got := ""
			for _, s := range l.segs {
				got += string(l.src[s.start:s.end])
			}
			if got != tt.want {
				t.Errorf("join(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}
