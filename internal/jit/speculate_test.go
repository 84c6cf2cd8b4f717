package jit_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// guardForms are conditions vc to discard lanes, of a strided vi, a coordinate vy and uniform vn and vm.
// Lanes with vc stay.
var guardForms = []string{
	"vc = ult.i32 vi, vn\n",
	"vc = ule.i32 vi, vn\n",
	"vc = slt.i32 vi, vn\n",
	"vc = sle.i32 vi, vn\n",
	"vg = ule.i32 vn, vi\n	vc = not.b1 vg\n",
	"vg = slt.i32 vn, vi\n	vc = not.b1 vg\n",
	"vc = ule.i32 vn, vi\n",
	"vc = slt.i32 vn, vi\n",
	"vg = slt.i32 vi, vn\n	vh = ult.i32 vy, vm\n	vc = and.b1 vg, vh\n",
	"vg = sle.i32 vn, vi\n	vh = sle.i32 vm, vy\n	vj = or.b1 vg, vh\n	vc = not.b1 vj\n",
	"vg = sle.i32 vn, vi\n	vf = not.b1 vg\n	vh = sle.i32 vm, vy\n	vj = select.b1 vf, vh, vg\n	vc = not.b1 vj\n",
}

// clampForms are clamps of a strided value; vk is the result.
var clampForms = []string{
	"vd = smax.i32 vi, 0:i32\n	vk = smin.i32 vd, vn\n",
	"vd = smin.i32 vn, vi\n	vk = smax.i32 0:i32, vd\n",
	"vk = umin.i32 vi, vn\n",
	"vd = umax.i32 vi, vm\n	vf = umin.i32 vd, vn\n	vk = add.i32 vf, 1:i32\n",
}

// stridedText is a program that loads at a form's result vk of a strided vi, which begins at first, and stores a sum with vk.
func stridedText(local, first, form string) string {
	return fmt.Sprintf(`program "strided" compute
subgroup 16
local %s
push 8
in global.x i32 0
in global.y i32 0
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vp = push
	vn = ld.i32 vp, 0:i32, #0
	vm = ld.i32 vp, 0:i32, #4
	vx = in.i32 #0
	vy = in.i32 #1
	vl = in.i32 #2
	vi = add.i32 vx, %s:i32
	%s	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vs = mul.i32 vy, 16:i32
	vr = add.i32 vk, vs
	vo = at 0:i32, vr, #4
	va = ld.i32 vA, vo, #0
	vb = add.i32 va, vk
	vq = at 0:i32, vl, #4
	st.i32 vB, vq, vb, #0
}
`, local, first, form)
}

// stridedBuffers are the buffers of a stridedText.
func stridedBuffers() [][]exec.Buffer {
	words := make([]uint32, 300)
	for i := range words {
		words[i] = uint32(i) * 77773
	}
	return [][]exec.Buffer{buffer(words), buffer(make([]uint32, 200))}
}

// TestClamps loads and stores at clamped strided values, in strips with clamped lanes and without, on both
// sides of the bounds.
func TestClamps(t *testing.T) { eachLevel(t, testClamps) }

func testClamps(t *testing.T, engine jit.Engine) {
	for _, form := range clampForms {
		for _, local := range []string{"64 1 1", "16 8 1", "8 16 1", "1 32 2"} {
			for _, first := range []string{"0", "-20", "7", "0x7fffffe8"} {
				text := stridedText(local, first, form)
				for _, n := range []uint32{0, 15, 40, 63, 64, 1 << 31, 1<<31 - 1, 1<<32 - 1} {
					push := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, n), 5)
					job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: push, Resources: stridedBuffers()}
					for _, subgroup := range []uint32{16, 32} {
						want := run(interp.Engine{}, text, subgroup, job)
						if want.err != nil {
							t.Fatal(want.err, text)
						}
						if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
							t.Fatalf("subgroup %d, n %#x:\n%s", subgroup, n, text)
						}
					}
				}
			}
		}
	}
}

