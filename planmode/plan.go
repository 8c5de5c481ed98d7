package planmode

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// readPlan returns the plan in the arguments of exit_plan_mode, or what is wrong with it
// in the words of the text table.
func readPlan(args json.RawMessage, limit int) (plan, fault string) {
	o, err := parseObject(args)
	if err != nil {
		return "", say(faultArguments)
	}
	raw := o["plan"]
	switch {
	case raw == nil:
		return "", say(faultMissing)
	case raw[0] != '"':
		return "", say(faultNotString, jsonKind(raw))
	}
	text := unquote(raw)
	if fault := checkBytes(text, limit); fault != "" {
		return "", fault
	}
	doc := parsePlan(text)
	if doc.fault != "" {
		return "", doc.fault
	}
	return string(text), ""
}

// planTitle returns the title of a plan, or "" if it is no valid one.
func planTitle(plan string) string {
	if !utf8.ValidString(plan) {
		return ""
	}
	line, _ := firstLine(unixLines([]byte(plan)))
	return headingTitle(line)
}

func checkBytes(plan []byte, limit int) string {
	if len(plan) > limit {
		return say(faultTooLong, len(plan), limit, lineAt(plan, limit))
	}
	for i := 0; i < len(plan); {
		r, size := utf8.DecodeRune(plan[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			return say(faultNotUTF8, lineAt(plan, i))
		case r == 0:
			return say(faultNUL, lineAt(plan, i))
		}
		i += size
	}
	return ""
}

// lineAt returns the number of the line, from 1, that holds the byte at offset. A line
// ends with LF, CR or CRLF.
func lineAt(text []byte, offset int) int {
	return bytes.Count(unixLines(text[:offset]), []byte("\n")) + 1
}

// unixLines returns text with every line end as LF.
func unixLines(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

func jsonKind(value json.RawMessage) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// unquote returns the bytes of a valid JSON string. encoding/json puts U+FFFD where the
// text is no Unicode; here such bytes stay as they are, and half a surrogate pair becomes
// bytes that are no UTF-8, so that the plan is refused and not silently changed.
func unquote(raw json.RawMessage) []byte {
	in := raw[1 : len(raw)-1]
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		if in[i] != '\\' {
			out = append(out, in[i])
			i++
			continue
		}
		c := in[i+1]
		i += 2
		switch c {
		case 'u':
			r := hexRune(in[i:])
			i += 4
			if utf16.IsSurrogate(r) && i+6 <= len(in) && in[i] == '\\' && in[i+1] == 'u' {
				if pair := utf16.DecodeRune(r, hexRune(in[i+2:])); pair != utf8.RuneError {
					r = pair
					i += 6
				}
			}
			if utf16.IsSurrogate(r) {
				out = append(out, 0xff)
			} else {
				out = utf8.AppendRune(out, r)
			}
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		default:
			out = append(out, c)
		}
	}
	return out
}

// hexRune returns the code unit of the four hex digits at the start of digits.
func hexRune(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits[:4]), 16, 16)
	if err != nil {
		panic("planmode: valid JSON with a bad escape: " + err.Error())
	}
	return rune(n)
}
