//go:build unix

package wsi

import (
	"testing"
	"time"

	"github.com/jezek/xgb/randr"
)

// TestPeriod checks the times of common modes: the dots of a frame by the clock, twice the lines for a double scan, half of them for a
// field of an interlaced frame. A virtual server has modes without a clock.
func TestPeriod(t *testing.T) {
	full := randr.ModeInfo{DotClock: 148_500_000, Htotal: 2200, Vtotal: 1125} // 1920×1080 at 60 Hz
	interlaced := randr.ModeInfo{DotClock: 74_250_000, Htotal: 2200, Vtotal: 1125, ModeFlags: randr.ModeFlagInterlace}
	double := randr.ModeInfo{DotClock: 148_500_000, Htotal: 2200, Vtotal: 1125, ModeFlags: randr.ModeFlagDoubleScan}
	for _, c := range []struct {
		name string
		mode randr.ModeInfo
		want time.Duration
	}{
		{"progressive", full, time.Second / 60},
		{"interlaced", interlaced, time.Second / 60},
		{"double scan", double, time.Second / 30},
		{"no clock", randr.ModeInfo{Htotal: 1024, Vtotal: 768}, 0},
		{"a dot in a second", randr.ModeInfo{DotClock: 1, Htotal: 1024, Vtotal: 768}, 0},
		{"no mode", randr.ModeInfo{}, 0},
		{"no dots", randr.ModeInfo{DotClock: 1}, 0},
	} {
		if got := period(c.mode); got != c.want {
			t.Errorf("%s: %v; must be %v", c.name, got, c.want)
		}
	}
}
