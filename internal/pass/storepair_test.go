package pass

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// halfStores is a program that stores halves to the workgroup memory, and then copies all of it. Some offsets are out of range, misaligned or
// saturated, some are the same in several lanes, and some pairs have a load, a store, a branch or a barrier between their stores.
func halfStores(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nshared %d\nin localindex i32 0\nres storage 0 0 count 1\n\n", 2*(30+r.Intn(5)))
	b.WriteString("func \"main\"() L1 {\n\tv1 = wg\n\tv2 = res 0:i32, #0\n\tv3 = in.i32 #0\n\tv4 = at 0:i32, v3, #4\n\tv5 = at 0:i32, v3, #64\n")
	fmt.Fprintf(&b, "\tv6 = mul.i32 v3, %d:i32\n\tst.i32 v1, v4, v6, #0\n\tbarrier\n", r.Uint32())
	fmt.Fprintf(&b, "\tv7 = %s.i32 v3, %d:i32\n", []string{"xor", "and", "lshr"}[r.Intn(3)], []uint32{0, 3, 2, 1 << 30, 1<<32 - 1}[r.Intn(5)])
	fmt.Fprintf(&b, "\tv8 = at %s, v7, #%d\n", []string{"0:i32", "4:i32", "2:i32", "v4"}[r.Intn(4)], []int{2, 4, 8}[r.Intn(3)])
	b.WriteString("\tv9 = trunc.i16.i32 v6\n\tv10 = bitcast.f16.i16 v9\n\tv11 = lshr.i32 v6, 13:i32\n\tv12 = trunc.i16.i32 v11\n\tv13 = bitcast.f16.i16 v12\n")
	v, out := 14, 0
	for range 4 + r.Intn(8) {
		switch r.Intn(12) {
		case 0:
			fmt.Fprintf(&b, "\tv%d = ld.i16 v1, v%d, #2\n\tst.i16 v2, v5, v%d, #%d\n", v, []int{4, 8}[r.Intn(2)], v, 36+2*out)
			v, out = v+1, out+1
		case 1:
			b.WriteString("\tbarrier\n")
		}
		offset, imm, t := []int{4, 8}[r.Intn(2)], r.Intn(3)*2+r.Intn(20)/19, r.Intn(2)
		for k := range 2 {
			value := []string{[]string{"v9", "v12", "7:i16", "0:i16"}[r.Intn(4)], []string{"v10", "v13", "0x7e01:f16", "0x0:f16"}[r.Intn(4)]}[t]
			fmt.Fprintf(&b, "\tst.%s v1, v%d, %s, #%d\n", []string{"i16", "f16"}[t], offset, value, imm^2*k)
			if r.Intn(4) == 0 {
				break
			}
			if r.Intn(6) == 0 {
				t ^= 1
			}
		}
	}
	b.WriteString("\tbarrier\n")
	for i := range 9 {
		fmt.Fprintf(&b, "\tv%d = xor.i32 v3, %d:i32\n\tv%d = at 0:i32, v%d, #4\n\tv%d = ld.i32 v1, v%d, #0\n\tst.i32 v2, v5, v%d, #%d\n", v, i, v+1, v, v+2, v+1, v+2, 4*i)
		v += 3
	}
	return b.String() + "}\n"
}

// TestPairStores: programs compute the same with paired stores, of which there are some.
func TestPairStores(t *testing.T) {
	paired := 0
	sameStores(t, 500, halfStores, func(p *ir.Program) {
		before := strings.Count(p.String(), "st.i32 v1")
		pairStores(p, p.Funcs[0])
		paired += strings.Count(p.String(), "st.i32 v1") - before
	})
	if paired < 100 {
		t.Errorf("%d pairs", paired)
	}
}
