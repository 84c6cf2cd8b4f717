package cputime

import (
	"testing"
	"time"
)

// TestNow checks that work uses processor time, and that sleep uses almost none.
func TestNow(t *testing.T) {
	if !Measured {
		t.Skip("processor time is not measured here")
	}
	before := Now()
	sum := 0
	for wall := time.Now(); time.Since(wall) < 10*time.Second && Now()-before < 50*time.Millisecond; {
		for i := range 1 << 16 {
			sum += i
		}
	}
	if used := Now() - before; used < 50*time.Millisecond {
		t.Errorf("ten seconds of work (%d) took %v of processor time; must be at least 50ms", sum, used)
	}
	before = Now()
	time.Sleep(300 * time.Millisecond)
	if used := Now() - before; used > 150*time.Millisecond {
		t.Errorf("sleeping took %v of processor time; must be next to none", used)
	}
}
