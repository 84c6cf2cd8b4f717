package jit_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestSharedWindows loads words at constant distances from offsets that are near each other, some of them apart, or between two words,
// under a mask, and so near the end of the buffer that the window ends after it.
func TestSharedWindows(t *testing.T) { eachLevel(t, testSharedWindows) }

func testSharedWindows(t *testing.T, engine jit.Engine) {
	const invocations, last = 64, 768 // the last byte offset from an invocation's own
	text := fmt.Sprintf(`program "windows" compute
subgroup 16
local 16 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1

func "main"() L1 {
	vi = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vC = res 0:i32, #2
	vat = at 0:i32, vi, #4
	vo = ld.i32 vA, vat, #0 !proven
	vto = at 0:i32, vi, #32
	va = ld.i32 vB, vo, #0 !proven
	vb = ld.i32 vB, vo, #256 !proven
	vc = ld.i32 vB, vo, #260 !proven
	st.i32 vC, vto, va, #0
	st.i32 vC, vto, vb, #4
	st.i32 vC, vto, vc, #8
	vodd = and.i32 va, 1:i32
	vif = eq.i32 vodd, 1:i32
	if vif {
		vd = ld.i32 vB, vo, #512 !proven
		ve = ld.i32 vB, vo, #%d !proven
		st.i32 vC, vto, vd, #12
		st.i32 vC, vto, ve, #16
	}
}
`, last)
	r := rand.New(rand.NewSource(19))
	for n := range 300 {
		words := make([]uint32, last/4+40+r.Intn(40))
		for i := range words {
			words[i] = r.Uint32()
		}
		places := len(words) - last/4 // where an offset may be
		near := min(places, []int{4, 31, 33, places}[n%4])
		list := make([]uint32, invocations)
		for i := range list {
			first := i / 16 * 7 % (places - near + 1)
			if n%3 == 0 {
				first = places - near // at the end of the buffer
			}
			list[i] = 4 * uint32(first+r.Intn(near))
			if n%5 == 0 && r.Intn(20) == 0 {
				list[i] = 4 * uint32(r.Intn(places))
			}
		}
		job := exec.Job{Groups: [3]uint32{invocations / 16, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(list), buffer(words), buffer(make([]uint32, 8*invocations))}}
		for _, subgroup := range []uint32{8, 16, 32} {
			want := run(interp.Engine{}, text, subgroup, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
				t.Fatalf("subgroups of %d, %d words, offsets %d", subgroup, len(words), list)
			}
		}
	}
}
