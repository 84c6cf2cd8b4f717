package ptxlower

import (
	"fmt"
	"testing"
)

// carryless returns the product of polynomials over two elements, bit by bit.
func carryless(a, b uint64) (lo, hi uint64) {
	for i := range 64 {
		if b>>i&1 != 0 {
			lo ^= a << i
			hi ^= a >> 1 >> (63 - i)
		}
	}
	return lo, hi
}

// TestCarryless compares clmad with the product bit by bit.
func TestCarryless(t *testing.T) {
	numbers := []uint64{0, 1, 3, 1 << 63, ^uint64(0), 0x1111111111111111, 0x8888888888888888, 0x0123456789abcdef, 0xfedcba9876543210, 0xc2b2ae3d27d4eb4f}
	const c = 0x5555000012345678
	var bodies []string
	var want []uint32
	for i, a := range numbers {
		b := numbers[(i*7+4)%len(numbers)]
		lo, hi := carryless(a, b)
		for mode, value := range map[string]uint64{"lo": lo, "hi": hi} {
			text := fmt.Sprintf("mov.b64 %%rd1, %#x; mov.b64 %%rd2, %#x; clmad.%s.u64 %%rd3, %%rd1, %%rd2, %#x; ", a, b, mode, uint64(c))
			bodies = append(bodies, text+"cvt.u32.u64 %r0, %rd3;", text+"shr.u64 %rd3, %rd3, 32; cvt.u32.u64 %r0, %rd3;")
			want = append(want, uint32(value^c), uint32((value^c)>>32))
		}
	}
	runSmall(t, bodies, want)
}
