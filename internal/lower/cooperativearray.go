package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var cooperativeArrayRules = rules{
	spirv.OpCompositeConstructCoopMatQCOM: constructFromArray,
	spirv.OpCompositeExtractCoopMatQCOM:   extractToArray,
	spirv.OpExtractSubArrayQCOM:           extractSubArray,
	spirv.OpBitcastExtractEXT:             bitcastExtract,
}

// Cooperative matrices made of arrays, and arrays of them
// (SPV_QCOM_cooperative_matrix_conversion): the array of lane i is column i of a
// matrix B, and row i of others. An array of 32-bit words has the components of
// the line packed, the lower-numbered ones in the less significant bits.

// byArray returns how a matrix would lie if the arrays of the lanes were its
// lines.
func (f *function) byArray(t *facts.Type) (own, arrays tile) {
	if !isTile(t) || t.Op != spirv.OpTypeCooperativeMatrixKHR {
		f.malformed("no cooperative matrix with a use")
	}
	if own = f.tile(t); own.wide {
		f.malformed("a cooperative matrix of scope %s; must be %s", spirv.ScopeWorkgroup, spirv.ScopeSubgroup)
	}
	arrays = own
	if use := f.known(inst.TypeCooperativeMatrixKHR(f.facts.Code.Inst(t.Index)).Use()); spirv.CooperativeMatrixUse(use) == spirv.CooperativeMatrixUseMatrixAccumulatorKHR {
		arrays.byRow, arrays.lines, arrays.length = true, own.rows, own.columns
		arrays.components = own.columns
	}
	if arrays.lines > arrays.lanes {
		f.unsupported("of a matrix with more lines than a subgroup has lanes: %d and %d", arrays.lines, arrays.lanes)
	}
	return own, arrays
}

// arrayOf ends lowering if a type is no array of so many bits in numbers.
func (f *function) arrayOf(t *facts.Type, bits uint64) {
	if !t.IsArray() || t.IsRuntimeArray() || !t.Elem.IsInt() && !t.Elem.IsFloat() || mul(t.Count, uint64(t.Elem.Width)) != bits {
		f.malformed("no array of %d bits", bits)
	}
}

func constructFromArray(f *function, in spirv.Inst) {
	id := inst.CompositeConstructCoopMatQCOM(in).SourceArray()
	own, arrays := f.byArray(f.facts.Type(in.Type()))
	f.arrayOf(f.typeOf(id), arrays.length*uint64(own.elem.Width))
	f.define(in, f.relaid(f.recast(f.scalars(id), f.scalar(own.elem)), arrays, own, false)...)
}

func extractToArray(f *function, in spirv.Inst) {
	id, t := inst.CompositeExtractCoopMatQCOM(in).SourceCooperativeMatrix(), f.facts.Type(in.Type())
	own, arrays := f.byArray(f.typeOf(id))
	f.arrayOf(t, arrays.length*uint64(own.elem.Width))
	f.define(in, f.recast(f.relaid(f.scalars(id), own, arrays, false), f.scalar(t.Elem))...)
}

// recast reinterprets the bits of consecutive values as values of another
// type; the number of bits is equal.
func (f *function) recast(x []ir.V, to ir.Type) []ir.V {
	var parts []ir.V
	from := f.b.Func.Type(x[0])
	switch wide, narrow := from.Bits(), to.Bits(); {
	case wide == narrow:
		for _, v := range x {
			parts = append(parts, f.reinterpret(v, to))
		}
	case wide > narrow:
		for _, v := range x {
			parts = append(parts, f.splitBits(v, to, uint32(narrow), int(wide/narrow))...)
		}
	default:
		for k := int(narrow / wide); len(x) >= k; x = x[k:] {
			parts = append(parts, f.joinBits(x[:k], uint32(wide), to))
		}
	}
	return parts
}

// extractSubArray lowers OpExtractSubArrayQCOM; elements that the source does not
// have are 0.
func extractSubArray(f *function, in spirv.Inst) {
	v := inst.ExtractSubArrayQCOM(in)
	from, t := f.typeOf(v.SourceArray()), f.facts.Type(in.Type())
	if !from.IsArray() || !t.IsArray() || from.Elem != t.Elem || !t.Elem.IsScalar() {
		f.malformed("the part is not an array of the elements of the whole; must be one")
	}
	x, start := f.scalars(v.SourceArray()), f.indexOperand(v.Index())
	if n := mul(t.Count, uint64(len(x))); start.v != 0 && n > maxProduct {
		f.tooLarge("%d elements of %d from an unknown index; at most %d combinations", t.Count, len(x), maxProduct)
	}
	parts := make([]ir.V, len(f.flat(t)))
	for i := range parts {
		at := operand{bits: min(add(start.bits, uint64(i)), farAway)}
		if start.v != 0 {
			at = operand{v: f.b.OpAux(ir.At, ir.I32, 1, start.v, f.b.I32(uint32(i)))}
		}
		parts[i] = f.selectPart(x, at)
	}
	f.define(in, parts...)
}

// bitcastExtract lowers OpBitcastExtractEXT
// (SPV_EXT_ocp_microscaling_types); bits beyond the base are 0.
func bitcastExtract(f *function, in spirv.Inst) {
	v := inst.BitcastExtractEXT(in)
	x, types := f.scalars(v.Base()), f.flat(f.facts.Type(in.Type()))
	if len(x) != len(types) {
		f.malformed("the operands have different sizes")
	}
	off := f.one(v.Offset())
	e, encoded := f.encodingOf(f.facts.Type(in.Type()))
	parts := make([]ir.V, len(x))
	for i := range x {
		from, to := f.b.Func.Type(x[i]), types[i]
		bits := uint32(to.Bits())
		if encoded {
			bits = uint32(e.bits)
		}
		if from == ir.B1 || to == ir.B1 || uint32(from.Bits()) <= bits {
			f.malformed("%d bits of %d", bits, from.Bits())
		}
		wide := ir.Int(uint32(from.Bits()))
		n := f.b.Op(ir.UMin, f.b.Func.Type(off), off, f.b.Const(f.b.Func.Type(off), uint64(wide.Bits())))
		moved := f.b.Op(ir.LShr, wide, f.reinterpret(x[i], wide), f.toInt(n, wide))
		inside := f.b.Cmp(ir.ULt, n, f.b.Const(f.b.Func.Type(off), uint64(wide.Bits())))
		moved = f.b.Select(inside, moved, f.b.Const(wide, 0))
		if bits < uint32(to.Bits()) {
			moved = f.b.Op(ir.And, wide, moved, f.b.Const(wide, 1<<bits-1))
		}
		parts[i] = f.reinterpret(f.toInt(moved, ir.Int(uint32(to.Bits()))), to)
	}
	f.define(in, parts...)
}
