package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Packed integers (PTX ISA, "Packed Integer Data Types"): two of 16 or four of 8 bits in a register of 32, the first one lowest.

// packedIntegers are the types and the bits of an element.
var packedIntegers = map[string]uint32{".u16x2": 16, ".s16x2": 16, ".u8x4": 8, ".s8x4": 8}

// eachPacked emits an operation on the elements of n operands. f gets them as numbers of 32 bits, extended by the type, and returns a number
// with the bits of the result lowest.
func (e *emitter) eachPacked(n int, f func(x []ir.V) ir.V) {
	t := e.typ(0)
	bits, op := packedIntegers[t], ir.BitFieldU
	if isSigned(t) {
		op = ir.BitFieldS
	}
	words := e.args(n, ir.I32)
	v := e.b.I32(0)
	for at := uint32(0); at < 32; at += bits {
		x := e.each(words, func(w ir.V) ir.V { return e.b.Op(op, ir.I32, w, e.b.I32(at), e.b.I32(bits)) })
		v = e.inserted(v, f(x), field{at, bits})
	}
	e.result(v)
}

// packedSum emits add or sub, clamped to the type with .sat.
func (e *emitter) packedSum(op ir.Op) {
	t := e.typ(0)
	bits := packedIntegers[t]
	least, most := uint32(0), uint32(1)<<bits-1
	if isSigned(t) {
		least, most = -(uint32(1) << (bits - 1)), uint32(1)<<(bits-1)-1
	}
	e.eachPacked(2, func(x []ir.V) ir.V {
		v := e.b.Op(op, ir.I32, x...)
		if e.in.Has(".sat") {
			v = e.b.Op(ir.SMin, ir.I32, e.b.Op(ir.SMax, ir.I32, v, e.b.I32(least)), e.b.I32(most))
		}
		return v
	})
}

// setPacked emits set of packed integers: all ones in each element of which the comparison holds, else 0.
func (e *emitter) setPacked(cmp string) {
	e.eachPacked(2, func(x []ir.V) ir.V {
		return e.b.Select(e.integersCompared(cmp, e.typ(0), x[0], x[1]), e.b.I32(^uint32(0)), e.b.I32(0))
	})
}
