package oracle

import (
	"math"
	"math/big"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/precision"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// arithmetic reports whether an instruction has no effect but its result: those with a row of one operation or of the table of
// precision, the conversions, and extended instructions.
func arithmetic(op spirv.Op) bool {
	if _, ok := direct.Lookup(op); ok {
		return true
	}
	if _, ok := precision.Find(op.String()); ok {
		return true
	}
	switch op {
	case spirv.OpExtInst, spirv.OpUndef, spirv.OpSMod, spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended, spirv.OpAny, spirv.OpAll, spirv.OpIsNan, spirv.OpIsInf,
		spirv.OpBitcast, spirv.OpBitFieldInsert, spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic,
		spirv.OpFConvert, spirv.OpSConvert, spirv.OpUConvert, spirv.OpConvertFToS, spirv.OpConvertFToU, spirv.OpConvertSToF, spirv.OpConvertUToF,
		spirv.OpCopyLogical, spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		return true
	}
	return false
}

// arithmetic executes an arithmetic instruction; false if its result is not known.
func (x *frame) arithmetic(in spirv.Inst, t *facts.Type, i int) (value, bool) {
	op := in.Op()
	if op == spirv.OpExtInst {
		return x.extended(in, t, i)
	}
	var args []value
	var types []*facts.Type
	if !arithmetic(op) || len(in) < 4 {
		return value{}, false
	}
	for _, k := range in[3:] {
		of := x.m.TypeOf(spirv.ID(k))
		if of == nil {
			return value{}, false
		}
		args, types = append(args, x.value(spirv.ID(k))), append(types, of)
	}
	switch op {
	case spirv.OpSelect:
		return selected(t, args)
	case spirv.OpBitcast:
		return bitcast(t, types[0], args[0])
	case spirv.OpConvertSToF, spirv.OpConvertUToF:
		return fromInts(t, types[0], args[0], op == spirv.OpConvertSToF, i)
	case spirv.OpConvertFToS, spirv.OpConvertFToU:
		return toInts(t, args[0])
	case spirv.OpAny, spirv.OpAll:
		return logical(args[0], op == spirv.OpAll), true
	}
	if t.Scalar().IsFloat() && types[0].Scalar().IsFloat() {
		if v, ok := x.fast(op, t, args, i); ok {
			return v, true
		}
		name := op.String()
		if op == spirv.OpFConvert {
			name += " to " + map[uint32]string{16: "16", 32: "32", 64: "64"}[t.Scalar().Width]
		}
		return x.floats(name, t, types, args, i)
	}
	if types[0].Scalar().IsFloat() {
		return x.compared(op, t, types[0].Scalar(), args)
	}
	return integers(op, t, types, args)
}

// extended executes an instruction of GLSL.std.450.
func (x *frame) extended(in spirv.Inst, t *facts.Type, i int) (value, bool) {
	row := x.m.ExtSet(spirv.ID(in[3])).Inst(in[4])
	if row == nil || x.m.ExtSet(spirv.ID(in[3])).String() != "GLSL.std.450" {
		return value{}, false
	}
	var args []value
	var types []*facts.Type
	for _, k := range in[5:] {
		of := x.m.TypeOf(spirv.ID(k))
		if of.IsPointer() { // of Modf and Frexp, which store a result
			to := x.pointer(spirv.ID(k))
			any, ok := anyOf(to.pointee, i+1)
			if !ok {
				x.undecided("%s, which stores a result", row.Name())
			}
			x.store(to, any)
			return value{}, false
		}
		args, types = append(args, x.value(spirv.ID(k))), append(types, of)
	}
	switch {
	case row.Name() == "UnpackHalf2x16":
		return unpackHalf(args[0].leaves[0]), true
	case len(args) > 0 && types[0].Scalar().IsInt():
		return byTable(row.Name(), t, 1, args...)
	}
	if !t.Scalar().IsFloat() || len(args) == 0 || !types[0].Scalar().IsFloat() {
		return value{}, false
	}
	return x.floats(row.Name(), t, types, args, i)
}

// fast executes an instruction on components of 32 bits by the function fast, if it has all of them.
func (x *frame) fast(op spirv.Op, t *facts.Type, args []value, i int) (value, bool) {
	if t.Scalar().Width != 32 || x.preserve[32] || len(args) > 2 {
		return value{}, false
	}
	v := value{leaves: make([]Number, len(args[0].leaves))}
	var list [2]precision.Range
	for c := range v.leaves {
		for k, a := range args {
			if c >= len(a.leaves) || a.leaves[c].Any {
				return value{}, false
			}
			list[k] = precision.Range{Low: a.leaves[c].Low, High: a.leaves[c].High}
		}
		r, ok := fast(op, list[:len(args)])
		if !ok {
			return value{}, false
		}
		v.leaves[c] = Number{Low: r.Low, High: r.High, At: i + 1}
	}
	n, ok := count(t)
	return v, ok && n == len(v.leaves)
}

// floats executes an instruction with the table of permitted errors.
func (x *frame) floats(name string, t *facts.Type, types []*facts.Type, args []value, i int) (value, bool) {
	n, ok := count(t)
	if !ok {
		return value{}, false
	}
	width := types[0].Scalar().Width
	var operands [][]precision.Range
	for k, a := range args {
		var list []precision.Range
		of := types[k].Scalar()
		for _, l := range a.leaves {
			switch {
			case l.Any:
				return value{}, false
			case of.IsInt(): // the exponent of Ldexp
				v := int64(l.Bits<<(64-of.Width)) >> (64 - of.Width)
				list = append(list, precision.Range{Low: float64(v), High: float64(v)})
			default:
				list = append(list, precision.Range{Low: l.Low, High: l.High})
			}
		}
		if types[k].IsMatrix() {
			rows := types[k].Rows()
			for c := range types[k].Columns() {
				operands = append(operands, list[c*rows:(c+1)*rows])
			}
			continue
		}
		operands = append(operands, list)
	}
	sets, err := precision.Between(x.ctx, precision.Query{Instruction: name, Bits: int(width), PreserveDenormals: x.preserve[width]}, operands)
	if x.ctx.Err() != nil {
		panic(stop{err: x.ctx.Err()})
	}
	if err != nil || len(sets) != n {
		return value{}, false
	}
	v := value{leaves: make([]Number, n)}
	for k := range sets {
		v.leaves[k] = ofSet(&sets[k])
		if name == "Atan2" && k < len(args[0].leaves) && k < len(args[1].leaves) {
			v.leaves[k].eitherSide(&args[0].leaves[k], &args[1].leaves[k])
		}
		v.leaves[k].At = i + 1
	}
	return v, true
}

// eitherSide adds the other end of the angles to the angle of y and x if y may be 0 and x negative: the sign of a zero is not significant for
// an extended instruction (Vulkan, "Precision and Operation of SPIR-V Instructions", NSZ).
func (n *Number) eitherSide(y, x *Number) {
	if !n.Any && y.Low <= 0 && y.High >= 0 && x.Low < 0 {
		n.High = max(math.Abs(n.Low), math.Abs(n.High))
		n.Low = -n.High
	}
}

// evaluator computes operations of integers as constants are folded.
type evaluator struct{}

func (evaluator) Const(_ ir.Type, bits uint64) uint64 { return bits }

func (evaluator) Make(op ir.Op, t, from ir.Type, x, y, z uint64) uint64 {
	return op.Row().Eval(ir.Key{Type: t, From: from}, x, y, z)
}

// integers executes an instruction that is one operation for each component.
func integers(op spirv.Op, t *facts.Type, types []*facts.Type, args []value) (value, bool) {
	row, ok := direct.Lookup(op)
	n, fits := count(t)
	if !ok || !fits {
		return value{}, false
	}
	v := value{leaves: make([]Number, n)}
	for c := range v.leaves {
		var list []direct.Operand[uint64]
		any := false
		for k, a := range args {
			if c >= len(a.leaves) {
				return value{}, false
			}
			any = any || a.leaves[c].Any
			list = append(list, direct.Operand[uint64]{Value: a.leaves[c].Bits, Type: facts.Lane(types[k].Scalar())})
		}
		if any || undefined(op, list) {
			v.leaves[c].Any = true
			continue
		}
		bits, ok := direct.Apply[uint64](evaluator{}, row, facts.Lane(t.Scalar()), list...)
		if !ok {
			return value{}, false
		}
		v.leaves[c].Bits = bits
	}
	return v, true
}

// undefined reports whether the result for some integers is not defined.
func undefined(op spirv.Op, list []direct.Operand[uint64]) bool {
	if len(list) < 2 {
		return false
	}
	width := uint64(list[0].Type.Size()) * 8
	switch op {
	case spirv.OpUDiv, spirv.OpUMod:
		return list[1].Value == 0
	case spirv.OpSDiv, spirv.OpSRem, spirv.OpSMod:
		negative := func(x uint64) bool { return x>>(width-1)&1 == 1 }
		least := list[0].Value == 1<<(width-1) && list[1].Value == list[1].Type.Mask()
		return list[1].Value == 0 || least || op != spirv.OpSDiv && (negative(list[0].Value) || negative(list[1].Value))
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
		return list[1].Value >= width
	case spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		return len(list) < 3 || list[1].Value > width || list[2].Value > width-list[1].Value
	}
	return false
}

// compared executes a comparison of floats. Its outcome is known if it is the same for all values in the ranges. A denormal operand may
// be flushed to 0, and an implementation may assume that no operand is infinite.
func (x *frame) compared(op spirv.Op, t, of *facts.Type, args []value) (value, bool) {
	n, ok := count(t)
	if !ok || !t.Scalar().IsBool() || len(args) != 2 {
		return value{}, false
	}
	v := value{leaves: make([]Number, n)}
	for c := range v.leaves {
		a, b, out := x.flushed(of, args[0].leaves[c]), x.flushed(of, args[1].leaves[c]), &v.leaves[c]
		if a.Any || b.Any || !x.infinite[of.Width] && (a.infinite() || b.infinite()) {
			out.Any = true
			continue
		}
		yes, no := false, false
		switch op {
		case spirv.OpFOrdLessThan, spirv.OpFUnordLessThan:
			yes, no = a.High < b.Low, a.Low >= b.High
		case spirv.OpFOrdLessThanEqual, spirv.OpFUnordLessThanEqual:
			yes, no = a.High <= b.Low, a.Low > b.High
		case spirv.OpFOrdGreaterThan, spirv.OpFUnordGreaterThan:
			yes, no = a.Low > b.High, a.High <= b.Low
		case spirv.OpFOrdGreaterThanEqual, spirv.OpFUnordGreaterThanEqual:
			yes, no = a.Low >= b.High, a.High < b.Low
		case spirv.OpFOrdEqual, spirv.OpFUnordEqual:
			yes, no = a.isPoint() && b.isPoint() && a.Low == b.Low, a.High < b.Low || b.High < a.Low
		case spirv.OpFOrdNotEqual, spirv.OpFUnordNotEqual:
			no, yes = a.isPoint() && b.isPoint() && a.Low == b.Low, a.High < b.Low || b.High < a.Low
		default:
			return value{}, false
		}
		if out.Any = !yes && !no; yes {
			out.Bits = 1
		}
	}
	return v, true
}

// flushed returns an operand or a result with 0 if it may be denormal, unless the entry point preserves denormals.
func (x *frame) flushed(t *facts.Type, n Number) Number {
	least := map[uint32]float64{16: 0x1p-14, 32: 0x1p-126, 64: 0x1p-1022}[t.Width]
	if n.Any || !t.IsFloat() || x.preserve[t.Width] || n.Low >= least || n.High <= -least {
		return n
	}
	n.Low, n.High = min(n.Low, 0), max(n.High, 0)
	return n
}

// selected is OpSelect.
func selected(t *facts.Type, args []value) (value, bool) {
	v := value{leaves: make([]Number, len(args[1].leaves))}
	k := 0
	ok := scalars(t, func(s *facts.Type) {
		c := args[0].leaves[min(k, len(args[0].leaves)-1)]
		a, b := args[1].leaves[k], args[2].leaves[k]
		switch {
		case c.Any:
			v.leaves[k] = hull(s, a, b)
		case c.Bits != 0:
			v.leaves[k] = a
		default:
			v.leaves[k] = b
		}
		k++
	})
	return v, ok
}

// logical is OpAny, or OpAll.
func logical(a value, all bool) value {
	out, open := all, false
	for _, l := range a.leaves {
		switch {
		case l.Any:
			open = true
		case (l.Bits != 0) != all:
			return value{leaves: []Number{{Bits: bit(!all)}}}
		}
	}
	return value{leaves: []Number{{Any: open, Bits: bit(out)}}}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// bitcast is OpBitcast.
func bitcast(t, from *facts.Type, a value) (value, bool) {
	s, f := t.Scalar(), from.Scalar()
	if s == nil || f == nil {
		return value{}, false
	}
	if s.Width != f.Width {
		return recast(s, f, a)
	}
	v := value{leaves: make([]Number, len(a.leaves))}
	for k := range a.leaves {
		if bits, ok := a.leaves[k].bits(f); ok {
			v.leaves[k] = ofBits(s, bits)
		} else if s.IsFloat() && f.IsFloat() {
			v.leaves[k] = a.leaves[k]
		} else {
			v.leaves[k].Any = true
		}
	}
	return v, true
}

// recast is OpBitcast of components to others of another width: the first ones have the low-order bits.
func recast(s, f *facts.Type, a value) (v value, ok bool) {
	if s.Width > f.Width {
		per := int(s.Width / f.Width)
		for k := 0; k+per <= len(a.leaves); k += per {
			whole, known := uint64(0), true
			for i := range per {
				part, ok := a.leaves[k+i].bits(f)
				whole, known = whole|part<<(uint(i)*uint(f.Width)), known && ok
			}
			v.leaves = append(v.leaves, Number{Any: true})
			if known {
				v.leaves[len(v.leaves)-1] = ofBits(s, whole)
			}
		}
		return v, true
	}
	for k := range a.leaves {
		whole, known := a.leaves[k].bits(f)
		for at := uint32(0); at < f.Width; at += s.Width {
			v.leaves = append(v.leaves, Number{Any: true})
			if known {
				v.leaves[len(v.leaves)-1] = ofBits(s, whole>>at&(^uint64(0)>>(64-s.Width)))
			}
		}
	}
	return v, true
}

// fromInts converts integers to floats, correctly rounded in either direction.
func fromInts(t, from *facts.Type, a value, signed bool, i int) (value, bool) {
	s, f := t.Scalar(), from.Scalar()
	digits := map[uint32]uint{16: 11, 32: 24, 64: 53}[s.Width]
	v := value{leaves: make([]Number, len(a.leaves))}
	for k, l := range a.leaves {
		if l.Any || digits == 0 || s.Width == 16 && f.Width > 8 { // it may be beyond the greatest number of 16 bits
			v.leaves[k].Any = true
			continue
		}
		x := new(big.Int).SetUint64(l.Bits)
		if signed {
			x.SetInt64(int64(l.Bits<<(64-f.Width)) >> (64 - f.Width))
		}
		end := func(mode big.RoundingMode) float64 {
			r, _ := new(big.Float).SetPrec(digits).SetMode(mode).SetInt(x).Float64()
			return r
		}
		v.leaves[k] = Number{Low: end(big.ToNegativeInf), High: end(big.ToPositiveInf), At: i + 1}
	}
	return v, true
}

// toInts converts floats to integers, toward zero. A result that the type does not have is not defined.
func toInts(t *facts.Type, a value) (value, bool) {
	s := t.Scalar()
	low, high := 0.0, math.Ldexp(1, int(s.Width))
	if s.Signed {
		low, high = -high/2, high/2
	}
	v := value{leaves: make([]Number, len(a.leaves))}
	for k, l := range a.leaves {
		x, y := math.Trunc(l.Low), math.Trunc(l.High)
		if l.Any || x != y || x < low || x >= high {
			v.leaves[k].Any = true
			continue
		}
		if x < 0 {
			v.leaves[k].Bits = uint64(int64(x)) & (^uint64(0) >> (64 - s.Width))
		} else {
			v.leaves[k].Bits = uint64(x)
		}
	}
	return v, true
}
