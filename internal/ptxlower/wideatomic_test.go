package ptxlower

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// wideHead begins kernels with 256 bytes of shared memory s. %rd0 is the address of out, %rd1 of s in a generic form, %r9 in .shared. %q0 is
// {5, 6}, %q1 is {7, 8}.
const wideHead = `.version 8.8
.target sm_90
.address_size 64
.entry k(.param .u64 out)
{
.reg .pred %p<4>;
.reg .b32 %r<10>;
.reg .b64 %rd<12>;
.reg .b128 %q<8>;
.shared .align 16 .b8 s[256];
.local .align 16 .b8 l[32];
ld.param.u64 %rd0, [out];
mov.u32 %r9, s;
cvt.u64.u32 %rd1, %r9;
cvta.shared.u64 %rd1, %rd1;
mov.u64 %rd2, 5; mov.u64 %rd3, 6; mov.b128 %q0, {%rd2, %rd3};
mov.u64 %rd2, 7; mov.u64 %rd3, 8; mov.b128 %q1, {%rd2, %rd3};
mov.u64 %rd4, 0; mov.u64 %rd5, 0;
`

// wideTail stores %rd4, %rd5 and what %rd6 and %rd7 have after out[0] and out[1].
const wideTail = `
st.global.v2.u64 [%rd0+16], {%rd4, %rd5};
st.global.v2.u64 [%rd0+32], {%rd6, %rd7};
ret;
}
`

