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

// nestMaker makes random nested loops whose variables are copied into inner loops, out of them and back, in any order. So chains of
// copies between registers are everywhere, some of which hold different values at once.
type nestMaker struct {
	*rand.Rand
	body   strings.Builder
	names  int
	labels int
	outer  []string // labels of open blocks, outermost first, which take as many values as there are variables
	n      int      // variables
}

func (g *nestMaker) emit(format string, args ...any) string {
	g.names++
	r := fmt.Sprintf("vt%d", g.names)
	fmt.Fprintf(&g.body, "%s = %s\n", r, fmt.Sprintf(format, args...))
	return r
}

func (g *nestMaker) line(format string, args ...any) { fmt.Fprintf(&g.body, format+"\n", args...) }

// params returns names of parameters, and their declarations; from are the initial values.
func (g *nestMaker) params(from []string) (names []string, text string) {
	var list []string
	for i := range g.n {
		g.names++
		v := fmt.Sprintf("vt%d", g.names)
		names = append(names, v)
		if from == nil {
			list = append(list, v+" i32")
		} else {
			list = append(list, v+" i32 = "+from[i])
		}
	}
	return names, strings.Join(list, ", ")
}

// some returns arguments: the variables, often in another order, or one of them twice, or values of outer loops.
func (g *nestMaker) some(now, older []string) []string {
	list := append([]string(nil), now...)
	switch g.Intn(5) {
	case 0:
		g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	case 1:
		i, j := g.Intn(len(list)), g.Intn(len(list))
		list[i], list[j] = list[j], list[i]
	case 2:
		list[g.Intn(len(list))] = list[g.Intn(len(list))]
	}
	if g.Intn(3) == 0 {
		list[g.Intn(len(list))] = older[g.Intn(len(older))]
	}
	return list
}

// condition returns a condition that is uniform or not.
func (g *nestMaker) condition(now []string) string {
	a := now[g.Intn(len(now))]
	switch g.Intn(4) {
	case 0:
		return g.emit("ult.i32 vw, %d:i32", g.Intn(6))
	case 1:
		return g.emit("ult.i32 vx, %d:i32", g.Intn(40))
	}
	bit := g.emit("and.i32 %s, %d:i32", a, 1<<g.Intn(5))
	return g.emit("eq.b1 %s, 0:i32", bit)
}

// compute changes variables.
func (g *nestMaker) compute(now, older []string) []string {
	now = append([]string(nil), now...)
	for range 1 + g.Intn(4) {
		i := g.Intn(len(now))
		b := append(now, older...)[g.Intn(len(now)+len(older))]
		switch g.Intn(6) {
		case 0:
			now[i] = b
		case 1:
			f := g.emit("utof.f32.i32 %s", now[i])
			f = g.emit("fadd.f32 %s, 1.5:f32", f)
			now[i] = g.emit("bitcast.i32.f32 %s", f)
		case 2: // an if that changes a variable in some lanes
			g.labels++
			l := fmt.Sprintf("L%d", g.labels+20)
			g.names++
			r := fmt.Sprintf("vt%d", g.names)
			g.line("block %s(%s i32) {", l, r)
			c := g.condition(now)
			g.line("if %s {", c)
			g.line("br %s(%s)", l, g.emit("mul.i32 %s, 3:i32", b))
			g.line("}\nbr %s(%s)\n}", l, now[i])
			now[i] = r
		default:
			now[i] = g.emit("%s.i32 %s, %s", []string{"add", "xor", "sub", "mul"}[g.Intn(4)], now[i], b)
		}
	}
	return now
}

// loop makes a loop, and returns the variables after it.
func (g *nestMaker) loop(depth int, now, older []string) []string {
	g.labels += 2
	out, top := fmt.Sprintf("L%d", g.labels+20), fmt.Sprintf("L%d", g.labels+21)
	g.labels++
	results, text := g.params(nil)
	g.line("block %s(%s) {", out, text)
	g.outer = append(g.outer, out)
	vars, text := g.params(g.some(now, older))
	g.names++
	k := fmt.Sprintf("vt%d", g.names)
	g.line("loop %s(%s i32 = 0:i32, %s) {", top, k, text)
	bound := []string{"vn", "vw", "3:i32", "vlane"}[g.Intn(4)]
	inside := append(append([]string(nil), older...), now...)
	exit := func(cond string, when bool, list []string, to string) {
		if when {
			g.line("if %s {\nbr %s(%s)\n}", cond, to, strings.Join(list, ", "))
		} else {
			g.line("if %s {\n} else {\nbr %s(%s)\n}", cond, to, strings.Join(list, ", "))
		}
	}
	first := g.Intn(3) > 0
	if first {
		exit(g.emit("ult.i32 %s, %s", k, bound), false, g.some(vars, inside), out)
	}
	vars = g.compute(vars, inside)
	for range 1 + g.Intn(2) {
		if depth > 0 && g.Intn(4) > 0 {
			vars = g.loop(depth-1, vars, inside)
		}
		if g.Intn(4) == 0 {
			exit(g.condition(vars), true, g.some(vars, inside), g.outer[g.Intn(len(g.outer))])
		}
		vars = g.compute(vars, inside)
	}
	next := g.emit("add.i32 %s, 1:i32", k)
	if !first {
		exit(g.emit("ult.i32 %s, %s", next, bound), false, g.some(vars, inside), out)
	}
	g.line("br %s(%s, %s)\n}\n}", top, next, strings.Join(g.some(vars, inside), ", "))
	g.outer = g.outer[:len(g.outer)-1]
	return results
}

// program returns the text of a program.
func (g *nestMaker) program(subgroup int) string {
	g.n = 1 + g.Intn(7)
	var now []string
	for i := range g.n {
		now = append(now, g.emit("ld.i32 vA, vo, #%d", 4*i))
	}
	older := []string{"vx", "vw", "7:i32"}
	for range 1 + g.Intn(2) {
		now = g.loop(2, now, older)
	}
	for i, v := range now {
		at := g.emit("at 0:i32, vx, #%d", 4*g.n)
		g.line("st.i32 vB, %s, %s, #%d", at, v, 4*i)
	}
	return fmt.Sprintf(`program "nest" compute
subgroup %d
local 32 2 1
push 8
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
vP = push
vA = res 0:i32, #0
vB = res 0:i32, #1
vx = in.i32 #0
vlane = and.i32 vx, 3:i32
vn = ld.i32 vP, 0:i32, #0
vw = ld.i32 vP, 0:i32, #4
vo = at 0:i32, vx, #4
%s}
`, subgroup, g.body.String())
}

// TestNestedLoops compares random nested loops with the interpreter.
func TestNestedLoops(t *testing.T) { eachLevel(t, testNestedLoops) }

func testNestedLoops(t *testing.T, engine jit.Engine) {
	words := scrambled(200)
	from, to := irgen.Seeds(t, 150, 30)
	for seed := from; seed < to; seed++ {
		g := &nestMaker{Rand: rand.New(rand.NewSource(seed))}
		text := g.program([]int{4, 8, 16, 16, 32, 64}[g.Intn(6)])
		for range 2 {
			push := loadLittleEndian([]uint32{uint32(g.Intn(4)), uint32(g.Intn(6))})
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{buffer(words), buffer(scrambled(512))}}
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
