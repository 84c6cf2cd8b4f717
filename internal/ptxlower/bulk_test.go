package ptxlower

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// bulkHead begins kernels of one warp with an mbarrier object b and 2 KiB of shared memory s. %rd0 is out, %rd4 the address of the thread's
// four words of out, %r0 the number of the thread, and %p0 its being the first one. Word i of in is 3i+1, and that of s is 7i.
const bulkHead = `.version 8.8
.target sm_100a
.address_size 64
.entry k(.param .u64 out, .param .u64 in)
{
.reg .pred %p<4>;
.reg .b16 %h<8>;
.reg .b32 %r<12>;
.reg .b64 %rd<12>;
.reg .b128 %q<4>;
.reg .f32 %f<8>;
.shared .align 16 .b8 s[2048];
.shared .align 8 .b64 b;
ld.param.u64 %rd0, [out];
ld.param.u64 %rd1, [in];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd2, %r0, 16;
add.u64 %rd4, %rd0, %rd2;
setp.eq.u32 %p0, %r0, 0;
mov.u32 %r9, s;
mad.lo.u32 %r8, %r0, 4, %r9;
mul.lo.u32 %r1, %r0, 7;
st.shared.u32 [%r8], %r1;
@%p0 mbarrier.init.shared.b64 [b], 1;
bar.sync 0;
`

// wait waits for phase 0 of the object.
const wait = "W: mbarrier.try_wait.parity.shared.b64 %p1, [b], 0; @!%p1 bra W;\n"