// wideRows are bodies, and the words of out afterwards: 0 and 1 are {5, 6} at first, 2 and 3 the old value, 4 and 5 shared memory.
var wideRows = []struct {
	body string
	want [6]uint64
}{
	{"atom.global.exch.b128 %q2, [%rd0], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{7, 8, 5, 6, 5, 6}},
	{"atom.relaxed.sys.global.cas.b128 %q2, [%rd0], %q0, %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{7, 8, 5, 6, 5, 6}},
	{"atom.acq_rel.gpu.global.cas.b128 %q2, [%rd0], %q1, %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 5, 6, 5, 6}},
	// One half alone is equal.
	{"mov.u64 %rd2, 5; mov.b128 %q3, {%rd2, %rd2}; atom.cas.b128 %q2, [%rd0], %q3, %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 5, 6, 5, 6}},
	{"mov.u64 %rd2, 6; mov.b128 %q3, {%rd2, %rd2}; atom.cas.b128 %q2, [%rd0], %q3, %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 5, 6, 5, 6}},
	// The result is also an operand, or there is none.
	{"atom.release.cta.exch.b128 %q1, [%rd0], %q1; mov.b128 {%rd4, %rd5}, %q1;", [6]uint64{7, 8, 5, 6, 5, 6}},
	{"atom.acquire.cluster.global.exch.b128 _, [%rd0], %q1;", [6]uint64{7, 8, 0, 0, 5, 6}},
	{"setp.eq.u32 %p0, %r9, 1; @%p0 atom.global.exch.b128 _, [%rd0], %q1;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{".reg .b64 %pol; mov.u64 %pol, 0; atom.global.exch.L2::cache_hint.b128 %q2, [%rd0], %q1, %pol; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{7, 8, 5, 6, 5, 6}},
	// Shared memory, by each kind of address.
	{"atom.shared.exch.b128 %q2, [s], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 5, 6, 7, 8}},
	{"atom.shared::cta.cas.b128 %q2, [%r9], %q0, %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 5, 6, 7, 8}},
	{"atom.shared::cluster.exch.b128 %q2, [%r9+16], %q1; ld.shared.b128 %q3, [s+16]; mov.b128 {%rd4, %rd5}, %q3;", [6]uint64{5, 6, 7, 8, 5, 6}},
	{"atom.exch.b128 %q2, [%rd1], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 5, 6, 7, 8}},
	{"atom.shared.exch.b128 %q2, [s+240], %q1; ld.shared.b128 %q3, [s+240]; mov.b128 {%rd4, %rd5}, %q3;", [6]uint64{5, 6, 7, 8, 5, 6}},
	// Strong loads and stores.
	{"st.relaxed.gpu.global.b128 [%rd0], %q1; ld.acquire.gpu.global.b128 %q2, [%rd0]; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{7, 8, 7, 8, 5, 6}},
	{"st.volatile.b128 [%rd1], %q1; ld.volatile.b128 %q2, [%rd0]; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 5, 6, 7, 8}},
	{"st.volatile.local.b128 [l], %q1; ld.volatile.local.b128 %q2, [l]; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 7, 8, 5, 6}},
	// Addresses without alignment and out of range, and memory without atomics: as with 64 bits.
	{"atom.global.exch.b128 %q2, [%rd0+8], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"atom.global.cas.b128 %q2, [%rd0+1], %q0, %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"atom.shared.exch.b128 %q2, [s+8], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"atom.exch.b128 %q2, [%rd1+4], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"atom.shared.exch.b128 %q2, [s+4096], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"mov.u32 %r1, -16; atom.shared.exch.b128 %q2, [%r1], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"mov.u64 %rd8, 16; atom.global.exch.b128 %q2, [%rd8], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"mov.u64 %rd8, -16; atom.exch.b128 %q2, [%rd8], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"atom.global.exch.b128 %q2, [%rd0+1048576], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
	{"mov.u64 %rd8, l; cvta.local.u64 %rd8, %rd8; st.b128 [%rd8], %q0; atom.exch.b128 %q2, [%rd8], %q1; mov.b128 {%rd4, %rd5}, %q2;", [6]uint64{5, 6, 0, 0, 5, 6}},
}

// TestWideAtomics runs each row with one thread, on each engine, also with sanitizers.
func TestWideAtomics(t *testing.T) {
	for _, row := range wideRows {
		m := parse(t, wideHead+"st.shared.b128 [s], %q0;\n"+row.body+"\nld.shared.b128 %q7, [s]; mov.b128 {%rd6, %rd7}, %q7;"+wideTail)
		for _, e := range engines {
			for _, sanitize := range []ir.Sanitizers{0, ir.SanitizeAll} {
				out := make([]byte, 48)
				binary.LittleEndian.PutUint64(out, 5)
				binary.LittleEndian.PutUint64(out[8:], 6)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{out}, sanitize: sanitize}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatalf("%s on the %s: %v", row.body, e.name, err)
				}
				var got [6]uint64
				for i := range got {
					got[i] = binary.LittleEndian.Uint64(out[8*i:])
				}
				if got != row.want {
					t.Errorf("%s on the %s with sanitizers %v: %d; must be %d", row.body, e.name, sanitize, got, row.want)
				}
			}
		}
	}
}

// wideThreads are the threads of a test: of 4 blocks on 4 workers.
const wideThreads, wideRounds = 4 * 64, 20

// wideLoop begins a loop of wideRounds rounds, wideNext ends it.
const (
	wideLoop = "mov.u32 %r1, 0;\nROUND:\n"
	wideNext = "\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20; @%p1 bra ROUND;\nret;\n}\n"
)

// runWide runs a kernel with many threads on each engine, and passes the words of its buffer to check.
func runWide(t *testing.T, body string, out []uint64, check func([]uint64) string) {
	t.Helper()
	m := parse(t, wideHead+"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r2, %r2, 64, %r3;\n"+wideLoop+body+wideNext)
	for _, e := range engines {
		b := make([]byte, 8*len(out))
		for i, x := range out {
			binary.LittleEndian.PutUint64(b[8*i:], x)
		}
		l := launch{kernel: "k", grid: [3]uint32{4, 1, 1}, block: [3]uint32{64, 1, 1}, args: []any{b}, workers: 4}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatalf("on the %s: %v", e.name, err)
		}
		got := make([]uint64, len(out))
		for i := range got {
			got[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		if fault := check(got); fault != "" {
			t.Errorf("on the %s: %s", e.name, fault)
		}
	}
}

// TestWideCounter adds to a number of 128 bits by cas, over a carry between the halves.
func TestWideCounter(t *testing.T) {
	first := ^uint64(99)
	runWide(t, `
ld.relaxed.gpu.global.b128 %q2, [%rd0];
AGAIN:
mov.b128 {%rd4, %rd5}, %q2;
add.cc.u64 %rd6, %rd4, 1; addc.u64 %rd7, %rd5, 0;
mov.b128 %q3, {%rd6, %rd7};
atom.global.cas.b128 %q2, [%rd0], %q2, %q3;
mov.b128 {%rd6, %rd7}, %q2;
setp.ne.u64 %p2, %rd6, %rd4; setp.ne.or.u64 %p2, %rd7, %rd5, %p2;
@%p2 bra AGAIN;`, []uint64{first, 3}, func(got []uint64) string {
		low, carry := bits.Add64(first, wideThreads*wideRounds, 0)
		if got[0] != low || got[1] != 3+carry {
			return "the sum is wrong"
		}
		return ""
	})
}

// TestWideExchange exchanges pairs of a number and its complement, which loads and exchanges must see together; each number that was put
// there is found once.
func TestWideExchange(t *testing.T) {
	runWide(t, `
mad.lo.u32 %r4, %r2, 20, %r1; add.u32 %r4, %r4, 1;
cvt.u64.u32 %rd4, %r4; not.b64 %rd5, %rd4;
mov.b128 %q2, {%rd4, %rd5};
atom.exch.b128 %q2, [%rd0], %q2;
mov.b128 {%rd4, %rd5}, %q2;
red.global.add.u64 [%rd0+16], %rd4;
not.b64 %rd5, %rd5; setp.ne.u64 %p2, %rd4, %rd5;
@%p2 red.global.add.u64 [%rd0+24], 1;
ld.volatile.global.b128 %q3, [%rd0];
mov.b128 {%rd4, %rd5}, %q3; not.b64 %rd5, %rd5; setp.ne.u64 %p2, %rd4, %rd5;
@%p2 red.global.add.u64 [%rd0+24], 1;`, []uint64{0, ^uint64(0), 0, 0}, func(got []uint64) string {
		const n = wideThreads * wideRounds
		switch {
		case got[3] != 0:
			return "halves of two values"
		case got[0] != ^got[1] || got[0]+got[2] != n*(n+1)/2:
			return "a value is lost, or there twice"
		}
		return ""
	})
}

// TestWideRace checks that atomics of 128 bits do not race with each other.
func TestWideRace(t *testing.T) {
	m := parse(t, wideHead+"atom.global.exch.b128 %q2, [%rd0], %q1; ld.relaxed.gpu.global.b128 %q3, [%rd0]; ret; }")
	for _, e := range engines {
		l := launch{kernel: "k", grid: [3]uint32{2, 1, 1}, block: [3]uint32{64, 1, 1}, args: []any{make([]byte, 16)}, workers: 2, sanitize: ir.SanitizeRace}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		if len(l.reports) > 0 {
			t.Errorf("on the %s: the reports %v; must have none", e.name, l.reports)
		}
	}
}

// TestWideAlignment checks that the sanitizer of undefined behaviour reports an address that is no multiple of 16.
func TestWideAlignment(t *testing.T) {
	m := parse(t, wideHead+"atom.global.exch.b128 %q2, [%rd0+8], %q1; ret; }")
	for _, e := range engines {
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}, args: []any{make([]byte, 32)}, sanitize: ir.SanitizeUndefined}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(err)
		}
		if len(l.reports) != 1 || !strings.Contains(l.reports[0].Message, "16 bytes at an address with the rest 8") {
			t.Errorf("on the %s: the reports %v; must have one of the address", e.name, l.reports)
		}
	}
}
