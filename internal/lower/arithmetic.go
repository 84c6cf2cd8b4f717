package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower/mathlib"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Const makes a constant: with Make, what package direct asks for.
func (f *function) Const(t ir.Type, bits uint64) ir.V { return f.b.Const(t, bits) }

// Make appends an operation under the entry point's float modes.
func (f *function) Make(op ir.Op, t, _ ir.Type, x, y, z ir.V) ir.V {
	v := ir.Val{Op: op, Type: t, Args: [4]ir.V{x, y, z}}
	if f.float == (floatModes{}) || !floating(op) {
		return f.emit(v)
	}
	for i := range op.Args() {
		v.Args[i] = f.flush(v.Args[i])
	}
	if rounding(op) && f.float.rtz.has(t) {
		v.Flags |= ir.RTZ
	}
	return f.flush(f.emit(v))
}

// flush makes a denormal a zero where the entry point asks for it.
func (f *function) flush(v ir.V) ir.V {
	if t := f.b.Func.Type(v); f.float.flush.has(t) && f.b.Func.Val(v).Op != ir.FFlush {
		return f.b.Op(ir.FFlush, t, v)
	}
	return v
}

// floatModes are the execution modes that change floating-point arithmetic
// (SPIR-V §3.2.6, SPV_KHR_float_controls).
type floatModes struct{ rtz, flush widths }

// widths is a set of widths of floats, 16, 32 and 64.
type widths uint8

func (w widths) has(t ir.Type) bool { return t.IsFloat() && uint32(w)&(uint32(t.Bits())/16) != 0 }

// modes takes in the execution modes of the entry point.
func (u *unit) modes() {
	for _, m := range u.entry.Modes {
		if len(m.Operands) == 0 || m.IDs {
			continue
		}
		w := widths(m.Operands[0] / 16)
		switch m.Kind {
		case spirv.ExecutionModeRoundingModeRTZ:
			u.float.rtz |= w
		case spirv.ExecutionModeDenormFlushToZero:
			u.float.flush |= w
		}
	}
}

// rounding reports whether the result of an operation depends on the rounding
// mode, floating whether it computes with floats at all.
func rounding(op ir.Op) bool {
	switch op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FFma, ir.FSqrt, ir.FCvt, ir.SToF, ir.UToF:
		return true
	}
	return false
}

func floating(op ir.Op) bool {
	switch op {
	case ir.FRem, ir.FNeg, ir.FEq, ir.FLt, ir.FLe, ir.FToS, ir.FToU:
		return true
	}
	return rounding(op)
}

// componentwise lowers an instruction that is one operation for each component.
func (f *function) componentwise(in spirv.Inst, row direct.Row) {
	args := f.operands(in[3:])
	if in.Op().Class() == spirv.ClassConversion {
		args[0] = f.arranged(in, spirv.ID(in[3]))
	}
	f.eachComponent(in, args, func(t ir.Type, args []direct.Operand[ir.V]) ir.V {
		v, ok := direct.Apply[ir.V](f, row, t, args...)
		if !ok {
			f.malformed("operands of types that the instruction is not defined on")
		}
		return v
	})
}

// operands returns the scalars of each operand.
func (f *function) operands(words []uint32) [][]ir.V {
	args := make([][]ir.V, len(words))
	for i, id := range words {
		args[i] = f.scalars(spirv.ID(id))
	}
	return args
}

// eachComponent defines the result by one call of yield for each component. An
// operand that is a scalar stands for each component.
func (f *function) eachComponent(in spirv.Inst, args [][]ir.V, yield func(ir.Type, []direct.Operand[ir.V]) ir.V) {
	types := f.flat(f.facts.Type(in.Type()))
	parts := make([]ir.V, len(types))
	list := make([]direct.Operand[ir.V], len(args))
	for i, t := range types {
		for k, a := range args {
			if len(a) != len(types) && len(a) != 1 {
				f.malformed("operand %d has %d scalars; the result has %d", k+1, len(a), len(types))
			}
			v := a[min(i, len(a)-1)]
			list[k] = direct.Operand[ir.V]{Value: v, Type: f.b.Func.Type(v)}
		}
		parts[i] = yield(t, list)
	}
	f.define(in, parts...)
}

// floats ends lowering where a scalar is no float of 16 to 64 bits.
func (f *function) floats(parts ...ir.V) {
	for _, p := range parts {
		if t := f.b.Func.Type(p); !t.IsFloat() {
			f.malformed("an operand of type %s; want a float", t)
		}
	}
}

