package pass

import (
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestDivision evaluates quotients and remainders by constants, before and after
// the pass, with the table of operations.
func TestDivision(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	divisors := []uint64{1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 14, 25, 28, 100, 125, 625, 641, 1 << 16, 1<<16 + 1, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 2, 1<<32 - 1}
	for range 300 {
		divisors = append(divisors, uint64(r.Uint32()>>r.Intn(32)))
	}
	for _, op := range []ir.Op{ir.UDiv, ir.UMod, ir.SDiv, ir.SRem, ir.SMod, ir.Mul} {
		for _, d := range divisors {
			b := ir.NewFunc("f", []ir.Type{ir.I32}, []ir.Type{ir.I32})
			q := b.Op(op, ir.I32, b.Func.Args[0], b.I32(uint32(d)))
			b.Return(q)
			f := b.Finish()
			reduceStrength(nil, f)
			numbers := []uint64{0, 1, 2, 1<<31 - 1, 1 << 31, 1<<32 - 1, d, d - 1, d + 1, -d, -d - 1, 3 * d, 3*d - 1}
			for range 100 {
				numbers = append(numbers, uint64(r.Uint32()>>r.Intn(32)))
			}
			for _, x := range numbers {
				x &= 1<<32 - 1
				want := op.Row().Eval(ir.Key{Type: ir.I32, From: ir.I32}, x, d, 0)
				if got := evaluationOf(f).of(x); got != want {
					t.Fatalf("%v %d %d is %d; want %d\n%s", op, x, d, got, want, f)
				}
			}
		}
	}
}

// TestMinMax evaluates minima and maxima with constants, before and after the pass.
func TestMinMax(t *testing.T) {
	for typ, numbers := range map[ir.Type][]uint64{
		ir.F16: {0, 0x8000, 0x3c00, 0xbc00, 1, 0x8001, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe01},
		ir.F32: {0, 1 << 31, 0x3f800000, 0xbf800000, 1, 1<<31 + 1, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc00001},
		ir.F64: {0, 1 << 63, 0x3ff0000000000000, 0xbff0000000000000, 1, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001},
	} {
		for _, op := range []ir.Op{ir.NMin, ir.NMax} {
			for _, c := range numbers {
				for _, x := range numbers {
					for swap := range 2 {
						b := ir.NewFunc("f", []ir.Type{typ}, []ir.Type{typ})
						args := []ir.V{b.Func.Args[0], b.Const(typ, c)}
						values := []uint64{x, c}
						if swap == 1 {
							args[0], args[1], values = args[1], args[0], []uint64{c, x}
						}
						b.Return(b.Op(op, typ, args...))
						f := b.Finish()
						reduceStrength(nil, f)
						want := op.Row().Eval(ir.Key{Type: typ, From: typ}, values[0], values[1], 0)
						if got := evaluationOf(f).of(x); got != want {
							t.Fatalf("%v %v %#x %#x is %#x; want %#x\n%s", op, typ, values[0], values[1], got, want, f)
						}
					}
				}
			}
		}
	}
}

// evaluation is a function of one argument without control, prepared to be evaluated often.
type evaluation struct {
	arg, result ir.V
	vals        []uint64
	steps       []evaluationStep
}

// evaluationStep is an operation with its row's function.
type evaluationStep struct {
	eval ir.Eval
	key  ir.Key
	to   ir.V
	args [3]ir.V
}

// evaluationOf prepares a function.
func evaluationOf(f *ir.Func) *evaluation {
	e := &evaluation{arg: f.Args[0], vals: make([]uint64, len(f.Vals))}
	for v := range f.Vals {
		if f.Vals[v].Op == ir.Const {
			e.vals[v] = f.Vals[v].Aux
		}
	}
	for _, v := range f.Code {
		switch x := f.Val(v); {
		case x.Op == ir.Br:
			e.result = f.BrArgs(v)[0]
			return e
		case x.Op.Row().Eval != nil:
			e.steps = append(e.steps, evaluationStep{x.Op.Row().Eval, f.Key(v), v, [3]ir.V(x.Args[:3])})
		}
	}
	return e
}

// of evaluates the function of x.
func (e *evaluation) of(x uint64) uint64 {
	e.vals[e.arg] = x
	for i := range e.steps {
		s := &e.steps[i]
		e.vals[s.to] = s.eval(s.key, e.vals[s.args[0]], e.vals[s.args[1]], e.vals[s.args[2]])
	}
	return e.vals[e.result]
}

// TestNarrow evaluates the low halves of random expressions of 64 bits, before and after the pass.
func TestNarrow(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		b := ir.NewFunc("f", []ir.Type{ir.I32}, []ir.Type{ir.I32})
		list := []ir.V{b.Op(ir.ZExt, ir.I64, b.Func.Args[0]), b.Op(ir.SExt, ir.I64, b.Func.Args[0]), b.Const(ir.I64, r.Uint64())}
		any := func() ir.V { return list[r.Intn(len(list))] }
		last := any()
		for range r.Intn(5) {
			if r.Intn(4) == 0 {
				last = b.Op(ir.Shl, ir.I64, any(), b.Const(ir.I64, uint64(r.Intn(40))))
			} else {
				last = b.Op([]ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.LShr}[r.Intn(7)], ir.I64, any(), any())
			}
			list = append(list, last)
		}
		b.Return(b.Op(ir.Trunc, ir.I32, last))
		f := b.Finish()
		before := evaluationOf(f)
		var numbers, want []uint64
		for range 20 {
			numbers = append(numbers, uint64(r.Uint32()>>r.Intn(32)))
			want = append(want, before.of(numbers[len(numbers)-1]))
		}
		text := f.String()
		reduceStrength(nil, f)
		after := evaluationOf(f)
		for i, x := range numbers {
			if got := after.of(x); got != want[i] {
				t.Fatalf("of %#x: %#x; want %#x\n%s\n%s", x, got, want[i], text, f)
			}
		}
	}
}
