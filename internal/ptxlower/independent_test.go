package ptxlower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// independentStart makes the words of m and s 0, before all threads meet.
const independentStart = `
mul.wide.u32 %d0, %t, 2;
setp.eq.u32 %p0, %t, 0;
@%p0 st.shared.v2.u64 [m], {0, 0};
@%p0 st.shared.v2.u64 [m+16], {0, 0};
st.shared.u32 [%s], 0;
bar.sync 0;
`

// independentRows are kernels of 128 threads, some of which spin until others of the same warp store. want is the number that each thread t must write.
var independentRows = []struct {
	name, target, body string
	want               func(t int) uint32
}{
	{"lock", "sm_70", `
L: atom.shared.cas.b32 %r0, [m], 0, 1;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra L;
membar.cta;
ld.volatile.shared.u32 %r1, [m+8];
add.u32 %r1, %r1, 1;
st.volatile.shared.u32 [m+8], %r1;
membar.cta;
atom.shared.exch.b32 %r2, [m], 0;
bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
`, func(int) uint32 { return 128 }},
	// The loop also has work: a thread in the lock repeats it.
	{"lock in a loop", "sm_90", `
mov.u32 %r5, 0;
R: atom.acquire.cta.shared.exch.b32 %r0, [m], 1;
setp.eq.u32 %p1, %r0, 0;
@!%p1 bra R;
ld.volatile.shared.u32 %r1, [m+8];
add.u32 %r1, %r1, %r5;
st.volatile.shared.u32 [m+8], %r1;
st.release.cta.shared.u32 [m], 0;
add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 4;
@%p2 bra R;
bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
`, func(int) uint32 { return 128 * 6 }},
	// The last lane of each warp sets a flag that the other lanes poll. The setter follows the loop here, and precedes it in the next row.
	{"flag", "sm_70", `
and.b32 %r0, %t, 31; shl.b32 %r1, %w, 2; mov.u32 %r2, m; add.u32 %r2, %r2, %r1;
setp.eq.u32 %p1, %r0, 31;
@%p1 bra SET;
W: ld.volatile.shared.u32 %r3, [%r2];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra W;
st.global.u32 [%at], %r3;
ret;
SET:
add.u32 %r4, %w, 7;
st.volatile.shared.u32 [%r2], %r4;
st.global.u32 [%at], 1;
`, func(t int) uint32 {
		if t%32 == 31 {
			return 1
		}
		return uint32(t/32 + 7)
	}},
	{"flag in front", "sm_75", `
and.b32 %r0, %t, 31; shl.b32 %r1, %w, 2; mov.u32 %r2, m; add.u32 %r2, %r2, %r1;
setp.ne.u32 %p1, %r0, 31;
@%p1 bra W;
add.u32 %r4, %w, 7;
st.relaxed.cta.shared.u32 [%r2], %r4;
bra E;
W: nanosleep.u32 20;
ld.relaxed.cta.shared.u32 %r3, [%r2];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra W;
E: ld.relaxed.cta.shared.u32 %r3, [%r2];
st.global.u32 [%at], %r3;
`, func(t int) uint32 { return uint32(t/32 + 7) }},
	// Threads take turns, the last one of the block first, so that each warp waits for another one, and each thread for one of its warp.
	{"turns", "sm_70", `
sub.u32 %r0, 127, %t;
T: atom.shared.add.u32 %r1, [m], 0;
setp.ne.u32 %p1, %r1, %r0;
@%p1 bra T;
ld.volatile.shared.u32 %r2, [m+8];
mad.lo.u32 %r2, %r2, 5, %t;
st.volatile.shared.u32 [m+8], %r2;
st.global.u32 [%at], %r2;
membar.cta;
add.u32 %r1, %r1, 1;
st.volatile.shared.u32 [m], %r1;
`, func(t int) uint32 {
		x := uint32(0)
		for i := 127; i >= t; i-- {
			x = x*5 + uint32(i)
		}
		return x
	}},
	// Two threads of a warp answer each other, in loops of their own.
	{"answers", "sm_70", `
setp.gt.u32 %p0, %t, 1;
@%p0 bra E;
mov.u32 %r0, 0;
setp.eq.u32 %p1, %t, 0;
@%p1 bra ASK;
ANSWER: ld.volatile.shared.u32 %r1, [m];
setp.le.u32 %p2, %r1, %r0;
@%p2 bra ANSWER;
mov.u32 %r0, %r1;
mul.lo.u32 %r2, %r1, 3;
st.volatile.shared.u32 [m+4], %r2;
setp.lt.u32 %p2, %r0, 10;
@%p2 bra ANSWER;
bra E;
ASK: add.u32 %r0, %r0, 1;
mul.lo.u32 %r3, %r0, 3;
st.volatile.shared.u32 [m], %r0;
WAIT: ld.volatile.shared.u32 %r1, [m+4];
setp.ne.u32 %p2, %r1, %r3;
@%p2 bra WAIT;
setp.lt.u32 %p2, %r0, 10;
@%p2 bra ASK;
E: bar.sync 0;
ld.volatile.shared.u32 %r1, [m+4];
st.global.u32 [%at], %r1;
`, func(int) uint32 { return 30 }},
	// Threads leave the lock one after the other, and then exchange values: all of the mask must be there.
	{"exchange", "sm_70", `
L: atom.shared.exch.b32 %r0, [m], 1;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra L;
atom.shared.add.u32 %r1, [m+8], 1;
atom.shared.exch.b32 %r2, [m], 0;
bar.warp.sync 0xffffffff;
shfl.sync.bfly.b32 %r3, %t, 31, 31, 0xffffffff;
and.b32 %r4, %t, 1;
setp.eq.u32 %p2, %r4, 0;
@%p2 bra EVEN;
shfl.sync.bfly.b32 %r5, %r3, 2, 31, 0xaaaaaaaa;
add.u32 %r5, %r5, 1000;
bra E;
EVEN: vote.sync.ballot.b32 %r5, %p2, 0x55555555;
E: setp.lt.u32 %p3, %t, 128;
vote.sync.all.pred %p3, %p3, 0xffffffff;
selp.u32 %r6, 1, 0, %p3;
add.u32 %r5, %r5, %r6;
st.global.u32 [%at], %r5;
`, func(t int) uint32 {
		if t%2 == 0 {
			return 0x55555556
		}
		return uint32(t^31^2) + 1001
	}},
	// A guard and a mask of some threads; the others end.
	{"guarded exchange", "sm_80", `
L: atom.shared.exch.b32 %r0, [m], 1;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra L;
atom.shared.exch.b32 %r2, [m], 0;
and.b32 %r4, %t, 16;
setp.eq.u32 %p2, %r4, 0;
mov.u32 %r5, 5;
@%p2 redux.sync.add.s32 %r5, %t, 0x0000ffff;
st.global.u32 [%at], %r5;
@!%p2 ret;
bar.warp.sync 0xffffffff;
st.global.u32 [%at], %r5;
`, func(t int) uint32 {
		if t%32 >= 16 {
			return 5
		}
		return uint32(t/32*32*16 + 120)
	}},
	// Warps that wait for other warps: targets before sm_70 have this, too.
	{"warps", "sm_60", `
sub.u32 %r0, 3, %w;
T: ld.volatile.shared.u32 %r1, [m];
setp.ne.u32 %p1, %r1, %r0;
@%p1 bra T;
st.global.u32 [%at], %r1;
and.b32 %r2, %t, 31;
setp.eq.u32 %p2, %r2, 0;
add.u32 %r1, %r1, 1;
@%p2 st.volatile.shared.u32 [m], %r1;
bar.sync 0;
`, func(t int) uint32 { return uint32(3 - t/32) }},
	// The last thread of a warp arrives after the others have begun to wait at an mbarrier object.
	{"mbarrier", "sm_90", `
and.b32 %r0, %t, 31; shl.b32 %r1, %w, 3; mov.u32 %r2, m; add.u32 %r2, %r2, %r1;
setp.eq.u32 %p1, %r0, 31;
@%p1 mbarrier.init.shared.b64 [%r2], 1;
bar.sync 0;
@!%p1 bra W;
add.u32 %r4, %w, 70;
st.shared.u32 [%s], %r4;
mbarrier.arrive.shared.b64 _, [%r2];
bra E;
W: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;
@!%p2 bra W;
E: or.b32 %r5, %t, 31; shl.b32 %r5, %r5, 2; mov.u32 %r6, s; add.u32 %r6, %r6, %r5;
ld.shared.u32 %r3, [%r6];
st.global.u32 [%at], %r3;
`, func(t int) uint32 { return uint32(t/32 + 70) }},
	// A thread works for long, while others of its warp wait at an mbarrier object and another warp at a barrier.
	{"long work", "sm_90", `
setp.eq.u32 %p1, %t, 0;
@%p1 mbarrier.init.shared.b64 [m], 1;
bar.sync 0;
setp.gt.u32 %p2, %t, 31;
@%p2 bra E;
mov.u32 %r0, 0;
@!%p1 bra W;
V: add.u32 %r0, %r0, 1;
setp.lt.u32 %p2, %r0, 6000;
@%p2 bra V;
mbarrier.arrive.shared.b64 _, [m];
W: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;
@!%p2 bra W;
E: bar.sync 0;
st.global.u32 [%at], 4;
`, func(int) uint32 { return 4 }},
	// The halves of warp 0 wait for warp 1 in loops with a gate and another block, of which one half is always in the other one's.
	{"gates in spin loops", "sm_70", `
setp.gt.u32 %p0, %t, 31;
@%p0 bra SET;
setp.gt.u32 %p0, %t, 15;
mov.u32 %r4, 0;
@%p0 bra B;
A: bar.warp.sync 0xffff;
atom.shared.add.u32 %r5, [m+4], 1;
ld.volatile.shared.u32 %r3, [m];
and.b32 %r5, %r3, 2;
setp.ne.u32 %p1, %r5, 0;
@%p1 bra A1;
A1: setp.eq.u32 %p2, %r3, 0;
@%p2 bra A;
bra E;
B: setp.eq.u32 %p3, %r4, 0;
mov.u32 %r4, 1;
@%p3 bra C;
C: bar.warp.sync 0xffff0000;
ld.volatile.shared.u32 %r3, [m];
and.b32 %r5, %r3, 2;
setp.ne.u32 %p1, %r5, 0;
@%p1 bra C1;
C1: setp.eq.u32 %p2, %r3, 0;
@%p2 bra C;
bra E;
SET: ld.volatile.shared.u32 %r3, [m+4];
setp.lt.u32 %p1, %r3, 64;
@%p1 bra SET;
and.b32 %r3, %t, 31;
setp.eq.u32 %p1, %r3, 0;
mov.u32 %r3, 5;
@%p1 st.volatile.shared.u32 [m], %r3;
E: st.global.u32 [%at], %r3;
`, func(int) uint32 { return 5 }},
	// All threads call a function with a barrier, after they have left the lock one by one.
	{"called barrier", "sm_70", `
L: atom.shared.exch.b32 %r0, [m], 1;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra L;
st.shared.u32 [%s], %t;
atom.shared.exch.b32 %r2, [m], 0;
call MEET, ();
xor.b32 %r5, %t, 127; shl.b32 %r5, %r5, 2; mov.u32 %r6, s; add.u32 %r6, %r6, %r5;
ld.shared.u32 %r3, [%r6];
st.global.u32 [%at], %r3;
`, func(t int) uint32 { return uint32(t ^ 127) }},
	// Thread 0 waits for another warp while the others are at a barrier that is not .aligned.
	{"barrier of threads", "sm_70", `
setp.ne.u32 %p1, %t, 0;
@%p1 bra B;
W: ld.volatile.shared.u32 %r3, [m];
setp.ne.u32 %p2, %r3, 3;
@%p2 bra W;
st.volatile.shared.u32 [m+4], 6;
B: and.b32 %r0, %t, 31;
setp.eq.u32 %p3, %r0, 1;
setp.gt.and.u32 %p3, %t, 31, %p3;
@%p3 atom.shared.add.u32 %r1, [m], 1;
barrier.sync 0;
ld.shared.u32 %r3, [m+4];
st.global.u32 [%at], %r3;
`, func(int) uint32 { return 6 }},
	// A half of the warp calls a function with .sync while the other one is at a barrier.
	{"called exchange", "sm_70", `
W: ld.volatile.shared.u32 %r3, [m];
setp.ne.u32 %p2, %r3, 0;
@%p2 bra W;
and.b32 %r0, %t, 16;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra B;
call HALF, ();
B: bar.sync 0;
st.global.u32 [%at], 4;
`, func(int) uint32 { return 4 }},
	// The threads of a mask meet at two instructions.
	{"two places", "sm_70", `
W: ld.volatile.shared.u32 %r3, [m];
setp.ne.u32 %p2, %r3, 0;
@%p2 bra W;
and.b32 %r0, %t, 1;
setp.ne.u32 %p1, %r0, 0;
@%p1 bra B;
bar.warp.sync 0xffffffff;
st.global.u32 [%at], 1;
bra E;
B: bar.warp.sync 0xffffffff;
st.global.u32 [%at], 2;
E: bar.sync 0;
`, func(t int) uint32 { return uint32(t%2 + 1) }},
	// A function has the spin loop: a thread that returns gives the lock back while others of its warp are in the function.
	{"called lock", "sm_70", `
mov.u32 %r0, 0;
R: { .param .b32 x; mov.u32 %r1, m; st.param.b32 [x], %r1; call.uni LOCK, (x); }
ld.volatile.shared.u32 %r1, [m+8];
add.u32 %r1, %r1, 1;
st.volatile.shared.u32 [m+8], %r1;
membar.cta;
st.volatile.shared.u32 [m], 0;
add.u32 %r0, %r0, 1;
setp.lt.u32 %p1, %r0, 3;
@%p1 bra R;
bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
`, func(int) uint32 { return 3 * 128 }},
	{"function that calls a lock", "sm_90", `
.param .align 4 .b8 a[7]; .param .b32 b; .param .b32 r;
mov.u32 %r1, m; st.param.b32 [a], %r1; st.param.b16 [a+4], 1000; st.param.b8 [a+6], 77; st.param.b32 [b], %t;
call (r), TWICE, (a, b);
ld.param.b32 %r4, [r];
ld.volatile.shared.u32 %r1, [m+8];
add.u32 %r1, %r1, 1;
st.volatile.shared.u32 [m+8], %r1;
membar.cta;
st.volatile.shared.u32 [m], 0;
bar.sync 0;
ld.shared.u32 %r3, [m+8];
mad.lo.u32 %r3, %r3, 10000, %r4;
st.global.u32 [%at], %r3;
`, func(t int) uint32 { return uint32(128*10000 + 1077 + t) }},
	// Only even threads call; an odd one of 4 makes no attempt.
	{"lock by registers", "sm_70", `
mov.u32 %r4, 0; mov.u32 %r0, m;
and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0;
and.b32 %r1, %t, 2; setp.eq.u32 %p2, %r1, 0;
setp.ne.u32 %p3, %r1, %r1;
@%p1 call (%r4, %p3), GET, (%r0, %p2);
@!%p3 bra E;
ld.volatile.shared.u32 %r1, [m+8];
add.u32 %r1, %r1, %r4;
st.volatile.shared.u32 [m+8], %r1;
membar.cta;
st.volatile.shared.u32 [m], 0;
E: bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
`, func(int) uint32 { return 5 * 32 }},
	// A loop waits for a bit of a word, and sets it by a compare-and-swap with the word that it has read. A thread of the warp has the bit.
	{"lock by a retry", "sm_70", `
L: ld.volatile.shared.u32 %r0, [m];
and.b32 %r1, %r0, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra L;
or.b32 %r2, %r0, 1;
atom.shared.cas.b32 %r3, [m], %r0, %r2;
setp.ne.u32 %p1, %r3, %r0;
@%p1 bra L;
ld.volatile.shared.u32 %r4, [m+8];
add.u32 %r4, %r4, 1;
st.volatile.shared.u32 [m+8], %r4;
membar.cta;
add.u32 %r2, %r2, 1;
st.volatile.shared.u32 [m], %r2;
bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
`, func(int) uint32 { return 128 }},
	// A weak load in a loop with a fence.
	{"fence", "sm_70", `
setp.eq.u32 %p1, %t, 127;
@%p1 bra SET;
W: fence.acq_rel.cta;
ld.shared.u32 %r3, [m];
setp.eq.u32 %p2, %r3, 0;
@%p2 bra W;
bra E;
SET: mov.u32 %r3, 9; st.shared.u32 [m], %r3; fence.acq_rel.cta;
E: st.global.u32 [%at], %r3;
`, func(int) uint32 { return 9 }},
	{"pointers", "sm_70", `
mov.u32 %r9, m;
ld.global.u64 %d1, [OPS]; ld.global.u64 %d2, [OPS+8]; ld.global.u64 %d3, [OPS+16];
{ .param .b32 x; st.param.u32 [x], %r9; call %d1, (x), P; }
add.u32 %r8, %r9, 8;
{ .param .b32 x; st.param.u32 [x], %r8; call %d2, (x), P; }
{ .param .b32 x; st.param.u32 [x], %r9; call %d3, (x), P; }
bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
P: .callprototype _ (.param .b32 _);
`, func(int) uint32 { return 128 }},
	// Half of the threads take the lock by the pointer, and the others without.
	{"pointers of some", "sm_70", `
mov.u32 %r9, m; and.b32 %r0, %t, 1; setp.eq.u32 %p1, %r0, 0;
mov.u64 %d1, LOCK;
mov.u64 %d2, FREE;
{ .param .b32 x; st.param.u32 [x], %r9; @%p1 call %d1, (x), P; @!%p1 call LOCK, (x); }
ld.volatile.shared.u32 %r1, [m+8]; add.u32 %r1, %r1, 1; st.volatile.shared.u32 [m+8], %r1;
{ .param .b32 x; st.param.u32 [x], %r9; call %d2, (x), P; }
bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
P: .callprototype _ (.param .b32 _);
`, func(int) uint32 { return 128 }},
	// The loop polls through a pointer, and by a function that calls another one.
	{"polls", "sm_70", `
mov.u32 %r9, m; add.u32 %r8, %r9, 4; setp.ne.u32 %p1, %t, 31; @%p1 bra W;
st.volatile.shared.u32 [m], 3;
W: { .param .b32 x, y; st.param.u32 [x], %r9; call (y), DEEP, (x); ld.param.u32 %r1, [y]; }
setp.eq.u32 %p1, %r1, 0; @%p1 bra W;
mov.u64 %d1, POLL; setp.ne.u32 %p1, %t, 0; @%p1 bra X;
st.volatile.shared.u32 [m+4], 4;
X: { .param .b32 x, y; st.param.u32 [x], %r8; call (y), %d1, (x), P; ld.param.u32 %r2, [y]; }
setp.eq.u32 %p1, %r2, 0; @%p1 bra X;
add.u32 %r1, %r1, %r2;
st.global.u32 [%at], %r1;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
`, func(int) uint32 { return 7 }},
	// A spin loop and the loop around it have one header. Half of the threads of a warp are in each function.
	{"one header", "sm_70", `
and.b32 %r8, %t, 126; shl.b32 %r8, %r8, 2; mov.u32 %r9, s; add.u32 %r9, %r9, %r8;
and.b32 %r0, %t, 1; setp.eq.u32 %p1, %r0, 0;
mov.u64 %d1, PRODUCE; mov.u64 %d2, CONSUME; selp.b64 %d1, %d1, %d2, %p1;
{ .param .b32 x, y; st.param.u32 [x], %r9; call (y), %d1, (x), P; ld.param.u32 %r1, [y]; }
st.global.u32 [%at], %r1;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
`, func(t int) uint32 { return uint32(t % 2 * 6) }},
	{"own variables", "sm_70", `
setp.eq.u32 %p1, %t, 0;
@%p1 call (%r1), OWN, (%t, 1);
bar.sync 0;
call (%r1), OWN, (%t, 0);
bar.sync 0;
add.u32 %r2, %t, 1;
call (%r3), OWN, (%r2, 0);
mad.lo.u32 %r1, %r3, 1000, %r1;
st.global.u32 [%at], %r1;
`, func(int) uint32 { return 261133 }},
	{"alloca", "sm_70", `
mov.u32 %r9, m; mov.u32 %r8, 0;
L: call (%r1), STACK, (%r9);
add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 6; @%p1 bra L;
bar.sync 0;
ld.shared.u32 %r3, [m+8];
st.global.u32 [%at], %r3;
`, func(int) uint32 { return 768 }},
	// The value goes through memory of the thread, as without optimizations.
	{"local", "sm_70", `
.local .b32 l[2];
setp.eq.u32 %p1, %t, 127;
@!%p1 bra W;
st.volatile.shared.u32 [m], 3;
W: ld.volatile.shared.u32 %r3, [m];
st.local.u32 [l+4], %r3;
ld.local.u32 %r4, [l+4];
setp.eq.u32 %p2, %r4, 0;
@%p2 bra W;
st.global.u32 [%at], %r4;
`, func(int) uint32 { return 3 }},
}

