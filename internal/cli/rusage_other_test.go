//go:build !unix

package cli_test

import "os"

// peakMiB is not known here.
func peakMiB(*os.ProcessState) float64 { return 0 }
