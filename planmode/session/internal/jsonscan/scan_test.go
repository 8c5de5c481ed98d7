package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts are JSON and what looks like it.
func texts() []string {
	return []string{
		``, ` `, `{}`, `[]`, `[ ]`, `{ }`, `null`, `true`, `false`, `nul`, `truex`, `0`, `-0`, `01`, `-`, `1.`, `1.5`, `.5`,
		`1e5`, `1E+5`, `1e`, `1e+`, `"a"`, `"`, `"\"`, `"\u00e9"`, `"\u00g9"`, `"\x"`, "\"\x1f\"", "\"\x7f\xff\"",
		`{"a":1,"b":[1,{"c":null}]}`, `{"a" : 1 , "b" : [ ] }`, `{"a":1,}`, `[1,]`, `[,1]`, `{,}`, `{"a"}`, `{"a":}`, `{1:2}`,
		`[1 2]`, `[1}`, `{"a":1]`, `[`, `{`, `{"a":`, `]`, `1 1`, "\ufeff{}", `{"a":1} x`,
		`"01234567\n89abcdef0123456789"`, `"0123456789abcde\"f"`, "\"0123456\x01\"",
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
		strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
		strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth),
		strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1),
		strings.Repeat("[", maxDepth-1) + "{}" + strings.Repeat("]", maxDepth-1),
	}
}

// valid reports whether b is one JSON value, by Value.
func valid(b []byte) error {
	end, err := Value(b, Space(b, 0))
	if err == nil {
		err = End(b, end)
	}
	return err
}

func checkValid(t *testing.T, b []byte) {
	t.Helper()
	err := valid(b)
	if json.Valid(b) != (err == nil) {
		t.Fatalf("%.200q: %v, encoding/json says valid is %t", b, err, json.Valid(b))
	}
	var syntax *SyntaxError
	if err != nil && (!errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(b)) {
		t.Fatalf("%.200q: %v is no SyntaxError within the text", b, err)
	}
}

func TestValue(t *testing.T) {
	for _, text := range texts() {
		checkValid(t, []byte(text))
	}
}

// A special byte is found at each place of a string, whatever stands around it.
func TestStringsOfAllLengths(t *testing.T) {
	for n := range 40 {
		for at := range n {
			for _, c := range []byte{0, 0x1f, 0x20, '"', '\\', 0x7f, 0x80, 0xa2, 0xdc, 0xff} {
				b := bytes.Repeat([]byte{'a'}, n)
				b[at] = c
				checkValid(t, append(append([]byte{'"'}, b...), '"'))
			}
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, text := range texts() {
		f.Add([]byte(text))
	}
	f.Fuzz(checkValid)
}

// FuzzWalk holds the members of an object against a decoder of the standard library.
func FuzzWalk(f *testing.F) {
	for _, text := range texts() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		i := Space(b, 0)
		if i == len(b) || b[i] != '{' && b[i] != '[' {
			return
		}
		keys, values := []string{}, []string{}
		w := Walk(b, i)
		for w.Next() {
			if b[i] == '{' {
				keys = append(keys, string(w.Key()))
			}
			values = append(values, string(w.Value()))
		}
		end, err := w.End()
		if err == nil {
			err = End(b, end)
		}
		if json.Valid(b) != (err == nil) {
			t.Fatalf("%q: %v, encoding/json says valid is %t", b, err, json.Valid(b))
		}
		if err != nil {
			return
		}
		wantKeys, wantValues := members(t, b)
		if diff := cmp.Diff(wantKeys, keys); diff != "" {
			t.Fatalf("%q: keys (-want +got):\n%s", b, diff)
		}
		if diff := cmp.Diff(wantValues, values); diff != "" {
			t.Fatalf("%q: values (-want +got):\n%s", b, diff)
		}
	})
}

// members returns keys and values of valid JSON.
func members(t *testing.T, b []byte) (keys, values []string) {
	t.Helper()
	keys, values = []string{}, []string{}
	d := json.NewDecoder(bytes.NewReader(b))
	open, err := d.Token()
	for err == nil && d.More() {
		if open == json.Delim('{') {
			var key json.Token
			if key, err = d.Token(); err != nil {
				break
			}
			keys = append(keys, key.(string))
		}
		var value json.RawMessage
		err = d.Decode(&value)
		values = append(values, string(value))
	}
	if err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	return keys, values
}

func TestInteger(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "7": 7, "-12": -12, "9007199254740991": 1<<53 - 1, "-9007199254740991": -(1<<53 - 1),
	} {
		if got, ok := Integer([]byte(text)); !ok || got != want {
			t.Errorf("Integer(%s) = %d, %t; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "1.0", "1e3", "9007199254740992", "99999999999999999999", `"1"`, "+1", "null"} {
		if got, ok := Integer([]byte(text)); ok {
			t.Errorf("Integer(%s) = %d, want none", text, got)
		}
	}
}
