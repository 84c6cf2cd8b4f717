package ptxlower

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// matrixCase is a form of mma, with the bits of a small integer as an element of A and B and of C. Registers have size bytes.
type matrixCase struct {
	name                    string
	size, per, rows, halves int
	element, addition       func(int) uint64
}

// halfOf returns an integer from -8 to 8 as a float of 16 bits.
func halfOf(x int) uint64 {
	if x == 0 {
		return 0
	}
	bits := math.Float32bits(float32(x))
	return uint64(bits>>16&0x8000 | (bits>>23&0xff-112)<<10 | bits>>13&0x3ff)
}

// smallOf returns an integer from -4 to 4 as a float of 8 bits with a number of fraction bits and a bias.
func smallOf(x, fraction, bias int) uint64 {
	if x == 0 {
		return 0
	}
	bits := math.Float32bits(float32(x))
	return uint64(bits>>24&0x80 | (bits>>23&0xff-127+uint32(bias))<<fraction | bits<<9>>(32-fraction))
}

func TestMatrices(t *testing.T) {
	float := func(x int) uint64 { return f32(float32(x)) }
	integer := func(x int) uint64 { return uint64(uint32(int32(x))) }
	double := func(x int) uint64 { return f64(float64(x)) }
	low := func(bits int) func(int) uint64 { return func(x int) uint64 { return uint64(x) & (1<<bits - 1) } }
	for _, x := range []matrixCase{
		{"m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 2, 1, halfOf, float},
		{"m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 2, 2, halfOf, float},
		{"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 2, 2, func(x int) uint64 { return float(x) >> 16 }, float},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 1, 2, 2, float, float},
		{"m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, 2, func(x int) uint64 { return smallOf(x, 3, 7) }, float},
		{"m16n8k16.row.col.f32.e5m2.e5m2.f32", 4, 4, 2, 1, func(x int) uint64 { return smallOf(x, 2, 15) }, float},
		{"m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, 2, low(8), integer},
		{"m8n8k16.row.col.satfinite.s32.s8.s8.s32", 4, 4, 1, 1, low(8), integer},
		{"m16n8k64.row.col.s32.s4.s4.s32", 4, 8, 2, 2, low(4), integer},
		{"m8n8k32.row.col.s32.s4.s4.s32", 4, 8, 1, 1, low(4), integer},
		{"m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 2, 1, func(x int) uint64 { return float(x) >> 16 }, float},
		{"m16n8k4.row.col.f32.tf32.tf32.f32", 4, 1, 2, 1, float, float},
		{"m16n8k16.row.col.f32.e4m3.e4m3.f32", 4, 4, 2, 1, func(x int) uint64 { return smallOf(x, 3, 7) }, float},
		{"m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 4, 2, 2, func(x int) uint64 { return smallOf(x, 2, 15) }, float},
		{"m16n8k16.row.col.s32.s8.s8.s32", 4, 4, 2, 1, low(8), integer},
		{"m16n8k32.row.col.satfinite.s32.s4.s4.s32", 4, 8, 2, 1, low(4), integer},
		{"m16n8k8.row.col.f64.f64.f64.f64", 8, 1, 2, 2, double, double},
		{"m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 32, 2, 1, low(1), integer},
		{"m16n8k128.row.col.s32.b1.b1.s32.and.popc", 4, 32, 2, 1, low(1), integer},
		{"m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 32, 2, 2, low(1), integer},
		{"m8n8k128.row.col.s32.b1.b1.s32.and.popc", 4, 32, 1, 1, low(1), integer},
		{"m8n8k4.row.col.f64.f64.f64.f64", 8, 1, 1, 1, double, double},
		{"m16n8k4.row.col.f64.f64.f64.f64", 8, 1, 2, 1, double, double},
		{"m16n8k16.row.col.f64.f64.f64.f64", 8, 1, 2, 4, double, double},
		{"m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 32, 2, 2, low(1), integer},
		{"m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 4, 32, 1, 1, low(1), integer},
	} {
		testMatrix(t, &x)
	}
}

// testMatrix multiplies matrices of small integers, whose products are exact. The fragments are those that the ISA describes.
func testMatrix(t *testing.T, x *matrixCase) {
	k := 4 * x.per * x.halves
	multiply := func(a, b int) int { return a * b }
	a := func(i, j int) int { return (i*3+j*5)%9 - 4 }
	b := func(i, j int) int { return (i*7+j*2)%9 - 4 }
	if x.per == 32 {
		a, b = func(i, j int) int { return (i*3 + j*5) % 7 & 1 }, func(i, j int) int { return (i*7 + j*2) % 5 & 1 }
		if strings.Contains(x.name, ".xor") {
			multiply = func(a, b int) int { return a ^ b }
		}
	}
	c := func(i, j int) int { return i - j }
	word := func(first int, element func(int) int) uint64 {
		v := uint64(0)
		for p := range x.per {
			v |= x.element(element(first+p)) << (8 * x.size / x.per * p)
		}
		return v
	}
	const thread = 24 // words of 64 bits: A, B from word 8, C from word 12
	in, want := make([]byte, 8*thread*32), []uint64{}
	for lane := range 32 {
		put := func(at int, v uint64) { binary.LittleEndian.PutUint64(in[8*(thread*lane+at):], v) }
		for h := range x.halves {
			first := x.per * (4*h + lane%4)
			for r := range x.rows {
				put(x.rows*h+r, word(first, func(j int) int { return a(lane/4+8*r, j) }))
			}
			put(8+h, word(first, func(i int) int { return b(i, lane/4) }))
		}
		for e := range 2 * x.rows {
			row, column := lane/4+8*(e/2), 2*(lane%4)+e%2
			sum := c(row, column)
			put(12+e, x.addition(sum))
			for i := range k {
				sum += multiply(a(row, i), b(i, column))
			}
			want = append(want, x.addition(sum))
		}
	}
	bits := 8 * x.size
	src := ".version 8.0\n.target sm_80\n.address_size 64\n.entry multiply(.param .u64 o, .param .u64 i)\n{\n" +
		fmt.Sprintf(".reg .b32 %%t; .reg .b%d a<8>, b<4>, c<4>, d<4>; .reg .b64 %%in, %%out, %%x;\n", bits) +
		"ld.param.u64 %in, [i]; ld.param.u64 %out, [o];\nmov.u32 %t, %tid.x;\n" +
		fmt.Sprintf("mul.wide.u32 %%x, %%t, %d; add.u64 %%in, %%in, %%x;\nmul.wide.u32 %%x, %%t, %d; add.u64 %%out, %%out, %%x;\n", 8*thread, 16*x.rows)
	regs := func(name string, n, from int) string {
		list := []string{}
		for i := range n {
			list = append(list, fmt.Sprintf("%s%d", name, i))
			if from >= 0 {
				src += fmt.Sprintf("ld.global.b%d %s%d, [%%in+%d];\n", bits, name, i, 8*(from+i))
			}
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	operands := []string{regs("d", 2*x.rows, -1), regs("a", x.rows*x.halves, 0), regs("b", x.halves, 8), regs("c", 2*x.rows, 12)}
	src += fmt.Sprintf("mma.sync.aligned.%s %s;\n", x.name, strings.Join(operands, ", "))
	for i := range 2 * x.rows {
		src += fmt.Sprintf("st.global.b%d [%%out+%d], d%d;\n", bits, 8*i, i)
	}
	m := parse(t, src+"ret;\n}\n")
	for _, e := range everyEngine() {
		out := make([]byte, 8*len(want))
		l := launch{kernel: "multiply", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out, in}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(x.name, err)
		}
		for i, w := range want {
			if got := binary.LittleEndian.Uint64(out[8*i:]); got != w {
				t.Errorf("%s on the %s: element %d of thread %d is %#x; must be %#x", x.name, e.name, i%(2*x.rows), i/(2*x.rows), got, w)
				break
			}
		}
	}
}

// TestRoundedMatrices: mma and wmma of .f64 round each sum of a product as fma does, by default to the nearest number.
func TestRoundedMatrices(t *testing.T) {
	const ulp = 1.0 / (1 << 52)
	for _, x := range []struct{ c, product, rn, rz, rm, rp float64 }{
		{1, ulp / 4, 1, 1, 1, 1 + 4*ulp},
		{1, 3 * ulp / 4, 1 + 4*ulp, 1, 1, 1 + 4*ulp},
		{-1, -ulp / 4, -1, -1, -1 - 4*ulp, -1},
		{-1, -3 * ulp / 4, -1 - 4*ulp, -1, -1 - 4*ulp, -1},
	} {
		for mode, want := range map[string]float64{"": x.rn, ".rn": x.rn, ".rz": x.rz, ".rm": x.rm, ".rp": x.rp} {
			for _, name := range []string{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64" + mode, "wmma.mma.sync.aligned.row.col.m8n8k4" + mode + ".f64.f64.f64.f64"} {
				m := parse(t, fmt.Sprintf(`.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 o)
{
.reg .f64 a, b, c, d<2>; .reg .b64 out, at; .reg .b32 lane;
ld.param.u64 out, [o]; mov.u32 lane, %%tid.x; mul.wide.u32 at, lane, 16; add.u64 out, out, at;
mov.f64 a, 0d%016x; mov.f64 b, 0d3ff0000000000000; mov.f64 c, 0d%016x;
%s {d0, d1}, {a}, {b}, {c, c};
st.global.v2.f64 [out], {d0, d1}; ret;
}
`, f64(x.product), f64(x.c), name))
				for _, e := range everyEngine() {
					out := make([]byte, 16*32)
					l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
					if err := l.run(m, e.engine, e.optimize); err != nil {
						t.Fatal(name, err)
					}
					for i := 0; i < len(out); i += 8 {
						if got := binary.LittleEndian.Uint64(out[i:]); got != f64(want) {
							t.Fatalf("%s of %v and four products %v at %d is %#x; must be %#x", name, x.c, x.product, i, got, f64(want))
						}
					}
				}
			}
		}
	}
}
