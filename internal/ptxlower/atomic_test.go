package ptxlower

import (
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
