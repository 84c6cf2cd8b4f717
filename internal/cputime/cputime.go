// Package cputime is the processor time that this process has used. It refuses to
// know which thread of it, or what for.
package cputime

import "time"

// Now returns the processor time of all threads of the process so far, the
// collector's among them. Where [Measured] is false it is the time of the clock on
// the wall since the process began, so that differences still order what is slow.
func Now() time.Duration { return now() }
