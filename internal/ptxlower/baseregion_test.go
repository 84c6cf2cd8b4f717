package ptxlower

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// boundedBodies are accesses of the element i of a buffer, by indices of all widths and by all kinds of accesses. %rd0 is the buffer, %rd1 the
// result of the thread, %r0 the index.
var boundedBodies = []string{
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2];",
	"mul.wide.s32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2+4];",
	"mul.wide.s32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2+-4];",
	"mul.wide.u32 %rd2, %r0, 16; add.s64 %rd2, %rd0, %rd2; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2]; xor.b32 %r1, %r1, %r4;",
	"cvt.u64.u32 %rd2, %r0; add.s64 %rd2, %rd0, %rd2; ld.global.u8 %r1, [%rd2+1];",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u8 %r1, [%rd2+3];",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.s16 %r1, [%rd2];",
	"mul.wide.u32 %rd2, %r0, 8; add.s64 %rd2, %rd0, %rd2; ld.global.u64 %rd3, [%rd2]; cvt.u32.u64 %r1, %rd3;",
	"mul.wide.u32 %rd2, %r0, 12; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2];",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; mul.lo.u32 %r1, %r0, 77; st.global.u32 [%rd2], %r1;",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; st.global.u8 [%rd2], %r0;",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; st.global.v2.u32 [%rd2], {%r0, %r0};",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; atom.global.add.u32 %r1, [%rd2], 5;",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; red.global.max.u32 [%rd2], %r0;",
	"and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; @%p1 ld.global.u32 %r1, [%rd2];",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; atom.global.cas.b32 %r1, [%rd2+4], 0x1a130c05, 9;",
	"mul.wide.u32 %rd2, %r0, 8; add.s64 %rd2, %rd0, %rd2; atom.global.add.u64 %rd3, [%rd2], 5; cvt.u32.u64 %r1, %rd3;",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.volatile.global.u8 %r1, [%rd2+2];",
	"cvt.s64.s32 %rd2, %r0; shl.b64 %rd2, %rd2, 3; add.s64 %rd2, %rd2, %rd0; ld.global.s8 %r1, [%rd2+5]; ld.global.u16 %r2, [%rd2+6]; add.u32 %r1, %r1, %r2;",
	"setp.gt.s32 %p1, %r0, 9; @%p1 bra E; mul.wide.s32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2+12]; st.global.u32 [%rd2+8], %r0; E: add.u32 %r1, %r1, 1;",
	"mul.wide.u32 %rd2, %r0, 16; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd2+4]; ld.global.u32 %r3, [%rd2+8]; add.u32 %r1, %r1, %r2; xor.b32 %r1, %r1, %r3;",
	"mov.u32 %r2, 0; L: mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r3, [%rd2]; add.u32 %r1, %r1, %r3; add.u32 %r0, %r0, 3; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5; @%p1 bra L;",
	// groups: sums, differences of both signs, low bits of an aligned index, results that are indices and terms of later accesses
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2]; add.u32 %r2, %r0, 5; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r3, [%rd2]; mad.lo.u32 %r1, %r1, 3, %r3; add.u32 %r2, %r0, 9; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r3, [%rd2]; mad.lo.u32 %r1, %r1, 3, %r3;",
	"add.s32 %r2, %r0, -3; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2]; add.s32 %r2, %r0, -7; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r3, [%rd2+8]; sub.u32 %r1, %r1, %r3; mul.wide.s32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r4, [%rd2]; xor.b32 %r1, %r1, %r4; xor.b32 %r1, %r1, %r3;",
	"cvt.u64.u32 %rd2, %r0; add.s64 %rd2, %rd0, %rd2; ld.global.u8 %r1, [%rd2]; add.u32 %r2, %r0, 2; cvt.u64.u32 %rd2, %r2; add.s64 %rd2, %rd0, %rd2; ld.global.u8 %r3, [%rd2+1]; mad.lo.u32 %r1, %r1, 7, %r3; add.u32 %r2, %r0, -1; cvt.s64.s32 %rd2, %r2; add.s64 %rd2, %rd0, %rd2; ld.global.s8 %r3, [%rd2]; mad.lo.u32 %r1, %r1, 7, %r3; add.u32 %r2, %r0, 1; cvt.s64.s32 %rd2, %r2; add.s64 %rd2, %rd0, %rd2; ld.global.s8 %r3, [%rd2]; mad.lo.u32 %r1, %r1, 7, %r3;",
	"shl.b32 %r2, %r0, 2; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2]; or.b32 %r3, %r2, 1; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r1, %r1, 3, %r4; or.b32 %r3, %r2, 3; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r1, %r1, 3, %r4; or.b32 %r3, %r2, 6; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r4, [%rd2]; add.u32 %r1, %r1, %r4;",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd2+4]; and.b32 %r2, %r2, 31; add.u32 %r3, %r2, 1; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r4, [%rd2]; add.u32 %r1, %r1, %r4; add.u32 %r3, %r2, 2; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r4, [%rd2]; xor.b32 %r1, %r1, %r4; st.global.u32 [%rd2], %r2; add.u32 %r3, %r2, 5; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r4, [%rd2]; xor.b32 %r1, %r1, %r4;",
	"mul.wide.u32 %rd2, %r0, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%rd2+64]; setp.lt.u32 %p1, %r1, %r2; ld.global.u32 %r3, [%rd2+128]; selp.u32 %r1, %r3, %r2, %p1; ld.volatile.global.u32 %r4, [%rd2+4]; xor.b32 %r1, %r1, %r4; ld.global.u32 %r4, [%rd2+8]; add.u32 %r1, %r1, %r4;",
	"mul.wide.u32 %rd2, %r0, 16; add.s64 %rd2, %rd0, %rd2; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2]; xor.b32 %r1, %r1, %r4; sub.u32 %r1, %r1, %r2; add.u32 %r5, %r0, 3; mul.wide.u32 %rd2, %r5, 16; add.s64 %rd2, %rd0, %rd2; ld.global.v2.u32 {%r4, %r5}, [%rd2+8]; mad.lo.u32 %r1, %r1, %r4, %r5; add.u32 %r1, %r1, %r3;",
	"add.u32 %r2, %r0, 0x7ffffff8; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r1, [%rd2]; add.u32 %r2, %r0, 0x80000008; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r3, [%rd2]; add.u32 %r1, %r1, %r3; add.u32 %r2, %r0, 4; mul.wide.s32 %rd2, %r2, 4; add.s64 %rd2, %rd0, %rd2; ld.global.u32 %r3, [%rd2]; add.u32 %r1, %r1, %r3;",
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd2+-4]; ld.global.u32 %r4, [%rd2]; mad.lo.u32 %r1, %r1, 3, %r3; ld.global.u32 %r3, [%rd2+8]; mad.lo.u32 %r1, %r1, 3, %r4; ld.global.u32 %r4, [%rd2+-8]; xor.b32 %r3, %r3, %r4; add.u32 %r1, %r1, %r3; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 16; setp.lt.u32 %p1, %r2, 21; @%p1 bra L;",
	// pointers that a loop advances: also by so much that their low words are the base's again
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd2+4]; add.u32 %r1, %r1, %r3; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 12; setp.lt.u32 %p1, %r2, 40; @%p1 bra L;",
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd2+-16]; xor.b32 %r3, %r3, %r6; add.u32 %r1, %r1, %r3; ld.global.u32 %r3, [%rd2]; xor.b32 %r1, %r1, %r3; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 16; setp.lt.u32 %p1, %r2, %r7; @%p1 bra L;",
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u8 %r3, [%rd2+3]; mad.lo.u32 %r1, %r1, 5, %r3; st.global.u8 [%rd2+2], %r2; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 1; setp.lt.u32 %p1, %r2, 310; @%p1 bra L;",
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: atom.global.add.u32 %r3, [%rd2], 1; add.u32 %r1, %r1, %r3; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 4; setp.lt.u32 %p1, %r2, %r7; @%p1 bra L;",
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd2+4]; add.u32 %r1, %r1, %r3; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 524288; setp.lt.u32 %p1, %r2, 8200; @%p1 bra L;",
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd2+-8]; add.u32 %r1, %r1, %r3; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 0; setp.lt.u32 %p1, %r2, 3; @%p1 bra L;",
	// several pointers that advance together, of two buffers, from different starts, also by different steps and beyond 4 GiB
	"ld.param.u64 %rd4, [other]; mov.u64 %rd2, %rd0; add.s64 %rd3, %rd0, 8; add.s64 %rd5, %rd4, 12; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd2]; ld.global.u32 %r4, [%rd3+-4]; ld.global.u32 %r5, [%rd5]; ld.global.u32 %r6, [%rd4]; mad.lo.u32 %r1, %r1, 3, %r3; xor.b32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; mad.lo.u32 %r1, %r1, 5, %r6; add.s64 %rd2, %rd2, 4; add.s64 %rd3, %rd3, 4; add.s64 %rd5, %rd5, 4; add.s64 %rd4, %rd4, 8; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 80; @%p1 bra L;",
	"ld.param.u64 %rd4, [other]; add.s64 %rd3, %rd0, 16; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd4+4], %r3; mad.lo.u32 %r1, %r1, 3, %r3; add.s64 %rd3, %rd3, 4; add.s64 %rd4, %rd4, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r7; @%p1 bra L; sub.s64 %rd4, %rd4, %rd3; cvt.u32.u64 %r3, %rd4; setp.ne.s64 %p1, %rd4, 0; selp.u32 %r3, 1, 2, %p1; add.u32 %r1, %r1, %r3;",
	"ld.param.u64 %rd4, [other]; mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd2+4]; add.u32 %r1, %r1, %r3; ld.global.u32 %r3, [%rd4+4]; mad.lo.u32 %r1, %r1, 7, %r3; add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 524288; add.s64 %rd4, %rd4, 524288; setp.lt.u32 %p1, %r2, 8200; @%p1 bra L;",
	"ld.param.u64 %rd4, [other]; mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u32 %r3, [%rd2+4]; add.u32 %r1, %r1, %r3; setp.gt.u32 %p1, %r2, %r7; ld.global.u32 %r3, [%rd4+4]; mad.lo.u32 %r1, %r1, 7, %r3; add.s64 %rd2, %rd2, 4; add.s64 %rd4, %rd4, 4; @%p1 add.u32 %r2, %r2, 3; @%p1 bra M; add.u32 %r2, %r2, 1; M: setp.lt.u32 %p1, %r2, 60; @%p1 bra L;",
	"mov.u64 %rd2, %rd0; mov.u32 %r2, 0; L: ld.global.u64 %rd3, [%rd2+8]; cvt.u32.u64 %r3, %rd3; add.u32 %r1, %r1, %r3; setp.gt.u32 %p1, %r2, %r7; @%p1 add.s64 %rd2, %rd2, 8; @%p1 bra M;  add.u32 %r2, %r2, 1; add.s64 %rd2, %rd2, 8; setp.lt.u32 %p1, %r2, 60; @%p1 bra L; M: add.u32 %r1, %r1, 1;",
}

