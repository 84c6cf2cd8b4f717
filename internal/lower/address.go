package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var addressRules = rules{
	spirv.OpConvertPtrToU: pointerCast,
	spirv.OpConvertUToPtr: pointerCast,
}

// addressOf returns the address of a physical pointer.
func (f *function) addressOf(p *pointer) ir.V {
	if p.offset.imm == 0 {
		return p.address
	}
	return f.b.Op(ir.Add, ir.I64, p.address, f.b.Const(ir.I64, p.offset.imm))
}

// addElements adds id strides to an address; id may be negative.
func (f *function) addElements(p *pointer, id spirv.ID, stride uint64) {
	v := f.one(id)
	if t := f.b.Func.Type(v); !t.IsInt() {
		f.malformed("the index is %s; must be an integer", t)
	} else if t != ir.I64 {
		v = f.b.Op(ir.SExt, ir.I64, v)
	}
	p.address = f.b.Op(ir.Add, ir.I64, p.address, f.b.Op(ir.Mul, ir.I64, v, f.b.Const(ir.I64, stride)))
}

// regionPointer converts a physical pointer to a buffer pointer, for an access of size
// bytes: ir.Region looks up the allocation of the address.
func (f *function) regionPointer(p *pointer, size uint32) *pointer {
	a := f.addressOf(p)
	q := *p
	q.memory, q.offset = inBuffer, offset{}
	q.handle = f.b.OpAux(ir.Region, ir.H, uint64(size), a)
	q.offset.dyn = f.b.Op(ir.RegionOff, ir.I32, q.handle, a)
	if f.bound > 0 {
		q.handle, q.offset.dyn = f.boundRegion(a, q.handle, q.offset.dyn)
	}
	return &q
}

// pointerCast lowers the conversions between physical pointers and integers, which
// preserve the address.
func pointerCast(f *function, in spirv.Inst) {
	x := f.castFrom(spirv.ID(in[3]))
	if len(x) != 1 || f.b.Func.Type(x[0]) != ir.I64 {
		f.malformed("%%%d is not a 64-bit address", in[3])
	}
	f.castTo(in, x)
}

// castFrom returns the scalars of the operand of a cast: the address of a physical
// pointer, without its layout tag.
func (f *function) castFrom(id spirv.ID) []ir.V {
	x := f.scalars(id)
	if t := f.typeOf(id); t.IsPointer() {
		return x[:min(len(f.addressScalars(t)), len(x))] // a pointer of another type has other scalars
	}
	return x
}

// castTo defines the result of a cast. A pointer cast from an integer gets layout 0.
func (f *function) castTo(in spirv.Inst, parts []ir.V) {
	if t := f.facts.Type(in.Type()); t.IsPointer() && f.severalLayouts(t) {
		parts = append(parts[:len(parts):len(parts)], f.b.I32(0))
	}
	f.define(in, parts...)
}
