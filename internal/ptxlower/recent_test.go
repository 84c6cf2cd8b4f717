package ptxlower

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// recentHead begins kernels of one warp: %r0 is the number of the thread, and %rd4 the address of its four words of out.
const recentHead = `.version 8.8
.target sm_100a
.address_size 64
.entry k(.param .u64 out)
{
.reg .pred %p<4>;
.reg .b8 %c<4>;
.reg .b16 %h<4>;
.reg .b32 %r<12>;
.reg .b64 %rd<8>;
.reg .f32 %f<8>;
.reg .f64 %d<4>;
.shared .align 16 .b32 s[64];
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 16;
add.u64 %rd4, %rd0, %rd1;
cvt.rn.f32.u32 %f0, %r0;
mov.u32 %r9, s;
`

// recent are bodies, and the first word of each thread.
var recent = []struct {
	body string
	want func(thread uint32) uint32
}{
	// The element in row r and column c of the matrix is 8r+c, two of them in a word.
	{"mul.lo.u32 %r1, %r0, 0x20002; add.u32 %r1, %r1, 0x10000; movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;", func(t uint32) uint32 {
		row, column := t/4, 2*(t%4)
		return 8*column + row | (8*(column+1)+row)<<16
	}},
	{"mul.lo.u32 %r1, %r0, 0x20002; add.u32 %r1, %r1, 0x10000; mad.lo.u32 %r3, %r0, 16, %r9; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r1}; bar.warp.sync -1; mad.lo.u32 %r3, %r0, 4, %r9; ld.shared.u32 %r2, [%r3];", func(t uint32) uint32 {
		return 2*t | (2*t+1)<<16
	}},
	{"mul.lo.u32 %r1, %r0, 0x20002; add.u32 %r1, %r1, 0x10000; mad.lo.u32 %r3, %r0, 16, %r9; stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r3], {%r1}; bar.warp.sync -1; mad.lo.u32 %r3, %r0, 4, %r9; ld.shared.u32 %r2, [%r3];", func(t uint32) uint32 {
		row, column := t/4, 2*(t%4)
		return 8*column + row | (8*(column+1)+row)<<16
	}},
	{"sub.f32 %f1, 0f41000000, %f0; redux.sync.min.f32 %f2, %f1, -1; mov.b32 %r2, %f2;", func(uint32) uint32 { return math.Float32bits(8 - 31) }},
	{"sub.f32 %f1, 0f41000000, %f0; redux.sync.min.abs.f32 %f2, %f1, -1; mov.b32 %r2, %f2;", func(uint32) uint32 { return 0 }},
	{"setp.eq.u32 %p0, %r0, 5; selp.f32 %f1, 0fffc00001, %f0, %p0; redux.sync.max.f32 %f2, %f1, -1; mov.b32 %r2, %f2;", func(uint32) uint32 { return math.Float32bits(31) }},
	{"setp.eq.u32 %p0, %r0, 5; selp.f32 %f1, 0fffc00001, %f0, %p0; redux.sync.max.NaN.f32 %f2, %f1, -1; mov.b32 %r2, %f2;", func(uint32) uint32 { return 0x7fc00000 }},
	{"mov.f32 %f1, 0fffc00001; redux.sync.max.f32 %f2, %f1, -1; mov.b32 %r2, %f2;", func(uint32) uint32 { return 0x7fc00000 }},
	{"cvt.rn.f16.f32 %h0, %f0; add.rn.f32.f16 %f1, %h0, 0f3f000001; mov.b32 %r2, %f1;", func(t uint32) uint32 { return math.Float32bits(float32(t) + math.Float32frombits(0x3f000001)) }},
	{"cvt.rn.bf16.f32 %h0, %f0; fma.rz.sat.f32.bf16 %f1, %h0, %h0, -10.0; mov.b32 %r2, %f1;", func(t uint32) uint32 {
		return math.Float32bits(min(max(float32(t*t)-10, 0), 1))
	}},
	{"cvt.rn.bf16.f32 %h0, %f0; sub.f32.bf16 %f1, %h0, 4.0; mov.b32 %r2, %f1;", func(t uint32) uint32 { return math.Float32bits(float32(t) - 4) }},
	{"red.global.add.v2.f32 [%rd4], {%f0, 1.0}; ld.global.u32 %r2, [%rd4];", func(t uint32) uint32 { return math.Float32bits(float32(t)) }},
	{"atom.global.add.v4.f32 {%f1, %f2, _, %f3}, [%rd4], {%f0, %f0, %f0, %f0}; atom.global.add.v4.f32 {%f1, %f2, _, %f3}, [%rd4], {%f0, %f0, %f0, %f0}; mov.b32 %r2, %f3;", func(t uint32) uint32 { return math.Float32bits(float32(t)) }},
	{"createpolicy.fractional.L2::evict_last.b64 %rd5, 1.0; st.global.L2::cache_hint.u32 [%rd4], %r0, %rd5; ld.global.L1::no_allocate.L2::cache_hint.u32 %r2, [%rd4], %rd5;", func(t uint32) uint32 { return t }},
	{"mov.u64 %rd5, s; mapa.shared::cluster.u64 %rd6, %rd5, 0; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd6, %rd6, %rd1; st.shared::cluster.u32 [%rd6], %r0; barrier.cluster.arrive.release; barrier.cluster.wait.acquire; xor.b64 %rd6, %rd6, 4; ld.shared::cluster.u32 %r2, [%rd6]; getctarank.shared::cluster.u32 %r3, %r9; add.u32 %r2, %r2, %r3;", func(t uint32) uint32 { return t ^ 1 }},
	{"st.global.u32 [%rd4], %r0; ld.global.u32 %r2, [%rd4].unified;", func(t uint32) uint32 { return t }},
	{"fence.proxy.async; fence.mbarrier_init.release.cluster; pmevent 3; setmaxnreg.inc.sync.aligned.u32 64; applypriority.global.L2::evict_normal [%rd4], 128; mov.u32 %r2, %r0;", func(t uint32) uint32 { return t }},
	{"mov.u32 %r1, 0x00ff0100; cvt.u16.u32 %h0, %r1; cvt.rn.bf16x2.ue8m0x2 %r2, %h0;", func(uint32) uint32 { return 0x40 | 0x80<<16 }},
	{"mov.u32 %r1, 0x7fff; cvt.u16.u32 %h0, %r1; cvt.rn.bf16x2.ue8m0x2 %r2, %h0;", func(uint32) uint32 { return 0x7fc0 | 0x3f80<<16 }},
	{"mov.u64 %rd5, 0x20000000000003; cvt.rm.f64.s64 %d0, %rd5; mov.b64 {%r2, _}, %d0;", func(uint32) uint32 { return 1 }},
	{"mov.u64 %rd5, 0x20000000000003; cvt.rp.f64.u64 %d0, %rd5; mov.b64 {%r2, _}, %d0;", func(uint32) uint32 { return 2 }},
	{"mov.u64 %rd5, -0x20000000000003; cvt.rp.f64.s64 %d0, %rd5; mov.b64 {%r2, _}, %d0;", func(uint32) uint32 { return 1 }},
	{"mov.u64 %rd5, 0xffffffffffffffff; cvt.rm.f32.u64 %f1, %rd5; mov.b32 %r2, %f1;", func(uint32) uint32 { return 0x5f7fffff }},
	{"mov.u64 %rd5, 0xffffffffffffffff; cvt.rp.f32.u64 %f1, %rd5; mov.b32 %r2, %f1;", func(uint32) uint32 { return 0x5f800000 }},
	{"mov.f32 %f1, 0f3f801000; cvt.rp.f16.f32 %h0, %f1; cvt.u32.u16 %r2, %h0;", func(uint32) uint32 { return 0x3c01 }},
	{"mov.f32 %f1, 0f3f803000; cvt.rm.f16.f32 %h0, %f1; cvt.u32.u16 %r2, %h0;", func(uint32) uint32 { return 0x3c01 }},
	{"mov.f64 %d0, 0d8000000000000001; cvt.rm.f16.f64 %h0, %d0; cvt.u32.u16 %r2, %h0;", func(uint32) uint32 { return 0x8001 }},
	{"mov.u64 %rd5, 70000; cvt.rm.f16.s64 %h0, %rd5; cvt.u32.u16 %r2, %h0;", func(uint32) uint32 { return 0x7bff }},
	{"applypriority.async.bulk.global.bulk_group.L2::evict_normal [%rd4], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group.sync_restrict::proxy::async 0; fence.alias.sync_restrict::read.release.sys; membar.proxy.async.shared::cta; membar.proxy.alias; fence.proxy.alias.acquire.sys; fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster; prefetch.L1::32B.valid_addr [%rd4]; st.global.u32 [%rd4], %r0; ld.global.u32.proxy::readonly %r2, [%rd4];", func(t uint32) uint32 { return t }},
	{"atom.global.add.noftz.v2.f32 {%f1, _}, [%rd4], {%f0, %f0}; red.global.v2.f32.add.noftz [%rd4], {%f0, 1.0}; ld.global.u32 %r2, [%rd4];", func(t uint32) uint32 { return math.Float32bits(2 * float32(t)) }},
	{"mov.b32 %f1, 3; st.global.u32 [%rd4], %r0; atom.global.add.noftz.f32 %f2, [%rd4], %f1; red.add.noftz.f32 [%rd4], %f1; ld.global.u32 %r2, [%rd4];", func(t uint32) uint32 { return t + 6 }}, // subnormal numbers
	{"{ .reg .b128 %q; .shared .align 16 .b8 b[528]; mov.u32 %r1, b; setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.layout::v0.shared.b64 [b+512], 1; bar.sync 0; @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [b+512], 512; add.u32 %r4, %r0, 1; and.b32 %r4, %r4, 31; mad.lo.u32 %r3, %r4, 16, %r1; add.u32 %r5, %r1, 512; mul.wide.u32 %rd5, %r0, 3; mov.b128 %q, {%rd5, %rd4}; st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 [%r3], %q, [%r5]; W: mbarrier.try_wait.parity.phase_type::conditional.shared.b64 %p1, [b+512], 0; @!%p1 bra W; mad.lo.u32 %r3, %r0, 16, %r1; ld.shared.u32 %r2, [%r3]; }", func(t uint32) uint32 { return (t + 31) % 32 * 3 }},
	{"mov.f32 %f1, 0fff7fffff; cvt.rn.satfinite.tf32.f32 %r2, %f1;", func(uint32) uint32 { return 0xff7fe000 }},
}

