package ptxlower

import (
	"bytes"
	"fmt"
	"testing"
)

// TestAtomicHalves adds to .bf16 and to pairs of halves from 32 threads; the sums are exact.
func TestAtomicHalves(t *testing.T) {
	for _, row := range []struct {
		typ       string
		size      int
		add, want uint32
	}{
		{"f16", 2, 0x3c00, 0x5000},            // 1, 32
		{"bf16", 2, 0x3f80, 0x4200},           // 1, 32
		{"f16x2", 4, 0xbc003800, 0xd0004c00},  // 0.5 and -1: 16 and -32
		{"bf16x2", 4, 0xbf803f00, 0xc2004180}, // the same
	} {
		reg := map[int]string{2: "%h0", 4: "%r0"}[row.size]
		for _, op := range []string{"atom.global.add.noftz." + row.typ + " " + map[int]string{2: "%h1", 4: "%r1"}[row.size] + ", [%o], " + reg + ";", "red.global.add.noftz." + row.typ + " [%o], " + reg + ";"} {
			m := parse(t, fmt.Sprintf(`.version 7.8
.target sm_90
.address_size 64
.entry k(.param .u64 o)
{
	.reg .b16 %%h<2>;
	.reg .b32 %%r<2>;
	.reg .b64 %%o;
	ld.param.u64 %%o, [o];
	mov.u32 %%r0, %#x;
	cvt.u16.u32 %%h0, %%r0;
	%s
	ret;
}
`, row.add, op))
			for _, e := range engines {
				out := make([]byte, 4)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Fatal(op, err)
				}
				if got := word(out); got != row.want {
					t.Errorf("%s on the %s: %#x; must be %#x", op, e.name, got, row.want)
				}
			}
		}
	}
}

// TestUnalignedAtomics checks that an atomic at an address without alignment, whose behavior the ISA leaves undefined, changes nothing and
// yields 0, whatever loop it is made of.
func TestUnalignedAtomics(t *testing.T) {
	for _, op := range []string{"add.noftz.f16x2", "add.noftz.bf16x2", "inc.u32", "dec.u32", "add.u32", "add.f32"} {
		m := parse(t, fmt.Sprintf(`.version 7.8
.target sm_90
.address_size 64
.entry k(.param .u64 o)
{
	.reg .b32 %%r<4>;
	.reg .b64 %%o;
	.shared .align 8 .b8 s[16];
	ld.param.u64 %%o, [o];
	mov.u32 %%r0, 0x3c003c00;
	st.shared.u32 [s], 7;
	st.shared.u32 [s+4], 7;
	atom.global.%[1]s %%r1, [%%o+2], %%r0;
	atom.shared.%[1]s %%r2, [s+2], %%r0;
	ld.shared.u32 %%r3, [s];
	st.global.u32 [%%o+8], %%r1;
	st.global.u32 [%%o+12], %%r2;
	st.global.u32 [%%o+16], %%r3;
	ret;
}
`, op))
		for _, e := range engines {
			out := words(7, 7, 9, 9, 9)
			l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}, args: []any{out}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(op, err)
			}
			if want := words(7, 7, 0, 0, 7); !bytes.Equal(out, want) {
				t.Errorf("%s on the %s: %x; must be %x", op, e.name, out, want)
			}
		}
	}
}
