package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// sum is the atomics that have changed a number: all of one operation whose order has no effect, except for the rounding
// of floats.
type sum struct {
	op        spirv.Op // 0 for none
	base      owner    // of the value before the first one
	mixed     bool     // of several operations, or with stores that are not ordered to all of them
	terms     int
	absolute  float64 // sum of the absolute values of the terms and of the first value
	low, high float64 // exact sums of the ends
}

// stored returns the number after a store. A store that is not ordered to the stores before leaves either value, and after an atomic
// any value.
func (s *sum) stored(t *facts.Type, before, n Number, ordered bool) Number {
	switch {
	case ordered:
		*s = sum{}
	case s.op != 0:
		s.mixed, n.Any = true, true
	default:
		n = hull(t, before, n)
	}
	return n
}

// commutative are the atomics of integers whose order has no effect on the last value.
var commutative = map[spirv.Op]ir.Op{
	spirv.OpAtomicIAdd: ir.Add, spirv.OpAtomicISub: ir.Sub, spirv.OpAtomicIIncrement: ir.Add, spirv.OpAtomicIDecrement: ir.Sub,
	spirv.OpAtomicAnd: ir.And, spirv.OpAtomicOr: ir.Or, spirv.OpAtomicXor: ir.Xor,
	spirv.OpAtomicSMin: ir.SMin, spirv.OpAtomicSMax: ir.SMax, spirv.OpAtomicUMin: ir.UMin, spirv.OpAtomicUMax: ir.UMax,
}

// replacing are the atomics that put a value in the place of the number. It is any value afterwards.
var replacing = map[spirv.Op]bool{spirv.OpAtomicStore: true, spirv.OpAtomicExchange: true, spirv.OpAtomicCompareExchange: true}

// atomic executes an atomic; false if the instruction is none. Its value is any, because the order of atomics is open.
func (x *frame) atomic(in spirv.Inst, i int) bool {
	op := in.Op()
	integer, ok := commutative[op]
	float := op == spirv.OpAtomicFAddEXT || op == spirv.OpAtomicFMinEXT || op == spirv.OpAtomicFMaxEXT
	at := 3
	switch {
	case op == spirv.OpAtomicLoad:
		x.vals[in.Result()] = open(x.load(x.pointer(spirv.ID(in[3])), i+1))
		return true
	case op == spirv.OpAtomicStore:
		at = 1
	case !ok && !float && !replacing[op]:
		return false
	}
	p := x.pointer(spirv.ID(in[at]))
	if p.buffer == nil && p.local.owners == nil {
		x.undecided("%s on memory of one invocation", op)
	}
	operand := Number{Bits: 1}
	switch {
	case replacing[op]:
		operand = Number{Any: true}
	case len(in) > 6:
		operand = x.value(spirv.ID(in[6])).leaves[0]
	}
	if in.Result() != 0 {
		x.vals[in.Result()] = value{leaves: []Number{{Any: true, At: i + 1}}}
	}
	if p.lost && p.buffer == nil {
		x.undecided("an atomic on workgroup memory by an index that is open or out of range")
	}
	number, o, s, epoch := x.place(p)
	if number == nil {
		if p.lost {
			x.storeOutside(p.buffer)
		} else {
			x.storeBeyond(p.buffer, p.offset)
		}
		return true
	}
	prior := *o
	if o.write(x.machine, epoch) && s.op != op {
		*s = sum{}
	}
	first := s.op == 0
	if first {
		s.op, s.base = op, prior
	}
	s.mixed = s.mixed || s.op != op || !s.base.ordered(x.machine, epoch)
	switch before := *number; {
	case s.mixed || operand.Any || before.Any:
		*number = Number{Any: true}
	case float:
		*number = x.flushed(p.pointee, s.float(p.pointee, first, before, operand))
	default:
		t := facts.Lane(p.pointee)
		*number = Number{Bits: evaluator{}.Make(integer, t, t, before.Bits, operand.Bits, 0) & t.Mask()}
	}
	number.At = i + 1
	return true
}

// place returns the location of an atomic; a nil number if it is not in its buffer.
func (x *frame) place(p *pointer) (*Number, *owner, *sum, uint64) {
	if p.local != nil {
		return &p.local.leaves[p.leaf], &p.local.owners[p.leaf], &p.local.sums[p.leaf], x.group.epoch
	}
	if p.lost {
		return nil, nil, nil, 0
	}
	c := x.cellAt(p.buffer, p.offset, p.pointee)
	if c == nil {
		return nil, nil, nil, 0
	}
	return &c.number, &c.owner, &c.sum, x.group.buffers
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
	e := float64(float64(s.terms)*unit*(1+float64(float64(s.terms)*math.Ldexp(1, -digits)))) + float64(s.absolute*0x1p-40)
	return Number{Low: s.low - e, High: s.high + e}
}
