package ptxlower

import (
	"bytes"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// memoryRows are kernels of one thread, and the words that they write. %rd0 has the address of the words, last is 99.
var memoryRows = []struct {
	name, decls, body string
	want              []uint32
}{
	{"a byte of a word", "", `.local .align 4 .b8 x[4];
st.local.u32 [x], 0x11223344;
st.local.u8 [x], 0xff;
ld.local.u32 %r1, [x];
st.global.u32 [%rd0], %r1;`, []uint32{0x112233ff}},
	{"a half of a word", "", `.local .b32 x;
st.local.u32 [x], 0x11223344;
st.local.u16 [x], 0xffff;
ld.local.u32 %r1, [x];
st.global.u32 [%rd0], %r1;`, []uint32{0x1122ffff}},
	{"a vector of bytes", "", `.local .align 2 .b8 x[2];
mov.u16 %h1, 0x11;
mov.u16 %h2, 0x22;
st.local.v2.u8 [x], {%h1, %h2};
ld.local.v2.u8 {%r1, %r2}, [x];
st.global.v2.u32 [%rd0], {%r1, %r2};`, []uint32{0x11, 0x22}},
	{"a parameter of 3 bytes", `.func (.param .align 2 .b8 r[3]) f(.param .align 2 .b8 a[3]) {
.reg .b16 %h<4>;
ld.param.v2.b8 {%h1, %h2}, [a];
ld.param.b8 %h3, [a+2];
st.param.v2.b8 [r], {%h2, %h3};
st.param.b8 [r+2], %h1;
ret;
}`, `{
.param .align 2 .b8 a[3];
.param .align 2 .b8 r[3];
st.param.b16 [a], 0x2211;
st.param.b8 [a+2], 0x33;
call (r), f, (a);
ld.param.b8 %r1, [r];
ld.param.b8 %r2, [r+1];
ld.param.b8 %r3, [r+2];
}
st.global.v2.u32 [%rd0], {%r1, %r2};
st.global.u32 [%rd0+8], %r3;`, []uint32{0x22, 0x33, 0x11}},
	{"a parameter that is read as a whole", `.func f(.param .align 2 .b8 a[2], .param .b64 o) {
.reg .b32 %r<2>;
.reg .b64 %rd<2>;
ld.param.u16 %r1, [a];
ld.param.u64 %rd1, [o];
st.global.u32 [%rd1], %r1;
ret;
}`, `{
.param .align 2 .b8 a[2];
.param .b64 o;
st.param.b8 [a], 0x11;
st.param.b8 [a+1], 0x22;
st.param.b64 [o], %rd0;
call f, (a, o);
}`, []uint32{0x2211}},
	{"an address of two words, or of a parameter", ".shared .b32 s;", `st.shared.u32 [s], 3;
mov.u64 %rd1, s;
cvta.shared.u64 %rd2, %rd1;
mov.b64 {%r1, %r2}, %rd2;
mov.b64 %rd3, {%r1, %r2};
ld.param.u32 %r3, [last];
setp.ne.u32 %p1, %r3, 99;
@%p1 mov.u64 %rd3, %rd0;
ld.u32 %r4, [%rd3];
st.global.u32 [%rd0], %r4;`, []uint32{3}},
	{"spaces of generic addresses", ".global .b32 g;\n.const .b32 c = 7;\n.global .b32 h;\n.shared .b32 s;", `mov.u64 %rd1, c;
cvta.const.u64 %rd1, %rd1;
ld.u32 %r4, [%rd1];
isspacep.const %p1, %rd1;
selp.u32 %r1, 1, 0, %p1;
isspacep.global %p1, %rd1;
selp.u32 %r2, 2, 0, %p1;
isspacep.const %p1, %rd0;
selp.u32 %r3, 4, 0, %p1;
add.u32 %r1, %r1, %r2;
add.u32 %r1, %r1, %r3;
mov.u64 %rd2, h;
cvta.global.u64 %rd2, %rd2;
isspacep.global %p1, %rd2;
selp.u32 %r2, 8, 0, %p1;
isspacep.const %p1, %rd2;
selp.u32 %r3, 16, 0, %p1;
add.u32 %r1, %r1, %r2;
add.u32 %r1, %r1, %r3;
mov.u64 %rd3, s;
cvta.shared.u64 %rd3, %rd3;
isspacep.shared %p1, %rd3;
selp.u32 %r2, 32, 0, %p1;
isspacep.global %p1, %rd3;
selp.u32 %r3, 64, 0, %p1;
add.u32 %r1, %r1, %r2;
add.u32 %r1, %r1, %r3;
st.global.v2.u32 [%rd0], {%r1, %r4};`, []uint32{1 + 8 + 32, 7}},
	{"asynchronous copies", ".global .b32 g[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};\n.shared .align 16 .b32 s[4];", `cp.async.ca.shared.global [s], [g], 16, 6;
cp.async.commit_group;
cp.async.wait_group 0;
ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];
st.global.v4.u32 [%rd0], {%r1, %r2, %r3, %r4};
cp.async.cg.shared.global [s], [g], 16;
cp.async.wait_all;
ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];
st.global.v4.u32 [%rd0+16], {%r1, %r2, %r3, %r4};`, []uint32{0x11111111, 0x2222, 0, 0, 0x11111111, 0x22222222, 0x33333333, 0x44444444}},
	{"a global variable of a function", ".global .b32 g = 3;", `.global .b32 g[2] = {7, 8};
ld.global.u32 %r1, [g+4];
setp.eq.u32 %p1, %r1, 8;
st.global.u32 [%rd0], %r1;
cp.async.ca.shared.global [t], [g], 4, %p1;
ld.shared.u32 %r2, [t];
st.global.u32 [%rd0+4], %r2;
.shared .b32 t;`, []uint32{8, 0}},
	{"comparisons of halves", "", `mov.b32 %r1, 0x40003c00;
mov.b32 %r2, 0x3c004000;
setp.lt.f16x2 %p1|%p2, %r1, %r2;
selp.u32 %r3, 1, 2, %p1;
selp.u32 %r4, 1, 2, %p2;
st.global.v2.u32 [%rd0], {%r3, %r4};`, []uint32{1, 2}},
	{"lop3 with a predicate", "", `setp.eq.u32 %p1, 0, 0;
mov.u32 %r1, 12;
mov.u32 %r2, 3;
lop3.and.b32 %r3|%p2, %r1, %r2, 0, 0xc0, %p1;
selp.u32 %r4, 1, 2, %p2;
st.global.v2.u32 [%rd0], {%r3, %r4};
lop3.or.b32 %r3|%p2, %r1, 10, 0, 0xc0, !%p1;
selp.u32 %r4, 1, 2, %p2;
st.global.v2.u32 [%rd0+8], {%r3, %r4};`, []uint32{0, 2, 8, 1}},
	{"the fourth parts of special registers", "", `mov.u32 %r1, %ntid.w;
add.u32 %r1, %r1, %tid.w;
st.global.u32 [%rd0], %r1;`, []uint32{0}},
	{"beyond a local variable", "", `.local .b32 x, y;
st.local.u32 [y], 5;
st.local.u32 [x+400], 77;
ld.local.u32 %r1, [x+400];
ld.local.u32 %r2, [y];
st.global.v2.u32 [%rd0], {%r1, %r2};`, []uint32{0, 5}},
	{"beyond shared memory", ".shared .b32 s[2];", `mov.u32 %r3, -4;
st.shared.u64 [%r3], 5;
ld.shared.v2.u32 {%r1, %r2}, [%r3];
st.global.v2.u32 [%rd0], {%r1, %r2};`, []uint32{0, 0}},
	{"partly beyond a buffer", "", `st.global.v4.u32 [%rd0+4], {1, 2, 3, 4};
st.global.u64 [%rd0+8], -1;`, []uint32{0, 0, 0}},
	{"beyond the end of addresses", "", `mov.u64 %rd1, -4;
st.global.u64 [%rd1], 5;
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
st.global.u32 [%rd0], %r3;`, []uint32{0}},
}

// TestMemory runs each kernel on each engine.
func TestMemory(t *testing.T) {
	for _, row := range memoryRows {
		m := parse(t, `.version 8.6
.target sm_90
.address_size 64
`+row.decls+`
.visible .entry k(.param .u64 o, .param .u32 last)
{
.reg .pred %p<3>;
.reg .b16 %h<4>;
.reg .b32 %r<5>;
.reg .b64 %rd<4>;
ld.param.u64 %rd0, [o];
`+row.body+`
ret;
}
`)
		for _, e := range engines {
			out := make([]byte, 4*len(row.want))
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out, 99}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(row.name, e.name, err)
			}
			for i, want := range row.want {
				if got := word(out[4*i:]); got != want {
					t.Errorf("%s, word %d on the %s: %#x; must be %#x", row.name, i, e.name, got, want)
				}
			}
		}
	}
}

