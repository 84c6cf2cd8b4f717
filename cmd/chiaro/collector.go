package main

import (
	"os"
	"runtime/debug"
)

// compilePercent is how much may be allocated before the garbage collector runs, in
// percent of what lives, where shaders are compiled: what that takes is given back
// with it. At first it is 16 MB.
const compilePercent = 400

// collectSeldom has the garbage collector run when so much has been allocated, in
// percent of what lives, until restore is called. What GOGC says comes first.
func collectSeldom(percent int) (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
