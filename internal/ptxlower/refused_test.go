package ptxlower

import (
	"strings"
	"testing"
)

// refusedRows are instructions that PTX does not have or that are not built, and a part of the error.
var refusedRows = []struct{ text, want string }{
	{"add.rn.f16.f32 %h0, %h1, %h2;", "add.rn.f16.f32 is not supported"}, // of mixed precision
	{"barrier.sync;", "has no barrier; must have one"},
	{"redux.sync.min.NaN.u32 %r0, %r1, -1;", "is not supported"},
	{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r0], %r1;", "has 2 operands; must have 3"},
	{"st.shared.u32 [%r0], %r1, [%r2];", "has 3 operands; must have 2"},
	{"st.async.shared::cluster.u32 [%r0], %r1, [%r2];", "is not supported"},
	{"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.f32 [%r0], %f1, [%r2];", "is not supported"},
	{"mbarrier.init.shared.b64 [%rd0], 0;", "the count is 0; must be 1 to 1048575"},
	{"mbarrier.init.shared.b64 [%rd0];", "must have 2 to 2"},
	{"mbarrier.arrive.expect_tx.shared.b64 _, [%rd0];", "has 2 operands; must have 3"},
	{"mbarrier.shared.b64 [%rd0];", "is not supported"},
	{"bar.arrive 1;", "has 1 operands; must have 2 or 2"},
	{"bar.sync 1, 40;", "the barrier has 40 threads; must have a multiple of 32, at most the 32 of the block"},
	{"bar.sync 1, 64;", "the barrier has 64 threads; must have a multiple of 32, at most the 32 of the block"},
	{"atom.global.exch.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0], {%f0, %f1, %f2, %f3};", "is not supported"},
	{"sub.u16x2 %r0, %r1, %r2;", "sub.u16x2 is not supported"},
	{"min.relu.u32 %r0, %r1, %r2;", "min.relu.u32 of 3 operands does not exist"},
	{"max.s32 %r0, %r1, %r2, %r3;", "max.s32 of 4 operands does not exist"},
	{"cvt.rm.bf16.f32 %h0, %f0;", "must have .rn or .rz"},
	{"bar.red.popc.u32 %r0, 1, -%p1;", "has a minus; must have none"},
	{"st.const.u32 [%rd0], %r0;", ".const of st.const.u32 is not supported"},
	{"atom.const.add.u32 %r0, [%rd0], %r1;", ".const of atom.const.add.u32 is not supported"},
	{"mov.b64 {%r0, %r1, %r2}, %rd0;", "has 3 elements; must have 2 or 4"},
	{"mov.b64 %rd0, {%r0, %r1, %r2};", "has 3 elements; must have 2 or 4"},
	{"mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3}, {%f0, %f1, %f2, %f3};", "is not supported"},
	{"mma.sync.aligned.m16n8k8.row.col.f16.f16.bf16.f16 {%r0, %r1}, {%r1, %r2}, {%r3}, {%r0, %r1};", "is not supported"},
	{"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, {%f0, %f1, %f2, %f3}, %r4, 2;", "the sparsity selector is 2; must be 0 to 1"},
	{"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}, {%f0, %f1, %f2, %f3};", "has 4 operands; must have 6"},
	{"mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0}, {%r0}, {%f0, %f1, %f2, %f3}, %r4, 0;", "is not supported"},
	{"{ .reg .b128 %q; atom.global.add.b128 %q, [%rd0], %q; }", "is not supported"},
	{"{ .reg .b128 %q; atom.global.cas.b128 %q, [%rd0], %q; }", "has 3 operands; must not have"},
	{"{ .reg .b128 %q; atom.global.exch.b128 %q, [%rd0], %q, %q; }", "has 4 operands; must not have"},
	{"{ .reg .b128 %q; atom.global.exch.b128 %q, [%rd0], 1; }", "is no register of type .b128; must be one"},
	{"{ .reg .b128 %q; atom.global.exch.b128 %q, [%rd0], {%rd0, %rd1}; }", "is no register of type .b128; must be one"},
	{"{ .reg .b128 %q; atom.global.exch.b128 %q.x, [%rd0], %q; }", "is no register of type .b128; must be one"},
	{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%rd0], 64;", "has 3 operands; must have 4"},
	{"cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%rd0], [%r0], 64, [%r1];", "is not supported"},
	{"cp.async.bulk.global.global.bulk_group [%rd0], [%rd1], 64;", "is not supported"},
	{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.bf16 [%rd0], [%r0], 64;", "is not supported"},
	{"cp.async.bulk.global.shared::cta.bulk_group %rd0, [%r0], 64;", "is no address; must be one"},
	{"st.bulk.shared::cta [%r0], 64, 1;", "the initial value is 1; must be 0"},
	{"st.bulk.global [%rd0], 64, 0;", "is not supported"},
	{"alloca.u64 %rd0, 8, 24;", "the alignment is 24; must be a power of two"},
	{"alloca.s32 %r0, 8;", "must have .u32 or .u64"},
	{"cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2}, %r1;", "must have them"},
	{"cvt.rs.e4m3x4.f32 %r0, {%f0, %f1, %f2, %f3}, %r1;", "must have them"},
	{"cvt.rn.satfinite.s2f6x2.f32 %h0, %f0;", "must have another form"},
	{"cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h0, %f0, %f1;", "must have another form"},
	{"cvt.rn.s2f6x2.f32 %h0, %f0, %f1;", "must have another form"},
	{"cvt.rn.f16x2.s2f6x2 %r0, %h0;", "is not supported"},
	{"cvt.rn.ue8m0x2.f32 %h0, %f0, %f1;", "must have .rz or .rp"},
	{"cvt.bf16.s32 %h0, %r0;", "has no rounding; must have one"},
	{"cvt.s32.bf16 %r0, %h0;", "has no rounding to an integer; must have one"},
	{"multimem.add.u32 %r0, [%rd0];", "is not supported"},
	{"multimem %r0, [%rd0];", "multimem has no operation; must have one"},
	{"multimem.ld_reduce.global.xor.f32 %f0, [%rd0];", ".xor of multimem.ld_reduce.global.xor.f32 is not supported"},
	{"multimem.ld_reduce.global.add.v2.u32 {%r0, %r1}, [%rd0];", "is not supported"},
	{"multimem.ld_reduce.global.add.v2.f64 {%d0, %d1}, [%rd0];", "is not supported"},
	{"multimem.st.global.v8.f16x2 [%rd0], {%r0, %r1, %r2, %r3, %r0, %r1, %r2, %r3};", "is not supported"},
	{"multimem.ld_reduce.global.max.f32 %f0, [%rd0];", ".max of"},
	{"multimem.red.global.max.f16x2 [%rd0], %r0;", ".max of"},
	{"multimem.ld_reduce.global.and.u32 %r0, [%rd0];", ".and of"},
	{"multimem.ld_reduce.global.add.b32 %r0, [%rd0];", ".add of"},
	{"multimem.red.global.add.acc::f32.f16x2 [%rd0], %r0;", ".acc::f32 of"},
	{"multimem.ld_reduce.global.add.acc::f32.f32 %f0, [%rd0];", ".acc::f32 of"},
	{"multimem.ld_reduce.release.gpu.global.add.f32 %f0, [%rd0];", ".release of"},
	{"multimem.red.acquire.gpu.global.add.f32 [%rd0], %f0;", ".acquire of"},
	{"multimem.st.weak.gpu.global.f32 [%rd0], %f0;", "has a scope and .weak; must have one of them"},
	{"multimem.cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%rd0], 64, [%r1];", "is not supported"},
	{"multimem.st.global.f32 [%rd0], %f0, %f1;", "has 3 operands; must have 2"},
	{"clmad.u64 %rd0, %rd1, %rd2, %rd3;", "or not one of .lo and .hi"},
	{"cp.async.bulk.prefetch.L2.global %rd0, 16;", "is no address; must be one"},
	{"cp.async.bulk.prefetch.L2.global [%rd0];", "has 1 operands; must have 2"},
	{"cp.async.bulk.prefetch.L2.global [%rd0], 16, %r1, %r2;", "has 4 operands; must have 2"},
	{"cp.async.bulk.prefetch.L2.shared::cta [%rd0], 16;", "is not supported"},
	{"cp.async.bulk.prefetch.global [%rd0], 16;", "is not supported"},
	{"cp.async.bulk.prefetch.tensor.1d.L2.global [%rd0, {%r1}];", ".tensor of"},
	{"tensormap.replace.tile.global_address.global.b1024.b64 [%rd0], %rd1;", "the instruction tensormap"},
	{"wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0, 0;", "is not supported"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%r0, %r1}, %rd0, %rd1, 1, 1, 1, 0, 0;", "is not supported"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2}, %rd0, %rd1, 1, 1, 1, 0, 0;", "has 3 registers; must have 4"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0;", "has 7 operands; must have 8"},
	{"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0, 0;", "has 8 operands; must have 6"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 2, 1, 0, 0;", "is no constant 1 or -1; must be one"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1;", "has 4 operands; must have 8"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1;", "has 3 operands; must have"},
	{"wgmma.fence.sync.aligned 1;", "has 1 operands; must have 0"},
	{"bar.sync 16;", "the barrier is 16; must be 0 to 15"},
	{"bar.red.popc.u32 %r0, 16, %p0;", "the barrier is 16; must be 0 to 15"},
	{"bar.red.popc.u32 %r0, 1;", "must have 3 or 4"},
	{"bar.sync 1, 32, %r0;", "must have 1 or 2"},
	{"redux.add.u32 %r0, %r1, -1;", "redux.add.u32 has no .sync"},
	{"mov.u32 %r0, %tid.xy;", "is not supported"},
	{"sust.p.1d.v2.f32.trap [%rd0, {%r0}], {%f0, %f1};", "sust.p.1d.v2.f32.trap is not supported"},
	{"suld.p.1d.f32.trap %f0, [%rd0, {%r0}];", ".p of suld.p.1d.f32.trap is not supported"},
	{"vmad.s32.s32.s32.po %r0, -%r1, %r2, %r3;", "must have one of the product or of c, and none with .po"},
	{"vmad.s32.s32.s32 %r0, -%r1, %r2, -%r3;", "must have one of the product or of c, and none with .po"},
	{"vshl.s32.s32.s32.wrap %r0, %r1, %r2;", "has a count of .s32; must be .u32"},
	{"vadd4.s32.s32.s32.sat.add %r0, %r1, %r2, %r3;", "has .sat and .add; must have one of them"},
	{"cvt.rn.satfinite.f32.f64 %f0, %d0;", "must not have it"},
}

// TestRefused checks that Lower refuses each instruction with its position.
func TestRefused(t *testing.T) {
	for _, row := range refusedRows {
		m := parse(t, `.version 8.8
.target sm_100
.address_size 64
.entry k(.param .u64 p)
{
.reg .pred %p<4>;
.reg .b16 %h<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.reg .f32 %f<4>;
.reg .f64 %d<4>;
`+row.text+`
}
`)
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lower(m, image, "k", Options{Block: [3]uint32{WarpSize, 1, 1}})
		if err == nil || !strings.HasPrefix(err.Error(), "12:") || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; must be an error at line 12 with %q", row.text, err, row.want)
		}
	}
}
