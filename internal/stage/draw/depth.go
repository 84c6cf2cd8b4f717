package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// depthTest is the depth test of a sample under way (Vulkan §"Depth Test").
type depthTest struct {
	*fragmentShader
	attachment
	open bool // there is an attachment
	old  []ir.V
	next []ir.V // the texel that the sample's depth makes
}

// depthTest reads the depth of sample n in the attachment and finds that of the
// fragment there.
func (s *fragmentShader) depthTest(n ir.V) *depthTest {
	return s.depthTestOf(n, func() ir.V { return s.depth(n) })
}

// depthTestOf is depthTest with the depth that a function writes.
func (s *fragmentShader) depthTestOf(n ir.V, depth func() ir.V) *depthTest {
	d := &depthTest{fragmentShader: s}
	k := &s.key.test
	if k.depth == "" {
		return d
	}
	a, ok := s.attachment(bindDepth, k.depth, k.depthLayered, n)
	if !ok {
		return d
	}
	d.attachment, d.open = a, true
	d.old = a.load()
	z := s.inRange(depth())
	zero := s.zero(ir.F32)
	d.next = a.Pack([4]ir.V{s.b.Op(ir.FCanon, ir.F32, z), zero, zero, zero})
	return d
}

// depth is the depth of the fragment at sample n: the program's where it gives one, and
// the tests are behind it (Vulkan §"Early Fragment Test Mode").
func (s *fragmentShader) depth(n ir.V) ir.V {
	for k, o := range s.from.Out {
		if o.Semantic == ir.FragDepth && !s.earlyTests() {
			return s.output(k)
		}
	}
	return s.plane(primitiveZ, s.spotOf(n))
}

// inRange clamps a depth to the viewport's where the state says so, and else to 0 and
// 1, unless depths of floats have no range (Vulkan §"Depth Clamping and Range
// Adjustment").
func (s *fragmentShader) inRange(z ir.V) ir.V {
	switch k := &s.key.test; {
	case k.clamp:
		return s.nmin(s.nmax(z, s.primitiveWord(ir.F32, primitiveMinZ)), s.primitiveWord(ir.F32, primitiveMaxZ))
	case k.unrestricted:
		return z
	}
	return s.nmin(s.nmax(z, s.num(0)), s.num(1))
}

// bounded reports whether the attachment's depth is within the bounds (Vulkan §"Depth
// Bounds Test").
func (d *depthTest) bounded() ir.V {
	z := d.Unpack(d.old)[0]
	least, most := d.params(ir.F32, fragmentBounds), d.params(ir.F32, fragmentBounds+1)
	return d.b.Op(ir.And, ir.B1, d.b.Cmp(ir.FLe, least, z), d.b.Cmp(ir.FLe, z, most))
}

// passes compares the depths as the attachment has them: in fixed point as integers.
func (d *depthTest) passes() ir.V {
	o := d.key.test.compare
	if !d.open || o == Always {
		return d.b.Bool(true)
	}
	less, equals, x, y := d.operands()
	return d.compared(o, less, equals, x, y)
}

// operands are the depths as they are compared, and how.
func (d *depthTest) operands() (less, equals ir.Op, x, y ir.V) {
	x, y = d.Raw(d.next, 0), d.Raw(d.old, 0)
	if d.Component(0).Numeric == format.SFloat {
		return ir.FLt, ir.FEq, d.b.Op(ir.Bitcast, ir.F32, x), d.b.Op(ir.Bitcast, ir.F32, y)
	}
	return ir.ULt, ir.Eq, x, y
}

// store writes the fragment's depth.
func (d *depthTest) store() { d.attachment.store(d.next) }

// bias is raster's part of the depth bias, which depends on what the attachment can
// tell apart (Vulkan §"Depth Bias").
func (d *recorded) bias() raster.DepthBias {
	r := &d.state.Rasterization
	b := raster.DepthBias{Enable: true, Constant: r.BiasConstant, Slope: r.BiasSlope, Clamp: r.BiasClamp, Float: true}
	if f, ok := format.ByName(d.target.Depth.Format()); ok {
		for _, k := range f.Components() {
			if k.Channel == format.D && k.Numeric == format.UNorm {
				b.Bits, b.Float = k.Bits, false
			}
		}
	}
	return b
}