// alike ends lowering where the scalars are not all of one type.
func (f *function) alike(parts ...ir.V) {
	for _, p := range parts {
		if f.b.Func.Type(p) != f.b.Func.Type(parts[0]) {
			f.malformed("operands of different types")
		}
	}
}

func fmod(f *function, in spirv.Inst) {
	f.eachComponent(in, f.operands(in[3:]), func(_ ir.Type, a []direct.Operand[ir.V]) ir.V {
		f.floats(a[0].Value, a[1].Value)
		return f.flush(mathlib.FMod(f.b, a[0].Value, a[1].Value))
	})
}

// contractible lowers OpFAdd and OpFSub: where the program asks for it and
// neither instruction is decorated NoContraction, with the OpFMul that makes an
// operand, the left one first, as one operation.
func contractible(f *function, in spirv.Inst) {
	row := *f.row(in.Op())
	if !f.options.Contract || !f.mayContract(in) {
		f.componentwise(in, row)
		return
	}
	for side := range 2 {
		mul := f.facts.Inst(spirv.ID(in[3+side]))
		if mul == nil || mul.Op() != spirv.OpFMul || !f.mayContract(mul) {
			continue
		}
		f.value(mul.Result()) // it reaches here, and so do its operands
		args := append(f.operands(mul[3:5]), f.scalars(spirv.ID(in[4-side])))
		f.eachComponent(in, args, func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
			return f.fused(in.Op() == spirv.OpFSub, side, t, a[0].Value, a[1].Value, a[2].Value)
		})
		return
	}
	f.componentwise(in, row)
}

// mayContract reports whether an instruction may become part of another one:
// it is not decorated NoContraction, and where it or the entry point says a
// fast-math mode, that one has AllowContract (SPV_KHR_float_controls2). All
// other modes change nothing: no result ever makes use of them.
func (f *function) mayContract(in spirv.Inst) bool {
	if f.facts.Has(in.Result(), spirv.DecorationNoContraction) {
		return false
	}
	const allowed = uint32(spirv.FPFastMathModeAllowContractMask)
	if d, ok := f.facts.Decoration(in.Result(), spirv.DecorationFPFastMathMode); ok {
		return d.Literal()&allowed != 0
	}
	t := f.facts.Type(in.Type()).Scalar()
	for _, m := range f.entry.Modes {
		if m.Kind == spirv.ExecutionModeFPFastMathDefault && len(m.Operands) == 2 && f.facts.Type(spirv.ID(m.Operands[0])) == t {
			return uint32(f.known(spirv.ID(m.Operands[1])))&allowed != 0
		}
	}
	return true
}

// fused returns x·y + z; of a difference x·y − z, or z − x·y where the product
// is on the right side.
func (f *function) fused(minus bool, side int, t ir.Type, x, y, z ir.V) ir.V {
	switch {
	case minus && side == 0:
		z = f.Make(ir.FNeg, t, t, z, 0, 0)
	case minus:
		x = f.Make(ir.FNeg, t, t, x, 0, 0)
	}
	return f.Make(ir.FFma, t, t, x, y, z)
}

// pair is an instruction whose result is a struct of two values: the operations
// that make the components of each.
type pair [2]ir.Op

var (
	carryAdd  = pair{ir.Add, ir.AddCarry}
	borrowSub = pair{ir.Sub, ir.SubBorrow}
	mulU      = pair{ir.Mul, ir.UMulHi}
	mulS      = pair{ir.Mul, ir.SMulHi}
)

func twoResults(ops pair) rule {
	return func(f *function, in spirv.Inst) {
		x, y := f.scalars(spirv.ID(in[3])), f.scalars(spirv.ID(in[4]))
		if len(x) != len(y) {
			f.malformed("operands of different sizes")
		}
		var parts []ir.V
		for _, op := range ops {
			for i := range x {
				parts = append(parts, f.b.Op(op, f.b.Func.Type(x[i]), x[i], y[i]))
			}
		}
		f.define(in, parts...)
	}
}

// typeOf returns the type of an operand, which must be there.
func (f *function) typeOf(id spirv.ID) *facts.Type {
	t := f.value(id).typ
	if t == nil {
		f.malformed("%%%d has no type", id)
	}
	return t
}