// TestRecent runs the bodies on each engine.
func TestRecent(t *testing.T) {
	for _, x := range recent {
		m := parse(t, recentHead+x.body+"\nst.global.u32 [%rd4], %r2;\nret;\n}\n")
		for _, e := range engines {
			out := make([]byte, 16*WarpSize)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Errorf("%s: %v", x.body, err)
				break
			}
			for i := range uint32(WarpSize) {
				if got, want := word(out[16*i:]), x.want(i); got != want {
					t.Errorf("%s on the %s: thread %d has %#x; must have %#x", x.body, e.name, i, got, want)
					break
				}
			}
		}
	}
}

// small is a format of less than 8 bits: sign, exponent and fraction.
type small struct {
	name           string
	exponent, bits int
	bias           int
}

// value returns the number of a pattern.
func (f small) value(pattern int) float64 {
	fraction := f.bits - 1 - f.exponent
	e, m := pattern>>fraction&(1<<f.exponent-1), float64(pattern&(1<<fraction-1))/float64(int(1)<<fraction)
	v := math.Ldexp(m, 1-f.bias)
	if e > 0 {
		v = math.Ldexp(1+m, e-f.bias)
	}
	if pattern>>(f.bits-1) != 0 {
		v = -v
	}
	return v
}

// nearest returns the pattern of the nearest number, the even one of two; of a NaN that of the greatest.
func (f small) nearest(x float64) int {
	most := 1<<(f.bits-1) - 1
	if x != x {
		return most
	}
	best := 0
	for p := range most + 1 {
		d, b := math.Abs(math.Abs(x)-f.value(p)), math.Abs(math.Abs(x)-f.value(best))
		if d < b || d == b && p&1 == 0 {
			best = p
		}
	}
	if math.IsInf(x, 0) {
		best = most
	}
	if math.Signbit(x) {
		best |= most + 1
	}
	return best
}

