package ptx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// acceptedForms are opcodes with qualifiers that the syntax of the PTX ISA allows, in orders that its examples and public compilers write.
const acceptedForms = `
abs.ftz.f32 abs.bf16x2 add.sat.s32 add.rn.ftz.sat.f16x2 add.rz.f32x2 add.rn.f32.bf16 add.u16x2 add.cc.u64 addc.cc.u32 and.pred
atom.global.gpu.inc.u32 atom.acq_rel.cluster.shared::cluster.exch.b32 atom.add.noftz.bf16x2 atom.global.v4.f32.add atom.global.v2.f16x2.min.noftz
bar.sync bar.cta.red.or.pred bar.warp.sync barrier.cluster.arrive.relaxed.aligned barrier.red.popc.aligned.u32 barrier.cluster.wait.acquire
bfind.shiftamt.u64 bmsk.wrap.b32 brx.idx.uni call.uni copysign.f64 cp.async.ca.shared.global.L2::cache_hint.L2::128B cp.async.wait_all
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint cp.async.bulk.wait_group.read
cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16
createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 createpolicy.cvt.L2.b64 cvta.to.shared::cta.u32
cvt.f64.bf16.rp cvt.rni.ftz.sat.u8.f32 cvt.rn.relu.satfinite.e5m2x2.f16x2 cvt.rs.satfinite.e2m1x4.f32 cvt.rp.ue8m0x2.bf16x2 cvt.pack.sat.u4.s32.b32
cvt.rna.satfinite.tf32.f32 cvt.rn.bf16.f32 cvt.sat.s8.s32 div.full.ftz.f32 div.ftz.rn.f32 dp2a.hi.s32.u32 ex2.approx.ftz.bf16x2
fence.sc.cluster fence.proxy.async.shared::cta fence.acquire.sync_restrict::shared::cluster.cluster fence.proxy.tensormap::generic.release.gpu
fma.rn.relu.bf16 fma.rp.f64 fma.rn.oob.relu.f16x2 griddepcontrol.wait isspacep.param::entry istypep.surfref
ld.global.ca.nc.v4.f32 ld.volatile.shared.v2.u16 ld.relaxed.gpu.global.L1::no_allocate.L2::cache_hint.v8.b32 ld.mmio.relaxed.sys.global.u32 ld.param::func.b8
ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64 lop3.or.b32 mad.hi.sat.s32 mad.lo.cc.u32 madc.hi.cc.s64
match.all.sync.b64 max.NaN.xorsign.abs.f16x2 max.ftz.NaN.abs.f32 min.relu.s16x2 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64
mbarrier.try_wait.parity.acquire.cta.shared.b64 membar.gl membar.proxy.alias membar.proxy.async.global membar.proxy.async.shared::cta mov.b128 mul.wide.u16 mul.rm.ftz.sat.f32 multimem.ld_reduce.relaxed.gpu.global.add.acc::f32.v4.f16x2
neg.ftz.f16 prefetch.global.L2::evict_last prefetch.tensormap prmt.b32.rc16 rcp.approx.ftz.f64 red.add.relaxed.gpu.f64 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.xor.b32
redux.sync.max.abs.NaN.f32 rsqrt.approx.f64 selp.f32 set.gtu.u32.f16x2 setp.lt.and.ftz.f32 setp.num.bf16x2 setmaxnreg.dec.sync.aligned.u32
shf.r.clamp.b32 shfl.sync.bfly.b32 slct.ftz.u64.f32 st.release.gpu.v2.u64 st.bulk.weak.shared::cta st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32
suld.b.a2d.ca.v4.b32.clamp sust.p.1d.b32.trap sured.b.add.2d.u64.zero suq.array_size.b32 tanh.approx.bf16x2 testp.subnormal.f64
tex.level.a2d.v4.s32.f32 tex.1d.v2.f16x2.s32 tld4.a.cube.v4.f32.f32 txq.level.depth.b32 txq.addr_mode_2.b32
vadd.s32.u32.s32.sat.max vshr.u32.u32.u32.clamp.add vmad.u32.u32.u32.po.sat.shr15 vset4.u32.s32.ne.add vavrg2.s32.s32.s32.sat vote.sync.ballot.b32
tcgen05.mma.cta_group::1.kind::f16 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 exit trap brkpt
`

