package oracle

import (
	"fmt"
	"math/big"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/precision"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// exact executes an instruction on integers and bits that has one result and is more than one operation for each component; false if it is
// none, or if an operand that must be known is open.
func (x *frame) exact(in spirv.Inst, t *facts.Type) (value, bool) {
	arg := func(k int) value { return x.value(spirv.ID(in[k])) }
	switch op := in.Op(); op {
	case spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended:
		return byTable(op.String(), x.m.TypeOf(spirv.ID(in[3])), 2, arg(3), arg(4))
	case spirv.OpBitFieldInsert:
		return byTable(op.String(), t, 1, arg(3), arg(4), arg(5), arg(6))
	case spirv.OpVectorInsertDynamic:
		into, k := arg(3).leaves, arg(5).leaves[0]
		if k.Any || k.Bits >= uint64(len(into)) {
			return value{}, false
		}
		v := value{leaves: append([]Number(nil), into...)}
		v.leaves[k.Bits] = arg(4).leaves[0]
		return v, true
	case spirv.OpIsNan, spirv.OpIsInf:
		return isSpecial(arg(3)), true
	case spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		return x.integerDot(in, t)
	}
	return value{}, false
}

// byTable executes an instruction of precision's table of integers, component by component, on operands of the width of t. A result is of
// one scalar, or of a structure with some members. Operands of one scalar go with each component. It returns false if the table does not
// have the instruction.
func byTable(name string, t *facts.Type, members int, args ...value) (value, bool) {
	row, ok := precision.FindInteger(name)
	if !ok || len(row.In) != len(args) {
		return value{}, false
	}
	width, n := int(t.Scalar().Width), len(args[0].leaves)
	v := value{leaves: make([]Number, members*n)}
	for c := range n {
		q := precision.IntegerQuery{Instruction: name, Bits: width}
		open := false
		for k, a := range args {
			l := a.leaves[min(c, len(a.leaves)-1)]
			open = open || l.Any
			q.Operands = append(q.Operands, []*big.Int{integerOf(l, row.OperandKind(k), width)})
		}
		list, err := precision.AllowedIntegers(q)
		if err != nil {
			return value{}, false
		}
		for m := range members {
			v.leaves[m*n+c] = ofInteger(list, m, row.ResultBits(width), open)
		}
	}
	return v, true
}

// integerOf returns the value of a number that is an integer.
func integerOf(n Number, kind precision.Kind, width int) *big.Int {
	return precision.Wrap(new(big.Int).SetUint64(n.Bits), kind, width)
}

// ofInteger returns a number with the bits of result k: any if it is not defined, or if an operand is open.
func ofInteger(list []*big.Int, k, width int, open bool) Number {
	if open || k >= len(list) || list[k] == nil {
		return Number{Any: true}
	}
	return Number{Bits: precision.Wrap(list[k], precision.Unsigned, width).Uint64()}
}

// isSpecial is OpIsNan or OpIsInf: false for a number with finite bounds, else open.
func isSpecial(a value) value {
	v := value{leaves: make([]Number, len(a.leaves))}
	for k := range a.leaves {
		v.leaves[k].Any = a.leaves[k].Any || a.leaves[k].infinite()
	}
	return v
}

// integerDot is a dot product of integers.
func (x *frame) integerDot(in spirv.Inst, t *facts.Type) (value, bool) {
	name := fmt.Sprintf("%v to %d", in.Op(), t.Width)
	row, ok := precision.FindInteger(name)
	if !ok {
		return value{}, false
	}
	q := precision.IntegerQuery{Instruction: name}
	for k := range row.In {
		list, width := x.packed(spirv.ID(in[3+k]), k < 2)
		var of []*big.Int
		for _, l := range list {
			if l.Any {
				return value{}, false
			}
			of = append(of, integerOf(l, row.OperandKind(k), width))
		}
		q.Operands = append(q.Operands, of)
		if k == 0 {
			q.Bits = width
		}
	}
	list, err := precision.AllowedIntegers(q)
	return value{leaves: []Number{ofInteger(list, 0, row.ResultBits(q.Bits), err != nil)}}, true
}

// packed returns the components of an operand of a dot product, and their width: of a vector, or four of 8 bits in an integer. The
// accumulator is an integer that is not packed.
func (x *frame) packed(id spirv.ID, vector bool) (list []Number, width int) {
	t, v := x.m.TypeOf(id), x.value(id)
	if t.IsVector() || !vector {
		return v.leaves, int(t.Scalar().Width)
	}
	for k := range 4 {
		list = append(list, Number{Any: v.leaves[0].Any, Bits: v.leaves[0].Bits >> (8 * k) & 0xff})
	}
	return list, 8
}

// unpackHalf is UnpackHalf2x16. A denormal number may be flushed.
func unpackHalf(n Number) value {
	v := value{leaves: make([]Number, 2)}
	for k := range v.leaves {
		b := n.Bits >> (16 * k) & 0xffff
		f := scalar.Float(16, b)
		switch {
		case n.Any || f != f:
			v.leaves[k].Any = true
		case b&0x7c00 == 0:
			v.leaves[k] = Number{Low: min(f, 0), High: max(f, 0)}
		default:
			v.leaves[k] = point(f)
		}
	}
	return v
}
