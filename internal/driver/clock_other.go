//go:build !unix

package driver

import "time"

// start is the zero of monotonic.
var start = time.Now()

// monotonic returns nanoseconds of a monotonic clock.
func monotonic() uint64 { return uint64(time.Since(start)) }
