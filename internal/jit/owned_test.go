package jit_test

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestOwnedRows stores under masks of all kinds to texels that the job owns, and to texels that it does not: lanes that do not store
// leave their words as they are, and words beyond the end are not written.
func TestOwnedRows(t *testing.T) { eachLevel(t, testOwnedRows) }

func testOwnedRows(t *testing.T, engine jit.Engine) {
	words := make([]uint32, 64)
	for i := range words {
		words[i] = uint32(i) * 0x01010101
	}
	for _, bits := range []uint32{0, 1, 0x80, 0x5a, 0xff, 0xff00, 0x80010180, 0xfffffffe} {
		for _, at := range []uint32{0, 3} {
			text := fmt.Sprintf(`program "owned" compute
subgroup 16
local 32 1 1
in global.x i32 0
res texels 0 0 count 1
res texels 0 1 count 1
res texels 0 2 count 1
res texels 0 3 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vx, #4
	vword = ld.i32 vA, vo, #0
	vnext = xor.i32 vword, -1:i32
	vlane = and.i32 vx, 31:i32
	vbit = lshr.i32 %d:i32, vlane
	vodd = and.i32 vbit, 1:i32
	vstores = eq.i32 vodd, 1:i32
	if vstores {
		st.i32 vA, vo, vnext, #0
		st.i32 vB, vo, vword, #0
		vC = res 0:i32, #2
		vD = res 0:i32, #3
		vbyte = trunc.i8 vword
		vhalf = trunc.i16 vword
		vto = at 0:i32, vx, #2
		st.i8 vC, vx, vbyte, #%d
		st.i16 vD, vto, vhalf, #%d
	}
}
`, bits, at, at)
			for _, n := range []int{64, 59} {
				for _, owned := range []bool{true, false} {
					resources := [][]exec.Buffer{buffer(words), buffer(words[:n]), buffer(words[:n/4]), buffer(words[:n/2])}
					for _, b := range resources {
						b[0].Owned = owned
					}
					job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: resources}
					for _, subgroup := range []uint32{8, 16, 32} {
						want := run(interp.Engine{}, text, subgroup, job)
						if want.err != nil {
							t.Fatal(want.err)
						}
						if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
							t.Fatalf("mask %#x, %d words, owned %t, subgroup %d", bits, n, owned, subgroup)
						}
					}
				}
			}
		}
	}
}
