package jit_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// negations chooses between numbers and their negations, in both orders, in some lanes only, and with a negation that has another use.
const negations = `program "negations" compute
subgroup 16
local 64 1 1
in localindex i32 0
res storage 0 0 count 1
effects writes

func "main"() L1 {
	vi = in.i32 #0
	vB = res 0:i32, #0
	vo = at 0:i32, vi, #4
	vx = ld.f32 vB, vo, #0
	vk = ld.i32 vB, vo, #256
	vb = and.i32 vk, 1:i32
	vc = eq.i32 vb, 1:i32
	va = fneg.f32 vx
	vp = select.f32 vc, va, vx
	vn = fneg.f32 vp
	vq = select.f32 vc, vp, vn
	st.f32 vB, vo, vp, #512
	st.f32 vB, vo, vq, #768
	vl = ult.i32 vi, 21:i32
	if vl {
		vr = fneg.f32 vx
		vs = select.f32 vc, vr, vx
		st.f32 vB, vo, vs, #1024
		st.f32 vB, vo, vr, #1280
	}
}
`

// TestNegations: a negation in some lanes flips the sign of all numbers, infinities, zeros and NaNs there, and of no other bit.
func TestNegations(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		words := scrambled(384)
		copy(words, []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 1, 0x80000001, 0x3f800000})
		for i := range words[64:128] {
			words[64+i] = uint32(i * i / 3)
		}
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words)}}
		for _, size := range []uint32{4, 8, 16, 32} {
			want := run(interp.Engine{}, negations, size, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			same(t, want, run(engine, negations, size, job))
		}
	})
}
