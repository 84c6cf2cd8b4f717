package ptxlower

import (
	"bytes"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// TestShadowedVectors names a vector register in a block in which it hides another register of an outer block.
func TestShadowedVectors(t *testing.T) {
	m := parse(t, `.version 8.8
.target sm_100
.address_size 64
.func (.reg .u32 r) sum(.reg .v2 .u32 x)
{
	add.u32 r, x.x, x.y;
	ret;
}
.entry k(.param .u64 o)
{
	.reg .b64 out, d;
	.reg .v4 .u32 v;
	.reg .u64 w;
	.reg .b32 n;
	ld.param.u64 out, [o];
	mov.v4.u32 v, {100, 200, 300, 400};
	mov.u64 w, 77;
	{
		.reg .v2 .u32 v, w;
		mov.v2.u32 v, {7, 3};
		mov.b64 d, v;
		st.global.u64 [out], d;
		call (n), sum, (v);
		st.global.u32 [out+8], n;
		mov.v2.u32 w, v;
		mov.b64 d, w;
		cvt.u32.u64 n, d;
		st.global.u32 [out+12], n;
		call (n), sum, (w);
		st.global.u32 [out+16], n;
	}
	{
		.reg .u32 v;
		mov.u32 v, 5;
		st.global.u32 [out+20], v;
	}
	st.global.u32 [out+24], v.x;
	cvt.u32.u64 n, w;
	st.global.u32 [out+28], n;
	ret;
}
`)
	want := []uint32{7, 3, 10, 7, 10, 5, 100, 77}
	for _, e := range engines {
		out := make([]byte, 4*len(want))
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(e.name, err)
		}
		for i, x := range want {
			if got := words32(out)[i]; got != x {
				t.Errorf("on the %s: number %d is %d; must be %d", e.name, i, got, x)
			}
		}
	}
}

// TestShortArgument passes variables of a call that have fewer bytes than the parameter, and as many.
func TestShortArgument(t *testing.T) {
	for _, k := range []struct {
		param, argument string
		ok              bool
	}{
		{".param .b32 a", ".param .b32 p", true}, {".param .b64 a", ".param .b32 p", false}, {".param .align 4 .b8 a[12]", ".param .align 4 .b8 p[8]", false},
		{".param .align 4 .b8 a[12]", ".param .align 4 .b8 p[12]", true}, {".reg .v2 .u32 a", ".param .b32 p", false}, {".reg .v2 .u32 a", ".param .align 8 .b8 p[8]", true},
	} {
		m := parse(t, ".version 7.0\n.target sm_70\n.address_size 64\n.func f("+k.param+") { ret; }\n.entry k()\n{\n"+k.argument+";\ncall f, (p);\nret;\n}\n")
		err := (&launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}}).run(m, engines[0].engine, false)
		if (err == nil) != k.ok || err != nil && !strings.Contains(err.Error(), "the argument p has") {
			t.Errorf("%s for %s: %v", k.argument, k.param, err)
		}
	}
}

// TestModuleRegisters accesses registers of the module in a kernel and in functions: each thread has one of each, and its value lives
// from call to call (PTX ISA, "Changes from PTX ISA Version 1.x": versions before 3.0 permit them). Registers of functions hide them.
func TestModuleRegisters(t *testing.T) {
	const functions = `.func step ()
{
	.reg .u32 y;
	mov.u32 y, %r1;
	add.u32 %r2, %r2, y;
	add.f32 %f, %f, 0f3f000000;
	setp.gt.u32 %p, %r2, 20;
	{ .reg .u32 %r<2>; mov.u32 %r1, 99; }
	mov.u32 v.y, v.x;
	add.u64 at, at, 4;
	ret;
}
.func twice () { call step; call step; ret; }
`
	for _, x := range []struct{ functions, calls string }{
		{functions, "call twice;\n"},
		{"", "add.u32 %r2, %r2, %r1; add.u32 %r2, %r2, %r1; add.f32 %f, %f, 0f3f800000; setp.gt.u32 %p, %r2, 20; mov.u32 v.y, v.x; add.u64 at, at, 8;\n"},
	} {
		m := parse(t, ".version 2.3\n.target sm_20\n.address_size 64\n.reg .u32 %r<3>;\n.reg .f32 %f;\n.reg .pred %p;\n.reg .v2 .u32 v;\n.reg .u64 at;\n"+x.functions+`
.entry k(.param .u64 o)
{
	.reg .u32 y;
	.reg .u64 d;
	ld.param.u64 at, [o];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 d, %r1, 16;
	add.u64 at, at, d;
	mov.u32 %r2, 10;
	mov.f32 %f, 0f3f800000;
	mov.u32 v.x, 7;
	`+x.calls+`
	st.global.u32 [at+-8], %r2;
	st.global.f32 [at+-4], %f;
	selp.u32 y, 1, 0, %p;
	st.global.u32 [at], y;
	st.global.u32 [at+4], v.y;
	ret;
}
`)
		if findings := ptx.Check(m); len(findings) > 0 {
			t.Fatal(findings[0])
		}
		for _, sanitize := range []ir.Sanitizers{0, ir.SanitizeUninit} {
			for _, e := range engines {
				out := make([]byte, 16*8)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{8, 1, 1}, args: []any{out}, sanitize: sanitize}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(e.name, err)
				}
				if len(l.reports) > 0 {
					t.Errorf("on the %s: %v; must have no report", e.name, l.reports[0])
				}
				for i := range 8 {
					sum := uint32(10 + 2*i)
					want := words(sum, 0x40000000, map[bool]uint32{true: 1}[sum > 20], 7)
					if got := out[16*i : 16*i+16]; !bytes.Equal(got, want) {
						t.Errorf("on the %s, thread %d: %x; must be %x", e.name, i, got, want)
					}
				}
			}
		}
	}
}

// TestUninitializedModuleRegister reports a register of the module without a value.
func TestUninitializedModuleRegister(t *testing.T) {
	m := parse(t, `.version 2.3
.target sm_20
.address_size 64
.reg .u32 %r<3>;
.func (.param .u32 y) get () { st.param.u32 [y], %r1; ret; }
.entry k(.param .u64 o)
{
	.reg .u64 at;
	.reg .u32 a;
	.param .u32 y;
	ld.param.u64 at, [o];
	call (y), get;
	ld.param.u32 a, [y];
	st.global.u32 [at], a;
	ret;
}
`)
	for _, e := range engines {
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{make([]byte, 4)}, sanitize: ir.SanitizeUninit}
		if err := l.run(m, e.engine, e.optimize); err != nil || len(l.reports) != 1 {
			t.Errorf("on the %s: %v, %d reports; must be 1", e.name, err, len(l.reports))
		}
	}
}
