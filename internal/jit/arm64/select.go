package arm64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// emitter emits a Lane instruction. It may clobber all scratch registers. A rule without masks in its code computes all lanes: an inactive
// lane has some value, which cannot trap.
type emitter func(m *machine, in *vcode.Inst)

// rules are the operations with code. The others exit to Go, which evaluates the operation's row in the IR.
var rules = codegen.NewTable(regions(), floats(), conversions(), halves(), doubles(), longs(), narrow(), divisions(), remainders(), accesses(), integers(), map[codegen.Rule]emitter{
	{ir.Add, ir.I32, ir.I32}:  binaryOp(VADD, S4),
	{ir.Sub, ir.I32, ir.I32}:  binaryOp(VSUB, S4),
	{ir.Mul, ir.I32, ir.I32}:  binaryOp(VMUL, S4),
	{ir.And, ir.I32, ir.I32}:  binaryOp(VAND, B16),
	{ir.Or, ir.I32, ir.I32}:   binaryOp(VORR, B16),
	{ir.Xor, ir.I32, ir.I32}:  binaryOp(VEOR, B16),
	{ir.UMin, ir.I32, ir.I32}: binaryOp(VUMIN, S4),
	{ir.UMax, ir.I32, ir.I32}: binaryOp(VUMAX, S4),
	{ir.SMin, ir.I32, ir.I32}: binaryOp(VSMIN, S4),
	{ir.SMax, ir.I32, ir.I32}: binaryOp(VSMAX, S4),
	{ir.SAbs, ir.I32, ir.I32}: unaryOp(VABS, S4),
	{ir.Not, ir.I32, ir.I32}:  unaryOp(VNOT, B16),
	{ir.Shl, ir.I32, ir.I32}:  shift(VUSHL, VSHL),
	{ir.LShr, ir.I32, ir.I32}: shift(VUSHL, VUSHR),
	{ir.AShr, ir.I32, ir.I32}: shift(VSSHL, VSSHR),

	{ir.And, ir.B1, ir.B1}: binaryOp(VAND, B16),
	{ir.Or, ir.B1, ir.B1}:  binaryOp(VORR, B16),
	{ir.Xor, ir.B1, ir.B1}: binaryOp(VEOR, B16),
	{ir.Eq, ir.B1, ir.B1}:  binaryOp(VCMEQ, S4),
	{ir.Not, ir.B1, ir.B1}: unaryOp(VNOT, B16),

	{ir.Eq, ir.B1, ir.I32}:  binaryOp(VCMEQ, S4),
	{ir.ULt, ir.B1, ir.I32}: swappedOp(VCMHI, S4),
	{ir.ULe, ir.B1, ir.I32}: swappedOp(VCMHS, S4),
	{ir.SLt, ir.B1, ir.I32}: swappedOp(VCMGT, S4),
	{ir.SLe, ir.B1, ir.I32}: swappedOp(VCMGE, S4),
	{ir.FEq, ir.B1, ir.F32}: binaryOp(VFCMEQ, S4),
	{ir.FLt, ir.B1, ir.F32}: swappedOp(VFCMGT, S4),
	{ir.FLe, ir.B1, ir.F32}: swappedOp(VFCMGE, S4),

	{ir.FAdd, ir.F32, ir.F32}:       binaryOp(VFADD, S4),
	{ir.FSub, ir.F32, ir.F32}:       binaryOp(VFSUB, S4),
	{ir.FMul, ir.F32, ir.F32}:       binaryOp(VFMUL, S4),
	{ir.FDiv, ir.F32, ir.F32}:       binaryOp(VFDIV, S4),
	{ir.FFma, ir.F32, ir.F32}:       multiplyAdd,
	{ir.FSqrt, ir.F32, ir.F32}:      unaryOp(VFSQRT, S4),
	{ir.FNeg, ir.F32, ir.F32}:       unaryOp(VFNEG, S4),
	{ir.FAbs, ir.F32, ir.F32}:       unaryOp(VFABS, S4),
	{ir.FFloor, ir.F32, ir.F32}:     unaryOp(VFRINTM, S4),
	{ir.FCeil, ir.F32, ir.F32}:      unaryOp(VFRINTP, S4),
	{ir.FTrunc, ir.F32, ir.F32}:     unaryOp(VFRINTZ, S4),
	{ir.FRoundEven, ir.F32, ir.F32}: unaryOp(VFRINTN, S4),
	{ir.FMin, ir.F32, ir.F32}:       lesser(false),
	{ir.FMax, ir.F32, ir.F32}:       lesser(true),

	{ir.Bitcast, ir.I32, ir.F32}: (*machine).copy,
	{ir.Bitcast, ir.F32, ir.I32}: (*machine).copy,
	{ir.Bitcast, ir.I32, ir.I32}: (*machine).copy,
	{ir.Bitcast, ir.F32, ir.F32}: (*machine).copy,
	{ir.ZExt, ir.I32, ir.B1}:     fromMask,

	{ir.Select, ir.I8, ir.B1}:  selectLanes,
	{ir.Select, ir.I16, ir.B1}: selectLanes,
	{ir.Select, ir.I32, ir.B1}: selectLanes,
	{ir.Select, ir.F16, ir.B1}: selectLanes,
	{ir.Select, ir.F32, ir.B1}: selectLanes,
	{ir.Select, ir.H, ir.B1}:   selectLanes,
	{ir.Select, ir.B1, ir.B1}:  selectLanes,

	{ir.Res, ir.H, ir.I32}:    resource,
	{ir.Push, ir.H, ir.None}:  handle,
	{ir.Wg, ir.H, ir.None}:    handle,
	{ir.Table, ir.H, ir.None}: handle,
	{ir.At, ir.I32, ir.I32}:   offsetAt,
	{ir.In, ir.I32, ir.None}:  input,
	{ir.ResetBudget, 0, 0}:    resetBudget,
	{ir.Fence, 0, 0}:          func(m *machine, in *vcode.Inst) { m.barrierIf(in) },
})