// check returns the faults of the instructions of a function, in a module of a version and a target.
func check(t *testing.T, version, target, text string) (*ptx.Module, []*diag.Finding) {
	t.Helper()
	m, findings := ptx.Parse(".version " + version + "\n.target " + target + "\n.address_size 64\n.entry k() {\n" + text + "\n}\n")
	if len(findings) > 0 {
		t.Fatalf("%s: %v", text, findings[0])
	}
	return m, ptx.Check(m)
}

// TestForms checks forms of the ISA, and that each missing, additional or contradictory qualifier is a fault.
func TestForms(t *testing.T) {
	for _, form := range strings.Fields(acceptedForms) {
		m, list := check(t, "9.1", "sm_100a", form+";")
		for _, f := range append(list, ptx.Requirements(m)...) {
			if f.Code == ptx.CodeInstruction || f.Code == ptx.CodeTarget {
				t.Errorf("%s: %v; must have no such finding", form, f)
			}
		}
	}
	for _, x := range []struct{ form, message string }{
		{"add.rn.u32", "add.rn.u32 is no form of add"},
		{"add.sat.u64", "is no form of add"},
		{"add.ftz.f64", "is no form of add"},
		{"add.rn.rz.f32", "is no form of add"},
		{"add.frob.f32", "has .frob; must not have it, as no form of add has"},
		{"add.rz.bf16", "is no form of add"},
		{"add", "is no form of add"},
		{"mul.u32", "is no form of mul"},
		{"mul.wide.u64", "is no form of mul"},
		{"mul.hi.lo.s32", "is no form of mul"},
		{"mad.hi.sat.u32", "is no form of mad"},
		{"fma.f32", "is no form of fma"},
		{"fma.rz.f16", "is no form of fma"},
		{"div.f32", "is no form of div"},
		{"div.approx.f64", "is no form of div"},
		{"sin.f32", "is no form of sin"},
		{"rsqrt.rn.f32", "has .rn; must not have it, as no form of rsqrt has"},
		{"abs.u32", "has .u32; must not have it"},
		{"popc.u32", "has .u32; must not have it"},
		{"bfind.b32", "has .b32; must not have it"},
		{"shl.u32", "has .u32; must not have it"},
		{"and.s32", "has .s32; must not have it"},
		{"min.NaN.u32", "is no form of min"},
		{"max.relu.u32", "is no form of max"},
		{"max.xorsign.f32", "is no form of max"},
		{"dp4a.u32", "is no form of dp4a"},
		{"setp.u32", "is no form of setp"},
		{"set.lt.u32", "is no form of set"},
		{"selp.pred", "has .pred; must not have it"},
		{"prmt.b32.f4e.ecl", "is no form of prmt"},
		{"lop3.xor.b32", "has .xor; must not have it"},
		{"shf.wrap.b32", "is no form of shf"},
		{"ld.global", "is no form of ld"},
		{"ld.relaxed.global.u32", "is no form of ld"},
		{"ld.gpu.global.u32", "is no form of ld"},
		{"ld.release.gpu.u32", "has .release; must not have it"},
		{"ld.shared.nc.u32", "is no form of ld"},
		{"ld.volatile.ca.u32", "is no form of ld"},
		{"ld.global.f16", "has .f16; must not have it"},
		{"st.const.u32", "has .const; must not have it"},
		{"st.acquire.gpu.u32", "has .acquire; must not have it"},
		{"st.relaxed.u32", "is no form of st"},
		{"cvt.u32.u32.u32", "is no form of cvt"},
		{"cvt.rn.rni.f32.f32", "is no form of cvt"},
		{"cvt.rn.e4m3x2.f32", "is no form of cvt"},
		{"cvt.rs.e4m3x4.f32", "is no form of cvt"},
		{"cvt.rn.ue8m0x2.f32", "is no form of cvt"},
		{"cvta.to.u64", "is no form of cvta"},
		{"atom.global.and.u32", "is no form of atom"},
		{"atom.global.add.f16", "is no form of atom"},
		{"atom.global.inc.u64", "is no form of atom"},
		{"atom.shared.add.v2.f32", "is no form of atom"},
		{"red.acquire.gpu.add.u32", "has .acquire; must not have it"},
		{"red.exch.b32", "has .exch; must not have it"},
		{"bar.sync.aligned", "has .aligned; must not have it"},
		{"bar.red.xor.pred", "has .xor; must not have it"},
		{"vote.ballot.pred", "is no form of vote"},
		{"shfl.sync.b32", "is no form of shfl"},
		{"match.sync.b32", "is no form of match"},
		{"redux.sync.add.b32", "is no form of redux"},
		{"membar.gpu", "has .gpu; must not have it"},
		{"fence.sc", "is no form of fence"},
		{"mbarrier.init.parity.b64", "is no form of mbarrier"},
		{"tex.2d.f32.f32", "is no form of tex"},
		{"tld4.2d.v4.f32.f32", "is no form of tld4"},
		{"suld.2d.b32", "is no form of suld"},
		{"sust.p.2d.b64.trap", "is no form of sust"},
		{"vadd.s32.s32", "is no form of vadd"},
		{"vshl.s32.s32.s32.wrap", "is no form of vshl"},
		{"vadd4.s32.s32.s32.max", "has .max; must not have it"},
		{"cp.async.global.shared.ca.bulk", "is no form of cp"},
		{"exit.uni", "has .uni; must not have it"},
	} {
		_, list := check(t, "9.1", "sm_100a", x.form+";")
		found := false
		for _, f := range list {
			found = found || f.Code == ptx.CodeInstruction && f.Pos.String() == "5:1" && strings.Contains(f.Message, x.message)
		}
		if !found {
			t.Errorf("%s has the findings %v; must have %q at 5:1", x.form, list, x.message)
		}
	}
}

