package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// spot is where a sample is taken within a level.
type spot struct {
	at     []ir.V // f32 along each axis of the level
	offset []ir.V // i32; nil where there is none
	layer  ir.V   // i32, within the view; 0 (no value) where it has none
	face   ir.V   // i32 of a cube; else 0 (no value)
	dref   ir.V   // what texels are compared with; 0 (no value) where they are not
}

// filter reads and weights the texels of one level.
type filter struct {
	*code
	x texel
	m mip
	spot
}

// values are the numbers of a texel or of several weighted ones, in units of the
// last place where the filter is whole: absent ones are 0 (no value). What is
// compared has one, the share of the texels that pass.
type values = [4]ir.V

// whole reports whether texels are weighted in units of the last place. Then the
// sums of fixed point of 8 bits are exact, and one division remains.
func (c *code) whole() bool { return !c.bordered() && !c.s.compare && !c.v.converted }

// bordered reports whether a sample may show the border.
func (c *code) bordered() bool {
	if c.seamless() {
		return false
	}
	for _, m := range c.s.address[:c.v.axes()] {
		if m == ClampToBorder {
			return true
		}
	}
	return false
}

// seamless reports whether a cube is filtered across the edges of its faces.
// Otherwise each is an image by itself, with the sampler's address modes (Vulkan
// §"Wrapping Operation").
func (c *code) seamless() bool { return c.v.dim == ir.DimCube && !c.s.nonSeamless }

// axisOf returns the coordinate along axis i.
func (f *filter) axisOf(i int) axis {
	offset := ir.V(0)
	if f.offset != nil {
		offset = f.offset[i]
	}
	return f.axis(i, f.at[i], offset, f.m.extent[i])
}

// tap reads a texel: in is 0 (no value) where it is surely within the level.
func (f *filter) tap(at []ir.V, in ir.V) (n values) {
	layer := f.layer
	if f.face != 0 {
		layer = f.cubeLayer(f.face)
	}
	if f.v.parted {
		return f.reconstructed(at, layer, f.proven(in))
	}
	return f.seen(f.load(&f.x, f.begins(at, layer), f.proven(in)), in)
}

// proven says that a tap lies within the image: wrapping has seen to it, the layer
// and the level are clamped, and the view was checked against the memory when it
// was made.
func (f *filter) proven(in ir.V) ir.Flags {
	if in != 0 || f.bordered() {
		return 0
	}
	return ir.Proven
}

// begins is where a texel begins.
func (f *filter) begins(at []ir.V, layer ir.V) ir.V {
	return f.begin(&f.x, f.m, at, layer, 0)
}

// cubeLayer is the layer of a face.
func (f *filter) cubeLayer(face ir.V) ir.V {
	if f.layer == 0 {
		return face
	}
	return f.add(f.mul(f.layer, f.I32(6)), face)
}

// seen are the numbers of a texel that was read: the border's where it is not
// within, and whether it passes where it is compared.
func (f *filter) seen(words []ir.V, in ir.V) values {
	n := f.numbers(&f.x, words)
	if !f.whole() {
		n = f.scaled(&f.x, n, 1)
	}
	if in != 0 {
		for i, k := range f.x.lanes {
			if k != nil && n[i] != 0 {
				n[i] = f.Select(in, n[i], f.borderOf(i, n[i]))
			}
		}
	}
	if f.s.compare && f.dref != 0 {
		return values{f.compared(n[0])}
	}
	return n
}

// borderOf is a component of the border color, of the type of v.
func (f *filter) borderOf(i int, v ir.V) ir.V {
	t := f.Func.Type(v)
	word := f.OpAux(ir.Ld, ir.I32, uint64(4*(ir.SamplerBorder+i)), f.state, f.I32(0))
	switch t {
	case ir.F32:
		return f.float(word)
	case ir.I64:
		return f.Op(ir.SExt, ir.I64, word)
	}
	return word
}

// compared is 1 where the reference compares with a depth as the sampler says,
// else 0: always where the texels are integers, which have no depth. The reference of fixed point is clamped (Vulkan §"Depth Compare
// Operation").
func (f *filter) compared(depth ir.V) ir.V {
	ref := f.dref
	switch {
	case f.x.kind() != ir.F32:
		return f.num(0)
	case depth == 0:
		depth = f.num(0)
	}
	if k := f.x.lanes[0]; k != nil && k.Numeric == format.UNorm {
		ref = f.nmin(f.nmax(ref, f.num(0)), f.num(1))
	}
	return f.Select(f.passes(ref, depth), f.num(1), f.num(0))
}

