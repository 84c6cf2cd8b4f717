package pass

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// halfLoads is a program that fills the workgroup memory with halves, NaNs among them, and loads some at random offsets, of which some
// are out of range, misaligned, or saturated; some loads have a store between them.
func halfLoads(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nshared %d\nin localindex i32 0\nres storage 0 0 count 1\n\n", 2*(30+r.Intn(5)))
	b.WriteString("func \"main\"() L1 {\n\tv1 = wg\n\tv2 = res 0:i32, #0\n\tv3 = in.i32 #0\n\tv4 = at 0:i32, v3, #4\n\tv5 = at 0:i32, v3, #64\n")
	fmt.Fprintf(&b, "\tv6 = mul.i32 v3, %d:i32\n\tst.i32 v1, v4, v6, #0\n\tbarrier\n", r.Uint32())
	fmt.Fprintf(&b, "\tv7 = xor.i32 v3, %d:i32\n", []uint32{0, 3, 1 << 30, 1<<32 - 1}[r.Intn(4)])
	fmt.Fprintf(&b, "\tv8 = at %s, v7, #%d\n", []string{"0:i32", "4:i32", "2:i32", "v4"}[r.Intn(4)], []int{2, 4, 8}[r.Intn(3)])
	v := 9
	var loaded []string
	for range 4 + r.Intn(8) {
		if r.Intn(6) == 0 {
			fmt.Fprintf(&b, "\tst.i16 v1, v4, %d:i16, #%d\n", r.Intn(1<<16), 2*r.Intn(2))
		}
		t := []string{"i16", "f16"}[r.Intn(2)]
		fmt.Fprintf(&b, "\tv%d = ld.%s v1, v%d, #%d\n", v, t, []int{4, 8}[r.Intn(2)], r.Intn(3)*2+r.Intn(20)/19)
		loaded = append(loaded, fmt.Sprintf("\tst.%s v2, v5, v%d, #%d\n", t, v, 2*len(loaded)))
		v++
	}
	return b.String() + strings.Join(loaded, "") + "}\n"
}

// TestPairLoads: programs compute the same with paired loads, of which there are some.
func TestPairLoads(t *testing.T) {
	paired := 0
	sameStores(t, 500, halfLoads, func(p *ir.Program) {
		pairLoads(p, p.Funcs[0])
		paired += strings.Count(p.String(), "= ld.i32 v1")
	})
	if paired < 100 {
		t.Errorf("%d pairs", paired)
	}
}
