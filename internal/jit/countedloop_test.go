package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// countedProgram returns a random program with a counted loop whose offsets are linear in the counter, in x and in y.
func countedProgram(g *rand.Rand, local [2]int, subgroup int) string {
	var body strings.Builder
	names := 0
	name := func() string { names++; return fmt.Sprintf("vt%d", names) }
	pick := func(list ...string) string { return list[g.Intn(len(list))] }
	emit := func(format string, args ...any) string {
		r := name()
		fmt.Fprintf(&body, "\t\t\t\t%s = %s\n", r, fmt.Sprintf(format, args...))
		return r
	}
	index := func() string {
		r := pick("vk", "vk", "vk", "vx", "vy", "vw")
		for range g.Intn(4) {
			switch g.Intn(6) {
			case 0:
				r = emit("mul.i32 %s, %s", r, pick("vw", "3:i32", "vy", "4294967295:i32"))
			case 1:
				r = emit("shl.i32 %s, %d:i32", r, g.Intn(4))
			case 2:
				r = emit("sub.i32 %s, %s", r, pick("vw", "1:i32", "vy"))
			default:
				r = emit("add.i32 %s, %s", r, pick("vx", "vy", "vw", "vk", "vbase", "vrow", "2:i32"))
			}
		}
		return r
	}
	offset := func() string {
		switch g.Intn(6) {
		case 0:
			return emit("at %s, %s, #4", emit("at 0:i32, %s, #%d", index(), 4*(1+g.Intn(5))), pick("vw", "vk", "vy"))
		case 1:
			return emit("shl.i32 %s, 2:i32", index())
		}
		return emit("at 0:i32, %s, #%d", index(), 4*(1+g.Intn(3)))
	}
	sum := "vsum"
	for range 1 + g.Intn(4) {
		if g.Intn(8) == 0 {
			fmt.Fprintf(&body, "\t\t\t\tvi%d = ult.i32 vk, vy\n\t\t\t\tif vi%d {\n\t\t\t\t\tvj%d = ld.i32 vA, 4:i32, #0\n\t\t\t\t\tst.i32 vD, 0:i32, vj%d, #0\n\t\t\t\t}\n", names, names, names, names)
		}
		v := emit("ld.%s %s, %s, #%d", pick("i32", "f32"), pick("vA", "vB"), offset(), 4*g.Intn(3))
		text := body.String()
		if strings.Contains(text[strings.LastIndex(text[:len(text)-1], "\n")+1:], "ld.f32") {
			v = emit("bitcast.i32.f32 %s", v)
		}
		sum = emit("%s.i32 %s, %s", pick("add", "xor", "mul"), sum, v)
	}
	if g.Intn(4) == 0 {
		fmt.Fprintf(&body, "\t\t\t\tst.i32 vC, %s, %s, #0\n", offset(), sum)
	}
	before := ""
	if g.Intn(2) == 0 {
		before = "\tvin = ule.i32 vlimit, vx\n\tif vin {\n\t\tbr L1\n\t}\n"
	}
	return fmt.Sprintf(`program "counted" compute
subgroup %d
local %d %d 1
push 20
in global.x i32 0
in global.y i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1
res storage 0 3 count 1

func "main"() L1 {
	vP = push
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vC = res 0:i32, #2
	vD = res 0:i32, #3
	vx = in.i32 #0
	vy = in.i32 #1
	vn = ld.i32 vP, 0:i32, #0
	vw = ld.i32 vP, 0:i32, #4
	vbase = ld.i32 vP, 0:i32, #8
	vfrom = ld.i32 vP, 0:i32, #12
	vlimit = ld.i32 vP, 0:i32, #16
%s	block L2(vout i32) {
		vrow = mul.i32 vy, vw
		loop L3(vsum i32 = 0:i32, vk i32 = %s) {
			vmore = %s.i32 vk, vn
			if vmore {
%s			} else {
				br L2(vsum)
			}
			vnext = add.i32 vk, %d:i32
			br L3(%s, vnext)
		}
	}
	vo1 = mul.i32 vy, 64:i32
	vo2 = add.i32 vo1, vx
	vo = at 0:i32, vo2, #4
	st.i32 vC, vo, vout, #0
}
`, subgroup, local[0], local[1], before, pick("0:i32", "vfrom", "1:i32"), pick("ult", "slt"), body.String(), 1+g.Intn(3)*g.Intn(2), sum)
}

// TestCountedLoops runs loops with all accesses in range, and loops that leave the buffers, whose indices wrap around, or that have
// no iteration.
func TestCountedLoops(t *testing.T) { eachLevel(t, testCountedLoops) }

func testCountedLoops(t *testing.T, engine jit.Engine) {
	words := scrambled(8000)
	from, to := irgen.Seeds(t, 150, 30)
	for seed := from; seed < to; seed++ {
		g := rand.New(rand.NewSource(seed))
		local := [][2]int{{16, 16}, {8, 8}, {16, 4}, {32, 2}, {64, 1}, {4, 16}, {24, 2}}[g.Intn(7)]
		text := countedProgram(g, local, []int{4, 16, 16, 32}[g.Intn(4)])
		pick := func(list ...uint32) uint32 { return list[g.Intn(len(list))] }
		for range 4 {
			push := loadLittleEndian([]uint32{pick(0, 1, 7, 20, 33), pick(0, 1, 16, 33, 1<<20), pick(0, 3, 1<<32-7, 1<<30), pick(0, 2, 19, 1<<32-3), pick(0, 16, 17, 1000)})
			job := exec.Job{Groups: [3]uint32{2, 2, 1}, Workers: 1, Push: push}
			for r := range 4 {
				job.Resources = append(job.Resources, buffer(words[100*r:][:pick(3, 40, 700, 3000, 5000)]))
			}
			want := run(interp.Engine{}, text, 0, job)
			if want.err != nil {
				t.Fatal(want.err, text)
			}
			if same(t, want, run(engine, text, 0, job)); t.Failed() {
				t.Fatalf("seed %d, push %v:\n%s", seed, push, text)
			}
		}
	}
}
