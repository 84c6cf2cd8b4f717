package valid

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// blockLayoutFamily judges where blocks put their members (Vulkan, Shader
// Interfaces, Offset and Stride Assignment; SPIR-V §2.16.2).
var blockLayoutFamily = family{
	rules: []Rule{
		{Code: "SPV-Block-Missing", Section: "SPIR-V 2.16.2", Words: "the members of a block have an Offset, arrays in it an ArrayStride, matrices in it a MatrixStride and an order"},
		{Code: "SPV-Block-Alignment", Section: "Vulkan, Offset and Stride Assignment", Words: "offsets and strides in a block are multiples of the alignment that its layout asks for"},
		{Code: "SPV-Block-Overlap", Section: "Vulkan, Offset and Stride Assignment", Words: "no member of a block lies within another, or in the padding of an array or struct"},
		{Code: "SPV-Block-Straddle", Section: "Vulkan, Offset and Stride Assignment", Words: "no vector of a block straddles 16 bytes improperly"},
		{Code: "SPV-Block-Stride", Section: "Vulkan, Offset and Stride Assignment", Words: "the stride of an array in a block is no smaller than an element"},
		{Code: vuid.StandaloneSpirv_None_10684, Section: "Vulkan, Shader Validation", Words: "memory without an explicit layout holds no type that has one"},
	},
	after: []func(*checker){(*checker).blocks},
}

// blockRule is how a block is laid out.
type blockRule struct {
	align   facts.Rule
	relaxed bool // vectors are aligned as their components
}

// blockCheck is one block that is being judged.
type blockCheck struct {
	c    *checker
	rule blockRule
	via  int // the variable or pointer that the block is reached from
	sc   spirv.StorageClass
	todo []*facts.Type
	seen []uint8 // of each type: the rules that it was judged by
}

// blocks judges the blocks of all variables, and of pointers to physical memory.
func (c *checker) blocks() {
	if !c.vulkan {
		return // how blocks are laid out is for the API to say
	}
	c.noLayout()
	if c.env.Layout.Skip {
		return
	}
	b := blockCheck{c: c, seen: make([]uint8, len(c.m.Types))}
	for n := range c.m.Variables {
		if v := &c.m.Variables[n]; v.Func == nil {
			b.block(v.Index, v.Storage, v.Type)
		}
	}
	for n := range c.m.Types {
		if t := &c.m.Types[n]; t.Op == spirv.OpTypePointer && t.Storage == spirv.StorageClassPhysicalStorageBuffer {
			b.block(t.Index, t.Storage, t.Elem)
		}
	}
}

// block judges a type in a storage class, where that has blocks.
func (b *blockCheck) block(via int, sc spirv.StorageClass, t *facts.Type) {
	c := b.c
	switch sc {
	case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer,
		spirv.StorageClassShaderRecordBufferKHR:
	case spirv.StorageClassWorkgroup:
		if !c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
			return
		}
	default:
		return
	}
	for t.IsArray() {
		t = t.Elem
	}
	if !t.IsStruct() || !c.isBlock(t) {
		return
	}
	b.via, b.sc, b.rule = via, sc, c.ruleOf(sc, c.m.Has(t.ID, spirv.DecorationBlock))
	b.todo = append(b.todo[:0], t)
	for len(b.todo) > 0 {
		t := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		bit := uint8(1) << b.rule.align
		if b.seen[t.Number]&bit == 0 {
			b.seen[t.Number] |= bit
			b.structure(t)
		}
	}
}

// ruleOf returns how blocks of a storage class are laid out.
func (c *checker) ruleOf(sc spirv.StorageClass, block bool) blockRule {
	l := c.env.Layout
	on := func(name string) bool { v, known := c.env.Device.feature(name); return v && known }
	scalar := l.Scalar || on("scalarBlockLayout")
	if sc == spirv.StorageClassWorkgroup {
		scalar = l.WorkgroupScalar || on("workgroupMemoryExplicitLayoutScalarBlockLayout")
	}
	switch {
	case scalar:
		return blockRule{align: facts.Scalar}
	case sc == spirv.StorageClassUniform && block && !l.UniformStandard && !on("uniformBufferStandardLayout"):
		return blockRule{facts.Extended, c.relaxed()}
	}
	return blockRule{facts.Base, c.relaxed()}
}

