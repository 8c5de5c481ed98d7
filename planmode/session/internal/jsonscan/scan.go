// Package jsonscan finds the bounds of JSON values without decoding them. It accepts
// exactly what encoding/json accepts.
package jsonscan

import (
	"encoding/binary"
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

// Space returns the index of the first byte from i on that is not white space.
func Space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// End fails if anything but white space stands from i on.
func End(b []byte, i int) error {
	if i = Space(b, i); i < len(b) {
		return &SyntaxError{Offset: i, Want: "the end"}
	}
	return nil
}

// Value returns the index after the JSON value that begins at i.
func Value(b []byte, i int) (int, error) { return value(b, i, 0) }

// value is Value within depth open objects and arrays. It keeps the open brackets in a
// stack of its own, so that no input can exhaust the goroutine's.
func value(b []byte, i, depth int) (int, error) {
	if i < len(b) && b[i] == '"' {
		return str(b, i)
	}
	var small [64]byte
	open := small[:0]
	for {
		var err error
		switch {
		case i == len(b) || b[i] != '{' && b[i] != '[':
			i, err = scalar(b, i)
		case depth+len(open) == maxDepth:
			err = &SyntaxError{Offset: i, Want: "at most 10000 levels"}
		default:
			bracket := b[i]
			i = Space(b, i+1)
			if i < len(b) && b[i] == bracket+2 {
				i++
				break
			}
			open = append(open, bracket)
			if bracket == '{' {
				i, err = key(b, i)
			}
			if err == nil {
				continue
			}
		}
		if err != nil {
			return 0, err
		}
		if i, open, err = after(b, i, open); err != nil || len(open) == 0 {
			return i, err
		}
	}
}

// after goes on from the end of a value: it closes brackets and returns the index of
// the next value within those still open, or of the end of the outermost one.
func after(b []byte, i int, open []byte) (int, []byte, error) {
	for len(open) > 0 {
		i = Space(b, i)
		bracket := open[len(open)-1]
		switch {
		case i < len(b) && b[i] == bracket+2: // '{' and '}', '[' and ']' lie two apart
			open = open[:len(open)-1]
			i++
		case i < len(b) && b[i] == ',' && bracket == '[':
			return Space(b, i+1), open, nil
		case i < len(b) && b[i] == ',':
			i, err := key(b, Space(b, i+1))
			return i, open, err
		default:
			return 0, nil, &SyntaxError{Offset: i, Want: "',' or the end of an object or array"}
		}
	}
	return i, open, nil
}

// key returns the index of the value of the member whose key begins at i.
func key(b []byte, i int) (int, error) {
	if i == len(b) || b[i] != '"' {
		return 0, &SyntaxError{Offset: i, Want: "a key"}
	}
	i, err := str(b, i)
	if err != nil {
		return 0, err
	}
	i = Space(b, i)
	if i == len(b) || b[i] != ':' {
		return 0, &SyntaxError{Offset: i, Want: "':'"}
	}
	return Space(b, i+1), nil
}

// scalar returns the index after the string, number, true, false or null at i.
func scalar(b []byte, i int) (int, error) {
	if i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return str(b, i)
		case c == '-' || '0' <= c && c <= '9':
			return number(b, i)
		case c == 't':
			return word(b, i, "true")
		case c == 'f':
			return word(b, i, "false")
		case c == 'n':
			return word(b, i, "null")
		}
	}
	return 0, &SyntaxError{Offset: i, Want: "a value"}
}

func word(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return 0, &SyntaxError{Offset: i, Want: word}
	}
	return i + len(word), nil
}

// special sets the high bit of the first byte of x that is a control character, a
// quote or a backslash, if there is one. Bits of later bytes mean nothing.
func special(x uint64) uint64 {
	const ones = 0x0101010101010101
	quote := x ^ ones*'"'
	slash := x ^ ones*'\\'
	return ((x-ones*0x20)&^x | (quote-ones)&^quote | (slash-ones)&^slash) & (ones * 0x80)
}

// str returns the index after the string whose opening quote is at i.
func str(b []byte, i int) (int, error) {
	i++
	for {
		for i+8 <= len(b) && special(binary.LittleEndian.Uint64(b[i:])) == 0 {
			i += 8
		}
		for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
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
		end, err := escape(b, i+1)
		if err != nil {
			return 0, err
		}
		i = end
	}
}

// escape returns the index after the escape whose letter is at i.
func escape(b []byte, i int) (int, error) {
	if i < len(b) {
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return i + 1, nil
		case 'u':
			for k := i + 1; k < i+5; k++ {
				if k >= len(b) || !hex(b[k]) {
					return 0, &SyntaxError{Offset: k, Want: "a hexadecimal digit"}
				}
			}
			return i + 5, nil
		}
	}
	return 0, &SyntaxError{Offset: i, Want: "an escape"}
}

func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// number returns the index after the number at i.
func number(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else {
		end := digits(b, i)
		if end == i {
			return 0, &SyntaxError{Offset: i, Want: "a digit"}
		}
		i = end
	}
	if i < len(b) && b[i] == '.' {
		end := digits(b, i+1)
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
		end := digits(b, i)
		if end == i {
			return 0, &SyntaxError{Offset: end, Want: "a digit"}
		}
		i = end
	}
	return i, nil
}

func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}
