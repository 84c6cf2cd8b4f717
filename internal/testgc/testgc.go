// Package testgc makes the garbage collector of a test binary run seldom. Tests of the compiler make many programs of which
// few live: with the default pace the collector takes a fifth of their processor time. Import it for its effect, in test
// files only.
package testgc

import (
	"os"
	"runtime/debug"
)

// percent is the growth of the heap between two collections, in percent of the live heap, and limit the memory in bytes beyond
// which the collector runs at any growth.
const (
	percent = 1600
	limit   = 1 << 30
)

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}
