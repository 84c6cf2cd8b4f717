//go:build unix

package wsi

import (
	"time"

	"github.com/jezek/xgb/randr"
)

// refresh returns the shortest time between two vertical blanks of the displays of the server, by its RandR extension; 0 if no
// display has one (a virtual server) or the server does not tell.
func (d *Display) refresh() time.Duration {
	if !d.timed {
		return 0
	}
	r, err := randr.GetScreenResourcesCurrent(d.conn, d.root()).Reply()
	if err != nil {
		return 0
	}
	modes := map[uint32]randr.ModeInfo{}
	for _, m := range r.Modes {
		modes[m.Id] = m
	}
	var shortest time.Duration
	for _, c := range r.Crtcs {
		crtc, err := randr.GetCrtcInfo(d.conn, c, r.ConfigTimestamp).Reply()
		if err != nil {
			continue
		}
		if t := period(modes[uint32(crtc.Mode)]); t > 0 && (shortest == 0 || t < shortest) {
			shortest = t
		}
	}
	return shortest
}

// period returns the time between two vertical blanks of a mode; 0 if it has no clock or no size, or is too slow. A mode scans all its dots, visible or
// not, at the rate of its clock; a double scan scans each line twice, and each field of an interlaced frame ends with a blank.
func period(m randr.ModeInfo) time.Duration {
	lines := uint64(m.Vtotal)
	if m.ModeFlags&randr.ModeFlagDoubleScan != 0 {
		lines *= 2
	}
	dots := uint64(m.Htotal) * lines
	if m.ModeFlags&randr.ModeFlagInterlace != 0 {
		dots /= 2
	}
	if m.DotClock == 0 {
		return 0
	}
	t := time.Duration(dots * uint64(time.Second) / uint64(m.DotClock))
	if t > longestPeriod {
		return 0
	}
	return t
}

// longestPeriod bounds the time that a present can wait: no display is as slow.
const longestPeriod = time.Second
