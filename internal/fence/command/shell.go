package command

import (
	"slices"
	"strings"
)

// simple is one command of a script: its words as the shell would pass them on.
type simple []word

type word struct {
	text   string
	line   int  // of the script, counted from 1
	quoted bool // it has a quoted part
	opaque bool // the shell expands it, so that its text is not known
}

// parseScript finds the commands of a script. In one with prompts, the other lines are
// what the commands print.
func parseScript(text string, console bool) []simple {
	lines := strings.Split(text, "\n")
	prompted := slices.ContainsFunc(lines, func(l string) bool { return prompt(l) != "" })
	var out []simple
	heredoc := ""
	for i := 0; i < len(lines); i++ {
		l, at := lines[i], i+1
		if heredoc != "" {
			if strings.TrimSpace(l) == heredoc {
				heredoc = ""
			}
			continue
		}
		if prompted || console {
			p := prompt(l)
			if p == "" {
				continue
			}
			l = strings.TrimPrefix(strings.TrimLeft(l, " "), p)
		}
		for strings.HasSuffix(l, "\\") && i+1 < len(lines) {
			i++
			l = strings.TrimSuffix(l, "\\") + "\n" + lines[i]
		}
		s := scanner{text: l, line: at}
		out = append(out, s.commands()...)
		heredoc = s.heredoc
	}
	return out
}

func prompt(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, p := range []string{"$ ", "% "} {
		if strings.HasPrefix(line, p) {
			return p
		}
	}
	return ""
}

// scanner splits a line into commands and words.
type scanner struct {
	text    string
	line    int
	heredoc string // the word that ends a here-document that starts on the line

	out   []simple
	words []word
	cur   strings.Builder
	in    bool // a word has begun
	word  word
}

func (s *scanner) commands() []simple {
	for i := 0; i < len(s.text); i++ {
		c := s.text[i]
		switch {
		case c == '\n':
			s.endWord()
			s.line++
		case c == ' ' || c == '\t':
			s.endWord()
		case c == '\\' && i+1 < len(s.text):
			i++
			s.put(s.text[i])
		case c == '\'' || c == '"':
			i += s.quote(i)
		case c == '#' && !s.in:
			s.endCommand()
			return s.out
		case c == '<' && strings.HasPrefix(s.text[i:], "<<") && !strings.HasPrefix(s.text[i:], "<<<"):
			s.endWord()
			rest := strings.TrimLeft(s.text[i+2:], "- ")
			if f := strings.Fields(rest); len(f) > 0 {
				s.heredoc = strings.Trim(f[0], `'"\`)
			}
			s.endCommand()
			return s.out
		case c == '>' || c == '<':
			if s.in && strings.Trim(s.cur.String(), "0123456789") == "" {
				s.in = false // a file descriptor
				s.cur.Reset()
			}
			s.endWord()
			i += s.skipTarget(i)
		case strings.IndexByte(";|&", c) >= 0:
			s.endCommand()
		case c == '(' || c == ')' || c == '`':
			s.put(c)
			s.word.opaque = true
		case strings.IndexByte("$*?{}~", c) >= 0:
			s.put(c)
			s.word.opaque = true
		default:
			s.put(c)
		}
	}
	s.endCommand()
	return s.out
}

func (s *scanner) begin() {
	if !s.in {
		s.in, s.word.line = true, s.line
	}
}

func (s *scanner) put(c byte) {
	s.begin()
	s.cur.WriteByte(c)
}

// quote takes a quoted string that starts at i and returns how far to go on.
func (s *scanner) quote(i int) int {
	q := s.text[i]
	end := strings.IndexByte(s.text[i+1:], q)
	if end < 0 {
		end = len(s.text) - i - 1
	}
	inner := s.text[i+1 : i+1+end]
	s.begin()
	s.word.quoted = true
	if q == '"' && strings.ContainsAny(inner, "$`\\") {
		s.word.opaque = true
	}
	s.cur.WriteString(inner)
	return end + 1
}

// skipTarget passes over the file of a redirection.
func (s *scanner) skipTarget(i int) int {
	n := 0
	for i+n < len(s.text) && strings.IndexByte("<>&| ", s.text[i+n]) >= 0 {
		n++
	}
	for i+n < len(s.text) && strings.IndexByte(" \t\n;|&<>", s.text[i+n]) < 0 {
		n++
	}
	return n - 1
}

func (s *scanner) endWord() {
	if !s.in {
		return
	}
	s.word.text = s.cur.String()
	s.words = append(s.words, s.word)
	s.cur.Reset()
	s.in, s.word = false, word{}
}

func (s *scanner) endCommand() {
	s.endWord()
	if len(s.words) > 0 {
		s.out = append(s.out, s.words)
	}
	s.words = nil
}
