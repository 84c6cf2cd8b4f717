package ptxlower

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// waitHead begins the kernels of waits: %out is the buffer, %t the thread, %w its warp.
const waitHead = `.version 8.6
.target sm_90
.address_size 64
.entry k(.param .u64 o)
{
.reg .pred %p<4>;
.reg .b32 %t, %w, %r<12>;
.reg .b64 %out, %at, %s, %d<8>;
.shared .align 8 .b64 m[4];
.shared .align 16 .b32 s[256];
ld.param.u64 %out, [o];
mov.u32 %t, %tid.x;
shr.u32 %w, %t, 5;
mul.wide.u32 %at, %t, 4;
mov.u64 %s, s;
add.u64 %s, %s, %at;
add.u64 %at, %at, %out;
`

// waitRows are kernels of 128 threads, and what each thread t must write.
var waitRows = []struct {
	name, body string
	want       func(t int) uint32
}{
	// PTX ISA, "bar": without .aligned, the threads of a warp wait one by one, and not for ended ones.
	{"leavers", `
mov.u32 %r0, 5;
st.global.u32 [%at], %r0;
setp.ge.u32 %p0, %t, 70;
@%p0 bra END;
ld.global.u32 %r1, [%out+1020];
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra OTHER;
barrier.sync 1;
barrier.sync 2;
mov.u32 %r0, 7;
OTHER:
barrier.sync 3;
st.global.u32 [%at], %r0;
END:
`, func(t int) uint32 {
		if t < 70 {
			return 7
		}
		return 5
	}},
	// Threads of a warp leave by a branch, and their end follows the code of the others in the text.
	{"early return", `
setp.ge.u32 %p0, %t, 70; @%p0 bra END;
bar.sync 0;
setp.ge.u32 %p1, %t, 64; @%p1 bra X;
bar.sync 1, 64;
X: bar.sync 0;
st.global.u32 [%at], 7;
END: ret;
`, func(t int) uint32 {
		if t < 70 {
			return 7
		}
		return 0
	}},
	{"early return in front of the other code", `
setp.lt.u32 %p0, %t, 70; @%p0 bra GO;
st.global.u32 [%at], 3;
ret;
GO: setp.ge.u32 %p1, %t, 64; @%p1 bra X;
bar.sync 1, 64;
X: bar.sync 0;
st.global.u32 [%at], 7;
`, func(t int) uint32 {
		if t < 70 {
			return 7
		}
		return 3
	}},
	{"early return of an index", `
setp.ge.u32 %p0, %t, 70; selp.u32 %r0, 1, 0, %p0;
T: .branchtargets GO, END;
brx.idx %r0, T;
GO: setp.ge.u32 %p1, %t, 64; @%p1 bra X;
bar.sync 1, 64;
X: bar.sync 0;
st.global.u32 [%at], 7;
END: ret;
`, func(t int) uint32 {
		if t < 70 {
			return 7
		}
		return 0
	}},
	{"exits in a function", `
setp.ge.u32 %p0, %t, 64; @%p0 bra X;
bar.sync 1, 64;
X: { .param .u32 x; st.param.u32 [x], %t; call FEW, (x); }
bar.sync 0;
setp.eq.u32 %p0, %t, 0; @%p0 bra END;
st.shared.u32 [%s], %t;
bar.sync 2;
ld.shared.u32 %r0, [s+4];
st.global.u32 [%at], %r0;
END: call FEW, (0);
`, func(t int) uint32 {
		if 0 < t && t < 70 {
			return 1
		}
		return 0
	}},
	// PTX ISA, "exit": a barrier in a function does not wait for threads that end in a branch of it.
	{"exits in a branch of a function", `
st.global.u32 [%at], 5;
and.b32 %r0, %t, 31;
{ .param .u32 x; st.param.u32 [x], %r0; call MEET, (x); }
setp.lt.u32 %p0, %r0, 20; @%p0 bra REST;
bar.sync 0;
st.global.u32 [%at], 7;
ret;
REST: st.global.u32 [%at], 6;
exit;
`, func(t int) uint32 {
		if t%32 < 7 {
			return 5
		}
		if t%32 < 20 {
			return 6
		}
		return 7
	}},
	// PTX ISA, "barrier": an .aligned one waits for the threads of the warp that have not ended, and no thread takes one of the two ways to it.
	{"a barrier that no thread comes to before it ends", `
ld.global.u32 %r9, [%out+1020];
and.b32 %r0, %t, 31;
setp.ge.u32 %p0, %r0, 16; @%p0 bra REST;
setp.lt.u32 %p1, %r9, 100; @%p1 bra E1;
bar.sync 1;
E1: st.global.u32 [%at], 5;
ret;
REST: bar.sync 0;
bar.sync 2;
st.global.u32 [%at], 7;
`, func(t int) uint32 {
		if t%32 < 16 {
			return 5
		}
		return 7
	}},
	// The same with one barrier, beside waits of some threads.
	{"an early end beside a barrier of some threads", `
and.b32 %r0, %t, 31;
mov.u32 %r1, 128; bar.sync 0, %r1;
setp.ge.u32 %p0, %r0, 16; @%p0 bra REST;
setp.lt.u32 %p1, %r0, 100; @%p1 bra E1;
bar.sync 0;
st.global.u32 [%at], 9;
ret;
E1: st.global.u32 [%at], 5;
ret;
REST: bar.sync 0;
st.global.u32 [%at], 7;
`, func(t int) uint32 {
		if t%32 < 16 {
			return 5
		}
		return 7
	}},
	{"an early end beside an mbarrier", `
and.b32 %r0, %t, 31;
setp.eq.u32 %p2, %t, 0; @%p2 mbarrier.init.shared.b64 [m], 128; bar.sync 0; mbarrier.arrive.shared.b64 %d3, [m]; mbarrier.test_wait.shared.b64 %p1, [m], %d3;
setp.ge.u32 %p0, %r0, 16; @%p0 bra REST;
setp.lt.u32 %p1, %r0, 100; @%p1 bra E1;
bar.sync 0;
st.global.u32 [%at], 9;
ret;
E1: st.global.u32 [%at], 5;
ret;
REST: bar.sync 0;
st.global.u32 [%at], 7;
`, func(t int) uint32 {
		if t%32 < 16 {
			return 5
		}
		return 7
	}},
	// Some threads of a warp wait in the kernel, and others end in a function, or the other way round.
	{"an early end in a function", `
st.global.u32 [%at], 5;
and.b32 %r0, %t, 31;
bar.sync 0;
setp.ge.u32 %p0, %r0, 16; @%p0 bra REST;
{ .param .u32 x; st.param.u32 [x], 0; call MEET, (x); }
st.global.u32 [%at], 9;
ret;
E1: st.global.u32 [%at], 5;
ret;
REST: bar.sync 1;
st.global.u32 [%at], 7;
`, func(t int) uint32 {
		if t%32 < 16 {
			return 5
		}
		return 7
	}},
	{"an early end after a return", `
and.b32 %r0, %t, 31;
bar.sync 0;
setp.ge.u32 %p0, %r0, 16; @%p0 bra REST;
{ .param .u32 x; st.param.u32 [x], %r0; call PASS, (x); }
setp.lt.u32 %p1, %r0, 100; @%p1 bra E1;
bar.sync 1;
st.global.u32 [%at], 9;
ret;
E1: st.global.u32 [%at], 5;
ret;
REST: call ONE;
st.global.u32 [%at], 7;
`, func(t int) uint32 {
		if t%32 < 16 {
			return 5
		}
		return 7
	}},
	{"calls of a function that never returns", `
st.global.u32 [%at], 5;
and.b32 %r0, %t, 31; setp.lt.u32 %p0, %r0, 7;
@!%p0 bra Y;
call DIE;
Y: bar.sync 1;
setp.ge.u32 %p1, %t, 64; @%p1 bra X;
bar.sync 2, 64;
X: st.global.u32 [%at], 7;
`, func(t int) uint32 {
		if t%32 < 7 {
			return 5
		}
		return 7
	}},
	// PTX ISA, "exit": a barrier that waits only for threads that have ended is released.
	{"released", `
setp.ge.u32 %p0, %t, 32; @%p0 bra END;
bar.sync 1, 64;
st.global.u32 [%at], 7;
END: ret;
`, func(t int) uint32 {
		if t < 32 {
			return 7
		}
		return 0
	}},
	// A producer that has arrived and ended counts once.
	{"arrived and ended", `
setp.ge.u32 %p0, %t, 64; @%p0 bra CONSUME;
st.shared.u32 [%s], %t;
bar.arrive 1, 128;
ret;
CONSUME:
setp.ge.u32 %p0, %t, 96; @%p0 bra LATE;
st.shared.u32 [%s], %t;
bar.sync 1, 128;
ld.shared.u32 %r0, [%s+128];
st.global.u32 [%at], %r0;
ret;
LATE: mov.u32 %r1, 0;
L: bar.sync 2, 32; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;
st.shared.u32 [%s], %t;
bar.sync 1, 128;
ld.shared.u32 %r0, [%s+-128];
st.global.u32 [%at], %r0;
`, func(t int) uint32 {
		if t < 64 {
			return 0
		}
		return uint32(t ^ 32)
	}},
	// PTX ISA, "barrier" without .aligned: parts of a warp come to it by different instructions.
	{"parts of a warp", `
and.b32 %r0, %t, 1; setp.eq.u32 %p0, %r0, 1;
st.shared.u32 [%s], %t;
@%p0 bra A;
barrier.sync 1;
ld.shared.u32 %r1, [s+508];
bra B;
A: barrier.sync 1;
ld.shared.u32 %r1, [s+504];
B: barrier.sync 2;
st.global.u32 [%at], %r1;
`, func(t int) uint32 { return uint32(127 - t&1) }},
	{"parts of a warp in a function", `
and.b32 %r0, %t, 1; setp.eq.u32 %p0, %r0, 1;
st.shared.u32 [%s], %t;
@%p0 call FIRST;
@!%p0 barrier.sync 1;
ld.shared.u32 %r1, [s+508];
barrier.sync 2;
st.global.u32 [%at], %r1;
`, func(int) uint32 { return 127 }},
	{"parts of a warp in numbers", `
and.b32 %r0, %t, 1; setp.eq.u32 %p0, %r0, 1;
mov.u32 %r2, 128;
@%p0 bra A;
barrier.red.popc.u32 %r1, 1, %r2, %p0;
bra B;
A: barrier.red.popc.u32 %r1, 1, 128, %p0;
B: @!%p0 barrier.sync 3, 64;
@%p0 barrier.sync 4, 64;
mov.u32 %r3, 0;
L: barrier.red.or.pred %p1, 5, %p0;
add.u32 %r3, %r3, 1;
selp.u32 %r1, %r1, 9, %p1;
setp.le.u32 %p2, %r3, %r0;
@%p2 bra L;
setp.ge.u32 %p2, %t, 100; @%p2 bra END;
barrier.sync 5;
END: st.global.u32 [%at], %r1;
`, func(int) uint32 { return 64 }},
	// PTX ISA, "bar": producers arrive, consumers wait, for two rounds with two barriers.
	{"producers", `
mov.u32 %r0, 0; mov.u32 %r2, 0;
setp.ge.u32 %p0, %t, 64;
@%p0 bra CONSUME;
PRODUCE:
bar.sync 0, 128;
mad.lo.u32 %r1, %r0, 100, %t;
st.shared.u32 [%s], %r1;
bar.arrive 1, 128;
add.u32 %r0, %r0, 1;
setp.lt.u32 %p1, %r0, 5;
@%p1 bra PRODUCE;
st.global.u32 [%at], %r0;
ret;
CONSUME:
bar.arrive 0, 128;
CONSUMED:
bar.sync 1, 128;
ld.shared.u32 %r1, [%s+-256];
add.u32 %r2, %r2, %r1;
add.u32 %r0, %r0, 1;
setp.lt.u32 %p1, %r0, 5;
@!%p1 bra END;
bar.arrive 0, 128;
bra CONSUMED;
END:
st.global.u32 [%at], %r2;
`, func(t int) uint32 {
		if t < 64 {
			return 5
		}
		return uint32(1000 + 5*(t-64)) // 0 + 100 + … + 400
	}},
	// Two groups of two warps with a barrier each, and different numbers of rounds; then all meet.
	{"groups", `
setp.ge.u32 %p0, %t, 64;
selp.u32 %r0, 7, 2, %p0;
selp.u32 %r3, 2, 1, %p0;
mov.u32 %r1, 0;
st.shared.u32 [%s], %t;
L:
bar.sync %r3, 64;
xor.b32 %r4, %t, 33;
mul.wide.u32 %d0, %r4, 4; mov.u64 %d1, s; add.u64 %d1, %d1, %d0;
ld.shared.u32 %r4, [%d1];
barrier.sync.aligned %r3, 64;
add.u32 %r1, %r1, %r4;
st.shared.u32 [%s], %r1;
sub.u32 %r0, %r0, 1;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra L;
bar.sync 0;
ld.shared.u32 %r1, [s+508];
st.global.u32 [%at], %r1;
`, func(int) uint32 {
		var a, b uint32 = 127, 127 ^ 33
		x, y := uint32(0), uint32(0)
		for range 7 {
			x, y = x+b, y+a
			a, b = x, y
		}
		return x
	}},
	// barrier.red of one warp and of two: how many predicates are true, whether all are, whether one is.
	{"reductions", `
mov.u32 %r5, 32; mov.u32 %r6, 0;
setp.eq.u32 %p0, %w, 0; @%p0 bra ONE;
setp.eq.u32 %p0, %w, 3; @%p0 bra NONE;
mov.u32 %r5, 64;
NONE: @%p0 st.global.u32 [%at], 9; @%p0 ret;
mov.u32 %r6, 1;
ONE:
and.b32 %r0, %t, 1; setp.eq.u32 %p1, %r0, 0;
barrier.red.popc.aligned.u32 %r1, %r6, %r5, %p1;
bar.red.and.pred %p2, %r6, %r5, %p1;
selp.u32 %r2, 1000, 0, %p2;
bar.red.or.pred %p2, %r6, %r5, %p1;
selp.u32 %r3, 2000, 0, %p2;
setp.lt.u32 %p1, %t, 96;
bar.red.and.pred %p2, %r6, %r5, %p1;
selp.u32 %r4, 4000, 0, %p2;
add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;
st.global.u32 [%at], %r1;
`, func(t int) uint32 { return []uint32{6016, 6032, 6032, 9}[t/32] }},
	// Threads that ended do not hold back a barrier of all threads.
	{"ended", `
setp.lt.u32 %p0, %t, 40; @%p0 st.global.u32 [%at], 1; @%p0 ret;
st.shared.u32 [%s], %t;
bar.sync 0;
setp.lt.u32 %p1, %t, 64; @%p1 bra END;
bar.sync 3, 64;
END:
ld.shared.u32 %r0, [s+508];
st.global.u32 [%at], %r0;
`, func(t int) uint32 {
		if t < 40 {
			return 1
		}
		return 127
	}},
	// PTX ISA, "mbarrier.init": all threads arrive and wait by their state; the count is restored for each phase.
	{"mbarrier", `
setp.eq.u32 %p0, %t, 0;
@%p0 mbarrier.init.shared::cta.b64 [m], 128;
bar.sync 0;
mov.u32 %r0, 0; mov.u32 %r1, 0;
L:
add.u32 %r2, %r1, %t;
st.shared.u32 [%s], %r2;
mbarrier.arrive.shared::cta.b64 %d0, [m];
W: mbarrier.try_wait.shared::cta.b64 %p1, [m], %d0, 100;
@!%p1 bra W;
xor.b32 %r4, %t, 97; mul.wide.u32 %d1, %r4, 4; mov.u64 %d2, s; add.u64 %d2, %d2, %d1;
ld.shared.u32 %r1, [%d2];
mbarrier.arrive.release.cta.shared::cta.b64 _, [m];
mov.u32 %r5, 1;
X: mbarrier.test_wait.parity.shared::cta.b64 %p1, [m], %r5;
@!%p1 bra X;
add.u32 %r0, %r0, 1;
setp.lt.u32 %p2, %r0, 3;
@%p2 bra L;
st.global.u32 [%at], %r1;
`, func(t int) uint32 { return uint32(t^97) + uint32(t) + uint32(t^97) }},
	// One warp waits for the arrivals of the others, which are of generic addresses.
	{"warps", `
mov.u64 %d0, m; cvta.shared.u64 %d0, %d0;
setp.eq.u32 %p0, %t, 0;
@%p0 mbarrier.init.b64 [%d0+8], 96;
bar.sync 0;
setp.ge.u32 %p0, %t, 32;
@%p0 st.shared.u32 [%s], %t;
@%p0 mbarrier.arrive.b64 %d1, [%d0+8];
@%p0 st.global.u32 [%at], 3;
@%p0 bra END;
W: mbarrier.try_wait.parity.b64 %p1, [%d0+8], 0;
@!%p1 bra W;
ld.shared.u32 %r0, [%s+384];
st.global.u32 [%at], %r0;
END:
`, func(t int) uint32 {
		if t < 32 {
			return uint32(t + 96)
		}
		return 3
	}},
	// PTX ISA, "st.async" and "red.async": each thread stores to another one, and the phase ends with the last byte.
	{"bytes", `
mov.u32 %r6, m; mov.u32 %r7, s;
setp.eq.u32 %p0, %t, 0;
@%p0 mbarrier.init.shared.b64 [m], 1;
st.shared.u32 [%s], 1000;
bar.sync 0;
@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [m], 768;
xor.b32 %r0, %t, 127; shl.b32 %r1, %r0, 2; add.u32 %r1, %r7, %r1;
shl.b32 %r2, %r0, 3; add.u32 %r2, %r7, %r2;
mul.wide.u32 %d7, %t, 8; mov.u64 %d6, s; add.u64 %d7, %d7, %d6;
setp.lt.u32 %p2, %t, 64; mul.lo.u32 %r3, %t, 3;
@%p2 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r2], {%t, %r3}, [%r6];
@!%p2 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %t, [%r6];
W: mbarrier.try_wait.parity.acquire.cta.shared.b64 %p1, [m], 0;
@!%p1 bra W;
setp.ge.u32 %p3, %t, 64;
@%p3 ld.shared.v2.u32 {%r4, %r5}, [%d7];
@!%p3 ld.shared.u32 %r4, [%s];
@!%p3 mov.u32 %r5, 0;
mad.lo.u32 %r4, %r5, 1000, %r4;
st.global.u32 [%at], %r4;
`, func(t int) uint32 {
		if t < 64 {
			return 1000 + uint32(t^127)
		}
		return uint32(t^127) + 3000*uint32(t^127)
	}},
	// One thread: counts, drops, bytes and phases.
	{"counts", `
setp.ne.u32 %p0, %t, 5; @%p0 st.global.u32 [%at], 0; @%p0 ret;
mbarrier.init.shared.b64 [m], 3;
mbarrier.arrive.shared.b64 %d0, [m];
mbarrier.pending_count.b64 %r0, %d0;            // 3
mbarrier.arrive.noComplete.release.cta.shared.b64 %d1, [m], 1;
mbarrier.pending_count.b64 %r1, %d1;            // 2
mbarrier.test_wait.shared.b64 %p1, [m], %d0;
selp.u32 %r2, 1, 0, %p1;                        // 0
mbarrier.arrive_drop.shared.b64 %d2, [m];       // ends the phase; 2 are expected
mbarrier.test_wait.shared.b64 %p1, [m], %d0;
selp.u32 %r3, 1, 0, %p1;                        // 1
mbarrier.arrive.expect_tx.relaxed.cta.shared.b64 %d3, [m], 64;
mbarrier.pending_count.b64 %r4, %d3;            // 2
mbarrier.arrive.shared.b64 %d4, [m];
mbarrier.test_wait.parity.shared.b64 %p1, [m], 1;
selp.u32 %r5, 1, 0, %p1;                        // 0: 64 bytes are pending
mbarrier.complete_tx.relaxed.cta.shared.b64 [m], 48;
mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 8;
mbarrier.complete_tx.shared.b64 [m], 24;
mbarrier.test_wait.parity.shared.b64 %p1, [m], 1;
selp.u32 %r6, 1, 0, %p1;                        // 1
cp.async.mbarrier.arrive.shared.b64 [m];
mbarrier.arrive.shared.b64 %d5, [m];
mbarrier.pending_count.b64 %r7, %d5;            // 2
cp.async.mbarrier.arrive.noinc.shared.b64 [m];
mbarrier.test_wait.parity.shared.b64 %p1, [m], 0;
selp.u32 %r8, 1, 0, %p1;                        // 1
mbarrier.inval.shared.b64 [m];
mad.lo.u32 %r0, %r0, 10, %r1; mad.lo.u32 %r0, %r0, 10, %r2; mad.lo.u32 %r0, %r0, 10, %r3; mad.lo.u32 %r0, %r0, 10, %r4;
mad.lo.u32 %r0, %r0, 10, %r5; mad.lo.u32 %r0, %r0, 10, %r6; mad.lo.u32 %r0, %r0, 10, %r7; mad.lo.u32 %r0, %r0, 10, %r8;
st.global.u32 [%at], %r0;
`, func(t int) uint32 {
		if t == 5 {
			return 320120121
		}
		return 0
	}},
}

