package oracle

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// relaxedLimit bounds the integers on which an operation of 16 bits and one of 32 bits have the same result, with any sign.
const relaxedLimit = 1 << 15

// looseModes are the fast-math modes that permit other results than the table of precision: AllowRecip, Fast, AllowReassoc,
// AllowTransform.
const looseModes = spirv.FPFastMathModeAllowRecipMask | spirv.FPFastMathModeFastMask | spirv.FPFastMathModeAllowReassocMask | spirv.FPFastMathModeAllowTransformMask

// readModes collects the execution modes that affect the permitted results.
func (d *dispatch) readModes() {
	d.decorated = d.m.Decorates(spirv.DecorationRelaxedPrecision) || d.m.Decorates(spirv.DecorationFPFastMathMode)
	for _, x := range d.job.Entry.Modes {
		if len(x.Operands) == 0 {
			continue
		}
		switch x.Kind {
		case spirv.ExecutionModeDenormPreserve:
			d.preserve[x.Operands[0]] = true
		case spirv.ExecutionModeSignedZeroInfNanPreserve:
			d.infinite[x.Operands[0]] = true
		case spirv.ExecutionModeFPFastMathDefault:
			if c := d.m.Const(spirv.ID(x.Operands[len(x.Operands)-1])); c != nil {
				d.modes[d.m.Type(spirv.ID(x.Operands[0]))] = spirv.FPFastMathMode(c.Bits)
				d.decorated = true
			}
		}
	}
}

// loose widens the result of an instruction by its decorations: RelaxedPrecision permits an operation of 16 to 32 bits, and some
// fast-math modes permit all that is equal in real numbers.
func (x *frame) loose(in spirv.Inst) {
	id := in.Result()
	v, ok := x.vals[id]
	if !ok || v.to != nil {
		return
	}
	t := x.m.TypeOf(id)
	op := in.Op()
	if x.fastMath(id, t) && (arithmetic(op) || isGroupOperation(op)) {
		x.vals[id] = open(v)
		return
	}
	if !x.m.Has(id, spirv.DecorationRelaxedPrecision) {
		return
	}
	if isGroupOperation(op) {
		x.vals[id] = open(v) // the values of other invocations may need more than 16 bits
		return
	}
	if v = relax(t, v); arithmetic(op) {
		for _, k := range in[3:] {
			of := x.m.TypeOf(spirv.ID(k))
			operand, ok := x.vals[spirv.ID(k)]
			if c := x.m.Const(spirv.ID(k)); !ok && c != nil {
				operand, ok = ofConst(c)
			}
			if ok && slices.ContainsFunc(relax(of, operand).leaves, func(n Number) bool { return n.Any }) {
				v = open(v)
			}
		}
		switch op {
		case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic, spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract,
			spirv.OpUMulExtended, spirv.OpSMulExtended:
			v = open(v) // the width is of 16 to 32 bits
		}
	}
	x.vals[id] = v
}

// fastMath reports whether an instruction has fast-math modes that permit other results: its own, or those of the entry point.
func (x *frame) fastMath(id spirv.ID, t *facts.Type) bool {
	if d, ok := x.m.Decoration(id, spirv.DecorationFPFastMathMode); ok {
		return spirv.FPFastMathMode(d.Literal())&looseModes != 0
	}
	return t != nil && t.Scalar() != nil && x.modes[t.Scalar()]&looseModes != 0
}

// relax returns the values that a number of relaxed precision may have: any, but for integers that have 16 bits.
func relax(t *facts.Type, v value) value {
	out := value{to: v.to, leaves: slices.Clone(v.leaves)}
	if t == nil {
		return out
	}
	k := 0
	scalars(t, func(s *facts.Type) {
		if k < len(out.leaves) && s.Width == 32 && (s.IsFloat() || s.IsInt() && out.leaves[k].Bits >= relaxedLimit) {
			out.leaves[k].Any = true
		}
		k++
	})
	return out
}

// open returns any value in place of v.
func open(v value) value {
	out := value{leaves: slices.Clone(v.leaves)}
	for k := range out.leaves {
		out.leaves[k].Any = true
	}
	return out
}
