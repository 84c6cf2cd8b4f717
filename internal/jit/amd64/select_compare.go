package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Predicates of integer and float comparisons (Intel SDM vol. 2, VPCMPD and
// CMPPS; the quiet ones).
const (
	// Bit 2 negates, so that LT is 1 and GE, its negation, is 5. For floats bit 4 selects the quiet
	// variant of a signaling predicate: LT_OS is 1, LT_OQ 0x11.
	compareEQ = 0
	compareLT = 1
	compareLE = 2
	compareNE = 4
	compareGE = 5
	compareGT = 6

	orderedEQ = 0x00
	unordered = 0x03
	orderedLT = 0x11
	orderedLE = 0x12
)

// predicate is a comparison of 16 lanes in one instruction, with the immediates for the comparison,
// its negation, the comparison with swapped operands, and the negation of that one. The negation of
// a float comparison is not the opposite one: !(a < b) holds for NaN, a >= b does not. Hence isNot
// is the unordered predicate NLT_UQ (0x15).
type predicate struct {
	op                          Op
	is, isNot, flipped, flipNot uint8
}

// predicates are the comparisons with one instruction.
var predicates = map[codegen.Rule]predicate{
	{ir.Eq, ir.B1, ir.I8}:   {VPCMPUD, compareEQ, compareNE, compareEQ, compareNE},
	{ir.Eq, ir.B1, ir.I16}:  {VPCMPUD, compareEQ, compareNE, compareEQ, compareNE},
	{ir.Eq, ir.B1, ir.I32}:  {VPCMPUD, compareEQ, compareNE, compareEQ, compareNE},
	{ir.ULt, ir.B1, ir.I8}:  {VPCMPUD, compareLT, compareGE, compareGT, compareLE},
	{ir.ULt, ir.B1, ir.I16}: {VPCMPUD, compareLT, compareGE, compareGT, compareLE},
	{ir.ULt, ir.B1, ir.I32}: {VPCMPUD, compareLT, compareGE, compareGT, compareLE},
	{ir.ULe, ir.B1, ir.I8}:  {VPCMPUD, compareLE, compareGT, compareGE, compareLT},
	{ir.ULe, ir.B1, ir.I16}: {VPCMPUD, compareLE, compareGT, compareGE, compareLT},
	{ir.ULe, ir.B1, ir.I32}: {VPCMPUD, compareLE, compareGT, compareGE, compareLT},
	{ir.SLt, ir.B1, ir.I32}: {VPCMPD, compareLT, compareGE, compareGT, compareLE},
	{ir.SLe, ir.B1, ir.I32}: {VPCMPD, compareLE, compareGT, compareGE, compareLT},
	{ir.FEq, ir.B1, ir.F32}: {VCMPPS, orderedEQ, 0x04, orderedEQ, 0x04},
	{ir.FLt, ir.B1, ir.F32}: {VCMPPS, orderedLT, 0x15, 0x1e, 0x1a}, // GT_OQ, NGT_UQ
	{ir.FLe, ir.B1, ir.F32}: {VCMPPS, orderedLE, 0x16, 0x1d, 0x19}, // GE_OQ, NGE_UQ
}

// comparisons are the rules of predicates.
func comparisons() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{}
	for k, p := range predicates {
		r[k] = func(m *machine, in *vcode.Inst) {
			d := m.destMask(in, 2)
			m.compare(p, d, in, false, 0)
			m.doneMask(in, d)
		}
	}
	return r
}

// compare puts the comparison of in's operands, negated if not is set, into k. A memory operand
// becomes the second one. AVX-512 instructions have at most one memory operand, the last one;
// swapping saves a load if only the first operand is in memory.
func (m *machine) compare(p predicate, k Reg, in *vcode.Inst, not bool, o Opt) {
	x, y := in.Uses[0], in.Uses[1]
	ask := p.is
	if not {
		ask = p.isNot
	}
	if _, ok := m.phys(x); !ok {
		if _, ok := m.phys(y); ok {
			x, y, ask = y, x, p.flipped
			if not {
				ask = p.flipNot
			}
		}
	}
	m.withImm(p.op, k, m.vec(x, 0), y, ask, o)
}

// maskedCompare is a comparison, negated if Aux is 1, in the lanes of a mask. Under a mask the
// instruction clears the lanes outside it: kmask & (x < y) in one instruction.
//
//	cmp  k1, x, y
//	kand k2, k1, k3     →   vpcmpud k2 {k3}, x, y
func (m *machine) maskedCompare(in *vcode.Inst) {
	o := Opt(0)
	if len(in.Masks) > 0 {
		o = K(m.execution(in))
	}
	d := m.destMask(in, 2)
	m.compare(predicates[codegen.Rule{in.IR, ir.B1, in.Key.From}], d, in, in.Key.Aux&1 != 0, o)
	m.storeMask(in.Defs[0], d)
}
