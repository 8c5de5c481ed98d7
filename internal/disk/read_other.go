//go:build !unix

package disk

import "os"

// readFile reads a file. The buffer is for systems where using it again is cheaper.
func readFile(name string, _ []byte) ([]byte, error) { return os.ReadFile(name) }
