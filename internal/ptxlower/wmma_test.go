package ptxlower

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// warpCase is a product of wmma: the types of D, A and C with the layouts of A, B, C and D, and the registers of each matrix. element and
// sum have the bits of a small integer in A and B, and in C and D.
type warpCase struct {
	m, n, k           int
	mma, a, c, d      string
	layouts           [4]string
	registers         [4]int // of A, B, C and D
	bits, size        int    // of an element of A, and of one of C
	element, addition func(int) uint64
}

// TestWarpMatrices multiplies matrices of small integers, whose products are exact, in each layout of memory.
func TestWarpMatrices(t *testing.T) {
	float := func(x int) uint64 { return f32(float32(x)) }
	integer := func(x int) uint64 { return uint64(uint32(int32(x))) }
	double := func(x int) uint64 { return f64(float64(x)) }
	low := func(bits int) func(int) uint64 { return func(x int) uint64 { return uint64(x) & (1<<bits - 1) } }
	row, mixed := [4]string{"row", "col", "row", "row"}, [4]string{"col", "row", "col", "col"}
	for _, x := range []warpCase{
		{16, 16, 16, "m16n16k16.f32.f32", "f16", "f32", "f32", row, [4]int{8, 8, 8, 8}, 16, 4, halfOf, float},
		{16, 16, 16, "m16n16k16.f32.f32", "f16", "f32", "f32", mixed, [4]int{8, 8, 8, 8}, 16, 4, halfOf, float},
		{32, 8, 16, "m32n8k16.f16.f16", "f16", "f16", "f16", mixed, [4]int{8, 8, 4, 4}, 16, 2, halfOf, halfOf},
		{8, 32, 16, "m8n32k16.f32.f32", "f16", "f32", "f32", row, [4]int{8, 8, 8, 8}, 16, 4, halfOf, float},
		{16, 16, 16, "m16n16k16.s32.s8.s8.s32", "s8", "s32", "s32", mixed, [4]int{2, 2, 8, 8}, 8, 4, low(8), integer},
		{32, 8, 16, "m32n8k16.s32.s8.s8.s32.satfinite", "s8", "s32", "s32", row, [4]int{4, 1, 8, 8}, 8, 4, low(8), integer},
		{8, 32, 16, "m8n32k16.f32.bf16.bf16.f32", "bf16", "f32", "f32", mixed, [4]int{2, 8, 8, 8}, 16, 4, func(x int) uint64 { return float(x) >> 16 }, float},
		{16, 16, 8, "m16n16k8.f32.tf32.tf32.f32", "tf32", "f32", "f32", mixed, [4]int{4, 4, 8, 8}, 32, 4, float, float},
		{8, 8, 4, "m8n8k4.f64.f64.f64.f64", "f64", "f64", "f64", mixed, [4]int{1, 1, 2, 2}, 64, 8, double, double},
		{8, 8, 32, "m8n8k32.s32.s4.s4.s32", "s4", "s32", "s32", row, [4]int{1, 1, 2, 2}, 4, 4, low(4), integer},
		{8, 8, 128, "m8n8k128.s32.b1.b1.s32", "b1", "s32", "s32", row, [4]int{1, 1, 2, 2}, 1, 4, low(1), integer},
	} {
		testWarpMatrix(t, &x)
	}
}

