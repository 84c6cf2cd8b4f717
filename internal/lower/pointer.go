package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// addressSpace is the kind of memory that a symbolic pointer points into. It is
// finer than SPIR-V's storage class: it determines the representation of a pointer.
type addressSpace uint8

const (
	inBuffer   addressSpace = iota // a handle and an offset in bytes
	inSlots                        // a private variable, and a slot in it
	inPrivate                      // a slot of all private memory of the lane: a materialized private pointer
	inInput                        // a component of a built-in, or a scalar of a graphics stage's input
	inOutput                       // a scalar of a tessellation control or mesh output
	physical                       // a 64-bit address
	descriptor                     // an array of buffers or objects: the next index selects a descriptor
	object                         // a tensor, an image or a sampler, which is loaded as a value
	tileImage                      // tile images of color attachments, by location
	opaque                         // a variable without data that a shader reads
	unsaid                         // a scalar that memory does not store: it reads as 0
)

// pointer is a symbolic pointer: an address space, a base and an offset.
type pointer struct {
	memory addressSpace
	typ    *facts.Type // the pointee
	class  spirv.StorageClass
	flags  ir.Flags // of every access through it

	handle   ir.V   // inBuffer
	resource ir.V   // inBuffer, object: the resource number, if there may be several; tileImage: the location
	element  ir.V   // inBuffer, object: the descriptor's index; tileImage: the array index
	address  ir.V   // physical: the base, to which the offset's constant is added
	number   uint64 // descriptor, object: the resource; inSlots: the variable
	offset   offset
	extent   uint64 // size of the whole variable in slots, of a constant table in bytes

	natural bool // inBuffer: laid out by extents, not by decorations
	checked bool // inBuffer: a read-only constant table; each index is checked against its array

	matrix  matrixLayout   // layout of the matrices in typ
	layouts []matrixLayout // their possible layouts, if only the run time determines it
	tag     ir.V           // index in layouts; 0 if matrix is the layout

	built *builtin // inInput of a compute program

	io      *ioVariable // graphics stage: the input or output
	arrayed bool        // the next index selects a vertex
	vertex  operand     // the selected vertex

	heap   bool // inBuffer: into a descriptor heap, which is a resource
	either ir.V // with heap: true if it is into the heap, else to object element of resource, which a binding has; 0 is always
	banked bool // inBuffer: into a push constant bank, which is a resource
	ofTask bool // inBuffer: into task memory (PerTaskNV)

	record   *mappedRecord // the variable is mapped by the shader record; element is the index of the array of descriptors until one is selected
	sampler  ir.V          // object: the descriptor of the sampler of a combined image sampler that the record has mapped
	samplers ir.V          // object: the resource of that sampler, in a pointer that a function has as its argument
	places   [2]ir.V       // with record: the offsets in the heaps of the selected descriptor, and of that sampler; 0 is none

	texel *tracedTexel // with SanitizeRace: the texel that it points to

	untyped bool           // the pointer in the module has no type of its own
	wraps   ir.V           // with SanitizeBounds: 1 if the offset needs more than 32 bits; 0 is never
	wild    ir.V           // with SanitizeBounds: 1 if the address that a shader record has for the variable is of no buffer; 0 is never
	indexes []checkedIndex // with SanitizeBounds: those that may be beyond an array, a matrix or a vector
}

// offset is a distance in bytes, slots or components: a constant plus a sum that is
// known only at run time. Both saturate, so that an offset out of range never wraps
// back into range.
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

// addIndex adds i strides.
func (f *function) addIndex(o offset, i operand, stride uint64) offset {
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

// offsetValue returns the offset as one value.
func (f *function) offsetValue(o offset) ir.V {
	switch {
	case o.dyn == 0:
		return f.b.I32(uint32(o.imm))
	case o.imm == 0:
		return o.dyn
	}
	return f.b.OpAux(ir.At, ir.I32, 1, o.dyn, f.b.I32(uint32(o.imm)))
}

// splitOffset returns the run-time part of the offset and the constant, which
// operations take as an immediate.
func (f *function) splitOffset(o offset) (dyn ir.V, imm uint64) {
	if o.dyn == 0 {
		return f.b.I32(0), o.imm
	}
	return o.dyn, o.imm
}

// operand is an index: a constant or a value.
type operand struct {
	bits uint64 // at most math.MaxUint32
	v    ir.V   // an i32; 0 if the index is bits
}

// indexOperand returns the value of an id as an index. Indexes are signed (SPIR-V
// §3.3.8, OpAccessChain); a negative one, or one of 2³² or more, is out of range.
func (f *function) indexOperand(id spirv.ID) operand {
	v := f.one(id)
	t := f.b.Func.Type(v)
	if !t.IsInt() {
		f.malformed("the index is %s; must be an integer", t)
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
