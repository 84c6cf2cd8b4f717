package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var bitRules = rules{
	spirv.OpBitCastArrayQCOM: bitcast, // the same operands; array elements are ordered like vector components
	spirv.OpBitcast:          bitcast,
	spirv.OpBitFieldInsert:   bitFieldInsert,
}

// bitcast lowers OpBitcast, also between vectors of different numbers of
// components: the lower-numbered component is the less significant one.
func bitcast(f *function, in spirv.Inst) {
	t := f.facts.Type(in.Type())
	if f.bitcastBound(in, t) {
		return
	}
	x := f.castFrom(inst.Bitcast(in).Operand())
	types := f.flat(t)
	if t.IsPointer() {
		if types = f.addressScalars(t); t.Storage != spirv.StorageClassPhysicalStorageBuffer {
			f.unsupported("to a pointer to %s", t.Storage)
		}
	}
	if len(x) == 0 || len(types) == 0 {
		f.malformed("the operand of the bitcast has no components")
	}
	from, to := f.b.Func.Type(x[0]), types[0]
	fromBits, toBits := f.significant(f.typeOf(inst.Bitcast(in).Operand()), from), f.significant(t, to)
	if int(fromBits)*len(x) != int(toBits)*len(types) || from == ir.B1 || to == ir.B1 {
		f.malformed("the bitcast is between different widths")
	}
	parts := make([]ir.V, 0, len(types))
	switch n := len(x); {
	case n == len(types):
		for _, v := range x {
			parts = append(parts, f.reinterpret(v, to))
		}
	case n < len(types):
		k := len(types) / n
		for _, v := range x {
			parts = append(parts, f.splitBits(v, to, toBits, k)...)
		}
	default:
		k := n / len(types)
		for i := 0; i < n; i += k {
			parts = append(parts, f.joinBits(x[i:i+k], fromBits, to))
		}
	}
	f.castTo(in, parts)
}

// significant returns the number of bits of a component that v, its type in the IR,
// represents: less than all if the component is a float of 4 or 6 bits.
func (f *function) significant(t *facts.Type, v ir.Type) uint32 {
	if e, ok := f.encodingOf(t); ok {
		return uint32(e.bits)
	}
	return uint32(v.Bits())
}

// reinterpret changes the type of v to one of the same width.
func (f *function) reinterpret(v ir.V, t ir.Type) ir.V {
	if f.b.Func.Type(v) == t {
		return v
	}
	return f.b.Op(ir.Bitcast, t, v)
}

// splitBits splits v into n values of type t with as many significant bits, the least
// significant first. Other bits of the values may be set.
func (f *function) splitBits(v ir.V, t ir.Type, significant uint32, n int) []ir.V {
	wide := ir.Int(uint32(f.b.Func.Type(v).Bits()))
	bits := f.reinterpret(v, wide)
	parts := make([]ir.V, n)
	for i := range parts {
		p := bits
		if i > 0 {
			p = f.b.Op(ir.LShr, wide, bits, f.b.Const(wide, uint64(i)*uint64(significant)))
		}
		parts[i] = f.reinterpret(f.toInt(p, ir.Int(uint32(t.Bits()))), t)
	}
	return parts
}

// joinBits concatenates the significant bits of several values, the first least
// significant, to one value of type t.
func (f *function) joinBits(parts []ir.V, significant uint32, t ir.Type) ir.V {
	wide := ir.Int(uint32(t.Bits()))
	var bits ir.V
	for i, p := range parts {
		w := uint32(f.b.Func.Type(p).Bits())
		v := f.toInt(f.reinterpret(p, ir.Int(w)), wide)
		if significant < w {
			v = f.b.Op(ir.And, wide, v, f.b.Const(wide, 1<<significant-1))
		}
		if i == 0 {
			bits = v
			continue
		}
		bits = f.b.Op(ir.Or, wide, bits, f.b.Op(ir.Shl, wide, v, f.b.Const(wide, uint64(i)*uint64(significant))))
	}
	return f.reinterpret(bits, t)
}

func bitFieldInsert(f *function, in spirv.Inst) {
	v := inst.BitFieldInsert(in)
	base, insert := f.scalars(v.Base()), f.scalars(v.Insert())
	if len(base) != len(insert) {
		f.malformed("the operands have different sizes")
	}
	offset, count := f.toInt(f.one(v.Offset()), ir.I32), f.toInt(f.one(v.Count()), ir.I32)
	parts := make([]ir.V, len(base))
	for i := range base {
		t := f.b.Func.Type(base[i])
		mask := f.b.Op(ir.BitFieldMask, t, offset, count)
		moved := f.b.Op(ir.Shl, t, insert[i], f.toInt(offset, t))
		parts[i] = f.b.Op(ir.Or, t,
			f.b.Op(ir.And, t, base[i], f.b.Op(ir.Not, t, mask)),
			f.b.Op(ir.And, t, moved, mask))
	}
	f.define(in, parts...)
}

// toInt zero-extends or truncates an integer.
func (f *function) toInt(v ir.V, t ir.Type) ir.V {
	from := f.b.Func.Type(v)
	switch {
	case !from.IsInt() || !t.IsInt():
		f.malformed("the operand is %s; must be an integer", from)
	case from.Bits() < t.Bits():
		return f.b.Op(ir.ZExt, t, v)
	case from.Bits() > t.Bits():
		return f.b.Op(ir.Trunc, t, v)
	}
	return v
}
