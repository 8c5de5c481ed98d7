package skeleton

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
)

// codeLine is a line of code with its line on the page.
type codeLine struct {
	text string
	line int
}

func (b *builder) code(n ast.Node, line int) *node {
	out := b.node(code, "", line, "", n)
	segments := n.Lines()
	var lines []codeLine
	for i := range segments.Len() {
		seg := segments.At(i)
		lines = append(lines, codeLine{strings.TrimSuffix(string(seg.Value(b.doc.Source)), "\n"), b.doc.Line(seg.Start)})
	}
	fence, ok := n.(*ast.FencedCodeBlock)
	if !ok {
		out.key, out.text = "indented", "an indented code block"
		out.lines = lines
		out.seal()
		return out
	}
	if fence.Info != nil {
		out.info = comparedInfo(strings.TrimSpace(string(fence.Info.Value(b.doc.Source))))
	}
	out.key = "fence " + out.info
	out.text = "a code block"
	if out.info != "" {
		out.text = "a code block with `" + out.info + "`"
	}
	if n.Parent().Kind() == ast.KindDocument {
		text := b.doc.Text(line)
		if indent := len(text) - len(strings.TrimLeft(text, " ")); indent > 0 {
			out.key += fmt.Sprintf(" indented %d", indent)
			out.text += fmt.Sprintf(", indented by %d", indent)
		}
	}
	end := line + 1
	if len(lines) > 0 {
		end = lines[len(lines)-1].line + 1
	}
	if !closing().MatchString(b.doc.Text(end)) {
		b.unclosed = line
	}
	lang, _, _ := strings.Cut(out.info, " ")
	if lang == "go" && len(lines) > 0 && declared().MatchString(lines[0].text) {
		lines = lines[:1] // the rule declaration holds the rest against the source
	}
	out.lines = withoutComments(lang, lines)
	out.seal()
	return out
}

// declared matches the first line of a fence that shows a declaration of the source.
var declared = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^// from \S+\s*$`) })

// closing matches the end of a fence, in a quote too.
var closing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[ >\t]*(`{3,}|~{3,})[ \t]*$") })

var reason = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bignore:.*`) })

// comparedInfo is an info string without the reason of an ignored fence, which is prose.
func comparedInfo(info string) string { return reason().ReplaceAllString(info, "ignore:") }

// syntax is how a language writes comments and strings.
type syntax struct {
	line   []string // what starts a comment to the end of the line
	block  [2]string
	quotes string // what encloses strings of one line, with backslash escapes
	raw    string // what encloses strings without escapes, over lines
	triple bool   // three quotes enclose a string over lines
	word   bool   // comments and strings start only at the start of a word
	prompt string // what code begins with, where other lines are what it prints
}

