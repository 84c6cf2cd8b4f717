package ptx_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// recentForms are the forms that PTX 9.2 to 9.5 add, after the first version with them.
const recentForms = `
9.2 add.u8x4 add.s8x4.sat add.sat.u16x2 add.sat.s16x2 add.sat.u32 sub.u8x4 sub.sat.s8x4 neg.s8x4 min.u8x4 min.relu.s8x4 max.s8x4.relu
9.2 st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob
9.2 cvt.rn.bf16x2.e4m3x2 cvt.rn.relu.satfinite.bf16x2.e2m1x2 cvt.bf16x2.e5m2x2.rn.relu.scaled::n2::ue8m0.satfinite
9.4 set.ge.s16x2 set.lo.u8x4 add.rm.f32x2.bf16x2.f32x2 sub.rz.ftz.f16x2.f32x2.f32x2 add.rz.bf16x2.f32x2.f32x2 mul.ftz.rz.f16x2.f32x2.f32x2
9.4 mul.bf16x2.bf16x2.f16x2 fma.rn.f32x2.f16x2.f32x2.f32x2 add.rn.e5m2x4.e4m3x4.satfinite add.e4m3x4.e2m1p4x4 mul.rn.e4m3x4.ue8m0x4.e5m2x4
9.4 fma.rn.e4m3x4.e3m2x4.e2m1x4.satfinite cvt.rn.bf16.f32.pzo cvt.rn.relu.satfinite.f16x2.f32.pzo cvt.rz.satfinite.e2m3x2.f32 cvt.rz.satfinite.s2f6x2.bf16x2
9.4 cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.bf16x2 cvt.rp.ue5m3x2.f32 cvt.rn.f16x2.ue5m3x2 cvt.rn.scaled::n2::ue8m0.bf16x2.ue5m3x2
9.4 ld.global.u32.proxy::readonly ld.u32.proxy::readonly prefetch.global.L1::32B.valid_addr applypriority.async.bulk.global.bulk_group.L2::evict_normal
9.4 applypriority.async.bulk.tensor.2d.global.bulk_group.tile.L2::evict_normal createpolicy.range.fabric.L2::evict_last.L2::evict_first.b64
9.4 spcompress.b8.b2.sp::2:4.x4 spdecompress.b8.b2.sp::2:4.x32 atom.add.noftz.f32 red.global.add.noftz.f32 ldmatrix.sync.aligned.m8n16.x2.shared.s8.s4
9.4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b cp.async.bulk.prefetch.L2.global.L2::evict_last
9.4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_16bytes::8000
9.4 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 mbarrier.arrive.release.cta.shared::cluster.multicast::cluster::32b.b64
9.4 fence.proxy.alias.release.sys fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster atom.global.add.noftz.v2.f32 red.global.v4.f32.add.noftz
9.5 sin.approx.ftz.2pi.f32 cos.approx.ftz.2pi.f32 fence.alias.sync_restrict::read.release.sys cp.async.bulk.wait_group.sync_restrict::proxy::async
9.5 fabric.submit.commit_group tensormap.query.alloc_class_large
`

// TestRecentForms checks that forms of the last versions are forms, that the version before the first one with a form is a warning, and that
// other qualifiers are faults.
func TestRecentForms(t *testing.T) {
	instructions := func(version, form string) (faults, warnings []*diag.Finding) {
		m, list := check(t, version, "sm_107a", form+";")
		for _, f := range list {
			if f.Code == ptx.CodeInstruction {
				faults = append(faults, f)
			}
		}
		for _, f := range ptx.Requirements(m) {
			if f.Pos.Line > 3 {
				warnings = append(warnings, f)
			}
		}
		return faults, warnings
	}
	for line := range strings.Lines(strings.TrimSpace(recentForms)) {
		words := strings.Fields(line)
		for _, form := range words[1:] {
			if faults, warnings := instructions(words[0], form); len(faults)+len(warnings) > 0 {
				t.Errorf("%s of version %s has %v %v; must have no finding", form, words[0], faults, warnings)
			}
			if _, warnings := instructions("9.1", form); len(warnings) != 1 && form != "fabric.submit.commit_group" && !strings.HasPrefix(form, "tensormap") {
				t.Errorf("%s of version 9.1 has %v; must have one warning", form, warnings)
			}
		}
	}
	for _, form := range []string{"add.sat.u64", "add.s8x4.rn", "sub.sat.u16x2", "neg.u8x4", "abs.s8x4", "min.relu.u8x4", "set.eq.and.u8x4", "set.gtu.u8x4", "set.eq.u32.u8x4", "sin.approx.2pi.f32", "ld.shared.u32.proxy::readonly", "atom.shared.min.noftz.f32", "cvt.rz.bf16x2.e4m3x2", "spcompresses.b8", "fence.acquire.sync_restrict::shared::cluster::read.cluster", "fence.proxy.alias.sys", "atom.shared.add.noftz.v2.f32"} {
		if faults, _ := instructions("9.5", form); len(faults) != 1 {
			t.Errorf("%s has %v; must have one fault", form, faults)
		}
	}
}

// TestRecentDirectives reads the directives of PTX 9.3 and 9.4. Between .source_begin and .source_end is text of another language.
func TestRecentDirectives(t *testing.T) {
	const text = `.version 9.4
.target sm_107a
.address_size 64
.entry a() .language "ptx", "cuda c++", 0x7 .minperctamemory 2048
{
	.pragma "mma_throughput 1";
	.loc 1 11 15
	.loc_intermediate 2 137 23
	ret;
}
.file 1 "a.cu"
.file 2 "a.ir"
`
	const section = `.nv_intermediate_source_section {
.code_block { .ir_name : "TileIR" .sourceFileName : 2 .source_begin
 "it's { /* not
 PTX
.source_end } .code_block { .ir_name: "TileIR" .sourceFileName: 2 .source_begin .source_end }
}
`
	m, findings := ptx.Parse(text + section + ".entry b()\n{\n\tbogus;\n}\n")
	findings = append(append(findings, ptx.Check(m)...), ptx.Requirements(m)...)
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "bogus") || findings[0].Pos.Line != 21 || findings[0].Pos.Column != 2 {
		t.Errorf("the module has %v; must have one finding at 21:2", findings)
	}
	printed := m.String()
	again, findings := ptx.Parse(printed)
	if !strings.HasPrefix(printed, text) || len(findings) > 0 || again.String() != printed {
		t.Errorf("it is printed as\n%s\nand read again with %v", printed, findings)
	}
	for _, open := range []string{section[:len(section)-3], ".nv_intermediate_source_section { .code_block { .source_begin x", ".nv_intermediate_source_section {"} {
		if _, findings := ptx.Parse(text + open); len(findings) != 1 {
			t.Errorf("%q has %v; must have one finding", open, findings)
		}
	}
	m, _ = ptx.Parse(strings.Replace(text, "9.4", "9.2", 1))
	if list := ptx.Requirements(m); len(list) != 3 {
		t.Errorf("a module of version 9.2 has %v; must have warnings of the target and two directives", list)
	}
}