// quotientForms split a strided value into a quotient and a remainder, by uniform vn, and vm: a divisor, a shift, or a reciprocal; vk is
// the result.
var quotientForms = []string{
	"vk = udiv.i32 vi, vn\n",
	"vk = umod.i32 vi, vn\n",
	"vk = sdiv.i32 vi, vn\n",
	"vk = srem.i32 vi, vn\n",
	"vk = smod.i32 vi, vn\n",
	"vk = lshr.i32 vi, vn\n",
	"vd = umulhi.i32 vi, vn\n	vk = lshr.i32 vd, vm\n",
	"vd = umulhi.i32 vn, vi\n	vf = add.i32 vd, vi\n	vk = lshr.i32 vf, vm\n",
	"vd = udiv.i32 vi, vn\n	vf = mul.i32 vd, vn\n	vg = sub.i32 vi, vf\n	vh = lshr.i32 vg, vm\n	vk = add.i32 vh, vd\n",
	"vd = umod.i32 vi, vn\n	vf = udiv.i32 vd, vm\n	vg = umod.i32 vd, vm\n	vh = shl.i32 vf, 3:i32\n	vk = add.i32 vh, vg\n",
	"vd = umulhi.i32 vi, 2454267027:i32\n	vf = sub.i32 vi, vd\n	vg = lshr.i32 vf, 1:i32\n	vh = add.i32 vg, vd\n	vj = lshr.i32 vh, 7:i32\n	vu = umulhi.i32 vi, 77777777:i32\n	vk = add.i32 vu, vj\n",
	// One number in each part, of an aligned index.
	"vd = lshr.i32 vl, 4:i32\n	vk = udiv.i32 vd, vn\n",
	"vd = lshr.i32 vl, 3:i32\n	vk = udiv.i32 vd, vn\n",
	"vd = lshr.i32 vl, 2:i32\n	vk = umulhi.i32 vd, vn\n",
	// A term of a sum is a sum that wraps. It loses less than the other term gains, and the shift removes the difference.
	"vd = mul.i32 vx, 64:i32\n	ve = add.i32 vd, 0x7ffff800:i32\n	vf = umulhi.i32 ve, 0xffffffff:i32\n	vg = add.i32 vf, ve\n	vh = lshr.i32 vg, 10:i32\n	vj = mul.i32 vl, 65536:i32\n	vu = add.i32 vh, vj\n	vw = add.i32 vm, 12:i32\n	vk = lshr.i32 vu, vw\n",
}

// TestQuotients divides strided values, in strips with one quotient and with several, with indices and sums that wrap around, and by 0.
func TestQuotients(t *testing.T) { eachLevel(t, testQuotients) }

func testQuotients(t *testing.T, engine jit.Engine) {
	number := 0
	for _, form := range quotientForms {
		for _, local := range []string{"64 1 1", "16 8 1", "8 16 1", "1 32 2"} {
			for _, first := range []string{"0", "-20", "7", "0x7fffffe8"} {
				text := stridedText(local, first, form)
				for _, n := range []uint32{0, 1, 3, 16, 64, 100, 1 << 31, 1<<31 + 1, 1<<32 - 1} {
					for _, m := range []uint32{0, 1, 5, 31} {
						push := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, n), m)
						job := exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Push: push, Resources: stridedBuffers()}
						for _, subgroup := range []uint32{16, 32, 64} {
							if number++; !selected(number, 4) {
								continue
							}
							want := run(interp.Engine{}, text, subgroup, job)
							if want.err != nil {
								t.Fatal(want.err, text)
							}
							if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
								t.Fatalf("subgroup %d, n %#x, m %d:\n%s", subgroup, n, m, text)
							}
						}
					}
				}
			}
		}
	}
}

// TestGuards discards some lanes of a strip, all and none, with values that wrap around and without, in
// workgroups of one row, several rows and several planes.
func TestGuards(t *testing.T) { eachLevel(t, testGuards) }

func testGuards(t *testing.T, engine jit.Engine) {
	number := 0
	for _, form := range guardForms {
		for _, local := range []string{"64 1 1", "16 8 1", "32 2 2", "8 16 1", "16 2 4", "1 64 1"} {
			for _, first := range []string{"0", "-20", "0x7fffffe8"} {
				text := fmt.Sprintf(`program "guards" compute
subgroup 16
local %s
push 8
in global.x i32 0
in global.y i32 0
in localindex i32 0
res storage 0 0 count 1
var "i" 0 0

func "main"() L1 {
	vp = push
	vn = ld.i32 vp, 0:i32, #0
	vm = ld.i32 vp, 0:i32, #4
	vx = in.i32 #0
	vy = in.i32 #1
	vl = in.i32 #2
	vi = add.i32 vx, %s:i32
	%s	if vc {
		vB = res 0:i32, #0
		vo = at 0:i32, vl, #4
		vb = add.i32 vi, 1:i32
		st.i32 vB, vo, vb, #0
		vq = at 0:i32, vx, #4
		st.i32 vB, vq, vy, #1024
	}
}
`, local, first, form)
				for _, n := range []uint32{0, 1, 16, 44, 63, 64, 1 << 31, 1<<31 - 1, 1<<31 + 8, 1<<32 - 21, 1<<32 - 1} {
					push := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, n), 5)
					job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(make([]uint32, 400))}}
					for _, subgroup := range []uint32{4, 16, 32} {
						if number++; !selected(number, 4) {
							continue
						}
						want := run(interp.Engine{}, text, subgroup, job)
						if want.err != nil {
							t.Fatal(want.err, text)
						}
						if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
							t.Fatalf("subgroup %d, n %#x:\n%s", subgroup, n, text)
						}
					}
				}
			}
		}
	}
}
