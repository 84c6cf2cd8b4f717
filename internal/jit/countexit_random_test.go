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

// countMaker makes nests of loops that lanes leave in different iterations, with counters as results: of the loop, of one around it, both
// after one more iteration and not, at exits to several blocks.
type countMaker struct {
	*rand.Rand
	body   strings.Builder
	names  int
	labels int
	blocks []openBlock
	values []string // i32
}

// openBlock is a block with n parameters around the current code.
type openBlock struct{ label, n int }

func (g *countMaker) say(format string, args ...any) { fmt.Fprintf(&g.body, format+"\n", args...) }

func (g *countMaker) let(format string, args ...any) string {
	g.names++
	v := fmt.Sprintf("v%d", 100+g.names)
	g.say("%s = %s", v, fmt.Sprintf(format, args...))
	return v
}

func (g *countMaker) any(list []string) string { return list[g.Intn(len(list))] }

// leave emits a condition, and a branch to a block around the loop under it. counters are likely arguments.
func (g *countMaker) leave(counters []string) {
	to := g.blocks[len(g.blocks)-1-g.Intn(min(2, len(g.blocks)))]
	c := g.let("%s.i32 %s, %d:i32", []string{"ult", "eq", "slt"}[g.Intn(3)], g.let("and.i32 %s, %d:i32", g.any(g.values), []int{3, 15, 255}[g.Intn(3)]), g.Intn(6))
	not := g.Intn(4) == 0
	if g.say("if %s {", c); not {
		g.say("} else {")
	}
	if g.Intn(8) == 0 {
		g.say("st.i32 vB, vo, %s, #512", g.any(g.values))
	}
	var args []string
	for range to.n {
		if g.Intn(5) == 0 {
			counters = g.values
		}
		args = append(args, g.any(counters))
	}
	g.say("br L%d(%s)", to.label, strings.Join(args, ", "))
	g.say("}")
}

// loop emits a block with a loop in it.
func (g *countMaker) loop(depth int, outer []string) {
	g.labels += 2
	block, loop := openBlock{g.labels, 1 + g.Intn(2)}, g.labels+1
	var params []string
	for i := range block.n {
		params = append(params, fmt.Sprintf("vb%d%c i32", block.label, 'p'+i))
	}
	g.say("block L%d(%s) {", block.label, strings.Join(params, ", "))
	g.blocks = append(g.blocks, block)
	live := len(g.values)
	first := []string{"0:i32", "1:i32", "7:i32", "vn", g.any(g.values)}[g.Intn(5)]
	g.say("loop L%d(vk%d i32 = %s, vx%d i32 = %s) {", loop, loop, first, loop, g.any(g.values))
	k, x := fmt.Sprintf("vk%d", loop), fmt.Sprintf("vx%d", loop)
	g.values = append(g.values, x, k)
	counters := []string{k, k, k}
	if len(outer) > 0 && g.Intn(3) == 0 {
		counters = append(counters, outer[0])
	}
	// The end of the loop.
	g.say("if %s {", g.let("ule.i32 %d:i32, %s", 20+g.Intn(30), k))
	var args []string
	for range block.n {
		args = append(args, g.any(counters))
	}
	g.say("br L%d(%s)\n}", block.label, strings.Join(args, ", "))
	for range g.Intn(3) {
		g.leave(counters)
	}
	if depth > 0 && g.Intn(2) == 0 {
		g.loop(depth-1, counters)
	}
	g.values = append(g.values, g.let("%s.i32 %s, %s", []string{"add", "xor", "mul"}[g.Intn(3)], x, g.any(g.values)))
	next := g.let("add.i32 %s, %d:i32", k, []int{1, 1, 1, 1, 2}[g.Intn(5)])
	if g.Intn(4) == 0 {
		g.leave([]string{k, next})
	}
	if g.Intn(5) == 0 { // a second branch back
		g.say("if %s {", g.let("eq.i32 %s, 5:i32", g.let("and.i32 %s, 7:i32", g.any(g.values))))
		g.say("br L%d(%s, %s)\n}", loop, g.let("add.i32 %s, %d:i32", k, 1+g.Intn(2)), g.any(g.values))
	}
	g.say("br L%d(%s, %s)\n}\n}", loop, next, g.values[len(g.values)-1])
	g.blocks, g.values = g.blocks[:len(g.blocks)-1], g.values[:live]
	for i := range block.n {
		g.values = append(g.values, fmt.Sprintf("vb%d%c", block.label, 'p'+i))
	}
}

// exitCounterProgram returns a program of one or two nests.
func exitCounterProgram(seed int64) string {
	g := &countMaker{Rand: rand.New(rand.NewSource(seed)), labels: 8}
	g.values = []string{"vl", "vw"}
	g.blocks = []openBlock{{2, 1}}
	for range 1 + g.Intn(2) {
		g.loop(2, nil)
	}
	sum := "vl"
	for _, v := range g.values {
		sum = g.let("add.i32 %s, %s", g.let("mul.i32 %s, 31:i32", sum), v)
	}
	return "program \"count\" compute\nsubgroup 16\nlocal 64 1 1\npush 4\nin localindex i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
		"vl = in.i32 #0\nvA = res 0:i32, #0\nvB = res 0:i32, #1\nvP = push\nvn = ld.i32 vP, 0:i32, #0\nvo = at 0:i32, vl, #4\nvw = ld.i32 vA, vo, #0\nblock L2(vz i32) {\n" +
		g.body.String() + fmt.Sprintf("br L2(%s)\n}\nst.i32 vB, vo, vz, #0\n}\n", sum)
}

// TestExitCounters: counters at the exits of loops are the same in all engines. CHIARO_SEEDS=from-to selects other seeds.
func TestExitCounters(t *testing.T) {
	from, to := irgen.Seeds(t, 400, 60)
	for seed := from; seed < to; seed++ {
		text := exitCounterProgram(seed)
		input := make([]uint32, 64)
		for i := range input {
			input[i] = uint32(i+int(seed)) * 2654435761
		}
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: []byte{byte(seed % 9), 0, 0, 0}, Resources: [][]exec.Buffer{buffer(input), buffer(make([]uint32, 256))}}
		size := []uint32{4, 8, 16, 32, 64}[seed%5]
		want := run(interp.Engine{}, text, size, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
		}
		for _, level := range jit.Levels() {
			t.Run(fmt.Sprintf("%d/%s", seed, level), func(t *testing.T) {
				if same(t, want, run(jit.Engine{Level: level}, text, size, job)); t.Failed() {
					t.Log(text)
				}
			})
		}
	}
}
