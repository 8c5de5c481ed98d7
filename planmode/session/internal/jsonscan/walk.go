package jsonscan

import "encoding/json"

// Walker goes through the members of an object or the elements of an array. Its zero
// value is not ready; see [Walk].
type Walker struct {
	b       []byte
	bracket byte
	depth   int
	next    int // where the next member or element begins, if begun
	begun   bool
	done    bool
	err     error

	key, value []byte
}

// Walk returns a walker of the object or array that begins at b[i].
func Walk(b []byte, i int) Walker { return Walker{b: b, bracket: b[i], next: i, depth: 1} }

// Next goes to the next member or element, and reports false at the end or on a fault.
func (w *Walker) Next() bool {
	if w.done || !w.advance() {
		return false
	}
	start := w.next
	if w.bracket == '{' {
		start, w.err = key(w.b, w.next)
		if w.err != nil {
			w.done = true
			return false
		}
		w.key = w.b[w.next:start]
	}
	end, err := value(w.b, start, w.depth)
	if err != nil {
		w.done, w.err = true, err
		return false
	}
	w.value = w.b[start:end]
	w.next = end
	return true
}

// advance moves from the opening bracket or the end of a value to the next member.
func (w *Walker) advance() bool {
	if !w.begun {
		w.begun = true
		w.next = Space(w.b, w.next+1)
		if w.next < len(w.b) && w.b[w.next] == w.bracket+2 {
			w.done = true
			w.next++
		}
		return !w.done
	}
	i := Space(w.b, w.next)
	switch {
	case i < len(w.b) && w.b[i] == ',':
		w.next = Space(w.b, i+1)
		return true
	case i < len(w.b) && w.b[i] == w.bracket+2:
		w.next = i + 1
	default:
		w.err = &SyntaxError{Offset: i, Want: "',' or the end of an object or array"}
	}
	w.done = true
	return false
}

// Key returns the text of the member's key.
func (w *Walker) Key() []byte {
	text, _ := Text(w.key)
	return text
}

// Value returns the bytes of the member's value or of the element.
func (w *Walker) Value() []byte { return w.value }

// End returns the index after the closing bracket, or the fault that ended the walk.
func (w *Walker) End() (int, error) { return w.next, w.err }

// Text returns the text of the JSON string that b begins with; ok is false if b does
// not begin with one. It shares memory with b where that needs no decoding.
func Text(b []byte) (text []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, false
	}
	end, err := str(b, 0)
	if err != nil {
		return nil, false
	}
	for _, c := range b[1 : end-1] {
		if c == '\\' || c >= 0x80 {
			var s string
			if err := json.Unmarshal(b[:end], &s); err != nil {
				return nil, false
			}
			return []byte(s), true
		}
	}
	return b[1 : end-1], true
}

// Integer returns the number that b is, if it is written as a plain integer of at most
// 2^53-1, the largest that every reader of JSON keeps exact.
func Integer(b []byte) (n int64, ok bool) {
	digits := b
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 16 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if n > 1<<53-1 {
		return 0, false
	}
	if b[0] == '-' {
		n = -n
	}
	return n, true
}
