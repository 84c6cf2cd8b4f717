package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestHandlesOfInactiveLanes selects a buffer by lane in a branch that only the first invocations take. The other vectors of lanes have
// no active lane there, and any bits in the register of the handles.
func TestHandlesOfInactiveLanes(t *testing.T) { eachLevel(t, testHandlesOfInactiveLanes) }

func testHandlesOfInactiveLanes(t *testing.T, engine jit.Engine) {
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{
		buffer(make([]uint32, 128)), buffer(make([]uint32, 128)), {{Bytes: []byte(strings.Repeat("\xff", 1024))}}}}
	for _, typ := range []string{"i32", "i64"} {
		for _, size := range []uint32{4, 32, 64} {
			t.Run(fmt.Sprintf("%s in subgroups of %d", typ, size), func(t *testing.T) {
				for _, less := range []string{"0:i32, vodd", "0:i32, va0", "va0, vi"} {
					text := handleCase(typ, less)
					want := run(interp.Engine{}, text, size, job)
					if want.err != nil {
						t.Fatal(want.err)
					}
					same(t, want, run(engine, text, size, job))
				}
			})
		}
	}
}

// handleCase fills the registers with ones, and then loads and stores elements of a type. The lanes for which less holds use another
// handle than the others.
func handleCase(typ, less string) string {
	var ones, sum strings.Builder
	for i := range 40 {
		fmt.Fprintf(&ones, "\tva%d = ld.i32 vC, vo, #%d\n", i, 4*i)
		fmt.Fprintf(&sum, "\tvb%d = add.i32 vb%d, va%d\n", i+1, i, i)
	}
	return `program "handles" compute
subgroup 32
local 64 1 1
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1

func "main"() L1 {
	vi = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vC = res 0:i32, #2
	vo = at 0:i32, vi, #8
` + ones.String() + `	vb0 = add.i32 vi, 0:i32
` + sum.String() + `	st.i32 vA, vo, vb40, #0
	vfew = ult.i32 vi, 5:i32
	if vfew {
		vodd = and.i32 vi, 1:i32
		vless = ult.i32 ` + less + `
		block L2(vh h) {
			if vless {
				br L2(vA)
			}
			br L2(vB)
		}
		vx = ld.` + typ + ` vh, vo, #0
		vy = add.` + typ + ` vx, 7:` + typ + `
		st.` + typ + ` vh, vo, vy, #0
	}
}
`
}
