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
	v := f.typed(spirv.ID(in[3]), ir.I64)
	f.define(in, v)
}
