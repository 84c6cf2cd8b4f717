package oracle

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// TestStoredIntegers: an integer that the component cannot represent is any (docs/undefined.md).
func TestStoredIntegers(t *testing.T) {
	for _, c := range []struct {
		numeric format.Numeric
		bits    uint64
		any     bool
	}{
		{format.UInt, 0, false}, {format.UInt, 255, false}, {format.UInt, 256, true}, {format.UInt, 0xffffffff, true},
		{format.SInt, 127, false}, {format.SInt, 128, true}, {format.SInt, 0xffffff80, false}, {format.SInt, 0xffffff7f, true}, {format.SInt, 0xffffffff, false},
	} {
		if n := stored(format.Component{Numeric: c.numeric, Bits: 8}, Number{Bits: c.bits}); n.Any != c.any || n.Bits != c.bits&255 {
			t.Errorf("%v of 8 bits: %#x is stored as %+v; must be any: %t", c.numeric, c.bits, n, c.any)
		}
	}
}
