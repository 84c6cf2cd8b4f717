package jit_test

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestTwoRuns accesses images in quads of rows as fragments do: rows of eight words, two of which are in
// one register, are a pitch apart, and a loop adds a uniform offset. Rows end in and out of range, overlap,
// are not consecutive words, and offsets wrap around. Some rows have texels of two words.
func TestTwoRuns(t *testing.T) { eachLevel(t, testTwoRuns) }

func testTwoRuns(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(6))
	words := make([]uint32, 400)
	for i := range words {
		words[i] = r.Uint32()
	}
	starts := []uint32{0, 4, 64, 1<<32 - 32, 1<<32 - 64, 1<<32 - 100, 1 << 31}
	for n := range 240 {
		step, imm, most := 4, 4*r.Intn(3), []string{"9:i32", "vn"}[n/8%2]
		second, stored := "", ""
		if n%8 >= 6 {
			step = 8 // no runs of words, but of pairs
		}
		if n%8 == 7 {
			second, stored = fmt.Sprintf("vs = ld.i32 vA, voff, #%d", imm+4), fmt.Sprintf("st.i32 vB, voff, vs, #%d", imm+4)
		}
		text := fmt.Sprintf(`program "tworuns" compute
subgroup 16
local 8 4 1
push 12
in local.x i32 0
in local.y i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vy = in.i32 #1
	vP = push
	vfirst = ld.i32 vP, 0:i32, #0
	vpitch = ld.i32 vP, 0:i32, #4
	vby = ld.i32 vP, 0:i32, #8
	vnone = lshr.i32 vpitch, 31:i32
	vA = res %[1]s, #0
	vB = res %[1]s, #1
	va = mul.i32 vx, %[2]d:i32
	vb = mul.i32 vy, vpitch
	vn = add.i32 vx, vy
	vrest = add.i32 va, vb
	loop L2(vi i32 = 0:i32) {
		vstep = mul.i32 vi, vby
		vbase = add.i32 vfirst, vstep
		voff = add.i32 vbase, vrest
		vin = ule.i32 vi, %[3]s
		if vin {
			vc = ld.i32 vA, voff, #%[4]d
			%[6]s
			vd = ld.i32 vB, voff, #%[4]d
			ve = add.i32 vc, vd
			st.i32 vB, voff, ve, #%[4]d
			st.i32 vB, voff, vi, #%[5]d
			%[7]s
		}
		vnext = add.i32 vi, 1:i32
		vmore = ult.i32 vnext, 9:i32
		if vmore {
			br L2(vnext)
		}
		br L1
	}
}
`, []string{"0:i32", "vnone"}[n/3%2], step, most, imm, imm+128, second, stored)
		var push []byte
		pitch := 4 * uint32(r.Intn(20))
		if n%5 == 0 {
			pitch = 4 << 28
		}
		for _, v := range []uint32{starts[r.Intn(len(starts))], pitch, 4 * uint32(r.Intn(40))} {
			push = binary.LittleEndian.AppendUint32(push, v)
		}
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(words[:100+r.Intn(300)]), buffer(make([]uint32, 100+r.Intn(300)))}}
		for _, subgroup := range []uint32{16, 32} {
			want := run(interp.Engine{}, text, subgroup, job)
			if want.err != nil {
				t.Fatal(want.err)
			}
			if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
				t.Fatalf("subgroup %d, push %x:\n%s", subgroup, push, text)
			}
		}
	}
}
