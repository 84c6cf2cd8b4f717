package oracle

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
)

// The tests of a fragment against the attachment of depth and stencil are the depth bounds test, the stencil test and the depth test, in this order
// (Vulkan, "Fragment Operations"). A fragment outside of the bounds changes nothing; a stencil value changes by the outcome of both other tests. The
// permitted contents are the contents after all outcomes that are possible.

// outcome is a possible outcome of the tests: the contents of depth and stencil after them.
type outcome struct {
	cells []Number
	pass  bool // all tests
}

// outcomes collects the possible outcomes of the tests.
type outcomes struct {
	d        *drawing
	list     []outcome
	contents []Number // before the tests
}

// add adds an outcome: the value of the stencil component, and of the depth component; nil leaves a component as it is.
func (o *outcomes) add(stencil, depth *Number, pass bool) {
	next := clone(o.contents)
	for k, c := range o.d.Depth.components {
		switch {
		case c.Channel == format.S && stencil != nil:
			next[k] = *stencil
		case c.Channel == format.D && depth != nil:
			next[k] = *depth
		}
	}
	o.list = append(o.list, outcome{next, pass})
}

// tests applies the tests to the cells of a texel, for a fragment with a depth, and returns the possible outcomes. A test without its
// component passes.
func (d *drawing) tests(s *surface, z Number, cells []Number) []outcome {
	if cells == nil {
		return []outcome{{pass: true}}
	}
	st := d.State.DepthStencil
	bounded, stenciled, tested := passes, passes, passes
	var stencil, depth *Number
	for k, c := range d.Depth.components {
		cell := cells[k]
		switch {
		case c.Channel == format.S && st.StencilTest:
			stencil = &cell
			stenciled = s.face(st).test(cell)
		case c.Channel == format.D:
			if st.BoundsTest {
				bounded = d.bounded(c, cell)
			}
			if !st.DepthTest {
				continue
			}
			n := stored(c, z)
			tested = compare(st.Compare, n, cell)
			if st.DepthWrite {
				if n.At == 0 {
					n.At = byDepth
				}
				depth = &n
			}
		}
	}
	o := outcomes{d: d, contents: clone(cells)}
	if bounded != passes {
		o.add(nil, nil, false)
	}
	if bounded != fails {
		d.tested(&o, s.face(st), stencil, depth, stenciled, tested)
	}
	return o.list
}

// tested adds the outcomes of the stencil and the depth test; stencil is the value before them, nil without a stencil test.
func (d *drawing) tested(o *outcomes, face *stencilFace, stencil, depth *Number, stenciled, tested result) {
	after := func(op enum.StencilOp) *Number {
		if stencil == nil {
			return nil
		}
		n := face.after(op, *stencil)
		return &n
	}
	if stenciled != passes {
		o.add(after(face.Fail), nil, false)
	}
	if stenciled == fails {
		return
	}
	if tested != passes {
		o.add(after(face.DepthFail), nil, false)
	}
	if tested != fails {
		o.add(after(face.Pass), depth, true)
	}
}

// bounded is the depth bounds test: the stored depth is between the bounds. A bound that is closer to it than a step of the format may be rounded to it.
func (d *drawing) bounded(c format.Component, cell Number) result {
	n := loaded(c, cell)
	if n.Any {
		return either
	}
	e := float64(max(n.High, -n.Low) * 0x1p-23)
	if most, ok := fixed(c); ok {
		e = 1 / most
	}
	least, most := float64(d.State.DepthBounds[0]), float64(d.State.DepthBounds[1])
	switch {
	case n.High+e < least || n.Low-e > most:
		return fails
	case (n.Low-e >= least || n.Low >= least && least == 0) && (n.High+e <= most || n.High <= most && most == 1):
		return passes
	}
	return either
}

// stencilFace is the stencil state for the front or the back of polygons. Points and lines are in front.
type stencilFace struct{ link.StencilFace }

func (s *surface) face(st *link.DepthStencil) *stencilFace {
	if s.front {
		return &stencilFace{st.Front}
	}
	return &stencilFace{st.Back}
}

// stencilBits has the bits of a stencil component: all formats have 8 of them.
const stencilBits = 0xff

// test compares the reference, the first operand, with the stored value, both under the mask.
func (f *stencilFace) test(n Number) result {
	mask := uint64(f.CompareMask & stencilBits)
	a, b := point(float64(uint64(f.Reference)&mask)), point(float64(n.Bits&mask))
	b.Any = n.Any && mask != 0
	return compare(f.Compare, a, b)
}

// after returns the stored value after an operation. Bits outside of the write mask remain.
func (f *stencilFace) after(op enum.StencilOp, n Number) Number {
	mask, v := uint64(f.WriteMask&stencilBits), n.Bits
	if op == enum.StencilOpKeep || mask == 0 {
		return n
	}
	known := !n.Any
	switch op {
	case enum.StencilOpZero:
		v, known = 0, known || mask == stencilBits
	case enum.StencilOpReplace:
		v, known = uint64(f.Reference&stencilBits), known || mask == stencilBits
	case enum.StencilOpIncrementAndClamp:
		v = min(v+1, stencilBits)
	case enum.StencilOpDecrementAndClamp:
		v = max(v, 1) - 1
	case enum.StencilOpInvert:
		v = ^v
	case enum.StencilOpIncrementAndWrap:
		v++
	case enum.StencilOpDecrementAndWrap:
		v--
	}
	if !known {
		return Number{Any: true, At: byStencil}
	}
	return Number{Bits: n.Bits&^mask&stencilBits | v&mask, At: byStencil}
}
