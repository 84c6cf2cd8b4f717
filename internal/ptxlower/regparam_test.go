package ptxlower

import (
	"strings"
	"testing"
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
