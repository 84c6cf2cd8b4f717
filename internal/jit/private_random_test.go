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

// privateMaker makes random programs with private memory at constant slots, so that few slots must be zero at first.
type privateMaker struct {
	*rand.Rand
	body   strings.Builder
	names  int
	labels int
	open   []string // labels of open blocks
	calls  bool     // function 1 exists
}

func (g *privateMaker) line(format string, args ...any) { fmt.Fprintf(&g.body, format+"\n", args...) }

func (g *privateMaker) emit(format string, args ...any) string {
	g.names++
	r := fmt.Sprintf("vt%d", g.names)
	g.line("%s = %s", r, fmt.Sprintf(format, args...))
	return r
}

// slot returns a slot, seldom a varying one, and the number of a variable.
func (g *privateMaker) slot() (string, int) {
	v := g.Intn(3)
	if g.Intn(12) == 0 {
		return g.emit("and.i32 vx, %d:i32", []int{1, 3, 7}[g.Intn(3)]), v
	}
	return fmt.Sprintf("%d:i32", g.Intn([]int{1, 5, 9}[v]+1)), v
}

// condition returns a condition that is uniform or not.
func (g *privateMaker) condition(sum string) string {
	if g.Intn(3) == 0 {
		return g.emit("ult.i32 vw, %d:i32", g.Intn(4))
	}
	bit := g.emit("and.i32 %s, %d:i32", sum, 1<<g.Intn(5))
	return g.emit("eq.b1 %s, 0:i32", bit)
}

// load adds a slot to the sum.
func (g *privateMaker) load(sum string) string {
	at, v := g.slot()
	var x string
	switch g.Intn(4) {
	case 0:
		x = g.emit("trunc.i32.i64 %s", g.emit("pld.i64 %s, #%d", at, v))
	case 1:
		x = g.emit("zext.i32.i8 %s", g.emit("pld.i8 %s, #%d", at, v))
	default:
		x = g.emit("pld.i32 %s, #%d", at, v)
	}
	return g.emit("add.i32 %s, %s", g.emit("mul.i32 %s, 7:i32", sum), x)
}

func (g *privateMaker) store(sum string) {
	at, v := g.slot()
	switch g.Intn(6) {
	case 0:
		g.line("pst.i64 %s, %s, #%d", at, g.emit("zext.i64.i32 %s", sum), v)
	case 1:
		g.line("pst.i8 %s, %s, #%d", at, g.emit("trunc.i8.i32 %s", sum), v)
	case 2:
		g.line("pclr #%d", v)
	default:
		g.line("pst.i32 %s, %s, #%d", at, sum, v)
	}
}

// statements emits statements and returns the sum after them. Regions pass values to later code in private memory alone.
func (g *privateMaker) statements(n, depth int, sum string) string {
	for range n {
		switch k := g.Intn(10); {
		case k < 3:
			sum = g.load(sum)
		case k < 6:
			g.store(sum)
		case depth == 0:
		case k == 6:
			g.line("if %s {", g.condition(sum))
			g.statements(1+g.Intn(3), depth-1, sum)
			if g.Intn(2) == 0 {
				g.line("} else {")
				g.statements(1+g.Intn(3), depth-1, sum)
			}
			g.line("}")
		case k == 7:
			g.labels++
			l := fmt.Sprintf("L%d", g.labels+10)
			g.line("block %s {", l)
			g.open = append(g.open, l)
			x := g.statements(1+g.Intn(3), depth-1, sum)
			g.line("if %s {\nbr %s\n}", g.condition(x), g.open[g.Intn(len(g.open))])
			g.statements(1+g.Intn(3), depth-1, x)
			g.line("br %s\n}", l)
			g.open = g.open[:len(g.open)-1]
		case k == 8:
			g.labels += 2
			l, top := fmt.Sprintf("L%d", g.labels+9), fmt.Sprintf("L%d", g.labels+10)
			g.names++
			i := fmt.Sprintf("vt%d", g.names)
			g.line("block %s {", l)
			g.open = append(g.open, l)
			g.line("loop %s(%s i32 = 0:i32) {", top, i)
			x := g.emit("add.i32 %s, %s", sum, i)
			g.line("if %s {\n} else {\nbr %s\n}", g.emit("ult.i32 %s, %s", i, []string{"vw", "3:i32", "vlane"}[g.Intn(3)]), l)
			g.statements(1+g.Intn(4), depth-1, x)
			g.line("br %s(%s)\n}\n}", top, g.emit("add.i32 %s, 1:i32", i))
			g.open = g.open[:len(g.open)-1]
		case g.calls:
			g.line("call 1()")
		}
	}
	return sum
}

// program returns the text of a program.
func (g *privateMaker) program(subgroup int) string {
	g.calls = g.Intn(3) == 0
	callee := ""
	if g.calls {
		f := &privateMaker{Rand: g.Rand, labels: 1000}
		f.line("vx = in.i32 #0\nvlane = and.i32 vx, 3:i32\nvw = and.i32 vx, 0:i32")
		sum := f.statements(1+g.Intn(5), 1, "vx")
		f.line("pst.i32 2:i32, %s, #1", sum)
		callee = "func \"f\"() L1 {\n" + f.body.String() + "}\n"
	}
	sum := g.statements(3+g.Intn(12), 2, "vx")
	for range 4 {
		sum = g.load(sum)
	}
	return fmt.Sprintf(`program "private" compute
subgroup %d
local 32 2 1
push 4
in localindex i32 0
var "a" 1 -1
var "b" 5 -1
var "c" 9 -1
res storage 0 0 count 1

func "main"() L1 {
vP = push
vB = res 0:i32, #0
vx = in.i32 #0
vlane = and.i32 vx, 3:i32
vw = ld.i32 vP, 0:i32, #0
vo = at 0:i32, vx, #4
%sst.i32 vB, vo, %s, #0
}
%s`, subgroup, g.body.String(), sum, callee)
}

// TestPrivateSlots compares programs with private memory, which other subgroups have used before, with the interpreter.
func TestPrivateSlots(t *testing.T) { eachLevel(t, testPrivateSlots) }

func testPrivateSlots(t *testing.T, engine jit.Engine) {
	from, to := irgen.Seeds(t, 200, 40)
	for seed := from; seed < to; seed++ {
		g := &privateMaker{Rand: rand.New(rand.NewSource(seed))}
		text := g.program([]int{4, 8, 16, 16, 32, 64}[g.Intn(6)])
		for _, n := range []uint32{3, 1} {
			job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: loadLittleEndian([]uint32{n}), Resources: [][]exec.Buffer{buffer(make([]uint32, 64))}}
			want := run(interp.Engine{}, text, 0, job)
			if want.err != nil {
				t.Fatal(want.err, text)
			}
			if same(t, want, run(engine, text, 0, job)); t.Failed() {
				t.Fatalf("seed %d, push %v:\n%s", seed, n, text)
			}
		}
	}
}