// TestWaits runs kernels with barriers of some threads and mbarrier objects, by the text of the ISA, on each engine and with sanitizers that
// must report nothing.
func TestWaits(t *testing.T) {
	const few = ".func FEW(.param .u32 a) { .reg .u32 %x; .reg .pred %p; ld.param.u32 %x, [a]; setp.ge.u32 %p, %x, 70; @%p exit; ret; }\n.func MEET(.param .u32 a) { .reg .u32 %x; .reg .pred %p; ld.param.u32 %x, [a]; setp.lt.u32 %p, %x, 7; @!%p bra Y; exit; Y: bar.sync 1; ret; }\n.func DIE() { exit; }\n.func ONE() { bar.sync 1; ret; }\n.func PASS(.param .u32 a) { .reg .u32 %x; .reg .pred %p; ld.param.u32 %x, [a]; setp.lt.u32 %p, %x, 100; @%p ret; bar.sync 1; ret; }\n.func FIRST() { barrier.sync 1; ret; }\n.entry"
	for _, row := range waitRows {
		m := parse(t, strings.Replace(waitHead, ".entry", few, 1)+row.body+"\n}\n")
		for _, e := range everyEngine() {
			for _, s := range []ir.Sanitizers{0, ir.SanitizeRace, ir.SanitizeUninit, ir.SanitizeAll} {
				out := make([]byte, 4*128*2)
				l := launch{kernel: "k", grid: [3]uint32{2, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{out}, sanitize: s}
				if s == ir.SanitizeRace || s == ir.SanitizeAll {
					l.grid = [3]uint32{1, 1, 1} // both blocks write the same words
				}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Errorf("%s on the %s: %v", row.name, e.name, err)
					break
				}
				if len(l.reports) > 0 {
					t.Errorf("%s on the %s: %v; must have no report", row.name, e.name, l.reports)
				}
				for i := range 128 {
					if got, want := word(out[4*i:]), row.want(i); got != want {
						t.Errorf("%s on the %s: thread %d wrote %d; must be %d", row.name, e.name, i, got, want)
						break
					}
				}
			}
		}
	}
}

