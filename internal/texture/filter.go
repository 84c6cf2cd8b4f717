package texture

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// samplePoint is the position of a sample, within any level.
type samplePoint struct {
	coord  []ir.V // f32, one per axis
	offset []ir.V // i32, one per axis; nil without offsets
	layer  ir.V   // i32, index in the view; 0 (no value) if it is not arrayed
	face   ir.V   // i32, the face of a cube; else 0 (no value)
	dref   ir.V   // depth reference; 0 (no value) without comparison
}

// filter reads and weights the texels of one level.
type filter struct {
	*code
	x    texel
	m    mip
	part part
	samplePoint
}

// values are the component values of a texel or of a weighted sum of texels, unscaled if scalesLate; absent
// components are 0 (no value). A comparison has one component: the share of texels that pass.
type values = [4]ir.V

// scalesLate reports whether texels are weighted before they are scaled from units of the last place. The
// sums of 8-bit fixed point are then exact, and only one division per sample is needed. The texels of decoded blocks are weighted as
// their floats, as in formats with blocks decoded to floats.
func (c *code) scalesLate() bool {
	return !c.bordered() && !c.s.compare && !c.v.converted && !c.texelOf().fractions
}

// finite reports whether no value of a sample can be an infinity, NaN or −0. Then 0 + (x−0)·1 is x exactly,
// on which trilinear relies.
func (c *code) finite(x *texel) bool {
	for _, k := range x.channels {
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

// bordered reports whether a sample may return the border color.
func (c *code) bordered() bool {
	if c.seamless() {
		return false
	}
	for _, m := range c.s.address[:c.v.axes()] {
		if m == enum.AddressModeClampToBorder {
			return true
		}
	}
	return false
}

// seamless reports whether a cube is filtered across the edges of its faces. Otherwise each face is filtered
// like a 2D image, with the sampler's addressing modes (Vulkan §"Wrapping Operation").
func (c *code) seamless() bool { return c.v.dim == ir.DimCube && !c.s.nonSeamless }

// axisOf returns the sample's coordinate along axis i.
func (f *filter) axisOf(i int) axis {
	if f.part == onlyChroma {
		return f.chromaAxis(i)
	}
	offset := ir.V(0)
	if f.offset != nil {
		offset = f.offset[i]
	}
	return f.axis(i, f.coord[i], offset, f.m.extent[i])
}

// tap reads a texel. in tells whether it is inside the level; 0 (no value) if it always is.
func (f *filter) tap(at []ir.V, in ir.V) (n values) {
	layer := f.layer
	if f.face != 0 {
		layer = f.cubeLayer(f.face)
	}
	if f.v.splitChroma {
		return f.chromaTap(at, layer, f.proven(in))
	}
	return f.values(at, layer, in, f.proven(in))
}

// proven returns ir.Proven if the tap's access needs no bounds check: wrapping, layer selection and LOD
// clamp all indices, and NewView checked the view against the memory.
func (f *filter) proven(in ir.V) ir.Flags {
	if in != 0 || f.bordered() {
		return 0
	}
	return ir.Proven
}

// tapOffset returns the byte offset of a texel.
func (f *filter) tapOffset(at []ir.V, layer ir.V) ir.V {
	return f.texelOffset(&f.x, f.m, at, layer, 0)
}

// cubeLayer returns the layer of a face.
func (f *filter) cubeLayer(face ir.V) ir.V {
	if f.layer == 0 {
		return face
	}
	return f.add(f.mul(f.layer, f.I32(6)), face)
}

// texelValues returns the values of a loaded texel: the border's if it is not inside, and the result of the
// comparison if the sampler compares.
func (f *filter) texelValues(words []ir.V, in ir.V) values {
	n := f.decodeComponents(&f.x, words)
	if !f.scalesLate() {
		n = f.scaleComponents(&f.x, n, 1)
	}
	if in != 0 {
		for i, k := range f.x.channels {
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

// borderOf returns a component of the border color, with the type of v.
func (f *filter) borderOf(i int, v ir.V) ir.V {
	t := f.Func.Type(v)
	word := f.OpAux(ir.Ld, ir.I32, uint64(4*(ir.SamplerBorder+i)), f.state, f.I32(0))
	switch t {
	case ir.F32:
		return f.float(word)
	case ir.I64:
		if f.x.channels[i].Numeric == format.UInt {
			return f.Op(ir.ZExt, ir.I64, word)
		}
		return f.Op(ir.SExt, ir.I64, word)
	}
	return word
}

// compared returns 1 if the depth passes the sampler's comparison with the reference, else 0. Integer texels,
// which are no depth, never pass. For a fixed-point format the reference is clamped to [0, 1] (Vulkan
// §"Depth Compare Operation").
func (f *filter) compared(depth ir.V) ir.V {
	ref := f.dref
	switch {
	case f.x.kind() != ir.F32:
		return f.num(0)
	case depth == 0:
		depth = f.num(0)
	}
	if k := f.x.channels[0]; k != nil && k.Numeric == format.UNorm && k.One == 0 {
		ref = f.nmin(f.nmax(ref, f.num(0)), f.num(1))
	}
	return f.Select(f.passes(ref, depth), f.num(1), f.num(0))
}

// passes emits the comparison; the reference is its left operand.
func (f *filter) passes(ref, depth ir.V) ir.V {
	switch f.s.op {
	case enum.CompareOpLess:
		return f.flt(ref, depth)
	case enum.CompareOpEqual:
		return f.Cmp(ir.FEq, ref, depth)
	case enum.CompareOpLessOrEqual:
		return f.fle(ref, depth)
	case enum.CompareOpGreater:
		return f.flt(depth, ref)
	case enum.CompareOpNotEqual:
		return f.not(f.Cmp(ir.FEq, ref, depth))
	case enum.CompareOpGreaterOrEqual:
		return f.fle(depth, ref)
	}
	return f.Bool(f.s.op == enum.CompareOpAlways)
}

// combine reduces two sets of values: interpolated, lo + (hi−lo)·weight with one fused multiply-add, or their
// minimum or maximum.
func (f *filter) combine(lo, hi values, weight ir.V) (n values) {
	for i := range n {
		if lo[i] == 0 {
			continue
		}
		switch f.s.reduction {
		case enum.ReductionMin:
			n[i] = f.nmin(lo[i], hi[i])
		case enum.ReductionMax:
			if n[i] = f.nmax(lo[i], hi[i]); f.looks { // texels with weight 0 are not read
				n[i] = f.Select(f.Cmp(ir.FEq, weight, f.num(0)), lo[i], n[i])
			}
		default:
			n[i] = f.ffma(f.fsub(hi[i], lo[i]), weight, lo[i])
		}
	}
	return n
}

// sample reads the level with the given filter.
func (f *filter) sample(with enum.Filter) values {
	if f.x.kind() != ir.F32 { // integers are not interpolated
		with = enum.FilterNearest
	}
	switch {
	case f.v.separate && f.part == lumaAndChroma:
		return f.sampleSeparately(with)
	case with == enum.FilterNearest:
		return f.sampleNearest()
	case with == enum.FilterCubic:
		return f.sampleCubic()
	case f.seamless():
		return f.sampleSeamless()
	}
	return f.sampleLinear()
}

// sampleNearest reads the texel that contains the sample point.
func (f *filter) sampleNearest() values {
	at, in := make([]ir.V, f.v.axes()), ir.V(0)
	for i := range at {
		s := f.nearest(f.axisOf(i))
		at[i], in = s.at, f.andIn(in, s.in)
	}
	return f.tap(at, in)
}

// andIn is the conjunction of x and y; 0 (no value) is true.
func (f *filter) andIn(x, y ir.V) ir.V {
	switch {
	case x == 0:
		return y
	case y == 0:
		return x
	}
	return f.both(x, y)
}

// sampleLinear interpolates two texels along each axis: x first, then y, then z.
func (f *filter) sampleLinear() values {
	pairs := make([]pair, f.v.axes())
	for i := range pairs {
		pairs[i] = f.linear(f.axisOf(i))
	}
	if f.loadsRows() {
		return f.linearByTexelRows(pairs)
	}
	return f.linearTaps(pairs, make([]ir.V, len(pairs)), 0)
}

// linearTaps interpolates along the given axes; at holds the texel indices of the others. It recurses from the
// last axis to the first, so that x is interpolated innermost, as the specification's formulas do.
func (f *filter) linearTaps(pairs []pair, at []ir.V, in ir.V) values {
	n := len(pairs) - 1
	if n < 0 {
		return f.tap(append([]ir.V(nil), at...), in)
	}
	p := &pairs[n]
	at[n] = p.lo
	lo := f.linearTaps(pairs[:n], at, f.andIn(in, p.loIn))
	at[n] = p.hi
	hi := f.linearTaps(pairs[:n], at, f.andIn(in, p.hiIn))
	return f.combine(lo, hi, p.weight)
}

// corners returns the four texels of a linear filter on a cube, in the order (lo, lo), (hi, lo), (lo, hi),
// (hi, hi). At a cube's corner one is missing; it is replaced by the mean of the three others, and for integers
// by the texel of the sample's own face (Vulkan §"Cube Map Edge Handling"). The common case, all four on one
// face, is a branch of its own.
func (f *filter) corners(px, py pair) (n [4]values) {
	which, types := f.present(&f.x)
	all := slices.Concat(types, types, types, types)
	list := f.ifElse(f.onFace(px, py), all, func() (list []ir.V) {
		layer := f.cubeLayer(f.face)
		for i := range n {
			at := []ir.V{[2]ir.V{px.lo, px.hi}[i&1], [2]ir.V{py.lo, py.hi}[i>>1]}
			list = append(list, f.presentValues(which, f.values(at, layer, 0, ir.Proven))...)
		}
		return list
	}, func() []ir.V { return f.cornersAcrossEdges(px, py, which, types) })
	return cornersOf(list, which)
}

// cornersOf returns the listed components of four texels.
func cornersOf(list []ir.V, which []int) (n [4]values) {
	for i := range n {
		for k, c := range which {
			n[i][c] = list[i*len(which)+k]
		}
	}
	return n
}

// onFace reports whether the four texels of a linear filter are on one face.
func (f *filter) onFace(px, py pair) ir.V {
	size := f.m.extent[0]
	return f.both(f.both(f.ult(px.lo, size), f.ult(px.hi, size)), f.both(f.ult(py.lo, size), f.ult(py.hi, size)))
}

// presentValues returns the values of the listed components.
func (c *code) presentValues(which []int, n values) (list []ir.V) {
	for _, i := range which {
		list = append(list, n[i])
	}
	return list
}

// cornersAcrossEdges is corners if some of the texels are on other faces. It is a loop over the texels, for
// the code that crosses an edge is long.
func (f *filter) cornersAcrossEdges(px, py pair, which []int, types []ir.Type) []ir.V {
	size := f.m.extent[0]
	inits := []ir.V{f.I32(4)} // index of the missing texel; 4 if none is
	for range 4 {
		for _, t := range types {
			inits = append(inits, f.Const(t, 0))
		}
	}
	state := f.forRegion([2]ir.V{f.I32(2), f.I32(2)}, inits, func(i, j ir.V, state []ir.V) []ir.V {
		x := f.Select(f.eq(i, f.I32(0)), px.lo, px.hi)
		y := f.Select(f.eq(j, f.I32(0)), py.lo, py.hi)
		to, x, y, corner := f.neighbourTexel(f.face, x, y, size)
		got := f.presentValues(which, f.values([]ir.V{x, y}, f.cubeLayer(to), 0, 0))
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

// sampleSeamless filters a cube linearly across the edges of its faces. If all four texels are on one face, it loads the two of a row at
// one offset.
func (f *filter) sampleSeamless() values {
	px, py := f.linear(f.axisOf(0)), f.linear(f.axisOf(1))
	which, types := f.present(&f.x)
	list := f.ifElse(f.onFace(px, py), slices.Concat(types, types), func() (rows []ir.V) {
		layer := f.cubeLayer(f.face)
		for _, y := range []ir.V{py.lo, py.hi} {
			rows = append(rows, f.presentValues(which, f.rowOnFace(px, y, layer))...)
		}
		return rows
	}, func() (rows []ir.V) {
		n := cornersOf(f.cornersAcrossEdges(px, py, which, types), which)
		for i := range 2 {
			row := f.presentValues(which, f.combine(n[2*i], n[2*i+1], px.weight))
			for k := range row {
				if f.filtersBytes() {
					row[k] = f.fmul(row[k], f.num(fraction))
				}
			}
			rows = append(rows, row...)
		}
		return rows
	})
	var lo, hi values
	for k, c := range which {
		lo[c], hi[c] = list[k], list[len(which)+k]
	}
	return f.combine(lo, hi, py.weight)
}

// rowOnFace interpolates the two texels of row y, which are next to each other.
func (f *filter) rowOnFace(px pair, y, layer ir.V) values {
	if f.looks {
		lo, hi := f.values([]ir.V{px.lo, y}, layer, 0, ir.Proven), f.values([]ir.V{px.hi, y}, layer, 0, ir.Proven)
		return f.combine(lo, hi, px.weight)
	}
	off := f.tapOffset([]ir.V{px.lo, y}, layer)
	lo, hi := f.load(&f.x, off, ir.Proven), f.loadAt(&f.x, off, f.x.Bytes, ir.Proven)
	if f.filtersBytes() {
		return f.lerpBytes(lo[0], hi[0], px.weight256)
	}
	return f.combine(f.texelValues(lo, 0), f.texelValues(hi, 0), px.weight)
}
