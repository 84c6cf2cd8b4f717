package main

import (
	"os"
	"runtime/debug"
)

// compilePercent is the heap growth between two garbage collections while shaders
// are compiled, in percent of the live heap. The memory of a compilation becomes
// garbage with it. The first collection is at 16 MB.
const compilePercent = 400

// collectSeldom sets the heap growth between two garbage collections, in percent of
// the live heap, until restore is called. GOGC has precedence.
func collectSeldom(percent int) (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
