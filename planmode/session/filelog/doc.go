// Package filelog keeps session logs in files of the original's format.
package filelog