// TestEndlessWaits checks that a wait for threads that never arrive fails with the name of the instruction.
func TestEndlessWaits(t *testing.T) {
	for _, row := range []struct{ body, want string }{
		{"setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [m], 200; bar.sync 0; mbarrier.arrive.shared.b64 %d0, [m];\nW: mbarrier.try_wait.shared.b64 %p1, [m], %d0; @!%p1 bra W;", "19:4: mbarrier.try_wait.shared.b64 waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 32; @%p0 bra E;\nW: mbarrier.test_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra W; E:", "19:4: mbarrier.test_wait.parity.shared.b64 waits for threads that do not arrive"},
		// Threads that end early do not hold back a barrier, and others do.
		{"setp.ge.u32 %p0, %t, 70; @%p0 bra F; setp.ge.u32 %p0, %t, 64; @%p0 bra E;\nbar.sync 1; bra F; E:\nbar.sync 2; F:", ":1: bar.sync waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 70; @%p0 exit; and.b32 %r0, %t, 1; setp.eq.u32 %p0, %r0, 1; @%p0 bra E;\nbarrier.sync 1; bra F; E:\nbarrier.sync 2; F:", ":1: barrier.sync waits for threads that do not arrive"},
		// An aligned barrier that a part of a warp comes to while the rest waits at another one.
		{"L: atom.shared.exch.b32 %r2, [m], 1; setp.eq.u32 %p0, %r2, 7; @%p0 bra L; and.b32 %r0, %t, 1; setp.eq.u32 %p0, %r0, 1; @%p0 bra E;\nbar.sync 1; bra F; E:\nbar.sync 1; F:", ":1: bar.sync waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 32; @%p0 bra E;\nbar.sync 1, 128; bra F; E: bar.sync 2, 96; bar.sync 3, 64; F:", "waits for threads that do not arrive"},
		// A warp counts as a whole at a barrier of some threads, and its threads that have ended count once.
		{"and.b32 %r0, %t, 31; setp.ge.u32 %p0, %r0, 16; @%p0 exit; setp.ge.u32 %p0, %t, 64; @%p0 bra E;\nbar.sync 1, 96; bra F; E: bar.sync 2, 96; F:", "waits for threads that do not arrive"},
		// Different warps wait at different barriers of all threads.
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra E;\nbar.sync 1, 128; bra F; E:\nbar.sync 2, 128; F:", ":1: bar.sync waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra E;\nbarrier.sync 1; bra F; E:\nbarrier.sync 2; F:", ":1: barrier.sync waits for threads that do not arrive"},
		{"mov.u32 %r0, %w;\nbar.sync %r0;", "19:1: bar.sync waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 64;\n@%p0 bar.sync 1;\nbar.sync 2;", ":1: bar.sync waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 64;\n@%p0 bar.red.popc.u32 %r0, 1, %p0;\nbar.red.popc.u32 %r0, 2, %p0;", ":1: bar.red.popc.u32 waits for threads that do not arrive"},
		{"mov.u32 %r0, %w;\nL: bar.sync 1; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 4; @%p0 bra L;\nbar.sync 2;", ": bar.sync waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra E;\nbarrier.cluster.arrive; barrier.cluster.wait; bra F; E:\nbar.sync 0; F:", " waits for threads that do not arrive"},
		{"setp.ge.u32 %p0, %t, 64;\n@%p0 call meet;\nbar.sync 2;", ": bar.sync waits for threads that do not arrive"},
	} {
		m := parse(t, strings.Replace(waitHead, ".entry", ".func meet() { bar.sync 1; ret; } .entry", 1)+row.body+"\n}\n")
		for _, e := range everyEngine() {
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{make([]byte, 512)}}
			if err := l.run(m, e.engine, e.optimize); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s on the %s: %v; must have %q", row.body, e.name, err, row.want)
			}
		}
	}
}

