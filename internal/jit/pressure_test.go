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

// pressedProgram returns a random program with a loop that has more values than the machine has vectors: variables that change in
// each iteration, from chains of operations on common values. Some variables take the old value of another one.
func pressedProgram(g *rand.Rand) string {
	n := 2 + g.Intn(9)
	var params, body, next, out strings.Builder
	common := []string{"vx", "vy"}
	for i := range 1 + g.Intn(4) {
		fmt.Fprintf(&body, "\t\t\t\tvi%d = add.i32 %s, vk\n\t\t\t\tvo%d = at 0:i32, vi%d, #4\n\t\t\t\tvl%d = ld.i32 vA, vo%d, #%d\n", i, common[g.Intn(2)], i, i, i, i, 4*i)
		common = append(common, fmt.Sprintf("vl%d", i))
	}
	ops := []string{"add", "sub", "xor", "mul", "umin", "and"}
	sum := "0:i32"
	for i := range n {
		old := fmt.Sprintf("vs%d", i)
		fmt.Fprintf(&params, ", %s i32 = %d:i32", old, i)
		at := common[g.Intn(len(common))]
		for k := range g.Intn(11) {
			fmt.Fprintf(&body, "\t\t\t\tvt%d_%d = %s.i32 %s, %s\n", i, k, ops[g.Intn(len(ops))], at, common[g.Intn(len(common))])
			at = fmt.Sprintf("vt%d_%d", i, k)
		}
		if g.Intn(5) == 0 {
			common = append(common, at)
		}
		from := old
		if g.Intn(4) == 0 {
			from = fmt.Sprintf("vs%d", g.Intn(n))
		}
		fmt.Fprintf(&body, "\t\t\t\tvn%d = %s.i32 %s, %s\n", i, ops[g.Intn(len(ops))], from, at)
		if g.Intn(8) == 0 {
			fmt.Fprintf(&body, "\t\t\t\tvq%d = ult.i32 vn%d, vk\n\t\t\t\tif vq%d {\n\t\t\t\t\tst.i32 vC, 0:i32, vk, #0\n\t\t\t\t}\n", i, i, i)
		}
		fmt.Fprintf(&next, ", vn%d", i)
		fmt.Fprintf(&out, "\tvr%d = mul.i32 %s, 3:i32\n\tvu%d = xor.i32 vr%d, vs%d\n", i, sum, i, i, i)
		sum = fmt.Sprintf("vu%d", i)
	}
	results := make([]string, n)
	for i := range results {
		results[i] = fmt.Sprintf("vs%d", i)
	}
	labels := strings.Join(results, ", ")
	typed := "vs" + strings.Join(strings.Split(labels, ", vs"), " i32, vs") + " i32"
	typed = strings.ReplaceAll(strings.Replace(typed, "vsvs", "vs", 1), "vs", "vz")
	text := strings.ReplaceAll(out.String(), " vs", " vz")
	return fmt.Sprintf(`program "pressed" compute
subgroup 16
local 16 8 1
push 8
in global.x i32 0
in global.y i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1

func "main"() L1 {
	vP = push
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vC = res 0:i32, #2
	vx = in.i32 #0
	vy = in.i32 #1
	vn = ld.i32 vP, 0:i32, #0
	vw = ld.i32 vP, 0:i32, #4
	block L2(%s) {
		loop L3(vk i32 = 0:i32%s) {
			vmore = ult.i32 vk, vn
			if vmore {
%s			} else {
				br L2(%s)
			}
			vknext = add.i32 vk, 1:i32
			br L3(vknext%s)
		}
	}
%s	vo1 = mul.i32 vy, 16:i32
	vo2 = add.i32 vo1, vx
	vo = at 0:i32, vo2, #4
	st.i32 vB, vo, %s, #0
}
`, typed, params.String(), body.String(), labels, next.String(), text, sum)
}

// TestPressure runs loops that need more vectors than there are.
func TestPressure(t *testing.T) { eachLevel(t, testPressure) }

func testPressure(t *testing.T, engine jit.Engine) {
	words := scrambled(400)
	from, to := irgen.Seeds(t, 150, 30)
	for seed := from; seed < to; seed++ {
		g := rand.New(rand.NewSource(seed))
		text := pressedProgram(g)
		push := loadLittleEndian([]uint32{uint32(g.Intn(12)), 5})
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push}
		for r := range 3 {
			job.Resources = append(job.Resources, buffer(words[20*r:][:300]))
		}
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatal(want.err, text)
		}
		if same(t, want, run(engine, text, 0, job)); t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}
