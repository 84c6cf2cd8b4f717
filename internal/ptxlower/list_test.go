package ptxlower

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// instructionList are the instructions of the PTX ISA, in its order.
const instructionList = `
add sub mul mad clmad mul24 mad24 sad div rem abs neg min max popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a addc subc madc
testp copysign fma rcp sqrt rsqrt sin cos lg2 ex2 tanh
set setp selp slct and or xor not cnot lop3 shf shl shr
mov shfl prmt ld ldu st prefetch prefetchu applypriority discard createpolicy isspacep cvta cvt mapa getctarank cp multimem alloca stacksave stackrestore
tex tld4 txq istypep suld sust sured suq
bra brx call ret exit
bar barrier membar fence atom red vote match activemask redux griddepcontrol clusterlaunchcontrol elect mbarrier
wmma mma wgmma ldmatrix stmatrix movmatrix
vadd vsub vabsdiff vmin vmax vshl vshr vmad vset
vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4
brkpt nanosleep pmevent trap setmaxnreg
`

// refusedForms are the forms of the ISA that Lower refuses by their names, one of each instruction.
var refusedForms = []string{
	"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.tile [%r0], [%rd0, {%r1}], [%r2];",
	"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd0, {%r1}], [%r0];",
	"cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd0, {%r1}];",
	"tensormap.replace.tile.rank.global.b1024.b32 [%rd0], 2;",
	"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd0], [%rd1], 128;",
	"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%rd0], 32;",
	"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 32;",
	"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r1];",
	"tcgen05.st.sync.aligned.32x32b.x1.b32 [%r1], {%r0};",
	"tcgen05.wait::ld.sync.aligned;",
	"tcgen05.cp.cta_group::1.128x256b [%r0], %rd0;",
	"tcgen05.shift.cta_group::1.down [%r0];",
	"tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r1, %p0;",
	"tcgen05.fence::before_thread_sync;",
	"tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd0];",
	"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};",
	"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3}, %r0, {0, 0}, %r1, {0, 0};",
	"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
	"tcgen05.mma.sp.cta_group::1.kind::f16 [%r0], %rd0, %rd1, [%r2], %r1, %p0;",
	"tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], %rd0, %rd1, %r1, %p0;",
	"tcgen05.mma.ws.sp.cta_group::1.kind::f16 [%r0], %rd0, %rd1, [%r2], %r1, %p0;",
	"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, %r0, 0, 1, 1, 1, 0, 0;",
	"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5, %r6, %r7}, {%f0, %f1, %f2, %f3}, %r0, 0;",
	"multimem.st.async.release.gpu.global.u32 [%rd0], %r0;",
	"multimem.red.async.release.gpu.global.add.u32 [%rd0], %r0;",
	"mbarrier.check_layout.layout::v0.shared::cta.b64 %p0, [%rd0];",
	"mbarrier.init.layout::v1.shared::cta.b64 [%rd0], 1;",
	"mbarrier.test_wait.phase_type::primary.shared::cta.b64 %p0|%p1, %c, [%rd0], %rd1;",
	"cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group [%rd0], [%r0], 16;",
	"fence.proxy.fabric::generic.alias.release.sys;",
	"fence.proxy.fabric::fabric.alias.acquire.sys;",
	"fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 [%r0], [%rd0, %rd1], 0x100, [%r1];",
	"fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 [%rd0, %rd1], [%r0], 0x100, [%r1];",
	"fabric.try_red.async.shared::cta.relaxed.sys.add.u32 [%rd0, %rd1], [%r0], 0x100, [%r1];",
	"fabric.try_pullred.async.shared::cta.relaxed.sys.add.u32 [%r0], [%rd0, %rd1], 0x100, [%r1];",
	"fabric.wait.sync_restrict::reads;",
	"fabric.submit.op_restrict::fetching;",
	"ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r0}, [%rd0];",
	"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%rd0];",
	"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%rd0], {%r0};",
	"spcompress.b8.b2.sp::2:4.x1 {%r0}, {%r1}, {%r2, %r3}, %r4;",
	"spdecompress.b8.b2.sp::2:4.x4 {%r0, %r1}, {%r2}, {%r3};",
	"add.rm.f32x2.bf16x2.f32x2 %rd0, %r0, %rd1;",
	"sub.rz.ftz.f16x2.f32x2.f32x2 %r0, %rd0, %rd1;",
	"mul.bf16x2.bf16x2.f16x2 %r0, %r1, %r2;",
	"mul.rz.bf16x2.f32x2.f32x2 %r0, %rd0, %rd1;",
	"mul.rn.e4m3x4.ue8m0x4.e5m2x4 %r0, %r1, %r2;",
	"add.rn.e5m2x4.e4m3x4.satfinite %r0, %r1, %r2;",
	"add.e4m3x4.e2m1p4x4 %r0, %r1, %r2;",
	"fma.rn.f32x2.f16x2.f32x2.f32x2 %rd0, %r0, %rd1, %rd2;",
	"fma.rn.e4m3x4.e3m2x4.e2m1p4x4.satfinite %r0, %r1, %r2, %r3;",
	"cvt.rp.ue5m3x2.f32 %h, %f0, %f1;",
	"cvt.rn.f16x2.ue5m3x2 %r0, %h;",
	"cvt.rn.bf16x2.ue5m3x2 %r0, %h;",
	"cvt.rn.bf16.f32.pzo %h, %f0;",
	"cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.bf16x2 %h, %r0, %c;",
	"createpolicy.range.fabric.L2::evict_last.L2::evict_first.b64 %rd0, [%rd1, %rd2], 1024, 2048;",
	"ldmatrix.sync.aligned.m8n16.x2.shared.s8.s4 {%r0, %r1}, [%r2];",
	"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r0], [%rd0], 16, 0, 8, [%r1];",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b [%r0], [%rd0], 16, [%r1], 1;",
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000 [%r0], [%rd0], 16, [%r1];",
	"cp.async.bulk.prefetch.L2.global.L2::evict_last [%rd0], 16;",
	"mbarrier.arrive.release.cta.shared::cluster.multicast::cluster::32b.b64 _, [%r0], 10;",
	"applypriority.async.bulk.tensor.2d.global.bulk_group.tile.L2::evict_normal [%rd0, {%r1, %r2}];",
	"sin.approx.ftz.2pi.f32 %f0, %f1;",
	"tensormap.query.alloc_class_large %p0, [%rd0];",
	"fabric.submit.commit_group;",
	"mov.u64 %rd0, %perctamemoryoffset;",
	"mov.u32 %r0, %perctamemorysize;",
	"mov.u32 %r0, %locality_domain_id;",
}

