package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var storageTensorRules = rules{
	spirv.OpTensorReadARM:      tensorRead,
	spirv.OpTensorWriteARM:     tensorWrite,
	spirv.OpTensorQuerySizeARM: tensorQuerySize,
}

// Storage tensors (SPV_ARM_tensors) are two consecutive resources: the
// memory, and the shape as Vulkan describes it. A tensor as a value is the number of
// the first and the index of the descriptor.

// A shape is words of 64 bits: the rank, the size of each dimension, and how far
// apart in bytes two elements are along it. A descriptor that is null has none.
const shapeWord = 8

// maxTensorRank bounds the dimensions of a tensor (maxTensorDimensionCount).
const maxTensorRank = 32

// isStorageTensor reports whether t is the type of a tensor in memory.
func isStorageTensor(t *facts.Type) bool { return t != nil && t.Op == spirv.OpTypeTensorARM }

// storageTensor is the element type and the rank of a tensor type.
type storageTensor struct {
	elem *facts.Type
	rank uint64
}

// storageTensor decodes a tensor type. Shaders have no tensors without a rank
// and none with a shape (VUID-RuntimeSpirv-OpTypeTensorARM-09907 and -09902).
func (u *unit) storageTensor(t *facts.Type) storageTensor {
	if !isStorageTensor(t) {
		u.malformed("the operand is not a tensor; must be one")
	}
	v := inst.TypeTensorARM(u.facts.Code.Inst(t.Index))
	if _, shaped := v.Shape(); shaped {
		u.unsupported("a tensor with a shape of its own, which no shader of Vulkan has")
	}
	x := storageTensor{elem: u.facts.Type(v.ElementType())}
	if x.elem == nil || !x.elem.IsScalar() {
		u.malformed("the element type of the tensor is not a scalar; must be one")
	}
	id, _ := v.Rank()
	n, ok := u.facts.Const(id).Int()
	if !ok || n < 1 || n > maxTensorRank {
		u.malformed("the rank of the tensor is not 1 to %d; must be", maxTensorRank)
	}
	x.rank = uint64(n)
	return x
}

// boundTensor is a tensor that is accessed.
type boundTensor struct {
	storageTensor
	memory, shape ir.V
}

// boundTensor returns the tensor that an operand is.
func (f *function) boundTensor(id spirv.ID) boundTensor {
	x := boundTensor{storageTensor: f.storageTensor(f.typeOf(id))}
	parts := f.scalars(id)
	if len(parts) != 2 {
		f.malformed("%%%d is not a tensor", id)
	}
	resource, element := parts[0], parts[1]
	if n, ok := f.constBits(resource); ok && n+1 < uint64(len(f.prog.Res)) {
		x.memory, x.shape = f.b.OpAux(ir.Res, ir.H, n, element), f.b.OpAux(ir.Res, ir.H, n+1, element)
		return x
	}
	x.memory, x.shape = f.emptyHandle(), f.emptyHandle()
	for n := range f.prog.Res {
		if f.prog.Res[n].Kind != ir.StorageTensor {
			continue
		}
		here := f.b.Cmp(ir.Eq, resource, f.b.I32(uint32(n)))
		x.memory = f.b.Select(here, f.b.OpAux(ir.Res, ir.H, uint64(n), element), x.memory)
		x.shape = f.b.Select(here, f.b.OpAux(ir.Res, ir.H, uint64(n+1), element), x.shape)
	}
	return x
}

// shapeOf reads a word of a tensor's shape.
func (f *function) shapeOf(x boundTensor, word uint64) ir.V {
	return f.emit(ir.Val{Op: ir.Ld, Type: ir.I64, Aux: word * shapeWord, Args: [4]ir.V{x.shape, f.b.I32(0)}})
}

// ranked reports whether the bound tensor has the rank of the shader's type:
// a null descriptor has none.
func (f *function) ranked(x boundTensor) ir.V {
	return f.b.Cmp(ir.Eq, f.shapeOf(x, 0), f.b.Const(ir.I64, x.rank))
}

// coordinates returns the coordinates of an access, as words of 64 bits.
func (f *function) coordinates(id spirv.ID, rank uint64) []ir.V {
	t := f.typeOf(id)
	parts := append([]ir.V(nil), f.scalars(id)...)
	if t == nil || t.Elem == nil || !t.Elem.IsInt() || uint64(len(parts)) != rank {
		f.malformed("the coordinates are not %d integers; must be", rank)
	}
	wider := ir.ZExt
	if t.Elem.Signed {
		wider = ir.SExt
	}
	for i, v := range parts {
		if f.b.Func.Type(v) != ir.I64 {
			parts[i] = f.b.Op(wider, ir.I64, v)
		}
	}
	return parts
}

// element is the byte offset of one element of a tensor, out of range if it is not
// in the tensor.
type element struct {
	inside ir.V
	offset ir.V
}