// relaxed reports whether vectors may be aligned as their components.
func (c *checker) relaxed() bool {
	return c.env.Layout.Relaxed || c.env.Version >= Vulkan11
}

// fail reports a fault at a struct.
func (b *blockCheck) fail(t *facts.Type, code, format string, args ...any) {
	b.c.fail(t.Index, code, format, args...).also(b.c, b.via, "the block in %s", b.sc)
}

// structure judges one struct.
func (b *blockCheck) structure(t *facts.Type) {
	order := make([]int, len(t.Members))
	for n := range t.Members {
		m := &t.Members[n]
		if m.Type == nil {
			return
		}
		if !m.HasOffset {
			if !b.c.m.HasMember(t.ID, n, spirv.DecorationBuiltIn) && !b.c.m.HasMember(t.ID, n, spirv.DecorationOffsetIdEXT) {
				b.fail(t, "SPV-Block-Missing", "member %d has no Offset; must have one in a block", n)
			}
			return
		}
		order[n] = n
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(t.Members[x].Offset, t.Members[y].Offset) })
	next := uint64(0)
	for k, n := range order {
		m := &t.Members[n]
		if !b.member(t, n, m) {
			return
		}
		if uint64(m.Offset) < next {
			b.fail(t, "SPV-Block-Overlap", "member %d is at %d; the member before it, with its padding, ends at %d", n, m.Offset, next)
		}
		if m.Type.IsRuntimeArray() && k != len(order)-1 {
			b.fail(t, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "member %d is a runtime array at %d, and others come behind it; must be the last", n, m.Offset)
		}
		next = uint64(m.Offset) + m.Size()
		if b.rule.align != facts.Scalar && (m.Type.IsArray() || m.Type.IsStruct()) {
			if a := uint64(m.Align(b.rule.align)); a > 0 {
				next = (next + a - 1) / a * a
			}
		}
	}
}

// member judges the place of one member, and what it is made of. It returns
// false where the layout cannot be followed further.
func (b *blockCheck) member(t *facts.Type, n int, m *facts.Member) bool {
	a := m.Align(b.rule.align)
	if b.rule.align != facts.Scalar && b.rule.relaxed && m.Type.IsVector() {
		a = m.Align(facts.Scalar)
		if straddles(uint64(m.Offset), m.Size()) {
			b.fail(t, "SPV-Block-Straddle", "member %d, a vector of %d bytes at %d, straddles 16 bytes; must not", n, m.Size(), m.Offset)
		}
	}
	if a > 0 && m.Offset%a != 0 {
		b.fail(t, "SPV-Block-Alignment", "member %d is at %d; must be at a multiple of %d", n, m.Offset, a)
	}
	return b.parts(t, n, m)
}

// straddles reports whether a vector straddles improperly: one of 16 bytes or
// less must not cross a multiple of 16, a larger one must begin at one.
func straddles(offset, size uint64) bool {
	if size > 16 {
		return offset%16 != 0
	}
	return size > 0 && offset/16 != (offset+size-1)/16
}