// TestInstructionList checks that each instruction of the ISA is lowered or refused with its name and position.
func TestInstructionList(t *testing.T) {
	for _, op := range strings.Fields(instructionList) {
		if !Supported(op) {
			t.Errorf("Lower does not know %s", op)
		}
	}
	if want := len(table) + len([]string{"bra", "brx", "ret", "exit"}); len(strings.Fields(instructionList)) != want {
		t.Errorf("the list has %d instructions; must have the %d of Lower", len(strings.Fields(instructionList)), want)
	}
	for _, text := range refusedForms {
		m := parse(t, `.version 8.8
.target sm_100a
.address_size 64
.entry k(.param .u64 p)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.reg .f32 %f<4>; .reg .b16 %h; .reg .b8 %c;
`+text+`
}
`)
		if list := ptx.Check(m); len(list) > 0 {
			t.Errorf("%s: %v; must have no finding", text, list)
		}
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		op, _, _ := strings.Cut(text, ".")
		if op == "mov" { // of a special register
			op = strings.Trim(text[strings.LastIndexByte(text, ' '):], " ;")
		}
		_, err = Lower(m, image, "k", Options{Block: [3]uint32{WarpSize, 1, 1}})
		if err == nil || !strings.HasPrefix(err.Error(), "10:") || !strings.Contains(err.Error(), op) || !strings.HasSuffix(err.Error(), "is not supported") {
			t.Errorf("%s: %v; must be an error at line 10 with its name", text, err)
		}
	}
}
