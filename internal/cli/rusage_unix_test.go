//go:build unix

package cli_test

import (
	"os"
	"runtime"
	"syscall"
)

// peakMiB is the most memory that a process, or one that it started, had at a time.
func peakMiB(p *os.ProcessState) float64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	unit := 1024.0 // Linux counts in KiB
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(usage.Maxrss) * unit / (1 << 20)
}