func (f *filter) passes(ref, depth ir.V) ir.V {
	switch f.s.op {
	case Less:
		return f.flt(ref, depth)
	case Equal:
		return f.Cmp(ir.FEq, ref, depth)
	case LessOrEqual:
		return f.fle(ref, depth)
	case Greater:
		return f.flt(depth, ref)
	case NotEqual:
		return f.not(f.Cmp(ir.FEq, ref, depth))
	case GreaterOrEqual:
		return f.fle(depth, ref)
	}
	return f.Bool(f.s.op == Always)
}

// join combines the numbers of two texels, or of two sets of them.
func (f *filter) join(lo, hi values, weight ir.V) (n values) {
	for i := range n {
		if lo[i] == 0 {
			continue
		}
		switch f.s.reduction {
		case Min:
			n[i] = f.nmin(lo[i], hi[i])
		case Max:
			n[i] = f.nmax(lo[i], hi[i])
		default:
			n[i] = f.ffma(f.fsub(hi[i], lo[i]), weight, lo[i])
		}
	}
	return n
}

// sample reads the level with a filter.
func (f *filter) sample(with Filter) values {
	if f.x.kind() != ir.F32 { // integers are not weighted
		with = Nearest
	}
	switch {
	case with == Nearest:
		return f.sampleNearest()
	case with == Cubic:
		return f.sampleCubic()
	case f.seamless():
		return f.sampleSeamless()
	}
	return f.sampleLinear()
}

func (f *filter) sampleNearest() values {
	at, in := make([]ir.V, f.v.axes()), ir.V(0)
	for i := range at {
		s := f.nearest(f.axisOf(i))
		at[i], in = s.at, f.andIn(in, s.in)
	}
	return f.tap(at, in)
}

// andIn is x and y, where no value is true.
func (f *filter) andIn(x, y ir.V) ir.V {
	switch {
	case x == 0:
		return y
	case y == 0:
		return x
	}
	return f.both(x, y)
}

// sampleLinear weights two texels along each axis: x first, then y, then z.
func (f *filter) sampleLinear() values {
	pairs := make([]pair, f.v.axes())
	for i := range pairs {
		pairs[i] = f.linear(f.axisOf(i))
	}
	if f.x.Bytes == 4 && f.proven(0) != 0 {
		return f.weightedRows(pairs)
	}
	return f.weighted(pairs, make([]ir.V, len(pairs)), 0)
}

// weighted weights the texels of the axes before those that at already names.
func (f *filter) weighted(pairs []pair, at []ir.V, in ir.V) values {
	n := len(pairs) - 1
	if n < 0 {
		return f.tap(append([]ir.V(nil), at...), in)
	}
	p := &pairs[n]
	at[n] = p.lo
	lo := f.weighted(pairs[:n], at, f.andIn(in, p.loIn))
	at[n] = p.hi
	hi := f.weighted(pairs[:n], at, f.andIn(in, p.hiIn))
	return f.join(lo, hi, p.weight)
}

// corners returns the four texels of a cube's linear filter, in the order of x and
// then y; where there is no such texel, at a corner of the cube, it is the mean of
// the others, of integers that of the face itself (Vulkan §"Cube Map Edge Handling").
func (f *filter) corners(px, py pair) (n [4]values) {
	size := f.m.extent[0]
	face, missing := f.face, [4]ir.V{}
	for i := range n {
		x, y := px.lo, py.lo
		if i&1 != 0 {
			x = px.hi
		}
		if i&2 != 0 {
			y = py.hi
		}
		to, x, y, corner := f.around(face, x, y, size)
		n[i] = f.seen(f.load(&f.x, f.begins([]ir.V{x, y}, f.cubeLayer(to)), 0), 0)
		missing[i] = corner
	}
	all := n
	for i := range n {
		for k := range n[i] {
			if n[i][k] == 0 {
				continue
			}
			if f.Func.Type(n[i][k]) != ir.F32 {
				n[i][k] = f.Select(missing[i], all[3-i][k], all[i][k])
				continue
			}
			sum := ir.V(0)
			for j := range all {
				switch {
				case j == i:
				case sum == 0:
					sum = all[j][k]
				default:
					sum = f.fadd(sum, all[j][k])
				}
			}
			n[i][k] = f.Select(missing[i], f.fmul(sum, f.num(1.0/3)), all[i][k])
		}
	}
	return n
}

// sampleSeamless filters a face of a cube with what lies over its edges.
func (f *filter) sampleSeamless() values {
	px, py := f.linear(f.axisOf(0)), f.linear(f.axisOf(1))
	n := f.corners(px, py)
	return f.join(f.join(n[0], n[1], px.weight), f.join(n[2], n[3], px.weight), py.weight)
}
