package ptxlower

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// groupLayout is a canonical layout of the ISA's table, for strides of a test: extents and strides of the coordinate of a line, then of k, in
// elements. T is the number of elements in 16 bytes, L and S are the leading and the stride offset.
type groupLayout struct {
	mode    int // of the descriptor
	swizzle uint
	line, k [][2]int
}

// groupLayouts returns the rows of the table "canonical layouts" (PTX ISA, "Strides").
func groupLayouts(major string, t, l, s int) []groupLayout {
	const rest = 1 << 20
	if major == "K" {
		return []groupLayout{
			{0, 0, [][2]int{{8, t}, {rest, s}}, [][2]int{{t, 1}, {rest, l}}},
			{3, 1, [][2]int{{8, 2 * t}, {rest, s}}, [][2]int{{t, 1}, {rest, t}}},
			{2, 2, [][2]int{{8, 4 * t}, {rest, s}}, [][2]int{{t, 1}, {rest, t}}},
			{1, 3, [][2]int{{8, 8 * t}, {rest, s}}, [][2]int{{t, 1}, {rest, t}}},
		}
	}
	return []groupLayout{
		{0, 0, [][2]int{{t, 1}, {1, t}, {rest, s}}, [][2]int{{8, t}, {rest, l}}},
		{3, 1, [][2]int{{t, 1}, {2, t}, {rest, l}}, [][2]int{{8, 2 * t}, {rest, s}}},
		{2, 2, [][2]int{{t, 1}, {4, t}, {rest, l}}, [][2]int{{8, 4 * t}, {rest, s}}},
		{1, 3, [][2]int{{t, 1}, {8, t}, {rest, l}}, [][2]int{{8, 8 * t}, {rest, s}}},
	}
}

// offset returns the element at a coordinate of nested extents.
func offset(x int, of [][2]int) (at int) {
	for _, d := range of {
		at += x % d[0] * d[1]
		x /= d[0]
	}
	return at
}

// place returns the byte of an element with a size in bits.
func (g *groupLayout) place(line, k, bits int) uint32 {
	at := uint32((offset(line, g.line) + offset(k, g.k)) * bits / 8)
	return at ^ at>>7&(1<<g.swizzle-1)<<4
}

// groupCase is a form of wgmma.mma_async with n columns.
type groupCase struct {
	shape, types      string
	n, bits           int
	element, addition func(int) uint64
	transposes        bool
}

// groupCases are the types of the ISA.
func groupCases() []groupCase {
	float := func(x int) uint64 { return f32(float32(x)) }
	integer := func(x int) uint64 { return uint64(uint32(int32(x))) }
	bfloat := func(x int) uint64 { return float(x) >> 16 }
	return []groupCase{
		{"m64n8k16", "f32.f16.f16", 8, 16, halfOf, float, true},
		{"m64n24k16", "f32.bf16.bf16", 24, 16, bfloat, float, true},
		{"m64n16k8", "f32.tf32.tf32", 16, 32, float, float, false},
		{"m64n8k32", "f32.e4m3.e4m3", 8, 8, func(x int) uint64 { return smallOf(x, 3, 7) }, float, false},
		{"m64n32k32", "s32.s8.s8", 32, 8, func(x int) uint64 { return uint64(x) & 255 }, integer, false},
		{"m64n16k256", "s32.b1.b1", 16, 1, func(x int) uint64 { return uint64(x & 1) }, integer, false},
	}
}

// TestGroupProducts compares products of two warpgroups with sums of the elements, for matrices in each layout.
func TestGroupProducts(t *testing.T) {
	for _, c := range groupCases() {
		for _, majors := range []string{"KK", "KM", "MK", "MM", "RK", "RM"} {
			if strings.Contains(majors, "M") && !c.transposes {
				continue
			}
			for mode := range 4 {
				if mode > 0 && majors[0] == 'R' && majors[1] == 'K' {
					continue
				}
				c.check(t, majors, mode)
			}
		}
	}
}

