package debug

import (
	"image/color"
	"testing"
)

// TestHeatImage: the colors go from black for 0 over red and yellow to white for the largest count.
func TestHeatImage(t *testing.T) {
	m := HeatMap{Width: 4, Height: 1, Counts: []uint64{0, 1, 2, 3}}
	for x, want := range []color.NRGBA{{0, 0, 0, 255}, {255, 0, 0, 255}, {255, 255, 0, 255}, {255, 255, 255, 255}} {
		if got := m.Image().At(x, 0); got != want {
			t.Errorf("count %d is %v, want %v", m.Counts[x], got, want)
		}
	}
}
