package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// memory is the kind of place that a pointer stands for.
type memory uint8

const (
	inBuffer   memory = iota // a handle and an offset in bytes
	inSlots                  // a variable of this function or of the module, and a slot
	inPlace                  // a slot of the lane's whole private memory
	inInput                  // components of a built-in
	descriptor               // an array of buffers: the next index chooses one
	opaque                   // a variable that holds no data: an image, a sampler
)

// pointer is a place in memory, as far as the module knows it.
type pointer struct {
	memory memory
	typ    *facts.Type // what it points at
	class  spirv.StorageClass
	flags  ir.Flags // of every access

	handle ir.V   // inBuffer
	number uint64 // the resource of a descriptor, the variable of inSlots
	offset offset
	slots  uint64 // inSlots: of the whole variable

	natural bool       // inBuffer: laid out by extents, not by decorations
	matrix  matrixForm // of the matrices within typ

	built *builtin // inInput
}

// matrixForm says how a matrix, or a vector of it, lies in a buffer. The
// member of a struct that holds the matrix says so.
type matrixForm struct {
	stride   uint32 // from column to column, or from row to row
	rowMajor bool
	column   bool // what is pointed at is a column: its components are stride apart if rowMajor
}

// offset is a distance in bytes, slots or components: a constant, and a sum of
// what is known only at run time. Both saturate and never come back into range.
type offset struct {
	imm uint64 // at most math.MaxUint32
	dyn ir.V   // an i32; 0 is none
}

const farAway = math.MaxUint32

// plus adds a constant.
func (o offset) plus(n uint64) offset {
	o.imm = min(add(o.imm, n), farAway)
	return o
}

// index adds i strides.
func (f *function) index(o offset, i operand, stride uint64) offset {
	switch {
	case stride > farAway:
		f.unsupported("a stride of %d bytes", stride)
	case i.v == 0:
		return o.plus(mul(i.bits, stride))
	case stride == 0:
		return o
	}
	base := o.dyn
	if base == 0 {
		base = f.b.I32(0)
	}
	o.dyn = f.b.OpAux(ir.At, ir.I32, stride, base, i.v)
	return o
}

// whole returns the offset as one value.
func (f *function) whole(o offset) ir.V {
	switch {
	case o.dyn == 0:
		return f.b.I32(uint32(o.imm))
	case o.imm == 0:
		return o.dyn
	}
	return f.b.OpAux(ir.At, ir.I32, 1, o.dyn, f.b.I32(uint32(o.imm)))
}

// split returns the part of the offset that is known at run time only, for
// operations that take the rest as an immediate.
func (f *function) split(o offset) (dyn ir.V, imm uint64) {
	if o.dyn == 0 {
		return f.b.I32(0), o.imm
	}
	return o.dyn, o.imm
}

// operand is an index: a constant, or a value.
type operand struct {
	bits uint64 // at most math.MaxUint32
	v    ir.V   // an i32; 0 where bits is the index
}

// indexOperand returns the value of an id as an index. Indexes are signed
// (SPIR-V §3.3.8, OpAccessChain); a negative one, or one of 2³² or more, is far
// out of range.
func (f *function) indexOperand(id spirv.ID) operand {
	v := f.one(id)
	t := f.b.Func.Type(v)
	if !t.IsInt() {
		f.malformed("an index of type %s", t)
	}
	if bits, ok := f.constBits(v); ok {
		shift := 64 - t.Bits()
		if n := int64(bits<<shift) >> shift; n >= 0 && n < farAway {
			return operand{bits: uint64(n)}
		}
		return operand{bits: farAway}
	}
	switch {
	case t.Bits() < 32:
		v = f.b.Op(ir.SExt, ir.I32, v)
	case t.Bits() > 32:
		v = f.b.Op(ir.Trunc, ir.I32, f.b.Op(ir.UMin, ir.I64, v, f.b.Const(ir.I64, farAway)))
	}
	return operand{v: v}
}

// pointerParts makes the scalars of a pointer that travels.
func (f *function) pointerParts(p *pointer) []ir.V {
	if p.matrix != (matrixForm{}) {
		f.unsupported("a pointer into a matrix of a buffer as a value")
	}
	switch p.memory {
	case inBuffer:
		return []ir.V{p.handle, f.whole(p.offset)}
	case inSlots:
		return []ir.V{f.place(p)}
	case inPlace:
		return []ir.V{f.whole(p.offset)}
	}
	f.unsupported("a pointer to %s as a value", p.class)
	return nil
}

// place returns the place in the lane's private memory of a slot of a
// variable; what is outside the variable is outside of all.
func (f *function) place(p *pointer) ir.V {
	base := f.b.OpAux(ir.PAddr, ir.I32, p.number)
	if p.offset == (offset{}) {
		return base
	}
	slot := f.whole(p.offset)
	in := f.b.Cmp(ir.ULt, slot, f.b.I32(uint32(p.slots)))
	return f.b.Select(in, f.b.OpAux(ir.At, ir.I32, 1, base, slot), f.b.I32(farAway))
}

// pointerOf is the reverse of pointerParts.
func (f *function) pointerOf(t *facts.Type, parts []ir.V) *pointer {
	if t.Elem == nil {
		f.unsupported("a pointer without a type")
	}
	p := &pointer{typ: t.Elem, class: t.Storage}
	switch len(parts) {
	case 2:
		p.handle, p.offset.dyn = parts[0], parts[1]
		p.natural = t.Storage == spirv.StorageClassWorkgroup && !f.explicit
	case 1:
		p.memory, p.offset.dyn = inPlace, parts[0]
	default:
		f.malformed("a pointer of %d scalars", len(parts))
	}
	if bits, ok := f.constBits(p.offset.dyn); ok {
		p.offset = offset{imm: bits}
	}
	return p
}

// nullPointer returns the scalars of a pointer to nowhere: every access to it
// is out of range.
func (f *function) nullPointer(t *facts.Type) []ir.V {
	if len(f.carried(t)) == 1 {
		return []ir.V{f.b.I32(farAway)}
	}
	if f.null == 0 {
		f.prog.Tables = append(f.prog.Tables, nil)
		f.null = uint64(len(f.prog.Tables))
	}
	return []ir.V{f.b.OpAux(ir.Table, ir.H, f.null-1), f.b.I32(0)}
}
