package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// sum is the atomics that have changed a number of a buffer: all of one operation whose order has no effect, except for the rounding
// of floats.
type sum struct {
	op        spirv.Op // 0 for none
	mixed     bool     // of several operations
	terms     int
	absolute  float64 // sum of the absolute values of the terms and of the first value
	low, high float64 // exact sums of the ends
}

// commutative are the atomics of integers whose order has no effect on the last value.
var commutative = map[spirv.Op]ir.Op{
	spirv.OpAtomicIAdd: ir.Add, spirv.OpAtomicISub: ir.Sub, spirv.OpAtomicIIncrement: ir.Add, spirv.OpAtomicIDecrement: ir.Sub,
	spirv.OpAtomicAnd: ir.And, spirv.OpAtomicOr: ir.Or, spirv.OpAtomicXor: ir.Xor,
	spirv.OpAtomicSMin: ir.SMin, spirv.OpAtomicSMax: ir.SMax, spirv.OpAtomicUMin: ir.UMin, spirv.OpAtomicUMax: ir.UMax,
}

// atomic executes an atomic read-modify-write on a buffer; false if the instruction is none. Its value is any, because the order of
// atomics is open.
func (x *frame) atomic(in spirv.Inst, i int) bool {
	op := in.Op()
	integer, ok := commutative[op]
	float := op == spirv.OpAtomicFAddEXT || op == spirv.OpAtomicFMinEXT || op == spirv.OpAtomicFMaxEXT
	if !ok && !float {
		return false
	}
	p := x.pointer(spirv.ID(in[3]))
	if p.buffer == nil {
		x.undecided("%s on other memory than a buffer", op)
	}
	operand := Number{Bits: 1}
	if len(in) > 6 {
		operand = x.value(spirv.ID(in[6])).leaves[0]
	}
	x.vals[in.Result()] = value{leaves: []Number{{Any: true, At: i + 1}}}
	if p.lost {
		p.buffer.any = true
		return true
	}
	c := x.cellAt(p.buffer, p.offset, p.pointee)
	if c == nil {
		p.buffer.any = true
		return true
	}
	if c.reader != 0 && c.reader != x.invocation && (c.readerGroup != x.group.number || c.readEpoch == x.group.buffers) {
		x.undecided("an atomic on a location that another invocation loads")
	}
	s := &c.sum
	s.mixed = s.mixed || s.op != 0 && s.op != op || s.op == 0 && c.writer != 0 && c.writer != x.invocation
	first := s.op == 0
	s.op = op
	c.writer, c.writerGroup = shared, shared
	switch before := c.number; {
	case s.mixed || operand.Any || before.Any:
		c.number = Number{Any: true}
	case float:
		c.number = s.float(p.pointee, first, before, operand)
	default:
		t := facts.Lane(p.pointee)
		c.number = Number{Bits: evaluator{}.Make(integer, t, t, before.Bits, operand.Bits, 0) & t.Mask()}
	}
	c.number.At = i + 1
	return true
}

// float returns the permitted values after one more term of a float.
func (s *sum) float(t *facts.Type, first bool, before, term Number) Number {
	switch s.op {
	case spirv.OpAtomicFMinEXT:
		return Number{Low: min(before.Low, term.Low), High: min(before.High, term.High)}
	case spirv.OpAtomicFMaxEXT:
		return Number{Low: max(before.Low, term.Low), High: max(before.High, term.High)}
	}
	greatest := func(n Number) float64 { return max(math.Abs(n.Low), math.Abs(n.High)) }
	if first {
		s.low, s.high, s.absolute = before.Low, before.High, greatest(before)
	}
	s.terms++
	s.low, s.high, s.absolute = s.low+term.Low, s.high+term.High, s.absolute+greatest(term)
	digits, most := map[uint32]int{16: 10, 32: 23}[t.Width], map[uint32]float64{16: 65504, 32: math.MaxFloat32}[t.Width]
	if digits == 0 || s.absolute > most/2 {
		return Number{Any: true}
	}
	// Each partial sum, in any order, is at most absolute, and is rounded by at most one unit in its last place; denormal results may
	// be flushed. The last term is for the roundings here.
	unit := math.Ldexp(s.absolute, -digits) + math.Ldexp(1, map[uint32]int{16: -14, 32: -126}[t.Width])
	e := float64(s.terms)*unit*(1+float64(s.terms)*math.Ldexp(1, -digits)) + s.absolute*0x1p-40
	return Number{Low: s.low - e, High: s.high + e}
}