// randomAdvances is the number of random bodies; CHIARO_LONG asks for more.
func randomAdvances() int {
	if os.Getenv("CHIARO_LONG") != "" {
		return 100
	}
	return 12
}

// advancing returns a random body in which a loop advances several pointers to two buffers, by few steps, from different starts, with one branch
// back or two, in another loop or not. It loads at them.
func advancing(r *rand.Rand) string {
	var b strings.Builder
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	b.WriteString("ld.param.u64 %rd4, [other];")
	pointers := []string{"%rd2", "%rd3", "%rd5", "%rd6", "%rd7"}[:2+r.IntN(4)]
	for _, p := range pointers {
		fmt.Fprintf(&b, "add.s64 %s, %%rd%d, %d;", p, pick(0, 0, 4), pick(0, 0, 4, 4*r.IntN(60), 4*r.IntN(60), 1<<20-4))
	}
	nested := r.IntN(3) == 0
	if nested {
		b.WriteString("mov.u32 %r4, 0; K:")
	}
	b.WriteString("mov.u32 %r2, 0; L:")
	for range 2 + r.IntN(5) {
		fmt.Fprintf(&b, "ld.global.u32 %%r3, [%s+%d]; mad.lo.u32 %%r1, %%r1, 3, %%r3;", pointers[r.IntN(len(pointers))], pick(0, 0, 4, 4*r.IntN(40), -4*r.IntN(40), -1<<19, 1<<19))
	}
	steps, times := []int{pick(4, 8, 12, 0), pick(4, 4, 16)}, 1+r.IntN(70)
	if r.IntN(8) == 0 {
		steps, times = []int{1 << 19, 1<<20 - 4}, 8300
	}
	for _, p := range pointers {
		fmt.Fprintf(&b, "add.s64 %s, %s, %d;", p, p, steps[r.IntN(2)])
	}
	b.WriteString("add.u32 %r2, %r2, 1;")
	if r.IntN(3) == 0 {
		b.WriteString("and.b32 %r3, %r1, 4; setp.eq.u32 %p1, %r3, 0; @%p1 bra M; add.u32 %r1, %r1, 9; setp.lt.u32 %p1, %r2, %r7; @%p1 bra L; M:")
	}
	fmt.Fprintf(&b, "setp.lt.u32 %%p1, %%r2, %d; @%%p1 bra L;", times)
	if nested {
		b.WriteString("add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; @%p1 bra K;")
	}
	return b.String()
}

