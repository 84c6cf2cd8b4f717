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
	inInput                  // components of a built-in, or scalars of an input of a graphics stage
	inOutput                 // scalars of an output of tessellation control
	physical                 // an address
	descriptor               // an array of buffers or objects: the next index chooses one
	object                   // a tensor, an image or a sampler, which is a value
	tileImage                // tile images of color attachments, by location
	opaque                   // a variable that holds no data that is read here
	unsaid                   // no place: memory has no room for this scalar of a value, which is read as 0
)

// pointer is a place in memory, as far as the module knows it.
type pointer struct {
	memory memory
	typ    *facts.Type // what it points at
	class  spirv.StorageClass
	flags  ir.Flags // of every access

	handle  ir.V   // inBuffer
	home    ir.V   // inBuffer, object: the number of the resource, where there may be several; tileImage: the location
	element ir.V   // inBuffer, object: the index of the descriptor; tileImage: of the element
	address ir.V   // physical: to which the offset's constant is added
	number  uint64 // the resource of a descriptor or object, the variable of inSlots
	offset  offset
	room    uint64 // the slots of the whole variable, the bytes of the whole table

	natural bool // inBuffer: laid out by extents, not by decorations
	checked bool // inBuffer: every index is held against its array

	matrix matrixForm   // of the matrices within typ
	forms  []matrixForm // those that they may have, where that is known at run time only
	form   ir.V         // which of them it is; 0 where matrix is it

	built *builtin // inInput of a compute program

	face    *face   // of an input or output of a graphics stage
	arrayed bool    // the next index chooses a vertex
	vertex  operand // the vertex that was chosen

	heap   bool // inBuffer: into a heap of descriptors, which is a resource
	banked bool // inBuffer: into a bank of push constants, which is a resource
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