// syntaxOf returns the syntax of a fence's language. The result is false where comments
// are not known: then every byte counts.
func syntaxOf(lang string) (syntax, bool) {
	switch strings.ToLower(strings.Trim(lang, "{}.")) {
	case "go", "golang":
		return syntax{line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`, raw: "`"}, true
	case "js", "javascript", "jsx", "ts", "typescript", "tsx", "mjs", "cjs":
		return syntax{line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`, raw: "`"}, true
	case "json", "json5", "jsonc", "c", "h", "cpp", "c++", "cc", "java", "rust", "rs", "kotlin", "kt", "swift", "scala", "cs",
		"csharp", "c#", "proto", "protobuf", "dart", "zig", "groovy", "gradle", "scss", "less", "solidity", "mod", "gomod", "go.mod", "cue":
		return syntax{line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`}, true
	case "css":
		return syntax{block: [2]string{"/*", "*/"}, quotes: `"'`}, true
	case "php":
		return syntax{line: []string{"//", "#"}, block: [2]string{"/*", "*/"}, quotes: `"'`}, true
	case "hcl", "terraform", "tf":
		return syntax{line: []string{"//", "#"}, block: [2]string{"/*", "*/"}, quotes: `"`}, true
	case "sh", "bash", "shell", "zsh", "fish", "ksh":
		return syntax{line: []string{"#"}, quotes: `"`, raw: "'", word: true}, true
	case "console", "shell-session", "shellsession", "sh-session":
		return syntax{line: []string{"#"}, quotes: `"`, raw: "'", word: true, prompt: "$ "}, true
	case "yaml", "yml", "make", "makefile", "mk", "dockerfile", "docker", "nginx", "conf", "properties",
		"gitignore", "env", "dotenv", "cmake", "just", "justfile":
		return syntax{line: []string{"#"}, quotes: `"'`, word: true}, true
	case "ini", "cfg", "editorconfig", "gitconfig", "systemd":
		return syntax{line: []string{"#", ";"}, quotes: `"`, word: true}, true
	case "python", "py", "python3", "toml":
		return syntax{line: []string{"#"}, quotes: `"'`, triple: true}, true
	case "ruby", "rb", "perl", "pl", "r", "elixir", "ex", "julia", "jl", "graphql", "gql", "awk", "starlark", "bzl", "nix", "tcl":
		return syntax{line: []string{"#"}, quotes: `"'`, word: true}, true
	case "powershell", "ps1", "pwsh":
		return syntax{line: []string{"#"}, block: [2]string{"<#", "#>"}, quotes: `"'`, word: true}, true
	case "sql", "postgresql", "mysql", "sqlite":
		return syntax{line: []string{"--"}, block: [2]string{"/*", "*/"}, quotes: `"'`}, true
	case "lua":
		return syntax{line: []string{"--"}, block: [2]string{"--[[", "]]"}, quotes: `"'`}, true
	case "haskell", "hs", "elm", "ada":
		return syntax{line: []string{"--"}, block: [2]string{"{-", "-}"}, quotes: `"`}, true
	case "html", "xml", "svg", "vue":
		return syntax{block: [2]string{"<!--", "-->"}}, true
	case "mermaid", "tex", "latex", "erlang":
		return syntax{line: []string{"%"}, word: true}, true
	case "lisp", "clojure", "clj", "scheme", "asm":
		return syntax{line: []string{";"}, quotes: `"`}, true
	}
	return syntax{}, false
}

// kept matches comments that are no prose: of the compiler and of the tools that read Go,
// the interpreter of a script, and the line that says where a fence is taken from.
var kept = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(//[a-z0-9]+:\S|// \+build |// from \S+$|#!/)`) })

// withoutComments returns the lines of code without the text of comments. A line that held
// nothing else is dropped.
func withoutComments(lang string, lines []codeLine) []codeLine {
	syn, ok := syntaxOf(lang)
	if !ok {
		return lines
	}
	var out []codeLine
	s := stripper{syntax: syn}
	for _, l := range lines {
		if s.until == "" && !strings.HasPrefix(strings.TrimLeft(l.text, " \t"), syn.prompt) {
			out = append(out, l)
			continue
		}
		text, cut := s.strip(l.text)
		if cut {
			text = strings.TrimRight(text, " \t")
		}
		if !cut || text != "" {
			out = append(out, codeLine{text, l.line})
		}
	}
	return out
}

// stripper removes comments line by line; until is what ends a comment or string that
// started on an earlier line.
type stripper struct {
	syntax
	until   string
	comment bool
}

// strip returns a line without comments, and whether it held one.
func (s *stripper) strip(line string) (string, bool) {
	var out strings.Builder
	cut := s.comment
	for pos := 0; pos < len(line); {
		rest := line[pos:]
		if s.until != "" {
			n := len(rest)
			if i := strings.Index(rest, s.until); i >= 0 {
				n = i + len(s.until)
				s.until = ""
			}
			if !s.comment {
				out.WriteString(rest[:n])
			}
			s.comment = s.comment && s.until != ""
			pos += n
			continue
		}
		switch n := s.token(line, pos); {
		case s.comment && s.until == "": // to the end of the line
			s.comment = false
			return out.String(), true
		case s.comment:
			cut = true
			pos += n
		default:
			out.WriteString(rest[:n])
			pos += n
		}
	}
	return out.String(), cut
}

// token returns the length of what starts at pos: the start of a comment or of a string
// over lines, which it notes, a whole string, or one byte.
func (s *stripper) token(line string, pos int) int {
	rest := line[pos:]
	if s.block[0] != "" && strings.HasPrefix(rest, s.block[0]) {
		s.comment, s.until = true, s.block[1]
		return len(s.block[0])
	}
	if s.startsComment(line, pos) {
		s.comment = true
		return len(rest)
	}
	c := rest[0]
	if s.word && pos > 0 && isAlnum(line[pos-1]) {
		return 1 // an apostrophe
	}
	switch {
	case s.triple && len(rest) > 2 && (c == '"' || c == '\'') && rest[1] == c && rest[2] == c:
		s.until = rest[:3]
		return 3
	case strings.IndexByte(s.raw, c) >= 0:
		s.until = string(c)
		return 1
	case c == '\\' && s.quotes != "" && len(rest) > 1:
		return 2
	case strings.IndexByte(s.quotes, c) >= 0:
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case c:
				return i + 1
			}
		}
	}
	return 1
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func (s *stripper) startsComment(line string, pos int) bool {
	if s.word && pos > 0 && strings.IndexByte(" \t;|&(){}", line[pos-1]) < 0 {
		return false
	}
	for _, mark := range s.line {
		if strings.HasPrefix(line[pos:], mark) {
			return !kept().MatchString(line[pos:])
		}
	}
	return false
}
