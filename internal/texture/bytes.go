package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Texels of bytes are weighted along x as integers: two components stand in one
// word with eight bits of room above each, where the weighted sum in 256ths just
// fits. All other weights are floats, and the sums stay exact: eight bits of the
// texel and eight of each of two weights.

// ofBytes reports whether the numbers of all samples are in 256ths of units of the
// last place: the texels are words of normalized bytes, and nothing but linear
// filters reads them.
func (c *code) ofBytes() bool {
	if c.s.mag != Linear || c.s.min != Linear || !c.whole() || c.s.reduction != Average || c.t.Op != ir.TextureSample ||
		c.t.Has(ir.TextureDref) || c.seamless() {
		return false
	}
	x := c.texelOf()
	if x.unit != 4 || x.words() != 1 || x.exp != nil {
		return false
	}
	for _, k := range x.lanes {
		if k != nil && (k.Numeric != format.UNorm || k.Bits != 8 || k.Shift%8 != 0) {
			return false
		}
	}
	return true
}

// weightedBytes weights two texels of a row.
func (f *filter) weightedBytes(lo, hi, part ir.V) (n values) {
	const pair = 0x00ff00ff
	low := func(v ir.V) ir.V { return f.Op(ir.And, ir.I32, v, f.I32(pair)) }
	rest, even, odd := f.sub(f.I32(fraction), part), ir.V(0), ir.V(0)
	for i, k := range f.x.lanes {
		if k == nil || !f.reads(i) {
			continue
		}
		sum := &even
		if k.Shift%16 != 0 {
			sum = &odd
		}
		if *sum == 0 {
			x, y := lo, hi
			if sum == &odd {
				x, y = f.Op(ir.LShr, ir.I32, lo, f.I32(8)), f.Op(ir.LShr, ir.I32, hi, f.I32(8))
			}
			*sum = f.add(f.mul(low(x), rest), f.mul(low(y), part))
		}
		if k.Shift < 16 {
			n[i] = f.Op(ir.And, ir.I32, *sum, f.I32(1<<16-1))
		} else {
			n[i] = f.Op(ir.LShr, ir.I32, *sum, f.I32(16))
		}
		n[i] = f.stof(n[i])
	}
	return n
}
