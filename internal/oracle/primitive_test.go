package oracle

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestLineBeforeItsEnd checks "Bresenham Line Segment Rasterization": the fragment with the line's first end in its diamond may have a center
// before this end. Its t is negative, and so its number is outside of the range of the ends.
func TestLineBeforeItsEnd(t *testing.T) {
	at := func(x, y float64) (float64, float64) { return x/4 - 1, y/4 - 1 }
	x0, y0 := at(2.875, 3.5)
	x1, y1 := at(4.875, 3.5)
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{x0, y0, 0.5, 1, 4}, {x1, y1, 0.5, 1, 6}}, nil)
	d.State.Assembly.Topology = enum.TopologyLineList
	d.run(t)
	// t of the center of texel 2, 3 is (2.5 − 2.875) / 2.
	if n := target.texel(2, 3)[0]; n.Any || n.Low > 4-2*0.1875 || n.Low < 3 {
		t.Errorf("%v to %v; must have %v", n.Low, n.High, 4-2*0.1875)
	}
}

// TestLineDeviation checks "Bresenham Line Segment Rasterization": a fragment may deviate by one unit in x and one in y from the
// diamond-exit rule.
func TestLineDeviation(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -0.9375, 0.5, 1, 5}, {0.9375, 1, 0.5, 1, 5}}, nil)
	d.State.Assembly.Topology = enum.TopologyLineList
	d.run(t)
	// The line is y = x + 1/4. By the rule it has texel 3, 3; texel 2, 4 deviates by −1, 1. Texel 4, 4 has the line below its center, and so
	// it may have texel 5, 3.
	for _, at := range [][2]int{{2, 4}, {5, 3}, {4, 2}} {
		if n := target.texel(at[0], at[1])[0]; n.Any || n.Low > 5 || n.High < 9 {
			t.Errorf("texel %d: %v to %v; must have 5 and 9", at, n.Low, n.High)
		}
	}
	if n := target.texel(7, 1)[0]; n.Low != 9 {
		t.Errorf("a texel far away may be %v", n.Low)
	}
}

// TestUncertainPoint checks that a point may be drawn wherever its position may be: here a range that is wider than the view.
func TestUncertainPoint(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{0, 0, 0.5, 1, 5}}, nil)
	d.State.Assembly.Topology = enum.TopologyPointList
	d.Input = func(location, _, _ uint32) []Number {
		if location > 0 {
			return []Number{point(5), point(5), point(5), point(5)}
		}
		return []Number{{Low: -1e9, High: 1e9}, point(0), point(0.5), point(1)}
	}
	d.run(t)
	if n := target.texel(3, 3)[0]; !n.Any && (n.Low > 5 || n.High < 9) {
		t.Errorf("%v to %v; must have 5 and 9", n.Low, n.High)
	}
	if n := target.texel(3, 0)[0]; n.Any || n.Low != 9 {
		t.Errorf("a texel in another row: %v to %v; must be 9", n.Low, n.High)
	}
}