// levels are the engines, with one of each level of the JIT.
func levels() []engineWay {
	list := engines[:2:2]
	for _, l := range jit.Levels() {
		list = append(list, engineWay{"JIT for " + l.String(), jit.Engine{Level: l}, true})
	}
	return list
}

// TestTwoTables loads from two variables of a module with constant addresses.
func TestTwoTables(t *testing.T) {
	m := parse(t, `.version 8.0
.target sm_80
.address_size 64
.const .u32 a[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
.global .u32 b[40] = {10, 20, 30, 40, 50, 60, 70, 80, 90};
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
mov.u64 %rd2, a;
add.s64 %rd2, %rd2, %rd1;
ld.const.u32 %r1, [%rd2];
mov.u64 %rd3, b;
add.s64 %rd3, %rd3, %rd1;
ld.global.u32 %r2, [%rd3];
add.u32 %r1, %r1, %r2;
add.s64 %rd0, %rd0, %rd1;
st.global.u32 [%rd0], %r1;
ret;
}
`)
	for _, e := range levels() {
		out, want := make([]byte, 4*32), make([]byte, 4*32)
		copy(want, words(11, 22, 33, 44, 55, 66, 77, 88, 99))
		l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Fatal(e.name, err)
		}
		if string(out) != string(want) {
			t.Errorf("the %s yields %x; must be %x", e.name, out, want)
		}
	}
}

