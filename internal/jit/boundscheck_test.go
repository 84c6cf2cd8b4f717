package jit_test

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestBoundsChecks: accesses at constant distances share a bounds check, but each one is in range or not on
// its own, also if a strided value wraps around.
func TestBoundsChecks(t *testing.T) {
	needMachine(t)
	const text = `program "checks" compute
subgroup 16
local 32 1 1
push 4
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vi = add.i32 vx, vn
	vj = add.i32 vi, 8:i32
	vk = add.i32 vj, 40:i32
	vo = at 0:i32, vi, #4
	vp = at 0:i32, vj, #4
	vq = at 16:i32, vk, #4
	va = ld.i32 vA, vo, #0
	vb = ld.i32 vA, vp, #4
	vc = ld.i32 vA, vq, #0
	vu = at 0:i32, vn, #4
	vd = ld.f32 vA, vu, #0
	ve = ld.f32 vA, vu, #100
	vf = bitcast.i32.f32 vd
	vg = bitcast.i32.f32 ve
	vs = mul.i32 vb, 3:i32
	vt = mul.i32 vc, 5:i32
	vv = add.i32 va, vs
	vw = add.i32 vv, vt
	vh = xor.i32 vf, vg
	vy = add.i32 vw, vh
	st.i32 vB, vo, vy, #0
	st.i32 vB, vp, vw, #512
	st.i32 vB, vq, vv, #1024
}
`
	words := make([]uint32, 200)
	for i := range words {
		words[i] = uint32(i)*2654435761 + 1
	}
	for _, size := range []int{1, 20, 48, 60, 97, 100, 200} {
		for _, n := range []uint32{0, 3, 60, 1<<32 - 1, 1<<32 - 20, 1<<32 - 48, 1<<30 - 4} {
			t.Run(fmt.Sprintf("%d words from %d", size, n), func(t *testing.T) {
				push := []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
				job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(words[:size]), buffer(make([]uint32, 4*size))}}
				want := run(interp.Engine{}, text, 16, job)
				if want.err != nil {
					t.Fatal(want.err)
				}
				same(t, want, run(jit.Engine{}, text, 16, job))
			})
		}
	}
}