// ruleOf returns the emitter of an operation, or nil. The multiplication of At has 32 bits per lane, so that a larger stride has no code.
func ruleOf(op ir.Op, k ir.Key) emitter {
	if op == ir.At && k.Aux > math.MaxUint32 || !reachable(k, op) {
		return nil
	}
	return rules.Of(op, k)
}

// binaryOp is d = u0 op u1.
func binaryOp(op Op, t Arr) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		d := m.dest(in, 0)
		m.V(op, t, d, x, y)
		m.done(in, d)
	}
}

// swappedOp is d = u1 op u0, as there are no comparisons for less.
func swappedOp(op Op, t Arr) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		d := m.dest(in, 0)
		m.V(op, t, d, y, x)
		m.done(in, d)
	}
}

func unaryOp(op Op, t Arr) emitter {
	return func(m *machine, in *vcode.Inst) {
		x := m.vec(in.Uses[0], 0)
		d := m.dest(in, 0)
		m.V2(op, t, d, x)
		m.done(in, d)
	}
}

// shift takes the count modulo 32; the processor takes the low byte, signed, and shifts right for a negative one.
func shift(variable, fixed Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		x := m.vec(in.Uses[0], 0)
		if n, ok := m.f.Const(in.Uses[1]); ok {
			d := m.dest(in, 0)
			if n &= 31; n == 0 {
				m.moveVec(d, x)
			} else {
				m.VI(fixed, S4, d, x, int64(n))
			}
			m.done(in, d)
			return
		}
		n := m.vec(in.Uses[1], 1)
		if !in.Proven {
			m.fill(2, 31)
			m.bits(VAND, 1, n, 2)
			n = 1
		}
		if fixed != VSHL {
			m.V2(VNEG, S4, 1, n)
			n = 1
		}
		d := m.dest(in, 0)
		m.s4(variable, d, x, n)
		m.done(in, d)
	}
}

// multiplyAdd is d = u0·u1 + u2, rounded once.
func multiplyAdd(m *machine, in *vcode.Inst) { m.accumulate(in, VFMLA, in.Uses[2], in.Uses[:2]) }

// lesser is u1 < u0 ? u1 : u0, or u0 < u1 ? u1 : u0.
func lesser(most bool) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		d := m.dest(in, 2)
		if d == x || d == y {
			d = 2
		}
		if most {
			m.s4(VFCMGT, d, y, x)
		} else {
			m.s4(VFCMGT, d, x, y)
		}
		m.bits(VBSL, d, y, x)
		m.done(in, d)
	}
}

