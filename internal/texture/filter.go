package texture

import (
	"slices"

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

// finite reports whether all numbers of samples are finite, and none is -0.
func (c *code) finite(x *texel) bool {
	for _, k := range x.lanes {
		if k == nil {
			continue
		}
		switch k.Numeric {
		case format.UNorm, format.SNorm, format.SRGB:
		default:
			return false
		}
	}
	return !c.bordered() && !c.v.converted
}

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
		if f.x.lanes[i].Numeric == format.UInt {
			return f.Op(ir.ZExt, ir.I64, word)
		}
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
// Where all lie on the face nothing else is asked.
func (f *filter) corners(px, py pair) (n [4]values) {
	size := f.m.extent[0]
	which, types := f.present(&f.x)
	all := slices.Concat(types, types, types, types)
	inside := f.both(f.both(f.ult(px.lo, size), f.ult(px.hi, size)), f.both(f.ult(py.lo, size), f.ult(py.hi, size)))
	list := f.choose(inside, all, func() (list []ir.V) {
		layer := f.cubeLayer(f.face)
		for i := range n {
			at := []ir.V{[2]ir.V{px.lo, px.hi}[i&1], [2]ir.V{py.lo, py.hi}[i>>1]}
			list = append(list, f.of(which, f.seen(f.load(&f.x, f.begins(at, layer), ir.Proven), 0))...)
		}
		return list
	}, func() []ir.V { return f.overEdges(px, py, which, types) })
	for i := range n {
		for k, c := range which {
			n[i][c] = list[i*len(which)+k]
		}
	}
	return n
}

// of returns the numbers of a texel that are there.
func (c *code) of(which []int, n values) (list []ir.V) {
	for _, i := range which {
		list = append(list, n[i])
	}
	return list
}

// overEdges is corners where some lie on other faces: one behind the other, for the way
// over an edge is long.
func (f *filter) overEdges(px, py pair, which []int, types []ir.Type) []ir.V {
	size := f.m.extent[0]
	inits := []ir.V{f.I32(4)} // which one is missing
	for range 4 {
		for _, t := range types {
			inits = append(inits, f.Const(t, 0))
		}
	}
	state := f.region([2]ir.V{f.I32(2), f.I32(2)}, inits, func(i, j ir.V, state []ir.V) []ir.V {
		x := f.Select(f.eq(i, f.I32(0)), px.lo, px.hi)
		y := f.Select(f.eq(j, f.I32(0)), py.lo, py.hi)
		to, x, y, corner := f.around(f.face, x, y, size)
		got := f.of(which, f.seen(f.load(&f.x, f.begins([]ir.V{x, y}, f.cubeLayer(to)), 0), 0))
		here := f.add(f.add(j, j), i)
		next := []ir.V{f.Select(corner, here, state[0])}
		for k, old := range state[1:] {
			next = append(next, f.Select(f.eq(here, f.I32(uint32(k/len(which)))), got[k%len(which)], old))
		}
		return next
	})
	missing, all, list := state[0], state[1:], make([]ir.V, len(state)-1)
	for k, v := range all {
		i, c := k/len(which), k%len(which)
		is := f.eq(missing, f.I32(uint32(i)))
		if types[c] != ir.F32 {
			list[k] = f.Select(is, all[(3-i)*len(which)+c], v)
			continue
		}
		sum := ir.V(0)
		for j := range 4 {
			switch other := all[j*len(which)+c]; {
			case j == i:
			case sum == 0:
				sum = other
			default:
				sum = f.fadd(sum, other)
			}
		}
		list[k] = f.Select(is, f.fmul(sum, f.num(1.0/3)), v)
	}
	return list
}

// sampleSeamless filters a face of a cube with what lies over its edges.
func (f *filter) sampleSeamless() values {
	px, py := f.linear(f.axisOf(0)), f.linear(f.axisOf(1))
	n := f.corners(px, py)
	return f.join(f.join(n[0], n[1], px.weight), f.join(n[2], n[3], px.weight), py.weight)
}
