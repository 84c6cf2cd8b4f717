package ptxlower

import (
	"fmt"
	"math/rand/v2"
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
	for _, body := range boundedBodies {
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