// fromMask is 1 in the lanes of the mask and 0 in the others.
func fromMask(m *machine, in *vcode.Inst) {
	k := m.vec(in.Uses[0], 0)
	d := m.dest(in, 0)
	m.VI(VUSHR, S4, d, k, 31)
	m.done(in, d)
}

// selectLanes is u0 ? u1 : u2. A zero on one side needs only a logic instruction; else one of BSL, BIT and BIF overwrites the operand that
// may be overwritten.
func selectLanes(m *machine, in *vcode.Inst) {
	k := m.vec(in.Uses[0], 2)
	yes, no := in.Uses[1], in.Uses[2]
	d := m.dest(in, 0)
	if v, ok := m.constant(no); ok && v == 0 {
		m.bits(VAND, d, m.vec(yes, 0), k)
		m.done(in, d)
		return
	}
	if v, ok := m.constant(yes); ok && v == 0 {
		m.bits(VBIC, d, m.vec(no, 0), k)
		m.done(in, d)
		return
	}
	y, n := m.vec(yes, 0), m.vec(no, 1)
	switch d {
	case k:
		m.bits(VBSL, d, y, n)
	case n:
		m.bits(VBIT, d, y, k)
	default:
		m.moveVec(d, y)
		m.bits(VBIF, d, n, k)
	}
	m.done(in, d)
}

// handle is the handle of the push constants, the workgroup memory or a table: its number, in a lane.
func handle(m *machine, in *vcode.Inst) {
	n := uint32(target.HandlePush)
	switch in.IR {
	case ir.Wg:
		n = target.HandleShared
	case ir.Table:
		n = target.HandleTables + uint32(in.Key.Aux)
	}
	d := m.dest(in, 0)
	m.fill(d, n)
	m.done(in, d)
}

// resource is the handle of descriptor u0 of resource Aux, null out of range.
func resource(m *machine, in *vcode.Inst) {
	at := int64(in.Key.Aux) * target.ResourceBytes
	i := m.vec(in.Uses[0], 0)
	m.loadX(X0, ctxArg(target.ArgResources))
	m.loadW(X1, At(X0, at+target.ResourceCount))
	m.loadW(X0, At(X0, at))
	m.splat(1, X1)
	m.s4(VCMHI, 1, 1, i)
	m.splat(2, X0)
	m.s4(VADD, 2, 2, i)
	m.bits(VAND, 2, 2, 1)
	m.done(in, 2)
}

// offsetAt is u0 + u1·Aux, saturating. A saturated offset, 2³² − 1, is out of range.
func offsetAt(m *machine, in *vcode.Inst) {
	start, off := NoReg, uint64(0)
	if bits, ok := m.f.Const(in.Uses[0]); ok {
		off = bits
	} else {
		start = m.vec(in.Uses[0], 3)
	}
	m.offset(m.vec(in.Uses[1], 1), uint32(in.Key.Aux), start, uint32(off))
	m.done(in, 0)
}

// input is a built-in of a compute program. Workgroup IDs are arguments of the call, local IDs are rows of the record; a global ID is
// group · size + local ID.
func input(m *machine, in *vcode.Inst) {
	s, d := m.prog.In[in.Key.Aux].Semantic, m.dest(in, 0)
	switch s {
	case ir.LocalInvocationIndex:
		m.load(d, m.local(in, 0))
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		m.load(d, m.local(in, 1+s-ir.LocalInvocationIdX))
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := s - ir.GlobalInvocationIdX
		m.loadW(X0, ctxArg(target.ArgGroup+int(i)))
		m.MovI(X1, uint64(m.prog.LocalSize[i]))
		m.R(MUL, X0, X0, X1)
		m.splat(1, X0)
		m.load(0, m.local(in, 1+i))
		m.s4(VADD, d, 0, 1)
	case ir.SubgroupLocalInvocationId:
		m.literal(d, quartet(uint32(in.Part)*lanes, 1))
	default:
		m.splat(d, m.inputGen(in))
	}
	m.done(in, d)
}

// resetBudget resets the step counter of the subgroup that a part belongs to.
func resetBudget(m *machine, in *vcode.Inst) {
	if m.facts.Steps[in.Part] {
		m.loadX(X0, ctxArg(target.ArgBudget))
		m.storeX(X0, m.stepsOf(in.Part))
	}
}