// TestBaseRegion accesses a buffer before, in and beyond its bytes, where other buffers are: an access through an address is one of whichever
// memory the address is in, and all engines agree.
func TestBaseRegion(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	bodies := boundedBodies
	for range randomAdvances() {
		bodies = append(bodies[:len(bodies):len(bodies)], advancing(random))
	}
	for _, body := range boundedBodies {
		if strings.Contains(body, "atom") || strings.Contains(body, "red.") { // has another form between barriers
			bodies = append(bodies[:len(bodies):len(bodies)], "bar.sync 0; "+body+" bar.sync 0;")
		}
	}
	for _, body := range bodies {
		m := parse(t, fmt.Sprintf(`.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 other, .param .u64 shift, .param .u32 first, .param .u32 step)
{
.reg .pred %%p<2>;
.reg .b32 %%r<8>;
.reg .b64 %%rd<8>;
ld.param.u64 %%rd0, [in];
ld.param.u64 %%rd1, [out];
ld.param.u32 %%r5, [first];
ld.param.u32 %%r6, [step];
mov.u32 %%r1, 0;
mov.u32 %%r7, %%tid.x;
mad.lo.u32 %%r0, %%r7, %%r6, %%r5;
%s
mul.wide.u32 %%rd2, %%r7, 4;
add.s64 %%rd1, %%rd1, %%rd2;
st.global.u32 [%%rd1], %%r1;
ret;
}
`, strings.ReplaceAll(body, ";", ";\n")))
		for range 12 {
			size, first, step := 1+random.IntN(300), random.IntN(90)-20, []int{1, 1, 2, 0, -1, 1 << 28, random.IntN(40)}[random.IntN(7)]
			var want [3][]byte
			for i, e := range levels() {
				got := [3][]byte{make([]byte, size), make([]byte, 4*48), make([]byte, 400)}
				for k := range got[0] {
					got[0][k] = byte(k*7 + 1)
				}
				for k := range got[2] {
					got[2][k] = byte(k*5 + 2)
				}
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{48, 1, 1}, args: []any{got[0], got[1], got[2], uint64(0), first, step}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(body, e.name, err)
				}
				if i == 0 {
					want = got
				}
				for k := range got {
					if string(got[k]) != string(want[k]) {
						t.Fatalf("%s: %d bytes, indices from %d by %d: buffer %d on the %s is\n%x; must be\n%x", body, size, first, step, k, e.name, got[k], want[k])
					}
				}
			}
		}
	}
}

