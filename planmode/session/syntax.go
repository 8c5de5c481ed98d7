package session

import (
	"encoding/json"
	"fmt"
)

// maxDepth is how deep values may nest, the same as in encoding/json.
const maxDepth = 10000

// SyntaxError reports bytes that are not JSON.
type SyntaxError struct {
	// Offset counts the bytes before the fault.
	Offset int
	// Want says what should stand there.
	Want string
}

// Error names the offset and what was wanted.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON at byte %d: want %s", e.Offset, e.Want)
}

// skipSpace returns the index of the first byte from i on that is not white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// onlySpace fails if anything but white space follows.
func onlySpace(b []byte, i int) error {
	if i = skipSpace(b, i); i < len(b) {
		return &SyntaxError{Offset: i, Want: "the end of the line"}
	}
	return nil
}

// plain marks the bytes that stand for themselves in a JSON string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return t
}()

// skipString returns the index after the string whose opening quote is at i.
func skipString(b []byte, i int) (int, error) {
	i++
	for {
		for i < len(b) && plain[b[i]] {
			i++
		}
		switch {
		case i == len(b):
			return 0, &SyntaxError{Offset: i, Want: "the end of a string"}
		case b[i] == '"':
			return i + 1, nil
		case b[i] != '\\':
			return 0, &SyntaxError{Offset: i, Want: "no control character in a string"}
		}
		end, err := skipEscape(b, i+1)
		if err != nil {
			return 0, err
		}
		i = end
	}
}

// skipEscape returns the index after the escape whose letter is at i.
func skipEscape(b []byte, i int) (int, error) {
	if i < len(b) {
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return i + 1, nil
		case 'u':
			for k := i + 1; k < i+5; k++ {
				if k >= len(b) || !isHex(b[k]) {
					return 0, &SyntaxError{Offset: k, Want: "a hexadecimal digit"}
				}
			}
			return i + 5, nil
		}
	}
	return 0, &SyntaxError{Offset: i, Want: "an escape"}
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// skipNumber returns the index after the number at i.
func skipNumber(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && '1' <= b[i] && b[i] <= '9':
		i = skipDigits(b, i)
	default:
		return 0, &SyntaxError{Offset: i, Want: "a digit"}
	}
	if i < len(b) && b[i] == '.' {
		end := skipDigits(b, i+1)
		if end == i+1 {
			return 0, &SyntaxError{Offset: end, Want: "a digit"}
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		end := skipDigits(b, i)
		if end == i {
			return 0, &SyntaxError{Offset: end, Want: "a digit"}
		}
		i = end
	}
	return i, nil
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// skipScalar returns the index after the string, number, true, false or null at i.
func skipScalar(b []byte, i int) (int, error) {
	if i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return skipString(b, i)
		case c == '-' || '0' <= c && c <= '9':
			return skipNumber(b, i)
		case c == 't':
			return skipWord(b, i, "true")
		case c == 'f':
			return skipWord(b, i, "false")
		case c == 'n':
			return skipWord(b, i, "null")
		}
	}
	return 0, &SyntaxError{Offset: i, Want: "a value"}
}

func skipWord(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return 0, &SyntaxError{Offset: i, Want: word}
	}
	return i + len(word), nil
}

// skipKey returns the index of the value of the member whose key is at i.
func skipKey(b []byte, i int) (int, error) {
	if i == len(b) || b[i] != '"' {
		return 0, &SyntaxError{Offset: i, Want: "a key"}
	}
	i, err := skipString(b, i)
	if err != nil {
		return 0, err
	}
	i = skipSpace(b, i)
	if i == len(b) || b[i] != ':' {
		return 0, &SyntaxError{Offset: i, Want: "':'"}
	}
	return skipSpace(b, i+1), nil
}

// skipValue returns the index after the JSON value at i.
func skipValue(b []byte, i int) (int, error) { return skipNested(b, i, 0) }

// skipMember is skipValue for a member of the envelope, which is one level down.
func skipMember(b []byte, i int) (int, error) { return skipNested(b, i, 1) }

// skipNested returns the index after the value at i, which depth values hold. It keeps
// the open brackets in a stack of its own, so that no input can exhaust the goroutine's.
func skipNested(b []byte, i, depth int) (int, error) {
	var small [64]byte
	open := small[:0]
	for {
		if i < len(b) && (b[i] == '{' || b[i] == '[') {
			if depth+len(open) == maxDepth {
				return 0, &SyntaxError{Offset: i, Want: "at most 10000 levels"}
			}
			bracket := b[i]
			next := skipSpace(b, i+1)
			if next < len(b) && b[next] == bracket+2 {
				i = next + 1
			} else {
				open = append(open, bracket)
				i = next
				if bracket == '{' {
					value, err := skipKey(b, i)
					if err != nil {
						return 0, err
					}
					i = value
				}
				continue
			}
		} else {
			end, err := skipScalar(b, i)
			if err != nil {
				return 0, err
			}
			i = end
		}
		next, done, err := skipAfter(b, i, &open)
		if err != nil || done {
			return next, err
		}
		i = next
	}
}

// skipAfter goes on after a complete value: it closes brackets and returns the index of
// the next value, or with done the index after the outermost one.
func skipAfter(b []byte, i int, open *[]byte) (next int, done bool, err error) {
	for {
		n := len(*open)
		if n == 0 {
			return i, true, nil
		}
		i = skipSpace(b, i)
		bracket := (*open)[n-1]
		switch {
		case i == len(b):
			return 0, false, &SyntaxError{Offset: i, Want: "the end of an object or array"}
		case b[i] == bracket+2:
			*open = (*open)[:n-1]
			i++
		case b[i] == ',' && bracket == '[':
			return skipSpace(b, i+1), false, nil
		case b[i] == ',':
			next, err = skipKey(b, skipSpace(b, i+1))
			return next, false, err
		default:
			return 0, false, &SyntaxError{Offset: i, Want: "',' or the end of an object or array"}
		}
	}
}

// text returns the text of the JSON string that b begins with.
func text(b []byte) ([]byte, error) {
	end, err := skipString(b, 0)
	if err != nil {
		return nil, err
	}
	for _, c := range b[1 : end-1] {
		if c == '\\' || c >= 0x80 {
			var s string
			err := json.Unmarshal(b[:end], &s)
			return []byte(s), err
		}
	}
	return b[1 : end-1], nil
}
