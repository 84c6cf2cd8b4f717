package jit_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// divergentProgram returns a program with a loop that lanes leave at two exits in different iterations. The
// result of the operation is used after it.
func divergentProgram(operation string) string {
	return fmt.Sprintf(`program "divergent" compute
subgroup 16
local 64 1 1
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vx = in.i32 #0
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vo = at 0:i32, vx, #4
	va = ld.f32 vA, vo, #0
	block L2(vr f32) {
		loop L3(vi i32 = 0:i32, vt f32 = va) {
			vmore = ult.i32 vi, 40:i32
			if vmore {
				vsq = fmul.f32 vt, vt
				vd = %s
				vnear = flt.f32 vd, 1.0:f32
				if vnear {
					br L2(vd)
				}
				vh = fmul.f32 vd, 0.75:f32
				vnt = fadd.f32 vh, 0.125:f32
				vj = add.i32 vi, 1:i32
				br L3(vj, vnt)
			}
			br L2(vt)
		}
	}
	st.f32 vB, vo, vr, #0
}
`, operation)
}

// TestDivergentLoops runs divergent loops, with operations of long latency and without, on numbers,
// infinities and NaN.
func TestDivergentLoops(t *testing.T) { eachLevel(t, testDivergentLoops) }

func testDivergentLoops(t *testing.T, engine jit.Engine) {
	words := make([]uint32, 64*5)
	for i := range words {
		words[i] = math.Float32bits(float32(i%37) * float32(1+i%5) * 3.5)
	}
	words[3], words[70], words[71], words[130] = math.Float32bits(float32(math.Inf(1))), math.Float32bits(float32(math.NaN())), 1<<31, 1
	for _, operation := range []string{"fsqrt.f32 vsq", "fdiv.f32 vsq, 1.25:f32", "fsub.f32 vsq, vt"} {
		job := exec.Job{Groups: [3]uint32{5, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, len(words)))}}
		want := run(interp.Engine{}, divergentProgram(operation), 0, job)
		if want.err != nil {
			t.Fatal(want.err)
		}
		same(t, want, run(engine, divergentProgram(operation), 0, job))
	}
}

// TestDivergentStrips: strips are four vectors wide if a divergent loop has square roots or divisions, else
// at most 32 lanes.
func TestDivergentStrips(t *testing.T) {
	for operation, lanes := range map[string][2]uint32{"fsqrt.f32 vsq": {64, 32}, "fdiv.f32 vsq, 1.25:f32": {64, 32}, "fsub.f32 vsq, vt": {32, 32}} {
		p, err := ir.Parse(divergentProgram(operation))
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		for i, level := range []target.Level{target.AVX512, target.AVX2} {
			if m := vectorize.MergeOf(p, jit.FormOf(level)); m.Widest != lanes[i] {
				t.Errorf("%s at %v: strips of %d lanes, want %d", operation, level, m.Widest, lanes[i])
			}
		}
	}
}

// TestWaitingStrips: a divergent loop that waits for square roots has strips of four vectors although many values are in memory.
// Another loop with the same values has strips of two. Both use numbers that they do not change.
func TestWaitingStrips(t *testing.T) { eachLevel(t, testWaitingStrips) }

func testWaitingStrips(t *testing.T, engine jit.Engine) {
	const lanesOfAVX2, kept = 8, 4
	if jit.FormOf(engine.Level).Lanes != lanesOfAVX2 {
		return // other machines have vectors for all values
	}
	var loads, uses strings.Builder
	sum := "vh"
	for i := range kept {
		fmt.Fprintf(&loads, "\tvk%d = ld.f32 vA, vo, #%d\n", i, 4*(i+1))
		fmt.Fprintf(&uses, "\t\t\t\tvu%d = fadd.f32 %s, vk%d\n", i, sum, i)
		sum = fmt.Sprintf("vu%d", i)
	}
	for operation, want := range map[string]uint32{"fsqrt.f32 vsq": 4 * lanesOfAVX2, "fsub.f32 vsq, vt": 2 * lanesOfAVX2} {
		text := strings.Replace(divergentProgram(operation), "\tblock L2", loads.String()+"\tblock L2", 1)
		text = strings.Replace(text, "\t\t\t\tvnt = fadd.f32 vh", uses.String()+"\t\t\t\tvnt = fadd.f32 "+sum, 1)
		if lanes := jit.StripLanes(compileWith(t, engine, text)); lanes != want {
			t.Errorf("%s: strips of %d lanes, must be %d", operation, lanes, want)
		}
	}
}

// TestWaits: a loop waits for square roots if it has few other operations.
func TestWaits(t *testing.T) {
	for others, want := range map[int]bool{0: true, 8: true, 100: false} {
		var b strings.Builder
		for i := range others {
			fmt.Fprintf(&b, "\t\t\t\tvo%d = fmul.f32 vt, vsq\n", i)
		}
		text := strings.Replace(divergentProgram("fsqrt.f32 vsq"), "\t\t\t\tvd =", b.String()+"\t\t\t\tvd =", 1)
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		if m := vectorize.MergeOf(p, jit.FormOf(target.AVX2)); m.Waits != want {
			t.Errorf("%d other operations: the loop waits: %v, must be %v", others, m.Waits, want)
		}
	}
}
