package ptxlower

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// sanitizeHead begins the kernels of TestSanitizers: %rd0 is out and %r0 the number of the thread, of 64 in one block.
const sanitizeHead = `.version 8.6
.target sm_90
.address_size 64
.func (.param .b32 r) id(.param .align 4 .b8 s[8])
{
.reg .b32 %r<2>;
ld.param.b32 %r0, [s];
st.param.b32 [r], %r0;
ret;
}
.entry k(.param .u64 out)
{
.reg .pred %p<4>;
.reg .b16 %h<4>;
.reg .b32 %r<12>;
.reg .b64 %rd<8>;
.reg .f32 %f<4>;
.shared .align 16 .b32 s[64];
.local .align 8 .b8 l[32];
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
mov.u64 %rd2, s;
add.u64 %rd3, %rd2, %rd1;
add.u64 %rd4, %rd0, %rd1;
`

// sanitized are bodies with a fault, which one report names, or without one (want "").
var sanitized = []struct {
	of         ir.Sanitizers
	body, want string
}{
	// Neighbors exchange values through shared memory, without a barrier and with one.
	{ir.SanitizeRace, "st.shared.u32 [%rd3], %r0; xor.b64 %rd5, %rd3, 4; ld.shared.u32 %r1, [%rd5];", "ld.shared.u32: a load of 4 bytes at offset"},
	{ir.SanitizeRace, "st.shared.u32 [%rd3], %r0; bar.sync 0; xor.b64 %rd5, %rd3, 4; ld.shared.u32 %r1, [%rd5];", ""},
	{ir.SanitizeRace, "st.shared.u32 [%rd3], %r0; bar.warp.sync -1; xor.b64 %rd5, %rd3, 4; ld.shared.u32 %r1, [%rd5];", ""},
	{ir.SanitizeRace, "st.volatile.shared.u32 [%rd3], %r0; xor.b64 %rd5, %rd3, 4; ld.volatile.shared.u32 %r1, [%rd5];", ""},
	{ir.SanitizeRace, "st.global.u32 [%rd0], %r0;", "a store of 4 bytes at address"},
	{ir.SanitizeRace, "red.global.add.u32 [%rd0], %r0;", ""},
	{ir.SanitizeRace, "atom.global.add.u32 %r1, [%rd0], %r0; ld.global.u32 %r2, [%rd0];", "a load of 4 bytes at address"},
	{ir.SanitizeRace, "st.global.v2.u32 [%rd0], {%r0, %r0};", "a store of 8 bytes at address"},
	{ir.SanitizeRace, "st.global.u32 [%rd4], %r0;", ""},
	// Thread 0 passes a value on by a flag: a release and an acquire order it, relaxed accesses do not.
	{ir.SanitizeRace, "setp.ne.u32 %p0, %r0, 0; @%p0 bra R; st.global.u32 [%rd0+8], 7; st.release.gpu.global.u32 [%rd0], 1; R: bar.warp.sync -1; ld.acquire.gpu.global.u32 %r1, [%rd0]; ld.global.u32 %r2, [%rd0+8];", ""},
	{ir.SanitizeRace, "setp.ne.u32 %p0, %r0, 40; @%p0 bra R; st.global.u32 [%rd0+8], 7; st.relaxed.gpu.global.u32 [%rd0], 1; R: ld.relaxed.gpu.global.u32 %r1, [%rd0]; ld.global.u32 %r2, [%rd0+8];", "of 4 bytes at address"},

	{ir.SanitizeRace, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd2], {%r0};", "a store of 4 bytes at offset"}, // both warps

	{ir.SanitizeUninit, "add.u32 %r2, %r1, 1; st.global.u32 [%rd4], %r2;", "the stored value depends on a value that nothing wrote"},
	{ir.SanitizeUninit, "setp.eq.u32 %p0, %r1, 0; @%p0 st.global.u32 [%rd4], 1;", "the guard %p0 depends on"},
	{ir.SanitizeUninit, "ld.global.u32 %r1, [%rd6];", "the address depends on"},
	{ir.SanitizeUninit, "ld.shared.u32 %r1, [%rd3]; st.global.u32 [%rd4], %r1;", "the stored value depends on"},
	{ir.SanitizeUninit, "st.shared.u32 [%rd3], 1; ld.shared.u32 %r1, [%rd3]; st.global.u32 [%rd4], %r1;", ""},
	{ir.SanitizeUninit, "red.shared.add.u32 [%rd3], 1;", "the atomic depends on"},
	{ir.SanitizeUninit, "ld.local.u32 %r1, [l+4]; mov.u32 %r2, %r1; st.global.u32 [%rd4], %r2;", "the stored value depends on"},
	{ir.SanitizeUninit, "st.local.u8 [l+4], 1; ld.local.u64 %rd5, [l]; st.local.u64 [l+8], %rd5; ld.local.u8 %r1, [l+12]; st.global.u32 [%rd4], %r1;", ""}, // a copy with padding
	{ir.SanitizeUninit, "st.local.u8 [l+4], 1; ld.local.u64 %rd5, [l]; st.local.u64 [l+8], %rd5; ld.local.u8 %r1, [l+13]; st.global.u32 [%rd4], %r1;", "the stored value depends on"},
	{ir.SanitizeUninit, "setp.lt.u32 %p0, %r0, 70; @%p0 mov.u32 %r1, 3; st.global.u32 [%rd4], %r1;", ""},
	{ir.SanitizeUninit, "setp.lt.u32 %p0, %r0, 60; @%p0 mov.u32 %r1, 3; st.global.u32 [%rd4], %r1;", "(4 times)"},
	{ir.SanitizeUninit, "setp.ne.u32 %p0, %r0, 0; @%p0 bra L; mov.u32 %r1, 3; L: shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; setp.lt.u32 %p1, %r0, 32; @%p1 st.global.u32 [%rd4], %r2;", ""},
	{ir.SanitizeUninit, "{ .param .align 4 .b8 a[8]; .param .b32 b; st.param.b32 [a], 5; call (b), id, (a); ld.param.b32 %r1, [b]; } st.global.u32 [%rd4], %r1;", ""},
	{ir.SanitizeUninit, "{ .param .align 4 .b8 a[8]; .param .b32 b; st.param.b32 [a+4], 5; call (b), id, (a); ld.param.b32 %r1, [b]; } st.global.u32 [%rd4], %r1;", "the stored value depends on"},
	// Logic and moves of bits: what decides the result has a value.
	{ir.SanitizeUninit, "setp.lt.u32 %p0, %r0, 70; setp.eq.u32 %p1, %r1, 0; or.pred %p2, %p0, %p1; selp.u32 %r2, 1, 2, %p2; st.global.u32 [%rd4], %r2;", ""},
	{ir.SanitizeUninit, "setp.lt.u32 %p0, %r0, 60; setp.eq.u32 %p1, %r1, 0; or.pred %p2, %p0, %p1; selp.u32 %r2, 1, 2, %p2; st.global.u32 [%rd4], %r2;", "(4 times)"},
	{ir.SanitizeUninit, "setp.gt.u32 %p0, %r0, 70; setp.eq.and.u32 %p1|%p2, %r1, 0, %p0; @%p1 st.global.u32 [%rd4], 1; @%p2 st.global.u32 [%rd4], 2;", ""},
	{ir.SanitizeUninit, "st.local.u8 [l+1], 7; ld.local.u64 %rd5, [l]; cvt.u32.u64 %r1, %rd5; bfe.u32 %r2, %r1, 8, 8; st.global.u32 [%rd4], %r2;", ""},
	{ir.SanitizeUninit, "st.local.u8 [l+1], 7; ld.local.u32 %r1, [l]; bfe.u32 %r2, %r1, 7, 8; st.global.u32 [%rd4], %r2; shr.u32 %r2, %r1, 8; and.b32 %r2, %r2, 0x1ff; not.b32 %r2, %r2; add.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;", "the stored value depends on"},
	{ir.SanitizeUninit, "and.b32 %r1, %r1, 0xffff0000; or.b32 %r1, %r1, %r0; mov.b32 {%h0, %h1}, %r1; xor.b16 %h0, %h0, 3; mov.b32 %r2, {%h0, %h0}; shl.b32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;", ""},
	{ir.SanitizeUninit, "bfi.b32 %r1, %r0, %r1, 8, 8; prmt.b32 %r2, %r1, %r3, 0x1111; shf.r.wrap.b32 %r2, %r2, %r2, 4; st.global.u32 [%rd4], %r2; selp.u32 %r2, %r0, %r3, 1; st.global.u32 [%rd4], %r2;", ""},
	{ir.SanitizeUninit, "bfi.b32 %r1, %r0, %r1, 8, 8; prmt.b32 %r2, %r1, %r3, 0x1112; add.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;", "the stored value depends on"},
	{ir.SanitizeUninit, "shl.b32 %r3, %r1, 8; lop3.b32 %r2, %r3, 0xff, %r0, 0x80; add.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;", ""},
	{ir.SanitizeUninit, "lop3.b32 %r2, %r1, 0xff, %r0, 0xea; shr.u32 %r2, %r2, 8; brev.b32 %r2, %r2; add.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;", ""}, // a & b | c
	{ir.SanitizeUninit, "lop3.b32 %r2, %r1, 0x1ff, %r0, 0xea; shr.u32 %r2, %r2, 8; brev.b32 %r2, %r2; add.u32 %r2, %r2, 1; st.global.u32 [%rd4], %r2;", "the stored value depends on"},
	{ir.SanitizeUninit, "lop3.b32 %r2, %r0, %r1, %r3, 0xf0; st.global.u32 [%rd4], %r2;", ""},                            // a alone
	{ir.SanitizeUninit, "lop3.b32 %r2, %r0, %r1, %r0, 0x96; st.global.u32 [%rd4], %r2;", "the stored value depends on"}, // a ^ b ^ c
	{ir.SanitizeUninit, "lop3.or.b32 %r2|%p1, %r0, %r1, %r0, 0x96, 0; @%p1 st.global.u32 [%rd4], 1;", "the guard %p1 depends on"},
	{ir.SanitizeUninit, "mul.wide.u32 %rd5, %r0, 12; add.u64 %rd5, %rd5, %rd4; setp.lt.u32 %p0, %r0, 16; @%p0 st.global.v4.u32 [%rd5], {%r0, %r0, %r0, %r1};", ""}, // a vector of three
	{ir.SanitizeUninit, "st.global.v4.u32 [%rd5], {%r0, %r0, %r1, %r0};", "the stored value depends on"},

	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 32; @%p0 bra L; bar.sync 0; bra M; L: bar.sync 0; M: mov.u32 %r1, 1;", ""}, // of one number
	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 32; @%p0 bra L; bar.sync 0; bra M; L: bar.red.popc.u32 %r1, 0, %p0; M: mov.u32 %r1, 1;", "a barrier that not all of 64 invocations reach"},
	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 32; @!%p0 bra L; bar.sync 0; L: st.global.u32 [%rd4], 1;", ""}, // the others end
	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 32; @%p0 bra L; bar.sync 0; bra M; L: bar.sync 1; M: bar.sync 0;", "a barrier that not all of 64 invocations reach"},
	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 32; @%p0 bra L; bar.sync 0; bra M; L: bar.sync 1; M:", "a barrier that not all of 64 invocations reach"},
	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 40; @%p0 ret; bar.sync 0; bar.sync 0;", ""},
	{ir.SanitizeUniform, "shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;", ""},
	{ir.SanitizeUniform, "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;", "the value of thread 1 of the warp, which does not execute it"},
	{ir.SanitizeUniform, "vote.sync.ballot.b32 %r1, %p0, 1;", "the mask 0x1 lacks thread 1 of the warp"},
	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 40; @%p0 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd2];", "only the threads 0xff of the warp execute it"},
	{ir.SanitizeUniform, "setp.lt.u32 %p0, %r0, 40; @%p0 movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r0;", "only the threads 0xff of the warp execute it"},
	{ir.SanitizeUniform, "mov.f32 %f0, 0f00000000; redux.sync.min.f32 %f1, %f0, 1;", "the mask 0x1 lacks thread 1 of the warp"},

	{ir.SanitizeUndefined, "div.u32 %r1, 7, %r0;", "a division of 7 by 0"},
	{ir.SanitizeUndefined, "sub.s32 %r1, %r0, 1; rem.s32 %r1, 0x80000000, %r1;", "a division of the least number by -1"},
	{ir.SanitizeUndefined, "add.u32 %r1, %r0, 1; div.s32 %r1, -7, %r1;", ""},
	{ir.SanitizeUndefined, "ld.global.u32 %r1, [%rd0+2];", "4 bytes at an address with the rest 2"},
	{ir.SanitizeUndefined, "ld.global.v2.u32 {%r1, %r2}, [%rd4];", "8 bytes at an address with the rest 4"},
	{ir.SanitizeUndefined, "st.shared.v2.u32 [%rd2+8], {%r0, %r0};", ""},
	{ir.SanitizeUndefined, "shr.u32 %r1, %r0, 4; T: .branchtargets A, B, B; brx.idx %r1, T; A: ret; B: ret;", "the index 3 of a table of 3"},
	{ir.SanitizeUndefined, "shr.u32 %r1, %r0, 5; T: .branchtargets A, B, B; brx.idx %r1, T; A: ret; B: ret;", ""},

	{ir.SanitizeBounds, "st.shared.u32 [%rd3+4], 1;", "4 bytes at offset 256 of 256 bytes of shared memory"},
	{ir.SanitizeBounds, "st.global.u32 [%rd4+256], 1;", "which no allocation holds"},
	{ir.SanitizeBounds, "st.shared.u32 [%rd3], 1; st.global.u32 [%rd4], 1;", ""},
	// cp.async reads no byte that it does not copy, and all others.
	{ir.SanitizeBounds, "cp.async.ca.shared.global [%rd3], [%rd4+4096], 4, 0;", ""},
	{ir.SanitizeBounds, "mul.wide.u32 %rd5, %r0, 4096; add.u64 %rd5, %rd5, %rd0; setp.ne.u32 %p0, %r0, 0; cp.async.ca.shared.global [%rd3], [%rd5], 4, %p0;", ""},
	{ir.SanitizeBounds, "setp.eq.u32 %p0, %r0, 0; @%p0 cp.async.cg.shared.global [%rd2+240], [%rd0+248], 16;", "16 bytes at address"},
	{ir.SanitizeBounds, "setp.eq.u32 %p0, %r0, 0; @%p0 cp.async.cg.shared.global [%rd2+240], [%rd0+248], 16, 9;", "9 bytes at address"},
	{ir.SanitizeBounds, "setp.eq.u32 %p0, %r0, 0; @%p0 cp.async.cg.shared.global [%rd2+240], [%rd0+248], 16, 8;", ""},
	{ir.SanitizeBounds, "setp.eq.u32 %p0, %r0, 0; @%p0 cp.async.cg.shared.global [%rd2+248], [%rd0], 16;", "16 bytes at offset 248 of 256 bytes of shared memory"},
	{ir.SanitizeFloat, "mov.b16 %h0, 0x7e00; add.f32.f16 %f1, %h0, 0f3f800000;", ""},
	{ir.SanitizeFloat, "mov.b16 %h0, 0x7c00; sub.f32.f16 %f1, %h0, 0f7f800000;", "sub.f32.f16: a NaN"},
	{ir.SanitizeFloat, "cvt.rn.f32.u32 %f0, %r0; sub.f32 %f0, %f0, 0f3f800000; sqrt.rn.f32 %f1, %f0;", "sqrt.rn.f32: a NaN"},
	{ir.SanitizeFloat, "cvt.rn.f32.u32 %f0, %r0; sqrt.rn.f32 %f1, %f0;", ""},
}

// TestSanitizers checks the reports of each sanitizer on each engine. A body with a fault has a report of its sanitizer alone; one without
// has no report with all sanitizers but uninit, whose values many bodies do not write.
func TestSanitizers(t *testing.T) {
	for _, x := range sanitized {
		m := parse(t, sanitizeHead+x.body+"\nret;\n}\n")
		all := x.of
		if x.want == "" && x.of != ir.SanitizeRace {
			all |= ir.SanitizeAll &^ (ir.SanitizeUninit | ir.SanitizeRace)
		}
		for _, e := range engines {
			out := make([]byte, 4*64)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{64, 1, 1}, args: []any{out}, sanitize: all}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Errorf("%s: %v", x.body, err)
				continue
			}
			found := false
			for _, r := range l.reports {
				found = found || strings.Contains(r.Text(), x.want)
				if x.want == "" || r.Sanitizer != x.of.String() || r.File != "PTX" || r.Line == 0 {
					t.Errorf("%s on the %s has the report %s: %s", x.body, e.name, r.Sanitizer, r.Text())
				}
			}
			if x.want != "" && !found {
				t.Errorf("%s on the %s has the reports %v; one must have %q", x.body, e.name, l.reports, x.want)
			}
		}
	}
}
