package ptxlower

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestVectorRegisters moves vector registers, packs and unpacks them, and passes them, scalars and predicates to functions in registers.
func TestVectorRegisters(t *testing.T) {
	m := parse(t, `.version 8.8
.target sm_100
.address_size 64
.func (.reg .v2 .u32 r, .reg .pred less) swap(.reg .v2 .u32 x, .reg .pred swaps)
{
	mov.v2.u32 r, x;
	@swaps mov.v2.u32 r, {x.y, x.x};
	setp.lt.u32 less, r.x, r.y;
	ret;
}
.func (.reg .u32 r) pack(.reg .v4 .u16 x)
{
	.reg .b32 p, q;
	mov.b32 p, {x.x, x.w};
	mov.b32 q, {x.y, x.z};
	xor.b32 r, p, q;
	ret;
}
.func (.reg .f64 r) scaled(.reg .v2 .f64 x, .reg .u16 n, .reg .v4 .f32 y)
{
	.reg .f64 d;
	.reg .f32 f;
	cvt.rn.f64.u16 d, n;
	fma.rn.f64 r, x.x, d, x.y;
	sub.f32 f, y.w, y.x;
	cvt.f64.f32 d, f;
	add.f64 r, r, d;
	ret;
}
.entry k(.param .u64 o)
{
	.reg .v2 .f64 g;
	.reg .v4 .f32 e;
	.reg .f64 z;
	.reg .u16 n;
	.reg .pred p, q;
	.reg .b32 r<8>;
	.reg .b64 out, d;
	.reg .v2 .u32 v, w;
	.reg .v2 .b16 h<4>;
	.reg .v4 .u16 s;
	ld.param.u64 out, [o];
	mov.u32 r0, 1;
	setp.eq.u32 p, r0, 1;
	mov.v2.u32 v, {7, 3};
	call (w, q), swap, (v, p);
	st.global.v2.u32 [out], w;
	selp.u32 r1, 1, 0, q;
	st.global.u32 [out+8], r1;
	call (w, q), swap, ({r0, r1}, !p);
	selp.u32 r1, 1, 0, q;
	mov.b64 d, w;
	st.global.u64 [out+16], d;
	st.global.u32 [out+12], r1;
	mov.b32 h0, 0x00050009;
	mov.v2.b16 h3, h0;
	mov.v4.u16 s, {h3.x, h0.y, h3.x, h0.x};
	mov.v4.u16 {s.x, s.y, s.z, s.w}, {s.y, s.x, s.w, s.z};
	call (r2), pack, (s);
	st.global.u32 [out+24], r2;
	mov.v2.f64 g, {0d4008000000000000, 0d3FF0000000000000};
	mov.v4.f32 e, {0f40000000, 0f00000000, 0f00000000, 0f41200000};
	mov.u16 n, 5;
	call (z), scaled, (g, n, e);
	cvt.rni.u32.f64 r3, z;
	st.global.u32 [out+28], r3;
	ret;
}
`)
	want := []uint32{3, 7, 1, 0, 1, 1, (9<<16 | 5) ^ (9<<16 | 9), 3*5 + 1 + 10 - 2}
	for _, e := range engines {
		for _, s := range []ir.Sanitizers{0, ir.SanitizeUninit, ir.SanitizeAll &^ ir.SanitizeRace} {
			out := make([]byte, 4*len(want))
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out}, sanitize: s}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(e.name, err)
			}
			if got := words32(out); !slices.Equal(got, want) || len(l.reports) > 0 {
				t.Errorf("on the %s: %d, %v; must be %d without reports", e.name, got, l.reports, want)
			}
		}
	}
}

// words32 returns bytes as numbers of 32 bits.
func words32(b []byte) (list []uint32) {
	for ; len(b) >= 4; b = b[4:] {
		list = append(list, word(b))
	}
	return list
}
