package facts

import (
	"math"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// Rule is one of Vulkan's three sets of alignment rules (Shader Interfaces,
// Alignment Requirements).
type Rule uint8

// The rules, the most permissive first.
const (
	Scalar   Rule = iota // scalar block layout: the components' alignment
	Base                 // std430: vectors align as 2 or 4 components
	Extended             // std140: as Base, and arrays and structs to 16 bytes
	numRules
)

// layout is the memory layout of a type, as far as it does not depend on the
// member that has the type.
type layout struct {
	align [2][numRules]uint32 // for column-major, for row-major matrices in the type
	bare  *Type               // the innermost element of arrays of arrays, nil if a pointer; else the type itself
	span  uint64              // bytes from the first to the last innermost element
	size  uint64              // for all but matrices; for an array, the size of its innermost element
	trail uint64              // of a struct: the rest of the stride after a matrix at its end
	fixed bool                // contains no runtime array
}

// Align returns the alignment of a type in bytes; 0 if it has none, for example
// an opaque type. The order of matrices in the type is a property of the struct
// member, so the caller passes it.
func (t *Type) Align(r Rule, rowMajor bool) uint32 {
	switch {
	case t == nil:
		return 0
	case t.IsPointer():
		return uint32(pointerSize(t))
	case rowMajor:
		return t.layout.align[1][r]
	}
	return t.layout.align[0][r]
}

// Size returns the bytes that a value occupies, from its first byte to its last
// one, with the decorated strides and offsets and without padding at the end.
// The stride and order of matrices in the type are properties of the struct
// member, so the caller passes them. A runtime array has size 0; a boolean and
// an opaque type too. The result saturates at math.MaxUint64.
func (t *Type) Size(matrixStride uint32, rowMajor bool) uint64 {
	if t == nil {
		return 0
	}
	if t.IsRuntimeArray() || t.IsArray() && t.Count == 0 {
		return 0
	}
	b := t.layout.bare
	switch {
	case t.IsPointer():
		return pointerSize(t)
	case b == nil:
		return satAdd(t.layout.span, t.layout.size)
	case b.IsMatrix():
		n, c := b.Count, b.Elem
		if c == nil {
			return 0
		}
		size := c.layout.size
		if rowMajor {
			n = c.Count
			size = satMul(b.Count, c.Elem.bytes())
		}
		if n == 0 {
			return 0
		}
		return satAdd(t.layout.span, satAdd(satMul(n-1, uint64(matrixStride)), size))
	}
	return satAdd(t.layout.span, b.layout.size)
}

// Trail returns the bytes after a value that are a part of its last matrix all the same: the rest of the stride after the last column of a
// column-major matrix, which is an array of its columns.
func (t *Type) Trail(matrixStride uint32, rowMajor bool) uint64 {
	if t == nil || t.IsPointer() || t.IsArray() && t.Count == 0 || t.layout.bare == nil {
		return 0
	}
	b := t.layout.bare
	if !b.IsMatrix() {
		return b.layout.trail
	}
	if rowMajor || b.Elem == nil || uint64(matrixStride) < b.Elem.layout.size {
		return 0
	}
	return uint64(matrixStride) - b.Elem.layout.size
}

// Trail returns the bytes after the member that are a part of it; see Type.Trail.
func (m *Member) Trail() uint64 { return m.Type.Trail(m.MatrixStride, m.RowMajor) }

// Size returns the bytes that the member occupies; see Type.Size.
func (m *Member) Size() uint64 { return m.Type.Size(m.MatrixStride, m.RowMajor) }

// Align returns the alignment of the member in bytes; see Type.Align.
func (m *Member) Align(r Rule) uint32 { return m.Type.Align(r, m.RowMajor) }

// Fixed reports whether the type contains no runtime array.
func (t *Type) Fixed() bool { return t != nil && (t.IsPointer() || t.layout.fixed) }

// bytes returns the size of a scalar in bytes.
func (t *Type) bytes() uint64 {
	if t.IsInt() || t.IsFloat() {
		return (uint64(t.Width) + 7) / 8
	}
	return 0
}

// pointerSize returns the size of a pointer in memory: 8 bytes for a physical
// one, 0 for any other.
func pointerSize(t *Type) uint64 {
	if t.Storage == spirv.StorageClassPhysicalStorageBuffer {
		return 8
	}
	return 0
}

// arrange computes the layout of a type. The layout of its parts is complete.
func (g *gatherer) arrange(t *Type) {
	l := &t.layout
	l.bare, l.fixed = t, true
	switch {
	case t.IsInt(), t.IsFloat():
		l.size = t.bytes()
		l.both(l.size, l.size, l.size)
	case t.IsVector():
		n := t.Elem.bytes()
		l.size = satMul(n, t.Count)
		l.both(n, satMul(n, lanes(t.Count)), satMul(n, lanes(t.Count)))
	case t.IsMatrix():
		g.arrangeMatrix(t)
	case t.IsArray():
		g.arrangeArray(t)
	case t.IsStruct():
		g.arrangeStruct(t)
	}
	if t.IsPointer() || t.IsArray() {
		if d, ok := g.Decoration(t.ID, spirv.DecorationArrayStride); ok {
			t.ArrayStride = d.Literal()
		}
	}
	if t.IsArray() && t.Count > 0 {
		l.span = satAdd(satMul(t.Count-1, uint64(t.ArrayStride)), l.span)
	}
}

// lanes returns the number of components that the alignment of a vector counts.
func lanes(n uint64) uint64 {
	if n <= 2 {
		return n
	}
	return 4 // also for a long vector
}

// both sets the alignments for both orders of matrices.
func (l *layout) both(scalar, base, extended uint64) {
	l.align[0] = [numRules]uint32{clip(scalar), clip(base), clip(extended)}
	l.align[1] = l.align[0]
}

func clip(x uint64) uint32 { return uint32(min(x, math.MaxUint32)) }

// round16 rounds up to a multiple of 16, saturating.
func round16(x uint32) uint32 {
	if x > math.MaxUint32-15 {
		return math.MaxUint32 &^ 15
	}
	return (x + 15) &^ 15
}

// arrangeMatrix aligns a matrix as an array of its columns, or of its rows.
func (g *gatherer) arrangeMatrix(t *Type) {
	if !t.Elem.IsVector() {
		return
	}
	n := t.Elem.Elem.bytes()
	for order, count := range [2]uint64{t.Elem.Count, t.Count} {
		base := clip(satMul(n, lanes(count)))
		t.layout.align[order] = [numRules]uint32{clip(n), base, round16(base)}
	}
}

func (g *gatherer) arrangeArray(t *Type) {
	l := &t.layout
	l.fixed = !t.IsRuntimeArray()
	if t.Elem == nil {
		return
	}
	for order, row := range [2]bool{false, true} {
		l.align[order] = [numRules]uint32{
			t.Elem.Align(Scalar, row), t.Elem.Align(Base, row), round16(t.Elem.Align(Extended, row)),
		}
	}
	l.fixed = l.fixed && t.Elem.Fixed()
	if t.Elem.IsPointer() { // a pointer may be declared later and not be filled in yet
		l.bare, l.size = nil, pointerSize(t.Elem)
		return
	}
	l.bare, l.span, l.size = t.Elem.layout.bare, t.Elem.layout.span, t.Elem.layout.size
}

func (g *gatherer) arrangeStruct(t *Type) {
	l := &t.layout
	var align [numRules]uint32
	end := uint64(0)
	for n := range t.Members {
		m := &t.Members[n]
		for r := range numRules {
			align[r] = max(align[r], m.Align(r))
		}
		if m.Type != nil {
			l.fixed = l.fixed && m.Type.Fixed()
		}
		at := satAdd(uint64(m.Offset), m.Size())
		l.size, end = max(l.size, at), max(end, satAdd(at, m.Trail()))
	}
	l.trail = end - l.size
	if len(t.Members) == 0 {
		align[Base] = g.smallest()
	}
	align[Extended] = round16(max(align[Extended], 1))
	l.align = [2][numRules]uint32{align, align}
}

// smallest returns the size in bytes of the smallest scalar that the capabilities
// permit in a buffer.
func (g *gatherer) smallest() uint32 {
	switch {
	case g.Capable(spirv.CapabilityStorageBuffer8BitAccess),
		g.Capable(spirv.CapabilityUniformAndStorageBuffer8BitAccess),
		g.Capable(spirv.CapabilityStoragePushConstant8),
		g.Capable(spirv.CapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR):
		return 1
	case g.Capable(spirv.CapabilityStorageBuffer16BitAccess),
		g.Capable(spirv.CapabilityUniformAndStorageBuffer16BitAccess),
		g.Capable(spirv.CapabilityStoragePushConstant16),
		g.Capable(spirv.CapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR):
		return 2
	}
	return 4
}

// members fills in the members of a struct with the layout decorations of each.
func (g *gatherer) members(t *Type, i int, ids []spirv.ID) {
	t.Members = g.Module.members.Alloc(len(ids))
	leaf := uint64(0)
	for n, id := range ids {
		m := &t.Members[n]
		m.Type, m.Leaf = g.before(id, i), leaf
		leaf = satAdd(leaf, leafCount(m.Type))
	}
	list := g.decor.list[g.decor.first[i]:g.decor.first[i+1]]
	for k := range list {
		d := &list[k]
		if d.member < 0 || int(d.member) >= len(ids) {
			continue
		}
		m := &t.Members[d.member]
		if d.kind != grouped {
			m.applyLayout(d.Decoration)
			continue
		}
		group := g.own(spirv.ID(d.Operands[0]), -1)
		for _, kind := range placing {
			if e := find(group, uint32(kind)); e != nil {
				m.applyLayout(e.Decoration)
			}
		}
	}
}

// placing are the decorations that Member.applyLayout reads.
var placing = [...]spirv.Decoration{
	spirv.DecorationOffset, spirv.DecorationMatrixStride, spirv.DecorationRowMajor, spirv.DecorationColMajor,
}

// applyLayout applies a layout decoration to the member.
func (m *Member) applyLayout(d Decoration) {
	switch d.Kind {
	case spirv.DecorationOffset:
		if !m.HasOffset {
			m.Offset, m.HasOffset = d.Literal(), true
		}
	case spirv.DecorationMatrixStride:
		if !m.HasMatrixStride {
			m.MatrixStride, m.HasMatrixStride = d.Literal(), true
		}
	case spirv.DecorationRowMajor:
		m.RowMajor = true
	case spirv.DecorationColMajor:
		m.ColMajor = true
	}
}
