package lower

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// tracedTexel is a texel of a storage image, or one that a shader fetches; its accesses are events for the detector of data races.
type tracedTexel struct {
	memory string
	number int    // of the resource
	axes   uint8  // of the image, without layers
	args   []ir.V // coordinates, level, sample and the index of the descriptor
	inside ir.V   // whether the image has the texel
}

// tracedTexel returns the texel of the call; nil if its accesses are no events: of an image that only the run selects.
func (c *textureCall) tracedTexel(lod spirv.ID) *tracedTexel {
	f := c.f
	resources := f.imageResources(c.on)
	if !f.traces() || len(resources) != 1 || len(c.at) > 3 {
		return nil
	}
	level, sample := f.b.I32(0), f.b.I32(0)
	inside := f.not(c.outside(lod))
	if lod != 0 {
		level = f.ints32(lod, 1)[0]
		inside = f.b.Op(ir.And, ir.B1, inside, f.b.Cmp(ir.ULt, level, f.b.I32(32)))
	}
	if s := c.operands[bits.TrailingZeros16(uint16(ir.TextureSampleI))]; len(s) == 1 {
		sample = s[0]
		inside = f.b.Op(ir.And, ir.B1, inside, f.b.Cmp(ir.ULt, sample, f.b.I32(64)))
	}
	r := f.prog.Res[resources[0]]
	return &tracedTexel{
		memory: "the image in " + r.Place(),
		number: resources[0], axes: uint8(c.head.Dim.Axes()),
		args: append(slices.Clone(c.at), level, sample, c.on.index), inside: inside,
	}
}

// traceTexel logs the access of a texel, if the image has it.
func (f *function) traceTexel(x *tracedTexel, e ir.Event) {
	if x == nil {
		return
	}
	e.Kind, e.Domain, e.Memory, e.Size, e.Texel = ir.AccessEvent, ir.EventImages, x.memory, 4, uint8(len(x.args)-3)
	e.Axes, e.Scope = x.axes, f.sharedScope(&e)
	f.bindEvent(&e, x.number)
	f.guard(x.inside)
	f.trace(racing, e, x.args...)
	f.b.End()
}

// privateTexel reports whether the access of a texel is private: its order to accesses of other invocations is not defined.
func (f *function) privateTexel(o *imageOperands) bool {
	return f.facts.Capable(spirv.CapabilityVulkanMemoryModel) && !o.shared
}
