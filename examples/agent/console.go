package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/charmbracelet/glamour"
	"github.com/charmbracelet/glamour/styles"
	"golang.org/x/term"
)

// maxLine bounds a line of input, in bytes.
const maxLine = 1 << 20

// console reads lines and writes text, on a terminal or through pipes. Only one goroutine
// writes to it.
type console struct {
	out      io.Writer
	lines    chan string // closed at the end of the input
	terminal bool        // someone types, so lines may come at any time
	styled   bool        // the output is a terminal
	width    int
	asking   string // the prompt that stands on the last line
}

func newConsole(in io.Reader, out io.Writer) *console {
	c := &console{out: out, lines: make(chan string), width: 80}
	if file, ok := in.(*os.File); ok {
		c.terminal = term.IsTerminal(int(file.Fd()))
	}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		c.styled = true
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 20 {
			c.width = min(width, 100)
		}
	}
	go c.read(in)
	return c
}

// read sends the lines of the input. It may block for ever and ends with the program.
func (c *console) read(in io.Reader) {
	defer close(c.lines)
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		c.lines <- scanner.Text()
	}
}

// ask shows a prompt, unless it stands there.
func (c *console) ask(prompt string) {
	if c.asking == prompt {
		return
	}
	c.leavePrompt()
	fmt.Fprint(c.out, prompt)
	c.asking = prompt
}

// answered notes that the line was typed behind the prompt. What came through a pipe is
// shown, so that the output reads like the dialogue it is.
func (c *console) answered(line string) {
	if !c.terminal {
		fmt.Fprintln(c.out, visible(line))
	}
	c.asking = ""
}

// print shows text on lines of its own.
func (c *console) print(text string) {
	c.leavePrompt()
	fmt.Fprintln(c.out, visible(text))
}

// leavePrompt ends or removes the line of the prompt.
func (c *console) leavePrompt() {
	switch {
	case c.asking == "":
	case c.terminal && c.styled:
		fmt.Fprint(c.out, "\r\x1b[K")
	default:
		fmt.Fprintln(c.out)
	}
	c.asking = ""
}

// markdown shows a document: rendered on a terminal, else as it was written.
func (c *console) markdown(text string) {
	text = visible(text)
	if c.styled {
		if rendered, err := render(text, c.width); err == nil {
			c.leavePrompt()
			fmt.Fprint(c.out, rendered)
			return
		}
	}
	c.print(indent(text))
}

// render formats Markdown in a style that is readable on light and dark terminals. The
// styles that suit themselves to the background ask the terminal, whose answer would come
// as input of the user.
func render(text string, width int) (string, error) {
	style := styles.NoTTYStyleConfig
	bold := true
	style.Heading.Bold, style.Strong.Bold = &bold, &bold
	r, err := glamour.NewTermRenderer(glamour.WithStyles(style), glamour.WithWordWrap(width-4))
	if err != nil {
		return "", err
	}
	return r.Render(text)
}

func indent(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return "  | " + strings.ReplaceAll(text, "\n", "\n  | ")
}

// visible returns text as it can be shown: a control or formatting character, by which a
// text could move the cursor or pass for another, is spelled out.
func visible(text string) string {
	hidden := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\u200d': // joins emoji
			b.WriteRune(r)
		case hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