// lockFunctions take and give back a lock at a shared address, as compilers call them without optimizations, and by parameters in registers.
const lockFunctions = `
.func LOCK(.param .b32 LOCK_0) {
.reg .b32 %r<4>; .reg .pred %p<3>;
ld.param.u32 %r1, [LOCK_0];
L: atom.shared.cas.b32 %r2, [%r1], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra L;
setp.eq.u32 %p2, %r2, 0;
membar.cta;
@%p2 ret;
trap;
}
.func (.param .b32 R) TWICE(.param .align 4 .b8 A[7], .param .b32 B) {
.reg .b32 %r<9>;
ld.param.u32 %r1, [A];
ld.param.u16 %r2, [A+4];
ld.param.u8 %r3, [A+6];
ld.param.u32 %r4, [B];
{ .param .b32 x; st.param.b32 [x], %r1; call LOCK, (x); }
add.u32 %r5, %r2, %r3;
add.u32 %r5, %r5, %r4;
st.param.b32 [R], %r5;
ret;
}
.func (.reg .u32 got, .reg .pred ok) GET(.reg .u32 at, .reg .pred really) {
.reg .pred %p1;
mov.pred ok, really;
@!really ret;
L: atom.shared.exch.b32 got, [at], 1;
setp.ne.u32 %p1, got, 0;
@%p1 bra L;
mov.u32 got, 5;
}
`

