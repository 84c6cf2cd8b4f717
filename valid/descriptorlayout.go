package valid

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// descriptorLayout is the sizes and alignments in bytes of types that contain
// descriptors, or that have a layout by constants (SPV_EXT_descriptor_heap); nil
// if a module has none. A descriptor of unknown size has size and alignment 0.
type descriptorLayout struct {
	held   []bool // by type: it is one of them
	sizes  []uint64
	aligns [][3]uint32
}

// size returns the size of a member in bytes.
func (l *descriptorLayout) size(m *facts.Member) uint64 {
	if l == nil || m.Type == nil || !l.held[m.Type.Number] {
		return m.Size()
	}
	return l.sizes[m.Type.Number]
}

// align returns the alignment of a type in bytes.
func (l *descriptorLayout) align(t *facts.Type, r facts.Rule, rowMajor bool) uint32 {
	if l == nil || t == nil || !l.held[t.Number] {
		return t.Align(r, rowMajor)
	}
	return l.aligns[t.Number][r]
}

// descriptorLayout computes the layouts in one pass: parts are declared before the
// whole.
func (c *checker) descriptorLayout() *descriptorLayout {
	if !c.anyCapable(spirv.CapabilityDescriptorHeapEXT, spirv.CapabilityBindlessTextureNV) {
		return nil
	}
	count := len(c.m.Types)
	l := &descriptorLayout{make([]bool, count), make([]uint64, count), make([][3]uint32, count)}
	address := c.imageAddress()
	for n := range c.m.Types {
		t := &c.m.Types[n]
		if d, ok := c.descriptorSize(t, address); ok {
			l.held[n], l.sizes[n], l.aligns[n] = true, uint64(d.Size), [3]uint32{d.Align, d.Align, d.Align}
			continue
		}
		switch {
		case t.IsArray() && t.Elem != nil && t.Elem.Number < n:
			l.array(c, t)
		case t.IsStruct():
			l.structure(c, t)
		}
	}
	return l
}

// imageAddress returns the size in bytes of a bindless image or sampler handle; 0
// if the module has none.
func (c *checker) imageAddress() uint32 {
	if !c.capable(spirv.CapabilityBindlessTextureNV) {
		return 0
	}
	for _, in := range c.code.All() {
		switch in.Op() {
		case spirv.OpSamplerImageAddressingModeNV:
			return inst.SamplerImageAddressingModeNV(in).BitWidth() / 8
		case spirv.OpFunction:
			return 0
		}
	}
	return 0
}

// descriptorSize returns the size of a descriptor; false for any other type.
func (c *checker) descriptorSize(t *facts.Type, address uint32) (DescriptorSize, bool) {
	switch t.Op {
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage:
		if address > 0 {
			return DescriptorSize{address, address}, true
		}
		switch t.Op {
		case spirv.OpTypeSampler:
			return c.env.SamplerDescriptor, true
		case spirv.OpTypeImage:
			return c.env.ImageDescriptor, true
		}
		return DescriptorSize{}, true
	case spirv.OpTypeBufferEXT, spirv.OpTypeAccelerationStructureKHR:
		return c.env.BufferDescriptor, true
	case spirv.OpTypeTensorARM:
		return DescriptorSize{}, true
	}
	return DescriptorSize{}, false
}

func (l *descriptorLayout) array(c *checker, t *facts.Type) {
	_, byID := c.m.Decoration(t.ID, spirv.DecorationArrayStrideIdEXT)
	if !byID && !l.held[t.Elem.Number] {
		return
	}
	stride, _, known := c.stride(t)
	a := [3]uint32{l.align(t.Elem, facts.Scalar, false), l.align(t.Elem, facts.Base, false), l.align(t.Elem, facts.Extended, false)}
	a[facts.Extended] = (a[facts.Extended] + 15) &^ 15
	l.held[t.Number], l.aligns[t.Number] = true, a
	if known && t.Count > 0 && t.Count < math.MaxInt32 {
		l.sizes[t.Number] = (t.Count-1)*stride + l.size(&facts.Member{Type: t.Elem})
	}
}

func (l *descriptorLayout) structure(c *checker, t *facts.Type) {
	held := false
	var size uint64
	var a [3]uint32
	for n := range t.Members {
		m := &t.Members[n]
		if m.Type == nil {
			return
		}
		for r := range a {
			a[r] = max(a[r], l.align(m.Type, facts.Rule(r), m.RowMajor))
		}
		held = held || l.held[m.Type.Number] || c.m.HasMember(t.ID, n, spirv.DecorationOffsetIdEXT)
		if off, _, known := c.offset(t, n); known {
			size = max(size, off+l.size(m))
		}
	}
	if held {
		a[facts.Extended] = (max(a[facts.Extended], 1) + 15) &^ 15
		l.held[t.Number], l.sizes[t.Number], l.aligns[t.Number] = true, size, a
	}
}

// offset returns the offset of a member in bytes, whether a decoration specifies
// it, and whether its value is known: the constant of OffsetIdEXT may depend on
// specialization.
func (c *checker) offset(t *facts.Type, n int) (at uint64, has, known bool) {
	if m := &t.Members[n]; m.HasOffset {
		return uint64(m.Offset), true, true
	}
	d, ok := c.m.MemberDecoration(t.ID, n, spirv.DecorationOffsetIdEXT)
	if !ok {
		return 0, false, false
	}
	at, known = c.byConstant(d)
	return at, true, known
}

// stride returns the stride of an array in bytes, likewise.
func (c *checker) stride(t *facts.Type) (by uint64, has, known bool) {
	if t.ArrayStride != 0 {
		return uint64(t.ArrayStride), true, true
	}
	d, ok := c.m.Decoration(t.ID, spirv.DecorationArrayStrideIdEXT)
	if !ok {
		return 0, false, false
	}
	by, known = c.byConstant(d)
	return by, true, known
}

// byConstant returns the value of a decoration with the id of a 32-bit constant as
// operand.
func (c *checker) byConstant(d facts.Decoration) (uint64, bool) {
	if len(d.Operands) == 0 {
		return 0, false
	}
	k := c.m.Const(spirv.ID(d.Operands[0]))
	if k == nil || !k.Known || k.Spec || k.Type == nil || !k.Type.IsInt() || k.Type.Width != 32 {
		return 0, false
	}
	return uint64(uint32(k.Bits)), true
}