// parts judges the arrays and matrices of a member.
func (b *blockCheck) parts(t *facts.Type, n int, m *facts.Member) bool {
	e := m.Type
	for e.IsArray() {
		if e.ArrayStride == 0 {
			if e.Elem == nil || b.c.m.Has(e.ID, spirv.DecorationArrayStrideIdEXT) {
				return false
			}
			b.fail(t, "SPV-Block-Missing", "member %d has an array without ArrayStride; must have one in a block", n)
			return false
		}
		if a := e.Align(b.rule.align, m.RowMajor); a > 0 && e.ArrayStride%a != 0 {
			b.fail(t, "SPV-Block-Alignment", "the stride of the array in member %d is %d; must be a multiple of %d", n, e.ArrayStride, a)
		}
		if size := e.Elem.Size(m.MatrixStride, m.RowMajor); uint64(e.ArrayStride) < size {
			b.fail(t, "SPV-Block-Stride", "the stride of the array in member %d is %d; an element has %d bytes", n, e.ArrayStride, size)
		}
		e = e.Elem
		if b.rule.align != facts.Scalar && b.rule.relaxed && e.IsVector() && e.Count == 3 && straddles(uint64(m.Offset), e.Size(0, false)) {
			b.fail(t, "SPV-Block-Straddle", "member %d at %d has vectors that straddle 16 bytes; must not", n, m.Offset)
		}
	}
	switch {
	case e.IsStruct():
		b.todo = append(b.todo, e)
	case e.IsMatrix():
		return b.matrix(t, n, m, e)
	}
	return true
}

// matrix judges a matrix in a member.
func (b *blockCheck) matrix(t *facts.Type, n int, m *facts.Member, e *facts.Type) bool {
	if !m.HasMatrixStride {
		b.fail(t, "SPV-Block-Missing", "member %d has a matrix without MatrixStride; must have one in a block", n)
		return false
	}
	if !m.RowMajor && !m.ColMajor {
		b.fail(t, "SPV-Block-Missing", "member %d has a matrix without RowMajor or ColMajor; must have one in a block", n)
		return false
	}
	if a := e.Align(b.rule.align, m.RowMajor); a > 0 && (m.MatrixStride == 0 || m.MatrixStride%a != 0) {
		b.fail(t, "SPV-Block-Alignment", "the stride of the matrix in member %d is %d; must be a multiple of %d", n, m.MatrixStride, a)
	}
	return true
}

// noLayout judges that memory without an explicit layout holds no type that has
// one.
func (c *checker) noLayout() {
	laid := make([]bool, len(c.m.Types)) // of each type: whether it has an explicit layout
	for n := range c.m.Types {
		t := &c.m.Types[n]
		switch {
		case t.IsArray():
			laid[n] = t.ArrayStride != 0 || c.m.Has(t.ID, spirv.DecorationArrayStrideIdEXT) || t.Elem != nil && t.Elem.Index < t.Index && laid[t.Elem.Number]
		case t.IsStruct():
			for k := range t.Members {
				m := &t.Members[k]
				laid[n] = laid[n] || m.HasOffset || m.HasMatrixStride || c.m.HasMember(t.ID, k, spirv.DecorationOffsetIdEXT) ||
					m.Type != nil && m.Type.Index < t.Index && laid[m.Type.Number]
			}
		case t.Op == spirv.OpTypePointer && t.Elem != nil && t.Elem.Index < t.Index:
			if laid[t.Elem.Number] && !t.Elem.IsPointer() && !c.mayLayout(t.Storage) {
				c.fail(t.Index, vuid.StandaloneSpirv_None_10684, "a pointer into %s to the type %s, which has an explicit layout; must have none there", t.Storage, c.name(t.Elem.ID)).also(c, t.Elem.Index, "the type")
			}
		}
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Pointer != nil && v.Pointer.Op == spirv.OpTypeUntypedPointerKHR && v.Type != nil && laid[v.Type.Number] && !c.mayLayout(v.Storage) {
			c.fail(v.Index, vuid.StandaloneSpirv_None_10684, "a variable in %s of the type %s, which has an explicit layout; must have none there", v.Storage, c.name(v.Type.ID)).also(c, v.Type.Index, "the type")
		}
	}
}

// mayLayout reports whether types in a storage class may have an explicit
// layout.
func (c *checker) mayLayout(sc spirv.StorageClass) bool {
	switch sc {
	case spirv.StorageClassUniformConstant:
		return c.capable(spirv.CapabilityDescriptorHeapEXT)
	case spirv.StorageClassWorkgroup:
		return c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR)
	case spirv.StorageClassFunction, spirv.StorageClassPrivate:
		return !c.since(spirv.Version15)
	}
	return true
}