// pointerFunctions are called through pointers, or have variables of their own.
const pointerFunctions = `
.func ADD1(.param .b32 A) { .reg .b32 %a, %b; ld.param.u32 %a, [A]; ld.volatile.shared.u32 %b, [%a]; add.u32 %b, %b, 1; st.volatile.shared.u32 [%a], %b; ret; }
.func FREE(.param .b32 A) { .reg .b32 %a, %b; ld.param.u32 %a, [A]; membar.cta; atom.shared.exch.b32 %b, [%a], 0; ret; }
.global .u64 OPS[3] = {LOCK, ADD1, FREE};
.func (.param .b32 R) POLL(.param .b32 A) { .reg .b32 %a; ld.param.u32 %a, [A]; ld.volatile.shared.u32 %a, [%a]; st.param.u32 [R], %a; ret; }
.func (.param .b32 R) DEEP(.param .b32 A) {
.reg .b32 %a; .param .b32 r, p; ld.param.u32 %a, [A]; st.param.u32 [p], %a; call (r), POLL, (p); ld.param.u32 %a, [r]; st.param.u32 [R], %a; ret;
}
.func (.param .b32 R) PRODUCE(.param .b32 A) {
.reg .b32 %a, %b, %i; .reg .pred %p; ld.param.u32 %a, [A]; mov.u32 %i, 0;
L: ld.volatile.shared.u32 %b, [%a]; setp.ne.u32 %p, %b, 0; @%p bra L;
st.volatile.shared.u32 [%a+4], %i; membar.cta; st.volatile.shared.u32 [%a], 1; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 4; @%p bra L;
st.param.u32 [R], 0; ret;
}
.func (.param .b32 R) CONSUME(.param .b32 A) {
.reg .b32 %a, %b, %i, %s; .reg .pred %p; ld.param.u32 %a, [A]; mov.u32 %i, 0; mov.u32 %s, 0;
L: ld.volatile.shared.u32 %b, [%a]; setp.ne.u32 %p, %b, 1; @%p bra L;
membar.cta; ld.volatile.shared.u32 %b, [%a+4]; add.u32 %s, %s, %b; st.volatile.shared.u32 [%a], 0; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 4; @%p bra L;
st.param.u32 [R], %s; ret;
}
.func (.reg .b32 n) OWN(.reg .b32 t, .reg .b32 begins) {
.shared .b32 lock; .shared .b32 count; .global .b32 total = 5;
.reg .b32 %r<4>; .reg .pred %p;
setp.eq.u32 %p, begins, 0; @%p bra L; st.shared.u32 [count], 0; st.shared.u32 [lock], 77; ret;
L: atom.shared.cas.b32 %r1, [lock], 77, 1; setp.ne.u32 %p, %r1, 77; @%p bra L;
ld.volatile.shared.u32 %r2, [count]; add.u32 %r2, %r2, 1; st.volatile.shared.u32 [count], %r2;
membar.cta;
atom.shared.exch.b32 %r1, [lock], 77;
W: ld.volatile.shared.u32 n, [count]; rem.u32 %r3, n, 128; setp.ne.u32 %p, %r3, 0; @%p bra W;
ld.global.u32 %r3, [total];
add.u32 n, n, %r3;
}
.func (.reg .b32 n) STACK(.reg .b32 at) {
.reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p;
alloca.u64 %d, 4096;
L: atom.shared.exch.b32 %r1, [at], 1; st.local.u32 [%d], %r1; ld.local.u32 %r1, [%d]; setp.ne.u32 %p, %r1, 0; @%p bra L;
ld.volatile.shared.u32 n, [at+8]; add.u32 n, n, 1; st.volatile.shared.u32 [at+8], n;
membar.cta;
atom.shared.exch.b32 %r1, [at], 0;
}
`

