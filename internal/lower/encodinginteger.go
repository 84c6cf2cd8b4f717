package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var encodingIntegerRules = rules{
	spirv.OpConvertFToU: convertInteger,
	spirv.OpConvertFToS: convertInteger,
	spirv.OpConvertSToF: convertInteger,
	spirv.OpConvertUToF: convertInteger,
}

// convertInteger lowers a conversion between integers and floats. A float with an
// encoding other than IEEE 754 is converted by way of a wider float that represents
// every operand, so that the result is rounded once.
func convertInteger(f *function, in spirv.Inst) {
	row := *f.row(in.Op())
	from, decodes := f.encodingOf(f.typeOf(spirv.ID(in[3])))
	to, encodes := f.encodingOf(f.facts.Type(in.Type()))
	if !decodes && !encodes {
		f.componentwise(in, row)
		return
	}
	if decodes && encodes {
		f.malformed("the conversion is between floats; must be from or to an integer")
	}
	how := f.narrowing(in)
	f.eachComponent(in, [][]ir.V{f.arranged(in, spirv.ID(in[3]))}, func(t ir.Type, args []direct.Operand[ir.V]) ir.V {
		x := args[0]
		switch {
		case decodes:
			x = direct.Operand[ir.V]{Value: f.decode(from, x.Value), Type: ir.F32}
		case x.Type.Bits() <= 16:
			t = ir.F32
		default:
			t = ir.F64
		}
		if encodes && x.Type == ir.I64 {
			x.Value = f.oddBits(x.Value, row.Op == ir.SToF)
		}
		v, ok := direct.Apply[ir.V](f, row, t, x)
		if !ok {
			f.malformed("the instruction is not defined for the types of the operands")
		}
		if encodes {
			v = f.encode(to, how, v)
		}
		return v
	})
}

// oddBits returns a 64-bit integer that a 64-bit float represents and that every
// encoding rounds as it rounds v: if the absolute value of v exceeds 2⁵², the lowest 12
// bits are replaced by zeros and bit 12 is set if one of them was set. This is rounding to
// odd (Boldo and Melquiond 2008, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd").
func (f *function) oddBits(v ir.V, signed bool) ir.V {
	const dropped, exact = 12, 1 << 52
	b := f.b
	n := func(x uint64) ir.V { return b.Const(ir.I64, x) }
	low := b.Op(ir.And, ir.I64, v, n(1<<dropped-1))
	sticky := b.Op(ir.Shl, ir.I64, b.Op(ir.UMin, ir.I64, low, n(1)), n(dropped))
	odd := b.Op(ir.Or, ir.I64, b.Op(ir.Sub, ir.I64, v, low), sticky)
	most, shifted := uint64(exact), v
	if signed { // −2⁵² … 2⁵² becomes 0 … 2⁵³
		most, shifted = 2*exact, b.Op(ir.Add, ir.I64, v, n(exact))
	}
	return b.Select(b.Cmp(ir.ULt, n(most), shifted), odd, v)
}
