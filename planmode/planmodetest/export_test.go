package planmodetest

import (
	"errors"
	"fmt"
	"testing"
)

// Failures runs the checks of [TestHost] and returns what they find.
func Failures(t testing.TB, open Open) []string {
	var failed []string
	for _, c := range checks() {
		r, err := newRig(t, open)
		if err == nil {
			err = c.run(r)
		}
		if err != nil && !errors.Is(err, errNotSupported) {
			failed = append(failed, fmt.Sprintf("%s: %v", c.name, err))
		}
	}
	return failed
}
