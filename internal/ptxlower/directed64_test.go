package ptxlower

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// rounded64 returns an exact number rounded up or down to 64 bits, subnormal numbers included. It must not be 0.
func rounded64(x *big.Float, up bool) float64 {
	f, accuracy := x.Float64() // to the nearest
	if accuracy == big.Below && up {
		return math.Nextafter(f, math.Inf(1))
	}
	if accuracy == big.Above && !up {
		return math.Nextafter(f, math.Inf(-1))
	}
	return f
}

// TestDirected64 compares .rm and .rp of 64 bits with exact numbers, near the limits of the exponents and with cancellation.
func TestDirected64(t *testing.T) {
	const prec = 6000
	r := rand.New(rand.NewPCG(6, 4))
	number := func() float64 {
		switch r.IntN(5) {
		case 0:
			return math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(r.IntN(60))<<52) // small
		case 1:
			return math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(0x7fe-r.IntN(60))<<52) // large
		case 2:
			return math.Ldexp(float64(r.IntN(9)-4), r.IntN(2100)-1074)
		case 3:
			return math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(1023+r.IntN(8)-4)<<52)
		}
		return math.Float64frombits(r.Uint64()&^(0x7ff<<52) | uint64(r.IntN(0x7ff))<<52)
	}
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	ops := []struct {
		name string
		n    int
		do   func(x []*big.Float) *big.Float // nil: no number
	}{
		{"add", 2, func(x []*big.Float) *big.Float { return new(big.Float).SetPrec(prec).Add(x[0], x[1]) }},
		{"sub", 2, func(x []*big.Float) *big.Float { return new(big.Float).SetPrec(prec).Sub(x[0], x[1]) }},
		{"mul", 2, func(x []*big.Float) *big.Float { return new(big.Float).SetPrec(prec).Mul(x[0], x[1]) }},
		{"fma", 3, func(x []*big.Float) *big.Float {
			return new(big.Float).SetPrec(prec).Add(new(big.Float).SetPrec(prec).Mul(x[0], x[1]), x[2])
		}},
		{"div", 2, func(x []*big.Float) *big.Float {
			if x[1].Sign() == 0 {
				return nil
			}
			return new(big.Float).SetPrec(prec).Quo(x[0], x[1])
		}},
		{"sqrt", 1, func(x []*big.Float) *big.Float {
			if x[0].Sign() < 0 {
				return nil
			}
			return new(big.Float).SetPrec(400).Sqrt(x[0])
		}},
		{"rcp", 1, func(x []*big.Float) *big.Float {
			if x[0].Sign() == 0 {
				return nil
			}
			return new(big.Float).SetPrec(prec).Quo(exact(1), x[0])
		}},
	}
	const rows = 1024
	for _, op := range ops {
		for _, mode := range []string{".rm", ".rp"} {
			var text strings.Builder
			text.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out, .param .u64 in)\n{\n.reg .f64 %d<5>; .reg .b64 %rd<5>; .reg .b32 %r<4>;\nld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 128, %r0; mul.wide.u32 %rd2, %r0, 8; mul.wide.u32 %rd3, %r0, 24; add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd3;\n")
			names := ""
			for i := range op.n {
				fmt.Fprintf(&text, "ld.global.f64 %%d%d, [%%rd1+%d];\n", i, 8*i)
				names += fmt.Sprintf(", %%d%d", i)
			}
			fmt.Fprintf(&text, "%s%s.f64 %%d4%s;\nst.global.f64 [%%rd0], %%d4;\nret;\n}\n", op.name, mode, names)
			in, values := make([]byte, 24*rows), make([][]float64, rows)
			for i := range values {
				x := []float64{number(), number(), number()}
				switch r.IntN(4) { // cancellation
				case 0:
					x[1] = -x[0] * (1 + math.Ldexp(float64(r.IntN(5)-2), -52))
				case 1:
					x[2] = -x[0] * x[1]
				}
				if op.n == 3 && r.IntN(3) == 0 {
					x[2] = -math.FMA(x[0], x[1], 0)
				}
				for k := range x {
					if math.IsNaN(x[k]) || math.IsInf(x[k], 0) {
						x[k] = 1
					}
					binary.LittleEndian.PutUint64(in[24*i+8*k:], math.Float64bits(x[k]))
				}
				values[i] = x[:op.n]
			}
			m := parse(t, text.String())
			for _, e := range engines {
				out := make([]byte, 8*rows)
				l := launch{kernel: "k", grid: [3]uint32{rows / 128, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{out, in}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(err)
				}
				bad := 0
				for i, x := range values {
					var list []*big.Float
					for _, v := range x {
						list = append(list, exact(v))
					}
					want := op.do(list)
					if want == nil {
						continue
					}
					got := math.Float64frombits(binary.LittleEndian.Uint64(out[8*i:]))
					if want.Sign() == 0 {
						if got != 0 || op.name == "add" && x[0] != 0 && math.Signbit(got) != (mode == ".rm") {
							t.Errorf("%s%s of %g on the %s is %g; must be 0", op.name, mode, x, e.name, got)
						}
						continue
					}
					if w := rounded64(want, mode == ".rp"); got != w && bad < 5 {
						bad++
						t.Errorf("%s%s of %x on the %s is %x; must be %x", op.name, mode, x, e.name, got, w)
					}
				}
			}
		}
	}
}