// TestRegionsOfAtomics executes atomics between barriers at addresses of one parameter and an index, which lead in some threads to another
// buffer, and in some to none: they change the bytes that they address, in the order of the threads, and the result of those to none is 0.
func TestRegionsOfAtomics(t *testing.T) {
	for _, c := range []struct {
		atomic, result string
		step           int // in bytes
	}{
		{"atom.global.add.u32 %r1, [%rd2], 3;", "", 4},
		{"red.global.add.u32 [%rd2], %tid.x;", "", 4},
		{"atom.global.exch.b32 %r1, [%rd2], %r7;", "", 4},
		{"atom.global.cas.b32 %r1, [%rd2], 0, %r7;", "", 4},
		{"atom.global.add.f32 %f0, [%rd2], 0f3F800000;", "mov.b32 %r1, %f0;", 4},
		{"cvt.u64.u32 %rd4, %r7; atom.global.max.u64 %rd3, [%rd2], %rd4;", "cvt.u32.u64 %r1, %rd3;", 8},
		{"@%p0 atom.global.xor.b32 %r1, [%rd2], %r7;", "", 4},
	} {
		m := parse(t, fmt.Sprintf(`.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 other, .param .u64 out)
{
.reg .pred %%p<2>;
.reg .b32 %%r<12>;
.reg .b64 %%rd<8>;
.reg .f32 %%f0;
ld.param.u64 %%rd0, [in];
ld.param.u64 %%rd1, [other];
ld.param.u64 %%rd5, [out];
mov.u32 %%r1, 77;
mov.u32 %%r7, %%tid.x;
rem.u32 %%r2, %%r7, 5;
rem.u32 %%r3, %%r7, 3;
setp.ne.u32 %%p0, %%r2, 4;
sub.s64 %%rd6, %%rd1, %%rd0;
shr.s64 %%rd6, %%rd6, %[3]d;
cvt.u32.u64 %%r4, %%rd6;
add.u32 %%r4, %%r4, %%r2;
setp.eq.u32 %%p1, %%r3, 1;
selp.u32 %%r0, %%r4, %%r2, %%p1;
setp.eq.u32 %%p1, %%r3, 2;
selp.u32 %%r0, 0x7ffffff0, %%r0, %%p1;
bar.sync 0;
mul.wide.s32 %%rd2, %%r0, %[4]d;
add.s64 %%rd2, %%rd0, %%rd2;
%[1]s
%[2]s
bar.sync 0;
mul.wide.u32 %%rd2, %%r7, 4;
add.s64 %%rd5, %%rd5, %%rd2;
st.global.u32 [%%rd5], %%r1;
ret;
}
`, c.atomic, c.result, 1+c.step/4, c.step))
		var want [3][]byte
		for i, e := range levels() {
			got := [3][]byte{make([]byte, 5*c.step), make([]byte, 5*c.step), make([]byte, 4*80)}
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{80, 1, 1}, args: []any{got[0], got[1], got[2]}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(c.atomic, e.name, err)
			}
			if i == 0 {
				want = got
			}
			for k := range got {
				if string(got[k]) != string(want[k]) {
					t.Errorf("%s: buffer %d on the %s is\n%x; must be\n%x", c.atomic, k, e.name, got[k], want[k])
				}
			}
			for lane := 2; lane < 80; lane += 3 {
				if b := got[2][4*lane:]; c.atomic[0] != '@' && word(b) != 0 && !strings.HasPrefix(c.atomic, "red") {
					t.Errorf("%s: the result of thread %d, at no buffer, is %d on the %s; must be 0", c.atomic, lane, word(b), e.name)
				}
			}
			for k, b := range got[:2] {
				if allZero(b) {
					t.Errorf("%s: buffer %d has no number on the %s; must have some", c.atomic, k, e.name)
				}
			}
		}
	}
}

// allZero reports whether all bytes are 0.
func allZero(b []byte) bool { return strings.Trim(string(b), "\x00") == "" }