// bulk are bodies, and the first word of each thread in out afterwards.
var bulk = []struct {
	body string
	want func(thread uint32) uint32
}{
	{"@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [b], 128; @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, [b];" + wait + "ld.shared.u32 %r2, [%r8]; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 { return 3*t + 1 }},
	{"mov.u32 %r3, 64; @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [b], %r3; @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [s+16], [%rd1+32], %r3, [b], 1, %rd2;" + wait + "ld.shared.u32 %r2, [%r8]; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 {
			if t >= 4 && t < 20 {
				return 3*(t-4+8) + 1
			}
			return 7 * t
		}},
	{"@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [b], 128; @%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s+1024], [s], 128, [b];" + wait + "ld.shared.u32 %r2, [%r8+1024]; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 { return 7 * t }},
	{"st.global.u32 [%rd4], %r0; bar.sync 0; @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0+16], [s], 32; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;",
		func(t uint32) uint32 {
			switch t {
			case 1:
				return 0
			case 2:
				return 7 * 4
			}
			return t
		}},
	// Of each 16 bytes the first, the third and the fourth.
	{"mov.u32 %r3, 0x01010101; st.global.u32 [%rd4], %r3; bar.sync 0; @%p0 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0], [s], 64, 13;",
		func(t uint32) uint32 {
			if t < 4 {
				return 0x100 | 7*4*t&0xff
			}
			return 0x01010101
		}},
	{"mov.u32 %r3, 0x01010101; st.global.u32 [%rd4], %r3; bar.sync 0; @%p0 multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd0], [s], 64, 13;",
		func(t uint32) uint32 {
			if t < 4 {
				return 0x100 | 7*4*t&0xff
			}
			return 0x01010101
		}},
	{"st.global.u32 [%rd4], 5; bar.sync 0; @%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [s], 128;",
		func(t uint32) uint32 {
			if t < 8 {
				return 5 + 7*4*t
			}
			return 5
		}},
	{"st.global.u32 [%rd4], 5; bar.sync 0; @%p0 multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [s], 128;",
		func(t uint32) uint32 {
			if t < 8 {
				return 5 + 7*4*t
			}
			return 5
		}},
	{"st.global.v2.u32 [%rd4], {5, 0}; bar.sync 0; @%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [%rd0], [s], 16;",
		func(t uint32) uint32 {
			if t == 0 {
				return 0 // the pair 0, 7 is 7·2³²
			}
			return 5
		}},
	{"cvt.rn.f32.u32 %f0, %r0; st.shared.f32 [%r8], %f0; mov.f32 %f1, 0.5; st.global.f32 [%rd4], %f1; bar.sync 0; @%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd0], [s], 64;",
		func(t uint32) uint32 {
			if t < 4 {
				return math.Float32bits(float32(4*t) + 0.5)
			}
			return math.Float32bits(0.5)
		}},
	{"@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [b], 64; @%p0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [s+64], [s], 64, [b];" + wait + "ld.shared.u32 %r2, [%r8]; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 {
			if t >= 16 {
				return 0 // 7t is not below 7·(t−16)
			}
			return 7 * t
		}},
	{"@%p0 cp.async.bulk.prefetch.L2.global [%rd1], 128; st.global.u32 [%rd4], %r0;", func(t uint32) uint32 { return t }},
	{"mov.u64 %rd5, 40; @%p0 st.bulk.weak.shared::cta [s+8], %rd5, 0; bar.sync 0; ld.shared.u32 %r2, [%r8]; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 {
			if t >= 2 && t < 12 {
				return 0
			}
			return 7 * t
		}},
	{"mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; @%p0 st.bulk [%rd5], 128, 0; bar.sync 0; ld.shared.u32 %r2, [%r8]; st.global.u32 [%rd4], %r2;",
		func(uint32) uint32 { return 0 }},

	// No block can be cancelled.
	{"@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [b], 16; @%p0 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s+16], [b];" + wait + "ld.shared.b128 %q0, [s+16]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q0; selp.u32 %r2, 1, 2, %p2; @%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r3, _, _, _}, %q0; @%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r4, %q0; st.global.u32 [%rd4], %r2;",
		func(uint32) uint32 { return 2 }},

	// One device.
	{"multimem.st.relaxed.sys.global.u32 [%rd4], %r0; multimem.red.relaxed.gpu.global.add.u32 [%rd4], 4; multimem.ld_reduce.acquire.sys.global.max.u32 %r2, [%rd4]; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 { return t + 4 }},
	{"mov.f32 %f0, 1.5; multimem.st.global.v4.f32 [%rd4], {%f0, %f0, %f0, %f0}; multimem.red.global.add.v4.f32 [%rd4], {%f0, %f0, %f0, %f0}; multimem.ld_reduce.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4]; add.f32 %f1, %f1, %f4; st.global.f32 [%rd4], %f1;",
		func(uint32) uint32 { return math.Float32bits(6) }},
	{"mov.u32 %r3, 0x3c003c00; multimem.st.global.f16x2 [%rd4], %r3; multimem.red.global.add.f16x2 [%rd4], %r3; multimem.ld_reduce.global.add.acc::f32.f16x2 %r2, [%rd4]; st.global.u32 [%rd4], %r2;",
		func(uint32) uint32 { return 0x40004000 }},

	// The stack: the second allocation is below the first one, an alignment rounds down, and restoring gives the memory back.
	{"stacksave.u64 %rd5; alloca.u64 %rd6, 12; st.local.u32 [%rd6+8], %r0; alloca.u64 %rd7, 100, 64; st.local.u32 [%rd7+96], 9; and.b64 %rd8, %rd7, 63; add.u64 %rd9, %rd7, 100; setp.gt.u64 %p1, %rd9, %rd6; stackrestore.u64 %rd5; stacksave.u64 %rd9; setp.ne.or.u64 %p1, %rd9, %rd5, %p1; setp.ne.or.u64 %p1, %rd8, 0, %p1; ld.local.u32 %r2, [%rd6+8]; @%p1 mov.u32 %r2, -1; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 { return t }},
	{"add.u32 %r3, %r0, 1; shl.b32 %r3, %r3, 2; alloca.u32 %r4, %r3; add.u32 %r5, %r4, %r3; st.local.u32 [%r5+-4], %r0; ld.local.u32 %r2, [%r5+-4]; st.global.u32 [%rd4], %r2;",
		func(t uint32) uint32 { return t }},
	{"mov.u32 %r3, 0; mov.u32 %r2, 0; L: call.uni (%r4), part, (%r3); add.u32 %r2, %r2, %r4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20; @%p1 bra L; st.global.u32 [%rd4], %r2;",
		func(uint32) uint32 { return 190 }}, // 20 calls of 4 KiB, each of which gives them back

	// 128 bits.
	{"mul.wide.u32 %rd5, %r0, 3; mov.u64 %rd6, 77; mov.b128 %q0, {%rd5, %rd6}; mov.b128 %q1, %q0; st.global.b128 [%rd4], %q1; ld.global.b128 %q2, [%rd4]; mov.b128 {%rd7, %rd8}, %q2; sub.u64 %rd8, %rd8, 70; add.u64 %rd7, %rd7, %rd8; st.global.u32 [%rd4], %rd7;",
		func(t uint32) uint32 { return 3*t + 7 }},
	{"ld.global.v2.b128 {%q0, %q1}, [%rd1]; mov.b128 {%rd7, %rd8}, %q1; st.global.v2.u64 [%rd4], {%rd8, %rd7};",
		func(uint32) uint32 { return 3*6 + 1 }},
}

// part is a function with 4 KiB on the stack: it returns its argument.
const part = `.version 8.8
.target sm_100a
.address_size 64
.func (.reg .u32 %o) part(.reg .u32 %a)
{
.reg .u32 %x;
alloca.u32 %x, 4096;
st.local.u32 [%x+4092], %a;
ld.local.u32 %o, [%x+4092];
ret;
}
`

// TestBulk runs the bodies on each engine.
func TestBulk(t *testing.T) {
	in := make([]byte, 512)
	for i := range uint32(128) {
		binary.LittleEndian.PutUint32(in[4*i:], 3*i+1)
	}
	for _, x := range bulk {
		text := bulkHead
		if strings.Contains(x.body, "part") {
			text = part + strings.SplitN(bulkHead, "\n", 4)[3]
		}
		m := parse(t, text+x.body+"\nret;\n}\n")
		for _, e := range engines {
			out := make([]byte, 16*WarpSize)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out, in}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Errorf("%s: %v", x.body, err)
				break
			}
			for i := range uint32(WarpSize) {
				if got, want := word(out[16*i:]), x.want(i); got != want {
					t.Errorf("%s on the %s: thread %d has %#x; must be %#x", x.body, e.name, i, got, want)
					break
				}
			}
		}
	}
}

