package jit_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestLaneBits asks of each lane whether a word that is the same in all lanes has its
// bit, which is a mask of them, in a loop that shifts the word on while contraries of
// comparisons of such words hold.
func TestLaneBits(t *testing.T) { eachLevel(t, testLaneBits) }

func testLaneBits(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(8))
	swapped := func(x, y string) string {
		if r.Intn(2) == 0 {
			x, y = y, x
		}
		return x + ", " + y
	}
	for n := range 120 {
		local := []string{"8 2 1", "8 4 1", "16 1 1", "64 1 1", "20 1 1"}[n%5]
		compare := []string{"eq.i32 " + swapped("vcut", "0:i32"), "eq.i32 " + swapped("vcut", "vother"), "ult.i32 vcut, vother", "ule.i32 vcut, vother", "slt.i32 vcut, vother", "sle.i32 vother, vcut"}[r.Intn(6)]
		cut := r.Uint32() >> r.Intn(32)
		first, other := r.Uint32()>>r.Intn(32), r.Uint32()>>r.Intn(32)
		if n%3 == 0 {
			other = first & cut // equal at first
		}
		text := fmt.Sprintf(`program "lanebits" compute
subgroup 16
local %s
push 8
in localindex i32 0
res storage 0 0 count 1

func "main"() L1 {
	vlane = in.i32 #0
	vbit = shl.i32 %s:i32, vlane
	vh = res 0:i32, #0
	vp = push
	vfirst = ld.i32 vp, 0:i32, #0
	vother = ld.i32 vp, 0:i32, #4
	vto = at 0:i32, vlane, #4
	loop L2(vword i32 = vfirst, vi i32 = 0:i32) {
		vcut = and.i32 vword, 0x%x:i32
		vis = %s
		vnot = not.b1 vis
		if vnot {
			vhas = and.i32 %s
			vset = eq.i32 %s
			if vset {
				vold = ld.i32 vh, vto, #0
				vthree = mul.i32 vold, 3:i32
				vsum = add.i32 vthree, vi
				vnew = add.i32 vsum, 1:i32
				st.i32 vh, vto, vnew, #0
			}
		}
		vnext = lshr.i32 vword, 3:i32
		vj = add.i32 vi, 1:i32
		vmore = ult.i32 vj, 9:i32
		if vmore {
			br L2(vnext, vj)
		}
		br L1
	}
}
`, local, []string{"1", "1", "1", "2"}[r.Intn(4)], cut, compare, swapped("vword", "vbit"), swapped("vhas", "vbit"))
		push := loadLittleEndian([]uint32{first, other})
		job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(make([]uint32, 64))}}
		for _, subgroup := range []uint32{8, 16, 32, 64} {
			want := run(interp.Engine{}, text, subgroup, job)
			if want.err != nil {
				t.Fatal(want.err, text)
			}
			if same(t, want, run(engine, text, subgroup, job)); t.Failed() {
				t.Fatalf("subgroup %d, push %x:\n%s", subgroup, push, text)
			}
		}
	}
}
