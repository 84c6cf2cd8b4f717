package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// depthTest is the depth test of one sample under construction (Vulkan §"Depth Test").
type depthTest struct {
	shader     *shader
	attachment attachment
	present    bool // there is a depth attachment
	old        []ir.V
	next       []ir.V // the texel with the depth of the sample
}

// depthTest loads the attachment's depth at sample n and computes the fragment's depth there.
func (s *shader) depthTest(n ir.V) *depthTest {
	return s.depthTestOf(n, func() ir.V { return s.depth(n) })
}

// depthTestOf is depthTest with a function that emits the fragment's depth. The fragment's depth is
// packed before the comparison. So it has the precision of the attachment, as Vulkan demands for
// fixed-point formats. A depth that is clamped to 0…1 needs no test for NaN, because the maximum with 0 has replaced it; the
// bounds of a viewport are not known to be numbers.
func (s *shader) depthTestOf(n ir.V, depth func() ir.V) *depthTest {
	d := &depthTest{shader: s}
	k := &s.key.Test
	if k.Depth == nil {
		return d
	}
	a, ok := s.attachment(layout.BindDepth, k.Depth, k.DepthLayered, n)
	if !ok {
		return d
	}
	d.attachment, d.present = a, true
	d.old = a.load()
	z := s.inRange(depth())
	if k.Clamp || k.Unrestricted {
		z = s.B.Op(ir.FCanon, ir.F32, z)
	}
	zero := s.Zero(ir.F32)
	d.next = a.Pack([4]ir.V{z, zero, zero, zero})
	return d
}

// depth returns the fragment's depth at sample n: the program's output if it has one and the tests
// are late (Vulkan §"Early Fragment Test Mode"), the interpolated depth otherwise. With several
// samples the depth is evaluated at each sample position, not once for the pixel: intersecting
// triangles then have smooth edges.
func (s *shader) depth(n ir.V) ir.V {
	for k, o := range s.From.Out {
		if o.Semantic == ir.FragDepth && !s.earlyTests() {
			return s.Output(k)
		}
	}
	return s.plane(primitiveZ, s.samplePoint(n))
}

// inRange clamps a depth: to the depth range of the viewport if the state demands it, otherwise to 0…1
// unless the depth range is unrestricted (Vulkan §"Depth Clamping and Range Adjustment").
func (s *shader) inRange(z ir.V) ir.V {
	switch k := &s.key.Test; {
	case k.Clamp:
		return s.NMin(s.NMax(z, s.primitiveWord(ir.F32, primitiveMinZ)), s.primitiveWord(ir.F32, primitiveMaxZ))
	case k.Unrestricted:
		return z
	}
	return s.NMin(s.NMax(z, s.Float(0)), s.Float(1))
}

// withinBounds emits the depth bounds test of the attachment's depth (Vulkan §"Depth Bounds Test").
// It tests the old depth in the attachment, and not the fragment's.
func (d *depthTest) withinBounds() ir.V {
	z := d.attachment.Unpack(d.old)[0]
	least, most := d.shader.param(ir.F32, layout.FragmentBounds), d.shader.param(ir.F32, layout.FragmentBounds+1)
	return d.shader.B.Op(ir.And, ir.B1, d.shader.B.Cmp(ir.FLe, least, z), d.shader.B.Cmp(ir.FLe, z, most))
}

// passes compares the depths as the attachment stores them: fixed-point depths as integers.
func (d *depthTest) passes() ir.V {
	o := d.shader.key.Test.Compare
	if !d.present || o == enum.CompareOpAlways {
		return d.shader.B.Bool(true)
	}
	less, equals, x, y := d.operands()
	return d.shader.compared(o, less, equals, x, y)
}

// operands returns the depths in comparable form, with the operations that compare them.
func (d *depthTest) operands() (less, equals ir.Op, x, y ir.V) {
	x, y = d.attachment.Raw(d.next, 0), d.attachment.Raw(d.old, 0)
	if d.attachment.Component(0).Numeric == format.SFloat {
		return ir.FLt, ir.FEq, d.shader.B.Op(ir.Bitcast, ir.F32, x), d.shader.B.Op(ir.Bitcast, ir.F32, y)
	}
	return ir.ULt, ir.Eq, x, y
}

// store writes the fragment's depth.
func (d *depthTest) store() { d.attachment.store(d.next) }
