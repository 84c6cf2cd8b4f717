// Package cputime measures the processor time of this process. It does not distinguish
// threads or purposes.
package cputime

import "time"

// Now returns the processor time of all threads of the process so far, including the
// garbage collector. If [Measured] is false it is the wall-clock time since the start of
// the process, so that differences still rank slow work.
func Now() time.Duration { return now() }
