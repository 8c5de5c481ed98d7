package cli_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var confirmCommand = regexp.MustCompile(`\brun (gen-catalog confirm .+)$`)

// confirmCommandOfTool is that of a module that has the commands as tools.
var confirmCommandOfTool = regexp.MustCompile(`go tool gen-catalog confirm (\S+)$`)

// settle runs the commands that the findings on stdout print, as somebody would who
// copies them: all of them at once, or that of one finding.
func settle(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, len(args) < 2, "[!] settle [PATH:LINE:RULE]")
	var command, tokens []string
	places, messages := printed(ts)
	for i, p := range places {
		m := confirmCommand.FindStringSubmatch(messages[i])
		if m == nil || len(args) == 1 && p.String() != args[0] {
			continue
		}
		words := shellWords(m[1])
		section := words[len(words)-1]
		token := section[strings.LastIndexByte(section, '@')+1:]
		switch {
		case slices.Contains(tokens, token): // the same section in another language
		case command == nil:
			command = words
			tokens = append(tokens, token)
		default:
			command = append(command, section)
			tokens = append(tokens, token)
		}
	}
	if command == nil {
		ts.Fatalf("no finding %v that prints a command, among %v", args, places)
	}
	if err := ts.Exec(command[0], command[1:]...); (err != nil) != neg {
		ts.Fatalf("%q: %v", command, err)
	}
}

// shellWords parts a command line that quotes with single quotes only.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	quoted := false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted = !quoted
		case r == ' ' && !quoted:
			words = append(words, word.String())
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return append(words, word.String())
}