// TestStackOverflow: an allocation that the stack has no memory for makes the launch fail.
func TestStackOverflow(t *testing.T) {
	for _, body := range []string{"alloca.u64 %rd5, 20000;", "mov.u64 %rd6, -1; alloca.u64 %rd5, %rd6;", "alloca.u64 %rd5, 8, 8388608; alloca.u64 %rd5, 8, 8388608;", "L: alloca.u64 %rd5, 1000; bra L;"} {
		m := parse(t, bulkHead+body+"\nret;\n}\n")
		for _, e := range engines {
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{make([]byte, 512), make([]byte, 512)}}
			if err := l.run(m, e.engine, e.optimize); err == nil {
				t.Errorf("%s on the %s: the launch does not fail", body, e.name)
			}
		}
	}
}

// TestHugeBulk: a bulk copy of more bytes than shared memory has makes the launch fail at once.
func TestHugeBulk(t *testing.T) {
	for _, body := range []string{
		"cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], -16;", "mov.u32 %r3, 0xfffffff0; cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], %r3;",
		"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 0x7fffff00, [b];",
		"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [s], 0x10000000;", "mov.u64 %rd5, 0x100000010; st.bulk.shared::cta [s], %rd5, 0;",
	} {
		m := parse(t, bulkHead+body+"\nret;\n}\n")
		for _, e := range engines {
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{make([]byte, 512), make([]byte, 512)}}
			err := l.run(m, e.engine, e.optimize)
			if err == nil || !strings.Contains(err.Error(), "of more bytes than the 2056 of shared memory") {
				t.Errorf("%s on the %s: %v; must fail because of its size", body, e.name, err)
			}
		}
	}
}

// TestStochastic: the result is the neighbour of smaller magnitude if the random bits and the bits that the result lacks have no carry, and
// else the other one.
func TestStochastic(t *testing.T) {
	type row struct {
		mods               string
		a, b, random, want uint32 // bits
	}
	var rows []row
	add := func(mods string, a, b, random, want uint32) { rows = append(rows, row{mods, a, b, random, want}) }
	add("f16x2", 0x3f801000, 0x3f801000, 0, 0x3c003c00)          // half of an ulp above 1, no random bits
	add("f16x2", 0x3f801000, 0x3f801000, 0x10000fff, 0x3c013c00) // 0x1000 of a carries, 0x0fff of b does not
	add("f16x2", 0xbf801000, 0x3f800000, 0xffffffff, 0xbc013c00) // a number without further bits is exact; three bits do not count
	add("f16x2", 0x477fefff, 0xc77fe000, 0x1fff0000, 0x7c00fbff) // beyond the greatest number
	add("satfinite.f16x2", 0x477fefff, 0xff800000, 0x1fff0000, 0x7bfffbff)
	add("relu.f16x2", 0xbf801000, 0x3f801000, 0x1fff1fff, 0x00003c01)
	add("f16x2", 0x7fc00001, 0x7f800000, 0xffffffff, 0x7e007c00)
	add("bf16x2", 0x3f808000, 0x3f808000, 0x80007fff, 0x3f813f80)
	add("bf16x2", 0x7f7fffff, 0xff7f0000, 0x0001ffff, 0x7f80ff7f)
	add("satfinite.bf16x2", 0x7f7fffff, 0x7f800000, 0x00010000, 0x7f7f7f7f)
	var text strings.Builder
	text.WriteString(bulkHead)
	for i, r := range rows {
		fmt.Fprintf(&text, "mov.b32 %%f0, 0f%08x; mov.b32 %%f1, 0f%08x; mov.u32 %%r3, %#x; cvt.rs.%s.f32 %%r2, %%f0, %%f1, %%r3; setp.eq.u32 %%p1, %%r0, %d; @%%p1 st.global.u32 [%%rd4], %%r2;\n", r.a, r.b, r.random, r.mods, i)
	}
	m := parse(t, text.String()+"ret;\n}\n")
	for _, e := range engines {
		out := make([]byte, 16*WarpSize)
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out, make([]byte, 64)}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			if got := word(out[16*i:]); got != r.want {
				t.Errorf("cvt.rs.%s.f32 of %#x and %#x with %#x on the %s: %#x; must be %#x", r.mods, r.a, r.b, r.random, e.name, got, r.want)
			}
		}
	}
}
