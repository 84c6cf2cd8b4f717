package interp

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// TestLoops checks the handler of every operation with a value function against the row of
// package ir: all types, both rounding modes, random and special operands. Lanes that are not
// active stay.
func TestLoops(t *testing.T) {
	const lanes, untouched = 64, 0x5a5a
	r := rand.New(rand.NewPCG(1, 2))
	p := &ir.Program{LocalSize: [3]uint32{lanes, 1, 1}, SubgroupSize: lanes}
	s := newWorker(&program{p: p, code: &code{regs: 5}}).subs[0]
	for op := ir.Const; op.String() != "op?"; op++ {
		row := op.Row()
		if row.Eval == nil {
			continue
		}
		for _, x := range signatures(op) {
			for range 4 {
				for lane := range lanes {
					s.reg(1)[lane] = untouched
					for i := range 3 {
						s.reg(2 + i)[lane] = someBits(r, x.operands[i])
					}
				}
				s.A = exec.Lanes{r.Uint64() | r.Uint64()}
				valueHandler(x.key)(s, &inst{op: op, key: x.key, eval: row.Eval, dst: 1, x: 2, y: 3, z: 4})
				for lane := range lanes {
					a, b, c, got := s.reg(2)[lane], s.reg(3)[lane], s.reg(4)[lane], s.reg(1)[lane]
					want := uint64(untouched)
					if s.A.Has(uint32(lane)) {
						want = row.Eval(x.key, a, b, c)
					}
					if w := x.key.Type.Bits(); op.Is(ir.Rounds) && scalar.IsNaN(w, got) && scalar.IsNaN(w, want) {
						continue // the bits of a rounded NaN are open
					}
					if got != want {
						t.Fatalf("%s %+v of %#x, %#x, %#x is %#x, want %#x", op, x.key, a, b, c, got, want)
					}
				}
			}
		}
	}
}

// signature is a use of an operation.
type signature struct {
	key      ir.Key
	operands [3]ir.Type
}

// signatures returns the uses of an operation with all types that it has, with and without RTZ.
func signatures(op ir.Op) (list []signature) {
	row := op.Row()
	for t := ir.B1; t <= ir.H; t++ {
		for from := ir.B1; from <= ir.H; from++ {
			if row.On != 0 && !row.On.Has(t) || row.On.Source() != 0 && !row.On.Source().Has(from) {
				continue
			}
			types := map[byte]ir.Type{'T': t, 'S': from, 'b': ir.B1, 'i': ir.I32}
			x := signature{key: ir.Key{Type: types[row.Sig[0]], Aux: 12}}
			for i := range row.Sig[2:] {
				x.operands[i] = types[row.Sig[2+i]]
			}
			x.key.From = x.operands[0]
			list = append(list, x)
			if op.Is(ir.Rounds) {
				x.key.Flags = ir.RTZ
				list = append(list, x)
			}
			if row.On.Source() == 0 {
				break // from has no part
			}
		}
	}
	return list
}

// someBits returns random bits, small numbers, or numbers around a power of two of a type.
func someBits(r *rand.Rand, t ir.Type) uint64 {
	x := r.Uint64()
	switch r.IntN(4) {
	case 0:
		x &= 7
	case 1:
		x = 1<<(x&63) - x>>62
	case 2:
		x |= ^uint64(0) << (x & 63)
	}
	return x & t.Mask()
}
