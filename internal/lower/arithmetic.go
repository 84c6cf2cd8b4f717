package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower/mathlib"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var arithmeticRules = rules{
	spirv.OpFMod:         fmod,
	spirv.OpFAdd:         contractible,
	spirv.OpFSub:         contractible,
	spirv.OpIAddCarry:    twoResults(carryAdd),
	spirv.OpISubBorrow:   twoResults(borrowSub),
	spirv.OpUMulExtended: twoResults(mulU),
	spirv.OpSMulExtended: twoResults(mulS),
}

// Const makes a constant. Const and Make implement direct.Maker.
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
	if op.Is(ir.Rounds) && f.float.rtz.has(t) {
		v.Flags |= ir.RTZ
	}
	return f.flush(f.emit(v))
}

// flush flushes a denormal to zero if the entry point's float mode requires it.
func (f *function) flush(v ir.V) ir.V {
	if t := f.b.Func.Type(v); f.float.flush.has(t) && f.b.Func.Val(v).Op != ir.FFlush {
		return f.b.Op(ir.FFlush, t, v)
	}
	return v
}

// floatModes are the execution modes that change floating-point arithmetic
// (SPIR-V §3.2.6, SPV_KHR_float_controls).
type floatModes struct{ rtz, flush, signed widths }

// widths is a bit set of float widths: 16, 32 and 64.
type widths uint8

func (w widths) has(t ir.Type) bool { return t.IsFloat() && uint32(w)&(uint32(t.Bits())/16) != 0 }

// readFloatModes reads the float modes of the entry point.
func (u *unit) readFloatModes() {
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
		case spirv.ExecutionModeSignedZeroInfNanPreserve:
			u.float.signed |= w
		}
	}
}

// floating reports whether the entry point's float modes apply to an operation:
// denormal operands and results are flushed. Minima, maxima and absolute values
// preserve denormals, which SPV_KHR_float_controls allows.
func floating(op ir.Op) bool {
	on := op.Row().On
	compares := op.Family() == ir.Comparisons && on == ir.OnFloat
	return op.Is(ir.Rounds) || compares || on.Source() == ir.OnFloat || op == ir.FRem || op == ir.FNeg
}

// componentwise lowers an instruction that is one operation per component.
func (f *function) componentwise(in spirv.Inst, row direct.Row) {
	args := f.operands(in[3:])
	if in.Op().Class() == spirv.ClassConversion {
		args[0] = f.arranged(in, spirv.ID(in[3]))
	}
	f.eachComponent(in, args, func(t ir.Type, args []direct.Operand[ir.V]) ir.V {
		v, ok := direct.Apply[ir.V](f, row, t, args...)
		if !ok {
			f.malformed("the instruction is not defined for the types of the operands")
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

// eachComponent defines the result by one call of yield per component. A scalar operand
// is an operand of every component.
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

// checkFloats ends lowering unless all scalars are floats of 16 to 64 bits.
func (f *function) checkFloats(parts ...ir.V) {
	for _, p := range parts {
		if t := f.b.Func.Type(p); !t.IsFloat() {
			f.malformed("the operand is %s; must be a float", t)
		}
	}
}

// checkSameType ends lowering unless all scalars have one type.
func (f *function) checkSameType(parts ...ir.V) {
	for _, p := range parts {
		if f.b.Func.Type(p) != f.b.Func.Type(parts[0]) {
			f.malformed("the operands have different types")
		}
	}
}

func fmod(f *function, in spirv.Inst) {
	checkFloatDivisor(f, in)
	f.eachComponent(in, f.operands(in[3:]), func(_ ir.Type, a []direct.Operand[ir.V]) ir.V {
		f.checkFloats(a[0].Value, a[1].Value)
		return f.flush(mathlib.FMod(f.b, a[0].Value, a[1].Value))
	})
}

// contractible lowers OpFAdd and OpFSub. If the program requests contraction and neither
// instruction is decorated NoContraction, an operand that is an OpFMul, the left one
// first, is fused into an FMA.
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
		f.value(mul.Result()) // its definition dominates this use, hence so do its operands
		args := append(f.operands(mul[3:5]), f.scalars(spirv.ID(in[4-side])))
		f.eachComponent(in, args, func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
			return f.fused(in.Op() == spirv.OpFSub, side, t, a[0].Value, a[1].Value, a[2].Value)
		})
		return
	}
	f.componentwise(in, row)
}

// mayContract reports whether an instruction may be fused: it is not decorated
// NoContraction, and its fast-math mode or the entry point's, if any, includes
// AllowContract (SPV_KHR_float_controls2). The other fast-math modes permit
// transformations that lower never makes.
func (f *function) mayContract(in spirv.Inst) bool {
	if f.facts.Has(in.Result(), spirv.DecorationNoContraction) {
		return false
	}
	flags, ok := f.fastMath(in)
	return !ok || flags&spirv.FPFastMathModeAllowContractMask != 0
}

// fastMath returns the fast-math mode of an instruction: its decoration, else the default
// of the entry point for the type of the result. ok is false if the module has neither.
func (f *function) fastMath(in spirv.Inst) (flags spirv.FPFastMathMode, ok bool) {
	if d, ok := f.facts.Decoration(in.Result(), spirv.DecorationFPFastMathMode); ok {
		return spirv.FPFastMathMode(d.Literal()), true
	}
	t := f.facts.Type(in.Type()).Scalar()
	for _, m := range f.entry.Modes {
		if m.Kind == spirv.ExecutionModeFPFastMathDefault && len(m.Operands) == 2 && f.facts.Type(spirv.ID(m.Operands[0])) == t {
			return spirv.FPFastMathMode(f.known(spirv.ID(m.Operands[1]))), true
		}
	}
	return 0, false
}

// signedZeros reports whether the sign of a zero result is significant: the fast-math mode
// of the instruction lacks NSZ, or the entry point preserves signs of zeros in type t.
func (f *function) signedZeros(in spirv.Inst, t ir.Type) bool {
	if flags, ok := f.fastMath(in); ok {
		return flags&spirv.FPFastMathModeNSZMask == 0
	}
	return f.float.signed.has(t)
}

// fused returns x·y + z; for a difference x·y − z, or z − x·y if the product is the
// right operand (side 1).
func (f *function) fused(minus bool, side int, t ir.Type, x, y, z ir.V) ir.V {
	switch {
	case minus && side == 0:
		z = f.Make(ir.FNeg, t, t, z, 0, 0)
	case minus:
		x = f.Make(ir.FNeg, t, t, x, 0, 0)
	}
	return f.Make(ir.FFma, t, t, x, y, z)
}

// opPair is an instruction with a struct of two values as result: the operation for each.
type opPair [2]ir.Op

var (
	carryAdd  = opPair{ir.Add, ir.AddCarry}
	borrowSub = opPair{ir.Sub, ir.SubBorrow}
	mulU      = opPair{ir.Mul, ir.UMulHi}
	mulS      = opPair{ir.Mul, ir.SMulHi}
)

func twoResults(ops opPair) rule {
	return func(f *function, in spirv.Inst) {
		x, y := f.scalars(spirv.ID(in[3])), f.scalars(spirv.ID(in[4]))
		if len(x) != len(y) {
			f.malformed("the operands have different sizes")
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

// typeOf returns the type of an operand, which must have one.
func (f *function) typeOf(id spirv.ID) *facts.Type {
	t := f.value(id).typ
	if t == nil {
		f.malformed("%%%d has no type", id)
	}
	return t
}