// TestSmallFloats converts each pattern of the formats of 6 and 4 bits to .f16, and floats to the formats.
func TestSmallFloats(t *testing.T) {
	for _, f := range []small{{"e2m3x2", 2, 6, 1}, {"e3m2x2", 3, 6, 3}, {"e2m1x2", 2, 4, 1}} {
		register, step := "%h0", 8
		if f.bits == 4 {
			register, step = "%c0", 4
		}
		floats := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.0625, 0.03125, 0.09375, 7.5, 7.75, 8, 28, 30, 1000, -1000, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0.3, 2.9, -5.1, 1e-9, -0.24, 3.25, 3.75, 0.125, 0.1875, 5, 5.5, 2.5, -2.25, 1.75, 6.5}
		var text strings.Builder
		text.WriteString(recentHead)
		for i, x := range floats {
			fmt.Fprintf(&text, "setp.eq.u32 %%p0, %%r0, %d; @%%p0 mov.f32 %%f1, 0f%08x; @%%p0 mov.f32 %%f2, 0f%08x;\n", i, math.Float32bits(x), math.Float32bits(floats[(i+7)%len(floats)]))
		}
		fmt.Fprintf(&text, "cvt.rn.satfinite.%s.f32 %s, %%f1, %%f2; cvt.u32.u%d %%r2, %s; st.global.u32 [%%rd4], %%r2;\n", f.name, register, 2*step, register)
		for k := range 2 { // all patterns of 6 bits
			fmt.Fprintf(&text, "add.u32 %%r3, %%r0, %d; and.b32 %%r3, %%r3, %d; shl.b32 %%r5, %%r3, %d; or.b32 %%r3, %%r3, %%r5; cvt.u%d.u32 %s, %%r3; cvt.rn.f16x2.%s %%r4, %s; st.global.u32 [%%rd4+%d], %%r4;\n",
				32*k, 1<<f.bits-1, step, 2*step, register, f.name, register, 4+4*k)
		}
		m := parse(t, text.String()+"ret;\n}\n")
		for _, e := range engines {
			out := make([]byte, 16*WarpSize)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{WarpSize, 1, 1}, args: []any{out}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(err)
			}
			for i, x := range floats {
				want := uint32(f.nearest(float64(x))<<step | f.nearest(float64(floats[(i+7)%len(floats)])))
				if got := word(out[16*i:]); got != want {
					t.Errorf("%s of %g on the %s: %#x; must be %#x", f.name, x, e.name, got, want)
				}
				for k := range 2 {
					pattern := (i + 32*k) & (1<<f.bits - 1)
					h := word(out[16*i+4+4*k:])
					if got := halfValue(h & 0xffff); got != f.value(pattern) || h>>16 != h&0xffff || math.Signbit(got) != math.Signbit(f.value(pattern)) {
						t.Errorf("%s of pattern %#x on the %s: %g; must be %g", f.name, pattern, e.name, got, f.value(pattern))
					}
				}
			}
		}
	}
}

// halfValue returns the number of a finite .f16.
func halfValue(h uint32) float64 {
	e, m := int(h>>10&31), float64(h&0x3ff)/1024
	v := math.Ldexp(m, -14)
	if e > 0 {
		v = math.Ldexp(1+m, e-15)
	}
	if h>>15 != 0 {
		v = -v
	}
	return v
}

// TestClusters refuses a kernel that requires clusters.
func TestClusters(t *testing.T) {
	m := parse(t, ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() .reqnctapercluster 2 { ret; }\n")
	image, err := NewImage(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Lower(m, image, "k", Options{Block: [3]uint32{32, 1, 1}}); err == nil || !strings.Contains(err.Error(), "requires clusters of 2 blocks") {
		t.Error(err)
	}
}
