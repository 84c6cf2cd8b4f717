package ptxlower

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// shortModule returns a module with a kernel of a body between the address of a word of the thread in %rd0 and the store of %r1 there.
func shortModule(t *testing.T, target, body string) *ptx.Module {
	return parse(t, fmt.Sprintf(`.version 8.0
.target %s
.address_size 64
.visible .entry k(.param .u64 data)
{
.reg .pred %%p<4>;
.reg .b32 %%r<8>;
.reg .b64 %%rd<8>;
ld.param.u64 %%rd0, [data];
mov.u32 %%r0, %%tid.x;
mul.wide.u32 %%rd1, %%r0, 4;
add.s64 %%rd0, %%rd0, %%rd1;
ld.global.u32 %%r1, [%%rd0];
%s
st.global.u32 [%%rd0], %%r1;
ret;
}
`, target, body))
}

// TestSubgroupSize lowers kernels that can tell which threads form a warp, and others.
func TestSubgroupSize(t *testing.T) {
	for _, c := range []struct {
		target, body string
		block        uint32
		want         uint32
	}{
		{"sm_80", "", 256, wideSubgroup},
		{"sm_80", "", 64, wideSubgroup},
		{"sm_80", "", 96, 16},
		{"sm_80", "", 1, 16},
		{"sm_60", "", 64, WarpSize},
		{"sm_80", "setp.lt.u32 %p1, %r1, 9; @%p1 bra E; add.u32 %r1, %r1, 1; E:", 64, wideSubgroup},
		{"sm_80", "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", 64, 16},
		{"sm_80", "atom.global.add.u32 %r1, [%rd0], 1;", 64, 16},
		{"sm_80", ".shared .b32 s[4]; st.shared.u32 [s], %r1;", 64, 16},
		{"sm_60", ".shared .b32 s[4]; st.shared.u32 [s], %r1;", 64, WarpSize},
		{"sm_80", "bar.sync 0;", 64, 16},
		{"sm_80", ".local .b32 l[4]; and.b32 %r2, %r1, 12; mov.u32 %r3, l; add.u32 %r3, %r3, %r2; st.local.u32 [%r3], %r1;", 64, 16},
		{"sm_80", "mov.u32 %r1, %laneid;", 64, WarpSize},
		{"sm_80", "activemask.b32 %r1;", 64, WarpSize},
		{"sm_80", "ld.volatile.global.u32 %r1, [%rd0+4];", 64, WarpSize},
	} {
		m := shortModule(t, c.target, c.body)
		image, err := NewImage(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Lower(m, image, "k", Options{Block: [3]uint32{c.block, 1, 1}, Base: 1 << 20})
		if err != nil {
			t.Fatal(c.body, err)
		}
		if p.SubgroupSize != c.want {
			t.Errorf("%s, %d threads of %s: the subgroups have %d lanes; must have %d", c.body, c.block, c.target, p.SubgroupSize, c.want)
		}
	}
}

// TestWideSubgroup runs a kernel with divergent branches in wide subgroups, with all and with a part of the elements in the buffer.
func TestWideSubgroup(t *testing.T) {
	m := shortModule(t, "sm_80", `and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1; @%p1 bra A; setp.eq.u32 %p2, %r2, 2; @%p2 ret;
mul.lo.u32 %r1, %r1, 7; bra E; A: shl.b32 %r1, %r1, 5; E:`)
	for _, n := range []int{128, 100, 64, 63, 1, 0} {
		first, want := make([]byte, 4*n), make([]byte, 4*n)
		for i := range n {
			x := uint32(i*i + i/3)
			copy(first[4*i:], words(x))
			switch x % 4 {
			case 1:
				x <<= 5
			case 0, 3:
				x *= 7
			}
			copy(want[4*i:], words(x))
		}
		for _, e := range levels() {
			got := bytes.Clone(first)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{got}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(e.name, err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d elements on the %s yield %x; must be %x", n, e.name, got, want)
			}
		}
	}
}

// TestStoreOrder stores from several threads to one word, in strips of any width: the last thread that stores wins on each engine.
func TestStoreOrder(t *testing.T) {
	for _, body := range []string{
		"mul.lo.u32 %r2, %r0, 12; and.b32 %r2, %r2, 124;",
		"shr.u32 %r2, %r0, 3; shl.b32 %r2, %r2, 2;",
		"and.b32 %r3, %r0, 5; setp.eq.u32 %p1, %r3, 4; @%p1 ret; and.b32 %r2, %r0, 28;",
		"mov.u32 %r2, 0; L: add.u32 %r2, %r2, 12; shr.u32 %r3, %r0, 5; add.u32 %r4, %r2, 0; setp.lt.u32 %p1, %r2, 20; @%p1 bra L; mad.lo.u32 %r2, %r3, 4, %r4;",
		"mul.lo.u32 %r2, %r0, 0x10000004;",
	} {
		m := parse(t, `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 data)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %rd<8>;
ld.param.u64 %rd0, [data];
mov.u32 %r0, %tid.x;
`+body+`
cvt.u64.u32 %rd1, %r2;
add.s64 %rd0, %rd0, %rd1;
st.global.u32 [%rd0], %r0;
ret;
}
`)
		var want []byte
		for i, e := range levels() {
			got := make([]byte, 200)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{128, 1, 1}, args: []any{got}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(body, e.name, err)
			}
			if i == 0 {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the %s yields %x; must be %x", body, e.name, got, want)
			}
		}
	}
}
