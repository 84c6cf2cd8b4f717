package ptxlower

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// matrixCase is a form of mma, with the bits of a small integer as an element of A and B and of C.
type matrixCase struct {
	name              string
	per, halves       int
	element, addition func(int) uint64
}

// halfOf returns an integer from -8 to 8 as a float of 16 bits.
func halfOf(x int) uint64 {
	if x == 0 {
		return 0
	}
	bits := math.Float32bits(float32(x))
	return uint64(bits>>16&0x8000 | (bits>>23&0xff-112)<<10 | bits>>13&0x3ff)
}

func TestMatrices(t *testing.T) {
	float := func(x int) uint64 { return f32(float32(x)) }
	integer := func(x int) uint64 { return uint64(uint32(int32(x))) }
	for _, x := range []matrixCase{
		{"m16n8k8.row.col.f32.f16.f16.f32", 2, 1, halfOf, float},
		{"m16n8k16.row.col.f32.f16.f16.f32", 2, 2, halfOf, float},
		{"m16n8k16.row.col.f32.bf16.bf16.f32", 2, 2, func(x int) uint64 { return float(x) >> 16 }, float},
		{"m16n8k8.row.col.f32.tf32.tf32.f32", 1, 2, float, float},
		{"m16n8k32.row.col.s32.s8.s8.s32", 4, 2, func(x int) uint64 { return integer(x) & 0xff }, integer},
	} {
		testMatrix(t, &x)
	}
}

// testMatrix multiplies matrices of small integers, whose products are exact. The fragments are those that the ISA describes.
func testMatrix(t *testing.T, x *matrixCase) {
	k := 4 * x.per * x.halves
	a := func(i, j int) int { return (i*3+j*5)%9 - 4 }
	b := func(i, j int) int { return (i*7+j*2)%9 - 4 }
	c := func(i, j int) int { return i - j }
	word := func(first int, element func(int) int) uint32 {
		v := uint64(0)
		for p := range x.per {
			v |= x.element(element(first+p)) << (32 / x.per * p)
		}
		return uint32(v)
	}
	var in, want []uint32 // 16 words for each thread: A, B from word 4, C from word 8
	for lane := range 32 {
		var w [16]uint32
		for h := range x.halves {
			first := x.per * (4*h + lane%4)
			for r := range 2 {
				w[2*h+r] = word(first, func(j int) int { return a(lane/4+8*r, j) })
			}
			w[4+h] = word(first, func(i int) int { return b(i, lane/4) })
		}
		for e := range 4 {
			row, column := lane/4+8*(e/2), 2*(lane%4)+e%2
			sum := c(row, column)
			w[8+e] = uint32(x.addition(sum))
			for i := range k {
				sum += a(row, i) * b(i, column)
			}
			want = append(want, uint32(x.addition(sum)))
		}
		in = append(in, w[:]...)
	}
	regs := func(name string, n int) string {
		list := []string{}
		for i := range n {
			list = append(list, fmt.Sprintf("%s%d", name, i))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	src := ".version 8.0\n.target sm_80\n.address_size 64\n.entry multiply(.param .u64 o, .param .u64 i)\n{\n" +
		".reg .b32 %t, a<4>, b<4>, c<4>, d<4>; .reg .b64 %in, %out, %x;\nld.param.u64 %in, [i]; ld.param.u64 %out, [o];\nmov.u32 %t, %tid.x;\n" +
		"mul.wide.u32 %x, %t, 64; add.u64 %in, %in, %x;\nmul.wide.u32 %x, %t, 16; add.u64 %out, %out, %x;\n" +
		"ld.global.v4.b32 {a0, a1, a2, a3}, [%in];\nld.global.v4.b32 {b0, b1, b2, b3}, [%in+16];\nld.global.v4.b32 {c0, c1, c2, c3}, [%in+32];\n" +
		fmt.Sprintf("mma.sync.aligned.%s %s, %s, %s, %s;\n", x.name, regs("d", 4), regs("a", 2*x.halves), regs("b", x.halves), regs("c", 4)) +
		"st.global.v4.b32 [%out], {d0, d1, d2, d3};\nret;\n}\n"
	m := parse(t, src)
	for _, e := range engines {
		out := make([]byte, 16*32)
		l := launch{kernel: "multiply", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out, words(in...)}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(x.name, err)
		}
		for i, w := range want {
			if got := binary.LittleEndian.Uint32(out[4*i:]); got != w {
				t.Errorf("%s on the %s: element %d of thread %d is %#x; must be %#x", x.name, e.name, i%4, i/4, got, w)
				break
			}
		}
	}
}
