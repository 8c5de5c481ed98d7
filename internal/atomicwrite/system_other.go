//go:build !unix

package atomicwrite

import (
	"io/fs"
	"os"
)

// writableAttributeOnly says whether the mode of a directory tells nothing about
// writing in it.
const writableAttributeOnly = true

// accessible leaves the answer to the writing of temporary files, which comes
// before any file is changed.
func accessible(string) bool { return true }

func keepOwner(*os.File, fs.FileInfo) {}
