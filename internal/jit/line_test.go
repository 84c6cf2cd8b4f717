package jit_test

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestImageLines loads and stores the texels of an image with a pitch from a buffer, so that each row of a
// workgroup begins at another address: in range, out of range, and with row offsets that wrap around or
// saturate.
func TestImageLines(t *testing.T) { eachLevel(t, testImageLines) }

func testImageLines(t *testing.T, engine jit.Engine) {
	const text = `program "lines" compute
subgroup 16
local 8 %d 1
push 12
in local.x i32 0
in local.y i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vlx = in.i32 #0
	vly = in.i32 #1
	vP = push
	vstart = ld.i32 vP, 0:i32, #0
	vpitch = ld.i32 vP, 0:i32, #4
	vfirst = ld.i32 vP, 0:i32, #8
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vx = add.i32 vlx, vfirst
	vlines = mul.i32 vly, vpitch
	vline = add.i32 vstart, vlines
	vo = at vline, vx, #4
	vq = at vo, vly, #8
	va = ld.i32 vA, vo, #0
	vb = ld.i32 vA, vq, #4
	vc = add.i32 va, vb
	vsome = and.i32 va, 3:i32
	vis = ult.i32 vsome, %d:i32
	if vis {
		st.i32 vB, vo, vc, #0
		st.i32 vB, vo, vo, #256
	}
}
`
	words := make([]uint32, 300)
	for i := range words {
		words[i] = uint32(i)*2654435761>>7 + 1
	}
	le := func(n uint32) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)} }
	for _, height := range []int{2, 4, 8} {
		for _, most := range []int{3, 4} {
			text := fmt.Sprintf(text, height, most)
			for _, start := range []uint32{0, 4, 1000, 1<<32 - 64, 1 << 31} {
				for _, pitch := range []uint32{0, 32, 40, 100, 1 << 29, 1<<32 - 32} {
					for _, first := range []uint32{0, 3, 1<<30 - 4, 1<<30 - 16, 1<<32 - 4} {
						push := append(append(le(start), le(pitch)...), le(first)...)
						job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, 300))}}
						want := run(interp.Engine{}, text, 16, job)
						if want.err != nil {
							t.Fatal(want.err)
						}
						if same(t, want, run(engine, text, 16, job)); t.Failed() {
							t.Fatalf("start %d, pitch %d, first %d:\n%s", start, pitch, first, text)
						}
					}
				}
			}
		}
	}
}

// TestKnownRanges converts and shifts by numbers with a known range, and by others that use the sign bit
// and the upper bits of the count.
func TestKnownRanges(t *testing.T) { eachLevel(t, testKnownRanges) }

func testKnownRanges(t *testing.T, engine jit.Engine) {
	var x [64]uint32
	for i := range x {
		x[i] = uint32(i)*2654435761 ^ uint32(i)<<27
	}
	for _, by := range []string{"and.i32 vx, 31:i32", "and.i32 vx, 63:i32", "lshr.i32 vx, 27:i32", "lshr.i32 vx, 1:i32", "lshr.i32 vx, 0:i32", "umod.i32 vx, 33:i32", "bitfieldu.i32 vx, 3:i32, 5:i32", "bitfieldu.i32 vx, 8:i32, 8:i32", "bitfieldu.i32 vx, 16:i32, 8:i32", "bitfieldu.i32 vx, 8:i32, 16:i32", "bitfieldu.i32 vx, 24:i32, 8:i32", "bitfieldu.i32 vx, 8:i32, 0:i32", "bitfieldu.i32 vx, 0:i32, 31:i32", "bitfieldu.i32 vx, 0:i32, 32:i32"} {
		text := fmt.Sprintf(`program "narrowed" compute
subgroup 32
local 64 1 1
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vi = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vi, #4
	vp = at 0:i32, vi, #24
	vx = ld.i32 vA, vo, #0
	vn = %s
	va = shl.i32 vx, vn
	vb = lshr.i32 vx, vn
	vc = ashr.i32 vx, vn
	vd = utof.f32.i32 vn
	ve = utof.f32.i32 vn !rtz
	vf = shl.i32 7:i32, vn
	vg = xor.i32 va, vf
	st.i32 vB, vp, vg, #0
	st.i32 vB, vp, vb, #4
	st.i32 vB, vp, vc, #8
	st.f32 vB, vp, vd, #12
	st.f32 vB, vp, ve, #16
	st.i32 vB, vp, vn, #20
}
`, by)
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(x[:]), buffer(make([]uint32, 6*64))}}
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatal(want.err)
		}
		if same(t, want, run(engine, text, 0, job)); t.Failed() {
			t.Fatal(text)
		}
	}
}

// TestConvergentLabels: arguments of a label that all lanes reach together, in a divergent loop with uses
// after it.
func TestConvergentLabels(t *testing.T) { eachLevel(t, testConvergentLabels) }

func testConvergentLabels(t *testing.T, engine jit.Engine) {
	const text = `program "merges" compute
subgroup 16
local 16 1 1
push 4
in localindex i32 0
res storage 0 0 count 1

func "main"() L1 {
	vi = in.i32 #0
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vA = res 0:i32, #0
	vo = at 0:i32, vi, #4
	block Lout(vr i32) {
		loop Lloop(vk i32 = 0:i32) {
			vodd = and.i32 vk, vn
			vis = eq.i32 vodd, 0:i32
			block Lway(vm i32) {
				if vis {
					va = mul.i32 vi, 3:i32
					vb = add.i32 va, vk
					br Lway(vb)
				}
				vc = add.i32 vi, vk
				br Lway(vc)
			}
			vgo = ult.i32 vk, vi
			vnext = add.i32 vk, 1:i32
			if vgo {
				br Lloop(vnext)
			}
			br Lout(vm)
		}
	}
	vsum = add.i32 vr, vm
	st.i32 vA, vo, vsum, #0
}
`
	for n := range uint32(4) {
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: []byte{byte(n), 0, 0, 0}, Resources: [][]exec.Buffer{buffer(make([]uint32, 16))}}
		for _, subgroup := range []uint32{8, 16} {
			want := run(interp.Engine{}, text, subgroup, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			same(t, want, run(engine, text, subgroup, job))
		}
	}
}
