// Package conflict reads the markers that git leaves in a file where a merge did not
// succeed.
package conflict

import (
	"errors"
	"slices"
	"strings"
)

// Side is a part of a file with regard to merge conflicts.
type Side int

// The parts of a file. Base is there in the conflict style diff3 only.
const (
	Outside Side = iota
	Ours
	Base
	Theirs
)

// Reader follows the conflicts of one file. The zero value stands before its first line.
type Reader struct {
	at     Side
	opened int
}

// Side is the part of the file that the last line belongs to.
func (r *Reader) Side() Side { return r.at }

// Opened is the line of the last marker that opened a conflict, 0 where there is none.
func (r *Reader) Opened() int { return r.opened }

// Line reads line n, which is without its end, and reports whether it is a marker. The
// error is a marker out of place; it ends with the remedy.
func (r *Reader) Line(n int, line string) (marker bool, err error) {
	to, ok := side(line)
	if !ok {
		return false, nil
	}
	before := map[Side][]Side{Ours: {Outside}, Base: {Ours}, Theirs: {Ours, Base}, Outside: {Theirs}}
	if !slices.Contains(before[to], r.at) {
		return true, errors.New("a marker of a merge conflict out of place; restore the conflict with git checkout --merge, or check the file out again")
	}
	r.at = to
	if to == Ours {
		r.opened = n
	}
	return true, nil
}

// End reads the end of the file. The error, which ends with the remedy, is a conflict
// that does not end; it was opened on the line of Opened.
func (r *Reader) End() error {
	if r.at != Outside {
		return errors.New("a merge conflict without its end; restore the line >>>>>>> behind it, or check the file out again")
	}
	return nil
}

// side is the part that follows a marker.
func side(line string) (to Side, ok bool) {
	word, _, _ := strings.Cut(line, " ")
	switch word {
	case "<<<<<<<":
		return Ours, true
	case "|||||||":
		return Base, true
	case "=======":
		return Theirs, true
	case ">>>>>>>":
		return Outside, true
	}
	return Outside, false
}
