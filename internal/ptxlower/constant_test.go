package ptxlower

import (
	"bytes"
	"fmt"
	"testing"
)

// TestConstants loads from .const variables and from other memory by ld.const. A load is one of a table if its address is that of a
// variable plus a number. %rd0 is the result of the thread, %r0 its number, %rd7 a buffer with the words 100, 101, ….
func TestConstants(t *testing.T) {
	for _, c := range []struct {
		body  string
		table bool
		want  func(i uint32) uint32
	}{
		{"ld.const.u32 %r1, [b];", true, func(uint32) uint32 { return 10 }},
		{"ld.const.u32 %r1, [b+8];", true, func(uint32) uint32 { return 30 }},
		{"mov.u64 %rd2, b; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd4, %rd2, %rd1; ld.const.u32 %r1, [%rd4];", true, func(i uint32) uint32 { return 10 + 10*i }},
		{"mov.u64 %rd2, b; mul.wide.u32 %rd1, %r0, 4; add.s64 %rd3, %rd1, %rd2; add.s64 %rd4, %rd3, 4; ld.const.u32 %r1, [%rd4+-4];", true, func(i uint32) uint32 { return 10 + 10*i }},
		{"mov.u64 %rd2, b+4; ld.const.v2.u32 {%r1, %r2}, [%rd2+4]; add.u32 %r1, %r1, %r2;", true, func(uint32) uint32 { return 70 }},
		{"mov.u64 %rd2, a; cvt.u64.u32 %rd1, %r0; add.s64 %rd4, %rd2, %rd1; ld.const.s8 %r1, [%rd4];", true, func(i uint32) uint32 { return ^i }},
		{"mov.u64 %rd2, a; cvt.u64.u32 %rd1, %r0; add.s64 %rd4, %rd2, %rd1; ld.const.u8 %r1, [%rd4];", true, func(i uint32) uint32 { return 255 - i }},
		{"ld.const.u32 %r1, [a+1];", true, func(uint32) uint32 { return 0xfbfcfdfe }},
		{"mov.u64 %rd2, a; and.b32 %r2, %r0, 3; cvt.u64.u32 %rd1, %r2; add.s64 %rd4, %rd2, %rd1; ld.const.u32 %r1, [%rd4];", true, func(i uint32) uint32 { return 0xfcfdfeff - 0x01010101*(i%4) }},
		{"mov.u64 %rd2, b; cvt.u64.u32 %rd1, %r0; shl.b64 %rd1, %rd1, 28; add.s64 %rd4, %rd2, %rd1; ld.const.u32 %r1, [%rd4];", true, func(i uint32) uint32 { return []uint32{10, 0}[min(i, 1)] }},
		{"ld.const.u64 %rd2, [p]; ld.global.u32 %r1, [%rd2];", true, func(uint32) uint32 { return 77 }},
		{"mov.u64 %rd2, b; add.s64 %rd4, %rd2, 1048576; ld.const.u32 %r1, [%rd4];", true, func(uint32) uint32 { return 0 }},
		{"mov.u32 %r1, 0; mov.u64 %rd1, 0; mov.u64 %rd2, b; L: add.s64 %rd3, %rd2, %rd1; ld.const.u32 %r2, [%rd3]; add.u32 %r1, %r1, %r2; add.s64 %rd1, %rd1, 4; setp.lt.u64 %p1, %rd1, 16; @%p1 bra L;", true, func(uint32) uint32 { return 100 }},
		{"mov.u64 %rd2, b; @%p0 mov.u64 %rd2, %rd7; ld.const.u32 %r1, [%rd2];", false, func(i uint32) uint32 { return []uint32{100, 10}[i%2] }},
		{"selp.b64 %rd2, b, %rd7, %p0; ld.const.u32 %r1, [%rd2];", false, func(i uint32) uint32 { return []uint32{10, 100}[i%2] }},
		{"mov.u64 %rd3, b; @%p0 add.s64 %rd2, %rd3, 4; @!%p0 mov.u64 %rd2, %rd3; ld.const.u32 %r1, [%rd2];", false, func(i uint32) uint32 { return []uint32{20, 10}[i%2] }},
		{"mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %rd7, %rd1; ld.const.u32 %r1, [%rd2];", false, func(i uint32) uint32 { return 100 + i }},
		{"mov.u64 %rd2, b; mov.u64 %rd3, a; sub.s64 %rd3, %rd2, %rd3; add.s64 %rd3, %rd3, %rd7; sub.s64 %rd4, %rd3, %rd2; mov.u64 %rd5, a; add.s64 %rd4, %rd4, %rd5; ld.const.u32 %r1, [%rd4];", false, func(uint32) uint32 { return 100 }},
		{"mov.u64 %rd2, b; ld.global.u32 %r1, [%rd2];", false, func(uint32) uint32 { return 10 }},
		{"mov.u64 %rd2, b; ld.u32 %r1, [%rd2+4];", false, func(uint32) uint32 { return 20 }},
		{"ld.volatile.const.u32 %r1, [b];", false, func(uint32) uint32 { return 10 }},
	} {
		m := parse(t, fmt.Sprintf(`.version 8.0
.target sm_80
.address_size 64
.global .u32 g[2] = {66, 77};
.const .s8 a[8] = {-1, -2, -3, -4, -5, -6, -7, -8};
.const .u32 b[8] = {10, 20, 30, 40, 50, 60, 70, 80};
.const .u64 p = generic(g)+4;
.visible .entry k(.param .u64 out, .param .u64 in)
{
.reg .pred %%p<2>;
.reg .b32 %%r<8>;
.reg .b64 %%rd<8>;
ld.param.u64 %%rd0, [out];
ld.param.u64 %%rd7, [in];
mov.u32 %%r0, %%tid.x;
and.b32 %%r7, %%r0, 1;
setp.eq.u32 %%p0, %%r7, 0;
mul.wide.u32 %%rd6, %%r0, 4;
add.s64 %%rd0, %%rd0, %%rd6;
%s
st.global.u32 [%%rd0], %%r1;
ret;
}
`, c.body))
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Lower(m, image, "k", Options{Block: [3]uint32{8, 1, 1}, Base: 1 << 20})
		if err != nil {
			t.Fatal(c.body, err)
		}
		if len(p.Tables) == 1 != c.table {
			t.Errorf("%s: %d tables; a table must be %v", c.body, len(p.Tables), c.table)
		}
		var want, in []byte
		for i := range uint32(8) {
			want, in = append(want, words(c.want(i))...), append(in, words(100+i)...)
		}
		for _, e := range levels() {
			out := make([]byte, len(want))
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{8, 1, 1}, args: []any{out, bytes.Clone(in)}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(c.body, e.name, err)
			}
			if !bytes.Equal(out, want) {
				t.Errorf("%s: the %s yields %x; must be %x", c.body, e.name, out, want)
			}
		}
	}
}