// TestCopyOfPart copies the first bytes of a buffer of 6 by cp.async: the rest of the 16 bytes is 0 (PTX ISA, cp.async).
func TestCopyOfPart(t *testing.T) {
	m := parse(t, `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 out, .param .u64 from, .param .u32 size)
{
.shared .align 16 .b32 s[4];
.reg .b64 p, q;
.reg .b32 n, w0, w1, w2, w3;
ld.param.u64 p, [out];
ld.param.u64 q, [from];
ld.param.u32 n, [size];
cp.async.ca.shared.global [s], [q], 16, n;
cp.async.wait_all;
ld.shared.v4.u32 {w0, w1, w2, w3}, [s];
st.global.v4.u32 [p], {w0, w1, w2, w3};
ret;
}
`)
	from := []byte{1, 2, 3, 4, 5, 6}
	for _, e := range engines {
		for size := range len(from) + 1 {
			out, want := make([]byte, 16), make([]byte, 16)
			copy(want, from[:size])
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out, from, size}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(e.name, err)
			}
			if string(out) != string(want) {
				t.Errorf("%d bytes on the %s: %x; must be %x", size, e.name, out, want)
			}
		}
	}
}

// TestGenericLdu reads .global and .shared memory with ldu: "If no state space is given, perform the load using generic addressing".
func TestGenericLdu(t *testing.T) {
	m := parse(t, `.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 o)
{
	.reg .u64 out, at, sh;
	.reg .u32 a, b, t;
	.reg .pred p;
	.shared .align 8 .u32 s[2];
	ld.param.u64 out, [o];
	mov.u32 t, %tid.x;
	st.shared.u32 [s], 11;
	st.shared.u32 [s+4], 22;
	bar.sync 0;
	cvta.shared.u64 sh, s;
	setp.eq.u32 p, t, 0;
	selp.u64 at, out, sh, p;
	ldu.v2.u32 {a, b}, [at];
	mad.lo.u32 a, b, 100, a;
	mul.wide.u32 at, t, 4;
	add.u64 at, out, at;
	st.global.u32 [at+8], a;
	ldu.u32 a, [sh+4];
	st.global.u32 [at+16], a;
	ret;
}
`)
	if findings := ptx.Check(m); len(findings) > 0 {
		t.Fatal(findings[0])
	}
	for _, e := range engines {
		out := words(5, 6, 0, 0, 0, 0)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{2, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil || !bytes.Equal(out, words(5, 6, 605, 2211, 22, 22)) {
			t.Errorf("on the %s: %v, %x", e.name, err, out)
		}
	}
}