// TestOldForms: before version 1.4 an instruction that approximates has no .approx, and div no .full.
func TestOldForms(t *testing.T) {
	const text = ".reg .f32 a, b; div.f32 a, a, b; rcp.f32 a, b; sqrt.f32 a, b; rsqrt.f32 a, b; sin.f32 a, b; ex2.f32 a, b;"
	if _, list := check(t, "1.3", "sm_13", text); len(list) > 0 {
		t.Errorf("%v in a module of version 1.3; must have no finding", list[0])
	}
	if _, list := check(t, "1.4", "sm_13", text); len(list) != 6 {
		t.Errorf("there are %d findings in a module of version 1.4; must be 6", len(list))
	}
}

// TestFormattedSurfaces: suld.p and sust.p of types with a sign or floats ended with version 2.3 ("Changes in PTX ISA Version 3.0").
func TestFormattedSurfaces(t *testing.T) {
	const text = "suld.p.1d.v4.f32.trap; suld.p.2d.b32.clamp; sust.p.1d.v4.f32.zero; sust.p.3d.v2.u32.trap; sust.p.2d.s32.trap;"
	for version, faults := range map[string]int{"2.0": 0, "2.3": 0, "3.0": 5, "9.4": 5} {
		if _, list := check(t, version, "sm_20", text); len(list) != faults {
			t.Errorf("version %s has the findings %v; must have %d", version, list, faults)
		}
	}
}

// TestImplicitAligned: wmma needs .aligned from version 6.3 on ("PTX ISA Notes" of wmma.load).
func TestImplicitAligned(t *testing.T) {
	for _, form := range []string{
		"wmma.load.a.sync.row.m16n16k16.global.f16", "wmma.store.d.sync.col.m16n16k16.shared.f32", "wmma.mma.sync.row.col.m16n16k16.f32.f32",
	} {
		for version, faults := range map[string]int{"6.0": 0, "6.2": 0, "6.3": 1, "8.0": 1} {
			if _, list := check(t, version, "sm_70", form+";"); len(list) != faults {
				t.Errorf("%s of version %s has the findings %v; must have %d", form, version, list, faults)
			}
		}
		if _, list := check(t, "6.0", "sm_70", strings.Replace(form, ".sync", ".sync.aligned", 1)+";"); len(list) > 0 {
			t.Errorf("%s with .aligned: %v; must have no finding", form, list[0])
		}
	}
}

