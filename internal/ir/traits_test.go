package ir_test

import (
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestAlgebra checks the algebraic traits of operations against their values.
func TestAlgebra(t *testing.T) {
	tested := 0
	for o := ir.Const; o.String() != "op?"; o++ {
		row := o.Row()
		if row.Traits&(ir.Commute|ir.Idempotent|ir.ZeroNeutral) == 0 || row.Eval == nil {
			continue
		}
		for _, typ := range []ir.Type{ir.B1, ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64} {
			if !row.On.Has(typ) {
				continue
			}
			tested++
			k := ir.Key{Type: typ, From: typ}
			if row.Sig[0] == 'b' {
				k.Type = ir.B1
			}
			for _, p := range pairs(typ) {
				x, y := p[0], p[1]
				if o.Is(ir.Commute) && row.Eval(k, x, y, 0) != row.Eval(k, y, x, 0) {
					t.Fatalf("%s.%s is not commutative for %#x, %#x", o, typ, x, y)
				}
				if got := row.Eval(k, x, x, 0); o.Is(ir.Idempotent) && got != x {
					t.Fatalf("%s.%s %#x, %#x is %#x; want the operand", o, typ, x, x, got)
				}
				if got := row.Eval(k, x, 0, 0); o.Is(ir.ZeroNeutral) && got != x {
					t.Fatalf("%s.%s %#x, 0 is %#x; want the first operand", o, typ, x, got)
				}
			}
		}
	}
	if tested == 0 {
		t.Error("no operation tested")
	}
}

// pairs returns pairs of operand bits of a type: all for small types, else those of
// special and random numbers.
func pairs(typ ir.Type) (list [][2]uint64) {
	numbers := []uint64{0, 1, 2, 1 << 31, 1 << 63, 1<<31 - 1, 1<<63 - 1, 1<<64 - 1, 0x7fc00000, 0x7e00, 0x7ff8 << 48, 0x7f800001, 0x3f800000}
	r := rand.New(rand.NewSource(1))
	for range 40 {
		numbers = append(numbers, r.Uint64())
	}
	if typ.Bits() <= 8 {
		numbers = numbers[:0]
		for x := range uint64(256) {
			numbers = append(numbers, x)
		}
	}
	for _, x := range numbers {
		for _, y := range numbers {
			list = append(list, [2]uint64{x & typ.Mask(), y & typ.Mask()})
		}
	}
	return list
}