// elements returns the places of n elements that follow each other along the
// innermost dimension.
func (f *function) elements(x boundTensor, at []ir.V, n uint64) []element {
	b := f.b
	outer, last := f.ranked(x), x.rank-1
	base := b.Const(ir.I64, 0)
	for i := range last {
		outer = b.Op(ir.And, ir.B1, outer, b.Cmp(ir.ULt, at[i], f.shapeOf(x, 1+i)))
		base = b.Op(ir.Add, ir.I64, base, b.Op(ir.Mul, ir.I64, at[i], f.shapeOf(x, 1+x.rank+i)))
	}
	size, stride := f.shapeOf(x, 1+last), f.shapeOf(x, 1+x.rank+last)
	out := make([]element, n)
	for k := range out {
		i := b.Op(ir.Add, ir.I64, at[last], b.Const(ir.I64, uint64(k)))
		inside := b.Op(ir.And, ir.B1, outer, b.Cmp(ir.ULt, i, size))
		far := b.Op(ir.Add, ir.I64, base, b.Op(ir.Mul, ir.I64, i, stride))
		far = b.Op(ir.UMin, ir.I64, far, b.Const(ir.I64, farAway))
		out[k] = element{inside, b.Select(inside, b.Op(ir.Trunc, ir.I32, far), b.I32(farAway))}
	}
	return out
}

// tensorType returns the type that an element has in memory: a Boolean is 8 bits
// wide (VK_FORMAT_R8_BOOL_ARM).
func (f *function) tensorType(x boundTensor) (value, stored ir.Type) {
	value = f.scalar(x.elem)
	if value == ir.B1 {
		return value, ir.I8
	}
	return value, value
}

// tensorFlags returns the flags of an access's operands, and the value outside
// of the tensor, 0 if there is none.
func (f *function) tensorFlags(m spirv.TensorOperands, words []uint32) (flags ir.Flags, outside ir.V) {
	if m&(spirv.TensorOperandsMakeElementAvailableARMMask|spirv.TensorOperandsMakeElementVisibleARMMask) != 0 {
		flags |= ir.Coherent
	}
	if m&spirv.TensorOperandsOutOfBoundsValueARMMask != 0 {
		if len(words) == 0 {
			f.malformed("the value outside the tensor is missing")
		}
		outside = f.one(spirv.ID(words[0]))
	}
	return flags, outside
}

func tensorRead(f *function, in spirv.Inst) {
	v := inst.TensorReadARM(in)
	x := f.boundTensor(v.Tensor())
	t, stored := f.tensorType(x)
	parts := make([]ir.V, len(f.flat(f.facts.Type(in.Type()))))
	m, _ := v.TensorOperands()
	flags, outside := f.tensorFlags(m, v.TensorOperandsWords())
	for k, e := range f.elements(x, f.coordinates(v.Coordinates(), x.rank), uint64(len(parts))) {
		r := f.emit(ir.Val{Op: ir.Ld, Type: stored, Flags: flags, Args: [4]ir.V{x.memory, e.offset}})
		if t == ir.B1 {
			r = f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, r, f.b.Const(ir.I8, 0)))
		}
		if outside != 0 {
			f.checkSameType(r, outside)
			r = f.b.Select(e.inside, r, outside)
		}
		parts[k] = r
	}
	f.define(in, parts...)
}

func tensorWrite(f *function, in spirv.Inst) {
	v := inst.TensorWriteARM(in)
	x := f.boundTensor(v.Tensor())
	t, stored := f.tensorType(x)
	parts := f.scalars(v.Object())
	m, _ := v.TensorOperands()
	flags, _ := f.tensorFlags(m, v.TensorOperandsWords())
	for k, e := range f.elements(x, f.coordinates(v.Coordinates(), x.rank), uint64(len(parts))) {
		part := parts[k]
		if f.b.Func.Type(part) != t {
			f.malformed("the object has another type than the elements of the tensor")
		}
		if t == ir.B1 {
			part = f.b.Op(ir.ZExt, ir.I8, part)
		}
		f.emit(ir.Val{Op: ir.St, Type: stored, Flags: flags, Args: [4]ir.V{x.memory, e.offset, part}})
	}
}

// tensorQuerySize returns the size of a dimension: 0 for a null descriptor, and
// if the tensor has another rank.
func tensorQuerySize(f *function, in spirv.Inst) {
	v := inst.TensorQuerySizeARM(in)
	x := f.boundTensor(v.Tensor())
	i := f.known(v.Dimension())
	if i >= x.rank {
		f.malformed("dimension %d of a tensor of %d", i, x.rank)
	}
	n := f.b.Select(f.ranked(x), f.shapeOf(x, 1+i), f.b.Const(ir.I64, 0))
	f.define(in, f.toInt(n, f.scalar(f.facts.Type(in.Type()))))
}