// TestMatrixForms checks that shapes and types of matrices go together ("mma", "wmma").
func TestMatrixForms(t *testing.T) {
	for _, x := range []struct {
		version, form string
		faults        int
	}{
		{"6.4", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite", 0},
		{"6.5", "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite", 1},
		{"9.1", "wmma.load.d.sync.aligned.row.m16n16k16.f16", 1},
		{"9.1", "wmma.load.a.sync.aligned.row.m16n16k16.f32", 1},
		{"9.1", "wmma.load.a.sync.aligned.col.m8n8k32.s4", 1},
		{"9.1", "wmma.load.a.sync.aligned.row.m16n16k8.bf16", 1},
		{"9.1", "mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32", 1},
		{"9.1", "mma.sync.aligned.m16n8k4.row.col.f32.bf16.bf16.f32", 1},
		{"9.1", "mma.sync.aligned.m8n8k16.row.col.s32.s4.s4.s32", 1},
		{"9.1", "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32", 1},
		{"9.1", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.popc", 1},
		{"9.1", "mma.sp.sync.aligned.m16n8k128.row.col.s32.u8.u8.s32", 1},
		{"9.1", "mma.sp.sync.aligned.m16n8k128.row.col.s32.u4.s4.s32", 0},
	} {
		if _, list := check(t, x.version, "sm_120a", x.form+";"); len(list) != x.faults {
			t.Errorf("%s of version %s has the findings %v; must have %d", x.form, x.version, list, x.faults)
		}
	}
}

// TestRequirements checks the first version and the first target of instructions, qualifiers, types and directives.
func TestRequirements(t *testing.T) {
	for _, x := range []struct {
		version, target, text, message string
	}{
		{"6.4", "sm_61", "dp4a.u32.u32;", ""},
		{"6.4", "sm_60", "dp4a.u32.u32;", "dp4a.u32.u32 is in a module for the target sm_60; must be in one for sm_61 or a later one"},
		{"4.3", "sm_90", "dp4a.u32.u32;", "is in a module of version 4.3; must be in one of version 5.0 or later"},
		{"7.0", "sm_75", "add.f16;", ""},
		{"4.1", "sm_75", "add.f16;", "version 4.2"},
		{"7.8", "sm_89", "add.rn.bf16;", "sm_90"},
		{"7.0", "sm_75", "fma.rn.bf16;", "sm_80"},
		{"7.0", "sm_80", "min.NaN.f32;", ""},
		{"7.2", "sm_80", "min.xorsign.abs.f32;", "sm_86"},
		{"6.0", "sm_70", "shfl.sync.up.b32;", ""},
		{"5.0", "sm_70", "shfl.sync.up.b32;", "version 6.0"},
		{"6.0", "sm_60", "match.any.sync.b32;", "sm_70"},
		{"7.0", "sm_75", "redux.sync.add.u32;", "sm_80"},
		{"8.6", "sm_100", "redux.sync.min.f32;", "must be in one for sm_100a"},
		{"8.6", "sm_100f", "redux.sync.min.f32;", ""},
		{"8.0", "sm_90", "ld.b128;", "version 8.3"},
		{"6.0", "sm_60", "ld.acquire.gpu.u32;", "sm_70"},
		{"7.3", "sm_80", "ld.global.L1::no_allocate.u32;", "version 7.4"},
		{"7.4", "sm_75", "ld.global.L2::cache_hint.u32;", ".L2::cache_hint of ld.global.L2::cache_hint.u32 is in a module for the target sm_75; must be in one for sm_80"},
		{"7.8", "sm_80", "ld.shared::cluster.u32;", "sm_90"},
		{"5.0", "sm_60", "atom.gpu.add.u32;", ""},
		{"4.3", "sm_60", "atom.gpu.add.u32;", "version 5.0"},
		{"5.0", "sm_50", "atom.add.f64;", "sm_60"},
		{"8.3", "sm_80", "atom.cas.b128;", "sm_90"},
		{"6.5", "sm_75", "cvt.rn.bf16.f32;", "version 7.0"},
		{"7.8", "sm_80", "cvt.rn.satfinite.e4m3x2.f32;", "sm_89"},
		{"8.6", "sm_100a", "cvt.rs.f16x2.f32;", "version 8.7"},
		{"7.0", "sm_75", "cp.async.ca.shared.global;", "sm_80"},
		{"8.0", "sm_80", "cp.async.bulk.commit_group;", "sm_90"},
		{"8.0", "sm_90", "setmaxnreg.inc.sync.aligned.u32;", "must be in one for sm_90a"},
		{"7.2", "sm_75", "alloca.u64;", "version 7.3"},
		{"1.4", "sm_13", "bfe.u32;", "version 2.0"},
		{"7.0", "sm_52, debug", "activemask.b32;", ""},
		{"1.4", "sm_11, map_f64_to_f32", "rcp.rn.f64;", ""},
		{"1.4", "sm_11", "rcp.rn.f64;", "sm_13"},
		{"8.0", "sm_80", ".reg .b32 a; .reg .b64 d; ld.global.b32 a, [d].unified;", ".unified of ld.global.b32 is in a module for the target sm_80; must be in one for sm_90"},
		{"3.1", "sm_30", "atom.xor.b64;", "sm_32"},
		{"6.3", "sm_70", "vote.ballot.b32; shfl.up.b32;", ""},
		{"6.4", "sm_70", "vote.ballot.b32;", "vote.ballot.b32 is in a module of version 6.4 for the target sm_70; must be vote.sync there"},
		{"7.0", "sm_80", "cvt.f32.bf16;", "version 7.1"},
		{"7.1", "sm_80", "cvt.rn.bf16.f32; cvt.f32.bf16;", ""},
		{"7.8", "sm_80", "cvt.rn.bf16.s32;", "sm_90"},
		{"8.0", "sm_80", "cvt.rn.satfinite.f16.f32;", "version 8.1"},
		{"8.5", "sm_100", "cvt.rz.satfinite.tf32.f32;", "version 8.6"},
		{"8.7", "sm_100", "ld.global.v8.b32;", "version 8.8"},
		{"8.6", "sm_100", "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128;", "sm_100a"},
		{"6.0", "sm_70", "wmma.load.a.sync.aligned.row.m16n16k16.f16; wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16; wmma.store.d.sync.aligned.col.m16n16k16.f32;", ""},
		{"6.0", "sm_70", "wmma.load.b.sync.aligned.col.m8n32k16.shared.f16;", "version 6.1"},
		{"6.3", "sm_70", "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32;", "sm_72"},
		{"6.3", "sm_72", "wmma.load.a.sync.aligned.row.m8n8k32.s4;", "sm_75"},
		{"6.3", "sm_75", "wmma.load.c.sync.aligned.row.m8n8k128.s32; wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32;", ""},
		{"7.1", "sm_75", "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32;", "sm_80"},
		{"7.0", "sm_75", "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64;", "sm_80"},
		{"6.4", "sm_75", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32;", "version 6.5"},
		{"6.5", "sm_70", "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f16;", ""},
		{"7.0", "sm_75", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16;", "sm_80"},
		{"7.0", "sm_75", "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32; mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc;", ""},
		{"7.0", "sm_80", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc;", "version 7.1"},
		{"7.8", "sm_80", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rn;", "sm_90"},
		{"8.6", "sm_89", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32;", ""},
		{"8.6", "sm_89", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16;", "version 8.7"},
		{"7.0", "sm_80", "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32;", "version 7.1"},
		{"8.4", "sm_80", "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32;", "version 8.5"},
		{"8.7", "sm_100a", "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32;", "sm_120a"},
		{"8.7", "sm_120a", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3;", ""},
		{"8.7", "sm_120a", "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0;", "version 9.1"},
		{"9.0", "sm_120a", "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0;", "version 9.1"},
		{"7.8", "sm_80", "barrier.cta.sync 0; bar.cta.sync 0;", ""},
		{"7.7", "sm_80", "barrier.cta.sync 0;", ".cta of barrier.cta.sync is in a module of version 7.7; must be in one of version 7.8"},
		{"7.7", "sm_80", "bar.cta.sync 0;", "bar.cta.sync is in a module of version 7.7; must be in one of version 7.8"},
	} {
		m, _ := check(t, x.version, x.target, x.text)
		list := slices.DeleteFunc(ptx.Requirements(m), func(f *diag.Finding) bool { return f.Pos.Line < 3 }) // TestTargets
		switch {
		case x.message == "" && len(list) == 0:
		case x.message == "" || len(list) != 1 || list[0].Code != ptx.CodeTarget || list[0].Severity != diag.Warning || list[0].Pos.Line != 5 || !strings.Contains(list[0].Message, x.message):
			t.Errorf("%s of version %s for %s has %v; must have %q", x.text, x.version, x.target, list, x.message)
		}
	}
	m, findings := ptx.Parse(".version 7.0\n.target sm_80\n.entry k() .reqntid 32 .explicitcluster { ret; }\n")
	if list := ptx.Requirements(m); len(findings) > 0 || len(list) != 1 || !strings.HasPrefix(list[0].Message, ".explicitcluster is in a module of version 7.0") {
		t.Errorf("%v, %v; must be one warning of .explicitcluster", findings, list)
	}
}

// TestTargets checks the versions of PTX and the words of .target.
func TestTargets(t *testing.T) {
	for _, x := range []struct{ head, message string }{
		{".version 9.1\n.target sm_120f, texmode_independent, debug", ""},
		{".version 1.0\n.target sm_11, map_f64_to_f32", ""},
		{".version 7.8\n.target compute_90\n.target sm_80", ""},
		{".version 99.9\n.target sm_80", "1:10: the version is 99.9; must be one of PTX, such as 9."},
		{".version 7.9\n.target sm_80", "1:10: the version is 7.9; must be one of PTX, such as 7.8"},
		{".version 8.0\n.target sm_98", "2:9: the target is sm_98; must be one of PTX up to version 9.5, such as sm_90"},
		{".version 9.4\n.target sm_107f", ""},
		{".version 9.3\n.target sm_107", "2:9: the target sm_107 is in a module of version 9.3; must be in one of version 9.4 or later"},
		{".version 9.5\n.target sm_108", "2:9: the target is sm_108; must be one of PTX up to version 9.5, such as sm_107"},
		{".version 9.5\n.target sm_130a", "2:9: the target is sm_130a; must be one of PTX up to version 9.5, such as sm_121"},
		{".version 9.5\n.target sm_3000000000000", "2:9: the target is sm_3000000000000; must be one of PTX up to version 9.5"},
		{".version 8.0\n.target sm_80, fast", "2:16: the target is fast; must be one of PTX"},
		{".version 8.0\n.target sm_90b", "2:9: the target is sm_90b; must be one of PTX"},
		{".version 6.5\n.target sm_80", "2:9: the target sm_80 is in a module of version 6.5; must be in one of version 7.0 or later"},
		{".version 8.7\n.target compute_100f", "2:9: the target compute_100f is in a module of version 8.7; must be in one of version 8.8 or later"},
		{".version 1.4\n.target sm_10, texmode_unified", "2:16: the target texmode_unified is in a module of version 1.4; must be in one of version 1.5 or later"},
		{".version 9.5\n.target sm_100", ""},
		{".version 9.6\n.target sm_100", "1:10: the version is 9.6; must be one of PTX, such as 9.5"},
		// PTX ISA, ".target": the first one has an architecture; "Texturing Modes": a module has one of them.
		{".version 8.0\n  .target debug", "2:3: the first .target has no architecture; must have one"},
		{".version 8.0\n.target sm_80\n.target debug", ""},
		{".version 8.0\n.target sm_80, texmode_unified, texmode_independent", "2:33: texmode_independent is in a module with texmode_unified; must be in one without it"},
		{".version 8.0\n.target sm_80, texmode_independent\n.target sm_90, texmode_unified", "3:16: texmode_unified is in a module with texmode_independent; must be in one without it"},
		{".version 8.0\n.target sm_80, texmode_unified\n.target sm_90, texmode_unified", ""},
		{".version 8.0\n.target sm_80, debug, compute_90", "2:23: compute_90 is in a .target with sm_80; must be in another .target"},
	} {
		m, findings := ptx.Parse(x.head + "\n.address_size 64\n")
		if again, faults := ptx.Parse(m.String()); len(findings) == 0 && (len(faults) > 0 || !slices.Equal(again.Target, m.Target)) {
			t.Errorf("%q is printed with %v, %v", x.head, again.Target, faults)
		}
		findings = append(findings, ptx.Requirements(m)...)
		switch {
		case x.message == "" && len(findings) > 0:
			t.Errorf("%q: %v; must have no finding", x.head, findings)
		case x.message != "" && (len(findings) != 1 || !strings.HasPrefix(findings[0].Error(), x.message)):
			t.Errorf("%q: %v; must be %q", x.head, findings, x.message)
		}
	}
}

// TestLayoutOrder checks that the layouts of matrices have the order of the form, unlike other qualifiers.
func TestLayoutOrder(t *testing.T) {
	for text, ok := range map[string]bool{
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32;":     true,
		"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32;":     false,
		"mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32;":       true,
		"mma.m16n8k16.aligned.row.sync.col.f32.f16.f16.f32;":     true,
		"wmma.mma.sync.aligned.col.row.m8n8k32.s32.u4.u4.s32;":   false,
		"wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32;": true,
	} {
		_, list := check(t, "8.6", "sm_90", text)
		if formed := !slices.ContainsFunc(list, func(f *diag.Finding) bool { return strings.Contains(f.Message, "is no form of") }); formed != ok {
			t.Errorf("%s: %v; must be a form: %v", text, list, ok)
		}
	}
}

// TestOperandTypes checks the tables of type checking in the ISA: bits go with all types, integers not with floats, and a float register has
// the size of a float type.
func TestOperandTypes(t *testing.T) {
	const registers = ".reg .b16 bh; .reg .b32 b; .reg .u32 u; .reg .s32 s; .reg .f32 f; .reg .b64 bd; .reg .u64 ud; .reg .f64 d; .reg .f16 h; .reg .f16x2 hh;\n"
	for _, x := range []struct{ text, message string }{
		{"add.u32 s, u, b; add.s32 u, b, s; add.f32 f, b, f; mov.b32 f, s; mov.b32 u, f; xor.b32 f, u, s;", ""},
		{"ld.b8 u, [bd]; ld.b16 f, [bd]; ld.f32 bd, [bd]; ld.u16 ud, [bd]; st.u8 [bd], s; st.b16 [bd], d; st.f32 [bd], b; cvt.u16.u32 ud, s;", ""},
		{"cvt.rn.f16.f32 bh, f; cvt.f32.f16 f, bh; cvt.rn.f16.f32 h, b; fma.rn.f16x2 b, hh, b, hh; setp.lt.f32 p, b, f; shl.b32 f, f, u;", ""},
		{"add.u32 f, u, u;", "the register f of add.u32 has the type .f32; must have bits or the kind of .u32"},
		{"add.f32 f, u, f;", "the register u of add.f32 has the type .u32; must have bits or the kind of .f32"},
		{"mov.u32 u, f;", "must have bits or the kind of .u32"},
		{"mov.f32 s, f;", "must have bits or the kind of .f32"},
		{"mul.wide.u32 d, u, u;", "must have bits or the kind of .u64"},
		{"ld.u32 f, [bd];", "must have bits or the kind of .u32"},
		{"ld.f32 u, [bd];", "must have bits or the kind of .f32"},
		{"ld.f32 d, [bd];", "the float register d of ld.f32 has 64 bits; must have 32"},
		{"st.u32 [bd], f;", "must have bits or the kind of .u32"},
		{"cvt.rn.f32.s32 s, s;", "must have bits or the kind of .f32"},
		{"cvt.rzi.s32.f32 s, u;", "must have bits or the kind of .f32"},
		{"cvt.f64.f32 d, d;", "the float register d of cvt.f64.f32 has 64 bits; must have 32"},
		{"setp.lt.u32 p, f, u;", "must have bits or the kind of .u32"},
		{"add.f16x2 u, hh, hh;", "must have bits or the kind of .f16x2"},
		{"bar.red.popc.u32 u, 1, 32, !p; barrier.red.and.pred p, b, p; vote.sync.any.pred p, p, b; vote.sync.ballot.b32 b, !p, -1;", ""},
		{"bar.red.popc.u32 u, 1, u;", "the register u of bar.red.popc.u32 has the type .u32; must be .pred"},
		{"barrier.red.or.pred u, 1, 64, p;", "must be .pred"},
		{"vote.sync.ballot.b32 b, u, -1;", "must be .pred"},
		{"vote.sync.all.pred p, p, bd;", "the register bd of vote.sync.all.pred has 64 bits; must have 32"},
		{"selp.u32 u, u, u, -p;", "the predicate p of selp.u32 has a minus; must have none"},
		{"bar.red.popc.u32 u, 1, -p;", "the predicate p of bar.red.popc.u32 has a minus; must have none"},
	} {
		_, list := check(t, "8.6", "sm_90", ".reg .pred p; "+registers+x.text)
		switch {
		case x.message == "" && len(list) > 0:
			t.Errorf("%s: %v; must have no finding", x.text, list[0])
		case x.message != "" && (len(list) == 0 || list[0].Code != ptx.CodeType || !strings.Contains(list[0].Message, x.message)):
			t.Errorf("%s has %v; must have %q", x.text, list, x.message)
		}
	}
}