// independentText is the module of a row.
func independentText(target, body string) string {
	const functions = ".func ALL() { bar.sync 0; ret; }\n.func MEET() { call ALL, (); ret; }\n.func HALF() { .reg .b32 %a; activemask.b32 %a; shfl.sync.idx.b32 %a, %a, 0, 31, 0xffff; ret; }\n"
	return strings.NewReplacer("sm_90", target, ".entry k", functions+lockFunctions+pointerFunctions+".entry k").Replace(waitHead) + independentStart + body + "\n}\n"
}

// TestIndependentThreads runs the rows on each engine, with one worker and with several blocks on more.
func TestIndependentThreads(t *testing.T) {
	for _, row := range independentRows {
		m := parse(t, independentText(row.target, row.body))
		for _, e := range everyEngine() {
			for _, s := range []ir.Sanitizers{0, ir.SanitizeUninit, ir.SanitizeRace, ir.SanitizeAll} {
				out := make([]byte, 4*128)
				l := launch{kernel: "k", grid: [3]uint32{3, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{out}, sanitize: s, workers: 2, budget: 1 << 20}
				if s&ir.SanitizeRace != 0 {
					l.grid[0] = 1 // the blocks write the same words
				}
				if s == ir.SanitizeUninit { // the kernel has the body of each function once
					l.inlined = 1
				}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Errorf("%s on the %s: %v", row.name, e.name, err)
					break
				}
				if races := s&ir.SanitizeRace != 0 && row.name == "fence"; races != (len(l.reports) > 0) { // its accesses are weak
					t.Errorf("%s on the %s: %v; must have a report: %v", row.name, e.name, l.reports, races)
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

// TestEndlessSpins checks that a loop that waits for a store that no thread makes ends with the budget of steps.
func TestEndlessSpins(t *testing.T) {
	for _, target := range []string{"sm_60", "sm_70"} {
		for _, body := range []string{
			"W: ld.volatile.shared.u32 %r0, [m]; setp.eq.u32 %p1, %r0, 0; @%p1 bra W;",
			"setp.lt.u32 %p2, %t, 40; @%p2 bra E;\nW: ld.volatile.shared.u32 %r0, [m]; setp.eq.u32 %p1, %r0, 0; @%p1 bra W; E: bar.sync 0;",
		} {
			m := parse(t, strings.Replace(waitHead, "sm_90", target, 1)+independentStart+body+"\n}\n")
			for _, e := range everyEngine() {
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{make([]byte, 512)}, budget: 1 << 12}
				if err := l.run(m, e.engine, e.optimize); err == nil || !strings.Contains(err.Error(), "step") {
					t.Errorf("%s, %s on the %s: %v; must be the end of the budget", target, body, e.name, err)
				}
			}
		}
	}
}

// TestLongSpin checks a spin loop with a chain of moves against their order, of quadratic time if each move needs another look at all.
func TestLongSpin(t *testing.T) {
	var body strings.Builder
	body.WriteString("L:\n")
	const n = 30000
	body.WriteString(".reg .b32 %x<30001>;\n")
	for i := range n {
		fmt.Fprintf(&body, "mov.b32 %%x%d, %%x%d;\n", i, i+1)
	}
	fmt.Fprintf(&body, "ld.volatile.global.u32 %%x%d, [%%rd0]; setp.eq.u32 %%p1, %%x0, 0; @%%p1 bra L;", n)
	m := shortModule(t, "sm_60", body.String())
	image, err := NewImage(m)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Lower(m, image, "k", Options{Block: [3]uint32{64, 1, 1}, Base: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Effects.Barrier {
		t.Error("the loop is no spin loop; must be one")
	}
}

// TestSpinLoops tells loops that wait for other threads from others with atomics.
func TestSpinLoops(t *testing.T) {
	for _, row := range []struct {
		body string
		want bool
	}{
		{"L: atom.global.cas.b32 %r2, [%rd0], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;", true},
		{"L: atom.global.exch.b32 %r2, [%rd0], 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;", true},
		{"L: atom.global.or.b32 %r2, [%rd0], 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;", true},
		{"L: ld.volatile.global.u32 %r2, [%rd0]; and.b32 %r3, %r2, 4; setp.eq.u32 %p1, %r3, 0; @%p1 bra L;", true},
		{"L: ld.acquire.gpu.global.u32 %r2, [%rd0]; setp.ne.u32 %p1, %r2, 0; @%p1 bra E; bra L; E:", true},
		{"L: ld.volatile.global.u32 %r2, [%rd0]; setp.lt.s32 %p1, %r2, 0; @%p1 bra L; add.u32 %r3, %r2, 1; atom.global.cas.b32 %r1, [%rd0], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra L;", true},
		// All of these threads make progress by themselves.
		{"L: ld.volatile.global.u32 %r2, [%rd0]; setp.lt.s32 %p1, %r2, 0; @%p1 bra E; add.u32 %r3, %r2, 1; atom.global.cas.b32 %r1, [%rd0], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra L; E:", false},
		{"L: ld.global.u32 %r2, [%rd0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;", false},
		{"L: atom.global.add.u32 %r2, [%rd0], 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra L;", false},
		{"L: add.u32 %r2, %r1, 1; atom.global.cas.b32 %r3, [%rd0], %r1, %r2; setp.ne.u32 %p1, %r3, %r1; mov.u32 %r1, %r3; @%p1 bra L;", false},
		{"L: ld.volatile.global.u32 %r2, [%rd0]; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", false},
		{"ld.volatile.global.u32 %r2, [%rd0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra E; add.u32 %r1, %r1, 1; E:", false},
	} {
		m := shortModule(t, "sm_70", row.body)
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Lower(m, image, "k", Options{Block: [3]uint32{64, 1, 1}, Base: 1 << 20})
		if err != nil {
			t.Fatal(row.body, err)
		}
		if p.Effects.Barrier != row.want {
			t.Errorf("%s: a spin loop: %v; must be %v", row.body, p.Effects.Barrier, row.want)
		}
	}
}
