package ptxlower

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// TestQuadProducts multiplies matrices of small integers by mma.m8n8k4, four products at once, with each layout and type.
func TestQuadProducts(t *testing.T) {
	for _, a := range []string{"row", "col"} {
		for _, b := range []string{"row", "col"} {
			for _, types := range [][2]string{{"f16", "f16"}, {"f32", "f16"}, {"f32", "f32"}} {
				testQuads(t, a, b, types[0], types[1])
			}
		}
	}
}

// quadPosition returns the row and the column of element i of a fragment of C or D, as the ISA's section on mma.m8n8k4 says.
func quadPosition(typ string, lane, i int) (row, column int) {
	if typ == "f16" {
		row, column = lane%4, i
	} else {
		row, column = lane&1+i&2, i&4+lane&2+i&1
	}
	if lane >= 16 {
		row += 4
	}
	return row, column
}

func testQuads(t *testing.T, aLayout, bLayout, d, c string) {
	quad := func(lane int) int { return lane / 4 % 4 }
	a := func(q, i, j int) int { return (i*3+j*5+q)%9 - 4 }
	b := func(q, i, j int) int { return (i*7+j*2+2*q)%9 - 4 }
	const thread = 16 // words: A, B, C from word 4 on
	in := make([]byte, 4*thread*32)
	var want []uint32
	for lane := range 32 {
		upper := lane / 16 * 4
		half := func(at, i, v int) {
			binary.LittleEndian.PutUint16(in[4*(thread*lane+at)+2*i:], uint16(halfOf(v)))
		}
		for i := range 4 {
			row, column := lane%4+upper, i
			if aLayout == "col" {
				row, column = i+upper, lane%4
			}
			half(0, i, a(quad(lane), row, column))
			row, column = lane%4, i+upper
			if bLayout == "col" {
				row, column = i, lane%4+upper
			}
			half(2, i, b(quad(lane), row, column))
		}
		for i := range 8 {
			if row, column := quadPosition(c, lane, i); c == "f16" {
				half(4, i, (row-column)%5)
			} else {
				binary.LittleEndian.PutUint32(in[4*(thread*lane+4+i):], uint32(f32(float32((row-column)%5))))
			}
			row, column := quadPosition(d, lane, i)
			sum := (row - column) % 5
			for k := range 4 {
				sum += a(quad(lane), row, k) * b(quad(lane), k, column)
			}
			want = append(want, uint32(f32(float32(sum))))
		}
	}
	m := parse(t, quadKernel(aLayout, bLayout, d, c))
	for _, e := range engines {
		out := make([]byte, 32*32)
		l := launch{kernel: "multiply", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out, in}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if got := word(out[4*i:]); got != w {
				t.Errorf("%s.%s.%s.%s on the %s: element %d of thread %d is %#x; must be %#x", aLayout, bLayout, d, c, e.name, i%8, i/8, got, w)
				break
			}
		}
	}
}

// quadKernel is a kernel that multiplies the fragments of each thread and writes the eight elements of D as .f32.
func quadKernel(a, b, d, c string) string {
	regs := func(name string, n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(name, i))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	count := map[string]int{"f16": 4, "f32": 8}
	src := ".version 6.4\n.target sm_70\n.address_size 64\n.entry multiply(.param .u64 o, .param .u64 i)\n{\n" +
		".reg .b32 %t, a<2>, b<2>, c<8>, d<8>; .reg .b16 h0, h1; .reg .f32 f; .reg .b64 %in, %out, %x;\n" +
		"ld.param.u64 %in, [i]; ld.param.u64 %out, [o]; mov.u32 %t, %tid.x;\n" +
		"mul.wide.u32 %x, %t, 64; add.u64 %in, %in, %x; mul.wide.u32 %x, %t, 32; add.u64 %out, %out, %x;\n" +
		"ld.global.v2.b32 {a0, a1}, [%in]; ld.global.v2.b32 {b0, b1}, [%in+8];\n"
	for i := range count[c] {
		src += fmt.Sprintf("ld.global.b32 c%d, [%%in+%d];\n", i, 16+4*i)
	}
	src += fmt.Sprintf("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s %s, %s, %s, %s;\n", a, b, d, c, regs("d", count[d]), regs("a", 2), regs("b", 2), regs("c", count[c]))
	for i := range count[d] {
		if d == "f32" {
			src += fmt.Sprintf("st.global.b32 [%%out+%d], d%d;\n", 4*i, i)
			continue
		}
		src += fmt.Sprintf("mov.b32 {h0, h1}, d%d; cvt.f32.f16 f, h0; st.global.f32 [%%out+%d], f; cvt.f32.f16 f, h1; st.global.f32 [%%out+%d], f;\n", i, 8*i, 8*i+4)
	}
	return src + "ret;\n}\n"
}
