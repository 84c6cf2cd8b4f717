package texture

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Linear filtering of 8-bit normalized texels is done along x in integers, two components at a time in one
// word (SIMD within a register): each component has eight spare bits above it, just enough for the sum
// weighted in 256ths. Along y, z and levels the weights are floats; the sums stay exact, having at most
// eight bits of the texel and eight of each of two weights.

// filtersBytes reports whether samples are filtered as described above, so that all values are in 256ths of
// the component's unit: words of normalized bytes, read by linear filters alone.
func (c *code) filtersBytes() bool {
	if c.s.mag != enum.FilterLinear || c.s.min != enum.FilterLinear || !c.scalesLate() || c.s.reduction != enum.ReductionWeightedAverage || c.t.Op != ir.TextureSample ||
		c.t.Has(ir.TextureDref) {
		return false
	}
	x := c.texelOf()
	if x.wordBytes != 4 || x.words() != 1 || x.exp != nil {
		return false
	}
	for _, k := range x.channels {
		if k != nil && (k.Numeric != format.UNorm || k.Bits != 8 || k.Shift%8 != 0) {
			return false
		}
	}
	return true
}

// lerpBytes interpolates between two texels of a row; part is the weight of hi in 256ths.
func (f *filter) lerpBytes(lo, hi, part ir.V) (n values) {
	const pair = 0x00ff00ff
	low := func(v ir.V) ir.V { return f.Op(ir.And, ir.I32, v, f.I32(pair)) }
	rest, even, odd := f.sub(f.I32(fraction), part), ir.V(0), ir.V(0)
	for i, k := range f.x.channels {
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
