package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestRecordLoads loads words of records at uniform offsets, as integers and as floats, from buffers that
// end before, in and after them; among many others, so that some are spilled, after a jump and in a loop,
// and with stores in between.
func TestRecordLoads(t *testing.T) { eachLevel(t, testRecordLoads) }

func testRecordLoads(t *testing.T, engine jit.Engine) {
	const head = `program "records" compute
subgroup 16
local 32 1 1
push 8
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vi = in.i32 #0
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vm = ld.i32 vP, 0:i32, #4
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vi, #4
`
	var many strings.Builder
	many.WriteString(head)
	for i := range 40 {
		fmt.Fprintf(&many, "\tva%d = ld.f32 vA, vn, #%d\n\tvb%d = ld.i32 vA, vm, #%d\n\tvc%d = bitcast.i32.f32 va%d\n", i, 4*i, i, 252-4*i, i, i)
	}
	many.WriteString("\tvs0 = add.i32 vi, 0:i32\n")
	for i := range 40 {
		fmt.Fprintf(&many, "\tvp%d = xor.i32 vb%d, vi\n\tvq%d = add.i32 vc%d, vp%d\n\tvr%d = mul.i32 vs%d, 3:i32\n\tvs%d = add.i32 vr%d, vq%d\n", i, i, i, i, i, i, i, i+1, i, i)
	}
	many.WriteString("\tst.i32 vB, vo, vs40, #0\n}\n")
	loop := head + `	block Lout(vr i32) {
		loop Lloop(vk i32 = 0:i32, vs i32 = vi) {
			vat = at vn, vk, #12
			va = ld.i32 vA, vat, #0
			vb = ld.i32 vA, vat, #8
			vf = ld.f32 vA, vat, #4
			vz = eq.i32 va, 7:i32
			if vz {
				br Lout(va)
			}
			vg = bitcast.i32.f32 vf
			vu = add.i32 vs, va
			vv = xor.i32 vu, vb
			vw = add.i32 vv, vg
			vmore = ult.i32 vk, 5:i32
			vnext = add.i32 vk, 1:i32
			if vmore {
				br Lloop(vnext, vw)
			}
			br Lout(vw)
		}
	}
	st.i32 vB, vo, vr, #0
}
`
	stores := head + `	va = ld.i32 vA, vn, #0
	vb = ld.i32 vA, vn, #4
	vx = add.i32 va, vi
	st.i32 vA, vo, vx, #0
	vc = ld.i32 vA, vn, #0
	vd = ld.i32 vA, vn, #4
	vy = add.i32 vb, vc
	vz = xor.i32 vy, vd
	st.i32 vB, vo, vz, #0
}
`
	words := make([]uint32, 160)
	for i := range words {
		words[i] = uint32(i)*2654435761>>3 + 1
	}
	words[50] = 7
	for name, text := range map[string]string{"many": many.String(), "loop": loop, "stores": stores} {
		for _, size := range []int{0, 1, 2, 20, 39, 40, 41, 64, 160} {
			for _, at := range [][2]uint32{{0, 0}, {4, 8}, {80, 3}, {1<<32 - 4, 1<<32 - 252}, {156, 1 << 31}} {
				push := binaryWords(at[0], at[1])
				job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(words[:size]), buffer(make([]uint32, 32))}}
				want := run(interp.Engine{}, text, 0, job)
				if want.err != nil {
					t.Fatal(want.err)
				}
				if same(t, want, run(engine, text, 0, job)); t.Failed() {
					t.Fatalf("%s of %d words at %d\n%s", name, size, at, text)
				}
			}
		}
	}
}

// binaryWords returns words as bytes.
func binaryWords(list ...uint32) (out []byte) {
	for _, n := range list {
		out = append(out, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return out
}
