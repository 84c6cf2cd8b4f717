package jit_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestScatters stores words at random offsets: of all lanes or under a mask, in a buffer and in workgroup memory, some out of range,
// misaligned, or equal in several lanes, of which the last one wins.
func TestScatters(t *testing.T) { eachLevel(t, testScatters) }

func testScatters(t *testing.T, engine jit.Engine) {
	const invocations, size = 64, 403
	for seed := range 200 {
		r := rand.New(rand.NewSource(int64(seed)))
		imm := 4 * r.Intn(3)
		memory := "res 0:i32, #1"
		if seed%4 == 1 {
			memory = "wg"
		}
		text := fmt.Sprintf(`program "scatters" compute
subgroup 16
local 16 1 1
shared %d
in localindex i32 0
in workgroup.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1

func "main"() L1 {
	vl = in.i32 #0
	vg = in.i32 #1
	vs = shl.i32 vg, 4:i32
	vi = add.i32 vl, vs
	vA = res 0:i32, #0
	vB = %s
	vC = res 0:i32, #2
	va = at 0:i32, vi, #8
	vo = ld.i32 vA, va, #0
	vn = ld.i32 vA, va, #4
	vx = mul.i32 vn, 2654435769:i32
	vif = ult.i32 vn, %d:i32
	if vif {
		st.i32 vB, vo, vx, #%d
		st.i32 vB, vo, vi, #%d
	}
	vat = at 0:i32, vi, #4
	vback = ld.i32 vB, vo, #%d
	st.i32 vC, vat, vback, #0
}
`, size&^3, memory, 1+r.Intn(2)*(4+r.Intn(5)), imm, imm+4*r.Intn(3), imm)
		all := r.Intn(2) == 0 // lanes in range and active
		list := make([]uint32, 2*invocations)
		for i := range invocations {
			at := 4 * uint32(r.Intn(size/4-6))
			switch {
			case i > 0 && r.Intn(6) == 0:
				at = list[2*(r.Intn(i))]
			case !all && r.Intn(8) == 0:
				at = uint32(size - r.Intn(12))
			case !all && r.Intn(8) == 0:
				at = -uint32(r.Intn(16))
			}
			list[2*i] = at
			if !all {
				list[2*i+1] = uint32(r.Intn(6))
			}
		}
		to := make([]byte, size)
		r.Read(to)
		job := exec.Job{Groups: [3]uint32{invocations / 16, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(list), {{Bytes: to}}, buffer(make([]uint32, invocations))}}
		for _, subgroup := range []uint32{8, 16} {
			want := run(interp.Engine{}, text, subgroup, job)
			if want.err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
			}
			if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
				t.Fatalf("seed %d, subgroups of %d\n%s", seed, subgroup, text)
			}
		}
	}
}