// check checks one layout of A and B. The kernel copies the matrices to shared memory: A of the first group, A of the second one, B.
func (c *groupCase) check(t *testing.T, majors string, mode int) {
	const matrix = 12 << 10
	k, per := 256/c.bits, max(16*8/c.bits, 1)
	negative := c.transposes
	a := func(i, j int) int { return (i*3+j*5)%9 - 4 }
	b := func(i, j int) int { return (i*7+j*2)%9 - 4 }
	d := func(i, j int) int { return i%17 - j }
	if c.bits == 1 {
		a, b = func(i, j int) int { return (i*3 + j*5) % 7 & 1 }, func(i, j int) int { return (i*7 + j*2) % 5 & 1 }
	}
	memory := make([]byte, 3*matrix)
	put := func(base int, g *groupLayout, line, j, x int) {
		at := base + int(g.place(line, j, c.bits))
		bits := c.element(x)
		if c.bits == 1 {
			memory[at] |= byte(bits << (j % 8))
			return
		}
		for n := range c.bits / 8 {
			memory[at+n] = byte(bits >> (8 * n))
		}
	}
	// With swizzle each offset is a multiple of the bytes of a pattern. No places of 64 lines overlap.
	leading, stride := 2048, 1024
	if mode == 0 {
		leading, stride = 2304, 256
	}
	layout := func(major byte) *groupLayout {
		kind := map[byte]string{'K': "K", 'M': "M", 'R': "K"}[major]
		return &groupLayouts(kind, per, leading*8/c.bits, stride*8/c.bits)[mode]
	}
	la, lb := layout(majors[0]), layout(majors[1])
	for i := range 128 {
		for j := range k {
			put(i/64*matrix, la, i%64, j, a(i, j))
		}
	}
	for i := range c.n {
		for j := range k {
			put(2*matrix, lb, i, j, b(j, i))
		}
	}
	descriptor := func(base int, g *groupLayout) uint64 {
		return uint64(base)>>4 | uint64(leading)>>4<<16 | uint64(stride)>>4<<32 | uint64(g.mode)<<62
	}
	words := c.n / 2
	in := make([]byte, 4*128*2*(4+words)) // of each thread: A, D
	want := make([]uint32, 256*words)
	for thread := range 256 {
		lane, first := thread%32, thread/32*16
		row := func(r int) int { return first + lane/4 + 8*r }
		for h := range 2 {
			for r := range 2 {
				word := uint64(0)
				for p := range 32 / c.bits {
					word |= c.element(a(row(r), 32/c.bits*(4*h+lane%4)+p)) << (c.bits * p)
				}
				binary.LittleEndian.PutUint32(in[4*(thread*(4+words)+2*h+r):], uint32(word))
			}
		}
		for e := range words {
			i, j := row(e/2%2), 8*(e/4)+2*(lane%4)+e%2
			sum := d(i, j)
			binary.LittleEndian.PutUint32(in[4*(thread*(4+words)+4+e):], uint32(c.addition(sum)))
			for x := range k {
				product := a(i, x) * b(x, j)
				if negative {
					product = -product
				}
				sum += product
			}
			want[thread*words+e] = uint32(c.addition(sum))
		}
	}
	m := parse(t, c.text(majors, descriptor(0, la), descriptor(matrix, la), descriptor(2*matrix, lb), 3*matrix))
	for _, e := range everyEngine() {
		out := make([]byte, 4*len(want))
		l := launch{kernel: "multiply", grid: [3]uint32{1, 1, 1}, block: [3]uint32{256, 1, 1}, args: []any{out, in, memory}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(c.types, err)
		}
		for i, w := range want {
			if got := word(out[4*i:]); got != w {
				t.Errorf("%s of %s, mode %d on the %s: element %d of thread %d is %#x; must be %#x", c.types, majors, mode, e.name, i%words, i/words, got, w)
				break
			}
		}
	}
}

// text returns the module of a case, with the descriptors of both A and of B.
func (c *groupCase) text(majors string, a0, a1, b uint64, bytes int) string {
	words := c.n / 2
	var s strings.Builder
	fmt.Fprintf(&s, `.version 8.4
.target sm_90a
.address_size 64
.entry multiply(.param .u64 o, .param .u64 i, .param .u64 m)
{
.shared .align 1024 .b8 s[%d];
.reg .b32 %%t, %%x, a<4>, d<%d>; .reg .b64 %%in, %%out, %%m, %%y, %%z; .reg .pred %%p;
ld.param.u64 %%in, [i]; ld.param.u64 %%out, [o]; ld.param.u64 %%m, [m];
mov.u32 %%t, %%tid.x;
mul.wide.u32 %%y, %%t, %d; add.u64 %%in, %%in, %%y;
mul.wide.u32 %%y, %%t, %d; add.u64 %%out, %%out, %%y;
mul.wide.u32 %%y, %%t, 4; add.u64 %%m, %%m, %%y; mov.u64 %%z, s; add.u64 %%z, %%z, %%y;
`, bytes, words, 4*(4+words), 4*words)
	for at := 0; at < bytes; at += 1024 {
		fmt.Fprintf(&s, "ld.global.b32 %%x, [%%m+%d]; st.shared.b32 [%%z+%d], %%x;\n", at, at)
	}
	var list, fragment []string
	for i := range words {
		fmt.Fprintf(&s, "ld.global.b32 d%d, [%%in+%d];\n", i, 16+4*i)
		list = append(list, fmt.Sprintf("d%d", i))
	}
	for i := range 4 {
		fmt.Fprintf(&s, "ld.global.b32 a%d, [%%in+%d];\n", i, 4*i)
		fragment = append(fragment, fmt.Sprintf("a%d", i))
	}
	left, tail := "%y", ""
	if majors[0] == 'R' {
		left = "{" + strings.Join(fragment, ", ") + "}"
	}
	flag := func(major byte) string { return map[byte]string{'K': ", 0", 'M': ", 1", 'R': ""}[major] }
	switch {
	case c.transposes:
		tail = ", -1, 1" + flag(majors[0]) + flag(majors[1])
	case c.types[0] == 'f':
		tail = ", -1, -1"
	}
	op := ""
	if c.bits == 1 {
		op = ".and.popc"
	}
	fmt.Fprintf(&s, `fence.proxy.async; bar.sync 0;
setp.lt.u32 %%p, %%t, 128; selp.b64 %%y, %#x, %#x, %%p; mov.b64 %%z, %#x; setp.lt.u32 %%p, %%t, 999;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.%s.%s%s {%s}, %s, %%z, %%p%s;
wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
`, a0, a1, b, c.shape, c.types, op, strings.Join(list, ", "), left, tail)
	for i := range words {
		fmt.Fprintf(&s, "st.global.b32 [%%out+%d], d%d;\n", 4*i, i)
	}
	return s.String() + "}\n"
}