func testWarpMatrix(t *testing.T, x *warpCase) {
	multiply := func(a, b int) int { return a * b }
	a := func(i, j int) int { return (i*3+j*5)%7 - 3 }
	b := func(i, j int) int { return (i*7+j*2)%7 - 3 }
	if x.bits == 1 {
		a, b = func(i, j int) int { return (i*3 + j*5) % 7 & 1 }, func(i, j int) int { return (i*7 + j*2) % 5 & 1 }
		multiply = func(a, b int) int { return a ^ b }
	}
	c := func(i, j int) int { return (i*5 - j*3) % 11 }
	const pad = 32 // elements between lines
	matrix := func(rows, columns, bits int, layout string, value func(i, j int) uint64) (data []byte, stride int) {
		stride = columns + pad
		if layout == "col" {
			stride = rows + pad
		}
		data = make([]byte, (max(rows, columns)+1)*stride*bits/8+8)
		for i := range rows {
			for j := range columns {
				at := i*stride + j
				if layout == "col" {
					at = j*stride + i
				}
				at *= bits
				word := data[at/8:]
				binary.LittleEndian.PutUint64(word[:8:8], binary.LittleEndian.Uint64(word)|value(i, j)<<(at%8))
			}
		}
		return data, stride
	}
	da, sa := matrix(x.m, x.k, x.bits, x.layouts[0], func(i, j int) uint64 { return x.element(a(i, j)) })
	db, sb := matrix(x.k, x.n, x.bits, x.layouts[1], func(i, j int) uint64 { return x.element(b(i, j)) })
	dc, sc := matrix(x.m, x.n, 8*x.size, x.layouts[2], func(i, j int) uint64 { return x.addition(c(i, j)) })
	want, sd := matrix(x.m, x.n, 8*x.size, x.layouts[3], func(i, j int) uint64 {
		sum := c(i, j)
		for k := range x.k {
			sum += multiply(a(i, k), b(k, j))
		}
		return x.addition(sum)
	})
	shape, types, _ := strings.Cut(x.mma, ".")
	width := 32
	if x.bits == 64 {
		width = 64
	}
	src := ".version 8.0\n.target sm_80\n.address_size 64\n.entry multiply(.param .u64 d, .param .u64 a, .param .u64 b, .param .u64 c)\n{\n.reg .b64 %p<4>;\n" +
		fmt.Sprintf(".reg .b%d a<8>, b<8>, c<8>, d<8>;\n", width)
	var lists []string
	for i, name := range []string{"a", "b", "c", "d"} {
		src += fmt.Sprintf("ld.param.u64 %%p%d, [%s];\n", i, name)
		list := []string{}
		for k := range x.registers[i] {
			list = append(list, fmt.Sprintf("%s%d", name, k))
		}
		lists = append(lists, "{"+strings.Join(list, ", ")+"}")
	}
	for i, typ := range []string{x.a, x.a, x.c} {
		src += fmt.Sprintf("wmma.load.%c.sync.aligned.%s.%s.global.%s %s, [%%p%d], %d;\n", "abc"[i], x.layouts[i], shape, typ, lists[i], i, []int{sa, sb, sc}[i])
	}
	op := ""
	if x.bits == 1 {
		op = ".xor.popc"
	}
	src += fmt.Sprintf("wmma.mma%s.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n", op, x.layouts[0], x.layouts[1], shape, types, lists[3], lists[0], lists[1], lists[2])
	src += fmt.Sprintf("wmma.store.d.sync.aligned.%s.%s.global.%s [%%p3], %s, %d;\nret;\n}\n", x.layouts[3], shape, x.d, lists[3], sd)
	m := parse(t, src)
	for _, e := range engines {
		out := make([]byte, len(want))
		l := launch{kernel: "multiply", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out, da, db, dc}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(x.mma, err)
		}
		for i := 0; i+x.size <= len(want); i += x.size {
			if got, w := out[i:i+x.size], want[i:i+x.size]; string(got) != string(w) {
				t.Errorf("%s of %v on the %s: element %d, %d is %x; must be %x", x.mma, x.layouts, e.name, i/x.size/sd, i/x.size%sd, got, w)
				break
			}
		}
	}
}

// TestWarpMixedSum adds 16 products of 1/16 to 2049, which is no .f16. The sum is .f32 if C is, and so the result is 2050, rounded once.
func TestWarpMixedSum(t *testing.T) {
	list := func(n int, register string) string { return strings.TrimSuffix(strings.Repeat(register+", ", n), ", ") }
	m := parse(t, `.version 8.0
.target sm_80
.address_size 64
.entry sum(.param .u64 out)
{
.reg .b64 p;
.reg .b32 a, b, c, d0, d1, d2, d3;
ld.param.u64 p, [out];
mov.b32 a, 0x3c003c00;
mov.b32 b, 0x2c002c00;
mov.f32 c, 0f45001000;
wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32 {d0, d1, d2, d3}, {`+list(8, "a")+"}, {"+list(8, "b")+"}, {"+list(8, "c")+`};
st.global.v4.b32 [p], {d0, d1, d2, d3};
ret;
}
`)
	for _, e := range engines {
		out := make([]byte, 16)
		l := launch{kernel: "sum", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(out); i += 2 {
			if got := uint64(binary.LittleEndian.Uint16(out[i:])); got != halfOf(2050) {
				t.Errorf("element %d on the %s is %#x; must be %#x", i/2, e.name, got, halfOf(2050))
			}
		}
	}
}
