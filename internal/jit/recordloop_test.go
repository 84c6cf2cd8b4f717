package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestRecordLoops loads and stores words of the records at two places in a loop. The distance of the places is known only when the program
// runs, so that a word of a record may be another word of a record at the other place: a load has the bytes of the last store to them.
func TestRecordLoops(t *testing.T) { eachLevel(t, testRecordLoops) }

func testRecordLoops(t *testing.T, engine jit.Engine) {
	r := rand.New(rand.NewSource(29))
	for range 40 {
		text := recordLoop(r, 2<<r.Intn(3))
		for _, distance := range []uint32{0, 4, 8, 12, 36} {
			push := loadLittleEndian([]uint32{32, 32 + distance, 3})
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(filled(r, 64)), buffer(filled(r, 1024))}}
			sameRecords(t, engine, text, job)
		}
	}
}

// recordLoop returns a program with a loop over records of so many words. The result is the sum of all numbers.
func recordLoop(r *rand.Rand, words int) string {
	var body strings.Builder
	values, sums := 1, 0
	operand := func() string { return fmt.Sprintf("v%d", r.Intn(values)) }
	define := func(format string, args ...any) {
		fmt.Fprintf(&body, "\t\t\tv%d = %s\n\t\t\tvs%d = add.i32 vs%d, v%d\n", values, fmt.Sprintf(format, args...), sums+1, sums, values)
		values, sums = values+1, sums+1
	}
	for range 4 + r.Intn(12) {
		at, place := 4*r.Intn(words), []string{"vo", "vq"}[r.Intn(2)]
		switch r.Intn(5) {
		case 0, 1, 2:
			define("ld.i32 vB, %s, #%d", place, at)
		case 3:
			fmt.Fprintf(&body, "\t\t\tst.i32 vB, %s, %s, #%d\n", place, operand(), at)
		case 4:
			define("mul.i32 %s, %s", operand(), operand())
		}
	}
	return fmt.Sprintf(`program "loop" compute
subgroup 16
local 32 1 1
push 12
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vP = push
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vx = in.i32 #0
	vto = ld.i32 vP, 0:i32, #0
	vfrom = ld.i32 vP, 0:i32, #4
	vn = ld.i32 vP, 0:i32, #8
	vw = at 0:i32, vx, #4
	block L2(vout i32) {
		loop L3(vs0 i32 = 7:i32, vk i32 = 0:i32) {
			vmore = ult.i32 vk, vn
			if vmore {
			} else {
				br L2(vs0)
			}
			v0 = mul.i32 vk, 32:i32
			vi = add.i32 vx, v0
			vo = at vto, vi, #%d
			vq = at vfrom, vi, #%d
%s			vnext = add.i32 vk, 1:i32
			br L3(vs%d, vnext)
		}
	}
	st.i32 vA, vw, vout, #0
}
`, 4*words, 4*words, body.String(), sums)
}