// TestMixedBarriers checks that a kernel with several barriers of all threads has them in shared memory if threads may wait at different
// ones at the same time, and only then.
func TestMixedBarriers(t *testing.T) {
	for _, row := range []struct {
		body string
		want bool
	}{
		{"bar.sync 1; bar.sync 2, 128; barrier.sync 3;", false},
		{"mov.u32 %r0, 0;\nL: bar.sync 1; bar.sync 2; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 4; @%p0 bra L;", false},
		{"mov.u32 %r0, %ctaid.x; setp.eq.u32 %p0, %r0, 0; @%p0 bra E; bar.sync 1; bra F; E: bar.sync 2; F:", false},
		{"mov.u32 %r0, %w; bar.red.popc.u32 %r1, 1, %p0; setp.eq.u32 %p1, %r1, 5; @%p1 bra F; bar.sync 2; F:", false},
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra F; bar.sync 1; bar.sync 2; F:", false}, // the others end
		{"setp.ge.u32 %p0, %t, 64; @%p0 exit; bar.sync 1; bar.sync 2;", false},
		{"mov.u32 %r0, %t;\nL: setp.ge.u32 %p0, %r0, 256; @%p0 bra F; bar.sync 1; bar.sync 2; add.u32 %r0, %r0, 128; bra L;\nF:", false},
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra E; bar.sync 1; bra F; E: bar.sync 1; F:", false}, // one number
		{"mov.u32 %r0, 1; bar.sync %r0; add.u32 %r0, %r0, 1; bar.sync %r0;", false},
		// All threads that have not ended meet in a loop, although no barrier follows it.
		{"mov.u32 %r0, %t;\nL: bar.sync 1; setp.lt.u32 %p0, %t, 5; @%p0 bra M; st.global.u32 [%at], 1; M: bar.sync 2; add.u32 %r0, %r0, 128; setp.lt.u32 %p0, %r0, 1024; @%p0 bra L;", false},
		{"L: ld.global.u32 %r0, [%out]; setp.eq.u32 %p0, %r0, 0; @%p0 bra F; setp.lt.u32 %p0, %t, 5; @%p0 bra M; st.global.u32 [%at], 1; M: barrier.sync 1; bra L;\nF:", false},
		{"L: setp.lt.u32 %p0, %t, 5; @%p0 bra L; barrier.sync 1; bra L;", true},
		{"L: bar.sync 1; K: setp.lt.u32 %p0, %t, 5; @%p0 bra M; bar.sync 2; M: ld.global.u32 %r0, [%out]; setp.eq.u32 %p0, %r0, 0; @%p0 bra K; bra L;", true},
		{"call both; bar.sync 0;", false},
		// Threads that end early do not count.
		{"setp.ge.u32 %p0, %t, 70; @%p0 bra F; ld.global.u32 %r0, [%out]; setp.eq.u32 %p1, %r0, 0; @%p1 bra E; barrier.sync 1; E: barrier.sync 2; F:", true},
		{"setp.ge.u32 %p0, %t, 70; @%p0 bra F; ld.global.u32 %r0, [%out]; setp.eq.u32 %p1, %r0, 0; @%p1 bra F; barrier.sync 1; barrier.sync 2; F:", false},
		// A part of a warp may come to a barrier without .aligned.
		{"setp.ge.u32 %p0, %t, 70; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		{"setp.eq.u32 %p0, %t, 64; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		{"shr.u32 %r0, %t, 4; setp.eq.u32 %p0, %r0, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		{"mov.u32 %r0, %t; add.u32 %r0, %r0, 1; setp.ge.u32 %p0, %r0, 64; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		{"cvt.pack.sat.u16.s32 %r0, %t, %t; setp.ge.u32 %p0, %r0, 64; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		{"shfl.sync.idx.b32 %r0, %t, 0, 0x1c1f, -1; setp.eq.u32 %p0, %r0, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		{"shfl.sync.up.b32 %r0, %t, 0, 0, -1; setp.eq.u32 %p0, %r0, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		{"mov.u32 %r0, %laneid; setp.ge.u32 %p0, %r0, 32; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", true},
		// Whole warps do: a warp has 32 consecutive threads.
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"setp.gt.s32 %p0, %t, 63; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"setp.eq.u32 %p0, %w, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"mov.u32 %r0, %warpid; setp.eq.u32 %p0, %r0, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"div.u32 %r0, %t, 96; and.b32 %r1, %t, 96; add.u32 %r0, %r0, %r1; setp.eq.u32 %p0, %r0, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"shr.s32 %r0, %t, 31; shr.u32 %r1, %r0, 27; add.s32 %r2, %t, %r1; shr.s32 %r3, %r2, 5; setp.eq.u32 %p0, %r3, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"setp.eq.u32 %p1, %t, 5; vote.sync.any.pred %p0, %p1, 0xffffffff; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"shr.u32 %r0, %t, 5; shfl.sync.idx.b32 %r0, %r0, 0, 31, -1; setp.eq.u32 %p0, %r0, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"redux.sync.add.u32 %r0, %t, 0xffffffff; setp.eq.u32 %p0, %r0, 1; @%p0 bra E; barrier.sync 1; bra F; E: barrier.sync 1; F:", false},
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra E; barrier.sync.aligned 1; bra F; E: barrier.sync.aligned 1; F:", false},
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra F; barrier.sync 1; barrier.sync 1; F:", false},

		{"setp.ge.u32 %p0, %t, 70; @%p0 exit; ld.global.u32 %r0, [%out]; setp.eq.u32 %p1, %r0, 0; @%p1 bra E; barrier.sync 1; E: barrier.sync 2;", true},
		{"setp.ge.u32 %p0, %t, 64; @%p0 bra E; bar.sync 1; bra F; E: bar.sync 2; F:", true},
		{"setp.ge.u32 %p0, %t, 64; selp.u32 %r0, 1, 2, %p0; bar.sync %r0;", true},
		{"mov.u32 %r0, 1; setp.ge.u32 %p0, %t, 64; @%p0 mov.u32 %r0, 2; bar.sync %r0;", true},
		{"mov.u32 %r0, 1; setp.ge.u32 %p0, %t, 64; @%p0 bra E; mov.u32 %r0, 2; E: bar.sync %r0;", true},
		{"ld.global.u32 %r0, [%out]; setp.eq.u32 %p0, %r0, 0; @%p0 bra E; bar.sync 1; bra F; E: bar.sync 2; F:", true},
		{"setp.ge.u32 %p0, %t, 64; @%p0 call both; bar.sync 0;", true},
	} {
		m := parse(t, strings.Replace(waitHead, ".entry", ".func both() { bar.sync 1; bar.sync 2; ret; } .entry", 1)+row.body+"\n}\n")
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Lower(m, image, "k", Options{Block: [3]uint32{128, 1, 1}})
		if err != nil {
			t.Errorf("%s: %v", row.body, err)
		} else if got := p.SharedBytes >= waitBytes+4*256; got != row.want {
			t.Errorf("%s: the barriers are in shared memory: %v; must be %v", row.body, got, row.want)
		}
	}
}

// TestWaitSanitizers checks the reports of kernels whose waits order too little.
func TestWaitSanitizers(t *testing.T) {
	for _, row := range []struct {
		of         ir.Sanitizers
		body, want string
	}{
		// The threads of the second barrier do not wait for those of the first one.
		{ir.SanitizeRace, "setp.ge.u32 %p0, %t, 64; @%p0 bra B; st.shared.u32 [%s], 1; bar.sync 1, 64; ret; B: bar.sync 2, 64; ld.shared.u32 %r0, [%s+-256];", "at offset"},
		{ir.SanitizeRace, "setp.ge.u32 %p0, %t, 64; @%p0 bra B; bar.arrive 1, 128; st.shared.u32 [%s], 1; ret; B: bar.sync 1, 128; ld.shared.u32 %r0, [%s+-256];", "at offset"},
		{ir.SanitizeRace, "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [m], 64; bar.sync 0; setp.ge.u32 %p0, %t, 64; @%p0 bra B; st.shared.u32 [%s], 1; mbarrier.arrive.relaxed.cta.shared.b64 %d0, [m]; ret;\nB: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra B; ld.shared.u32 %r0, [%s+-256];", "at offset"},
		{ir.SanitizeRace, "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [m], 64; mbarrier.arrive.shared.b64 %d0, [m];", "at offset"}, // no barrier after init
		{ir.SanitizeUninit, "mbarrier.arrive.shared.b64 %d0, [m];", "the atomic depends on"},
		{ir.SanitizeUninit, "setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [m], 128; bar.sync 0; mbarrier.test_wait.shared.b64 %p1, [m], %d1;", "the operand depends on"},
		{ir.SanitizeUndefined, "mbarrier.init.shared.b64 [m+4], 3;", "8 bytes at an address with the rest 4"},
		{ir.SanitizeBounds, "mbarrier.init.shared.b64 [m+40000], 3;", "8 bytes at offset"},
	} {
		m := parse(t, waitHead+row.body+"\n}\n")
		for _, e := range everyEngine() {
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{make([]byte, 512)}, sanitize: row.of}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Errorf("%s on the %s: %v", row.body, e.name, err)
				continue
			}
			if len(l.reports) == 0 || !strings.Contains(l.reports[0].Text(), row.want) {
				t.Errorf("%s on the %s: %v; must have %q", row.body, e.name, l.reports, row.want)
			}
		}
	}
}
