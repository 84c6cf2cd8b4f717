package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// addressOf returns the address that a physical pointer is.
func (f *function) addressOf(p *pointer) ir.V {
	if p.offset.imm == 0 {
		return p.address
	}
	return f.b.Op(ir.Add, ir.I64, p.address, f.b.Const(ir.I64, p.offset.imm))
}

// far adds i strides to an address; what is negative goes back.
func (f *function) far(p *pointer, id spirv.ID, stride uint64) {
	v := f.one(id)
	if t := f.b.Func.Type(v); !t.IsInt() {
		f.malformed("an index of type %s", t)
	} else if t != ir.I64 {
		v = f.b.Op(ir.SExt, ir.I64, v)
	}
	p.address = f.b.Op(ir.Add, ir.I64, p.address, f.b.Op(ir.Mul, ir.I64, v, f.b.Const(ir.I64, stride)))
}

// reached gives a physical pointer the form of one into a buffer, for an access
// of so many bytes.
func (f *function) reached(p *pointer, size uint32) *pointer {
	a := f.addressOf(p)
	q := *p
	q.memory, q.offset = inBuffer, offset{}
	q.handle = f.b.OpAux(ir.Region, ir.H, uint64(size), a)
	q.offset.dyn = f.b.Op(ir.RegionOff, ir.I32, q.handle, a)
	return &q
}

// pointerCast lowers the conversions between physical pointers and integers:
// the address stays what it is.
func pointerCast(f *function, in spirv.Inst) {
	x := f.castFrom(spirv.ID(in[3]))
	if len(x) != 1 || f.b.Func.Type(x[0]) != ir.I64 {
		f.malformed("%%%d is no address of 64 bits", in[3])
	}
	f.castTo(in, x)
}

// castFrom returns the scalars of a value of which a cast may make another one: of
// a physical pointer the address, which says no form.
func (f *function) castFrom(id spirv.ID) []ir.V {
	x := f.scalars(id)
	if t := f.typeOf(id); t.IsPointer() {
		return x[:min(len(f.located(t)), len(x))] // a pointer of another type has others
	}
	return x
}

// castTo defines what a cast has made. Where matrices lie in several forms,
// those behind an address lie in the first.
func (f *function) castTo(in spirv.Inst, parts []ir.V) {
	if t := f.facts.Type(in.Type()); t.IsPointer() && f.severalForms(t) {
		parts = append(parts[:len(parts):len(parts)], f.b.I32(0))
	}
	f.define(in, parts...)
}
