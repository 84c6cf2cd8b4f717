package jit_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// constantMaker makes random programs with loops that read a few constants often, and with choices by signs and bits.
type constantMaker struct {
	*rand.Rand
	body           strings.Builder
	names, labels  int
	ints, floats   []string // values in scope
	bools          []string
	whole, numbers []string // constants
	depth          int
	groups         bool // operations between the lanes of a subgroup
}

func (g *constantMaker) name() string { g.names++; return fmt.Sprintf("vt%d", g.names) }

func (g *constantMaker) put(format string, args ...any) {
	fmt.Fprintf(&g.body, format+"\n", args...)
}

func (g *constantMaker) emit(format string, args ...any) string {
	r := g.name()
	g.put("%s = %s", r, fmt.Sprintf(format, args...))
	return r
}

// recent chooses a value, with a preference for the last ones.
func (g *constantMaker) recent(list []string) string {
	if len(list) > 5 && g.Intn(3) > 0 {
		list = list[len(list)-5:]
	}
	return list[g.Intn(len(list))]
}

func (g *constantMaker) int() string   { return g.recent(g.ints) }
func (g *constantMaker) float() string { return g.recent(g.floats) }

func (g *constantMaker) fixed(list, values []string) string {
	if g.Intn(4) > 0 {
		return list[g.Intn(len(list))]
	}
	return g.recent(values)
}

// pair returns two operands, of which one is often a constant.
func (g *constantMaker) pair(list, values []string) (x, y string) {
	x, y = g.recent(values), g.fixed(list, values)
	if g.Intn(2) == 0 {
		x, y = y, x
	}
	return x, y
}

func (g *constantMaker) condition() string {
	var c string
	switch g.Intn(6) {
	case 0, 1:
		c = g.emit("slt.i32 %s, 0:i32", g.int())
	case 2:
		bit := uint32(1) << g.Intn(32)
		c = g.emit("eq.i32 %s, %d:i32", g.emit("and.i32 %s, %d:i32", g.int(), bit), bit)
	case 3:
		bit := uint32(1) << g.Intn(32)
		c = g.emit("eq.i32 %d:i32, %s", bit, g.emit("and.i32 %d:i32, %s", bit, g.int()))
	case 4:
		x, y := g.pair(g.whole, g.ints)
		c = g.emit("ult.i32 %s, %s", x, y)
	default:
		c = g.emit("flt.f32 %s, %s", g.float(), g.fixed(g.numbers, g.floats))
	}
	for g.Intn(3) == 0 {
		d := g.emit("slt.i32 %s, 0:i32", g.int())
		if len(g.bools) > 0 && g.Intn(3) == 0 {
			d = g.recent(g.bools)
		}
		c = g.emit("xor.b1 %s, %s", c, d)
	}
	if g.Intn(4) == 0 {
		g.bools = append(g.bools, c)
	}
	return c
}

func (g *constantMaker) operation() {
	switch g.Intn(14) {
	case 0, 1, 2:
		x, y := g.pair(g.numbers, g.floats)
		g.floats = append(g.floats, g.emit("%s.f32 %s, %s", []string{"fadd", "fsub", "fmul"}[g.Intn(3)], x, y))
	case 3, 4:
		x, y := g.pair(g.numbers, g.floats)
		g.floats = append(g.floats, g.emit("ffma.f32 %s, %s, %s", x, y, g.fixed(g.numbers, g.floats)))
	case 5, 6, 7:
		x, y := g.pair(g.whole, g.ints)
		g.ints = append(g.ints, g.emit("%s.i32 %s, %s", []string{"add", "sub", "and", "or", "xor", "mul"}[g.Intn(6)], x, y))
	case 8:
		c, x := g.condition(), g.float()
		y := g.emit("fneg.f32 %s", x)
		if g.Intn(2) == 0 {
			x, y = y, x
		}
		g.floats = append(g.floats, g.emit("select.f32 %s, %s, %s", c, x, y))
	case 9:
		c := g.condition()
		x, y := g.pair(g.numbers, g.floats)
		g.floats = append(g.floats, g.emit("select.f32 %s, %s, %s", c, x, y))
	case 10:
		c := g.condition()
		x, y := g.pair(append(g.whole, "0:i32", "4294967295:i32"), g.ints)
		g.ints = append(g.ints, g.emit("select.i32 %s, %s, %s", c, x, y))
	case 11:
		g.ints = append(g.ints, g.emit("bitcast.i32.f32 %s", g.emit("fcanon.f32 %s", g.float())))
	case 12:
		if g.groups && g.Intn(2) == 0 {
			g.ints = append(g.ints, g.emit("shuf.i32 %s, %s", g.int(), g.emit("and.i32 %s, 3:i32", g.int())))
			return
		}
		g.ints = append(g.ints, g.emit("ld.i32 vA, %s, #0", g.emit("at 0:i32, %s, #4", g.emit("and.i32 %s, 127:i32", g.int()))))
	default:
		if g.depth < 3 {
			g.depth++
			if g.Intn(2) == 0 {
				g.loop(g.Intn(3))
			} else {
				g.arm()
			}
			g.depth--
		}
	}
}

func (g *constantMaker) operations(n int) {
	for range n {
		g.operation()
	}
}

// scoped runs do, after which the values that it made are out of scope. It returns an integer and a number of do.
func (g *constantMaker) scoped(do func()) (string, string) {
	i, f, b := g.ints, g.floats, g.bools
	g.ints, g.floats, g.bools = slices.Clone(i), slices.Clone(f), slices.Clone(b)
	do()
	x, y := g.ints[len(g.ints)-1], g.floats[len(g.floats)-1]
	g.ints, g.floats, g.bools = i, f, b
	return x, y
}

func (g *constantMaker) label() string { g.labels++; return fmt.Sprintf("L%d", 10+g.labels) }

// arm emits operations that some lanes run.
func (g *constantMaker) arm() {
	l, x, y := g.label(), g.name(), g.name()
	c := g.condition()
	g.put("block %s(%s i32, %s f32) {\nif %s {", l, x, y, c)
	i, f := g.scoped(func() { g.operations(2 + g.Intn(6)) })
	g.put("br %s(%s, %s)\n}", l, i, f)
	i, f = g.scoped(func() { g.operations(g.Intn(5)) })
	g.put("br %s(%s, %s)\n}", l, i, f)
	g.ints, g.floats = append(g.ints, x), append(g.floats, y)
}

// loop emits a loop. Kind 0 ends in different iterations.
func (g *constantMaker) loop(kind int) {
	out, top := g.label(), g.label()
	x, y, k, i, f := g.name(), g.name(), g.name(), g.name(), g.name()
	bound := "vn"
	if kind == 0 {
		bound = g.emit("and.i32 %s, 3:i32", g.int())
	}
	g.put("block %s(%s i32, %s f32) {\nloop %s(%s i32 = 0:i32, %s i32 = %s, %s f32 = %s) {", out, x, y, top, k, i, g.int(), f, g.float())
	a, b := g.scoped(func() {
		g.ints, g.floats = append(g.ints, k, i), append(g.floats, f)
		g.put("if %s {\n} else {\nbr %s(%s, %s)\n}", g.emit("ult.i32 %s, %s", k, bound), out, i, f)
		g.operations(8 + g.Intn(30))
	})
	g.put("br %s(%s, %s, %s)\n}\n}", top, g.emit("add.i32 %s, 1:i32", k), a, b)
	g.ints, g.floats = append(g.ints, x), append(g.floats, y)
}

func (g *constantMaker) program(local [3]int) string {
	whole := []string{"2147483648:i32", "4294967295:i32", "1:i32", "255:i32", "65535:i32", "16711935:i32", "2147483647:i32", "0:i32", "1069547520:i32"}
	numbers := []string{"1.5:f32", "0x80000000:f32", "0x3f800000:f32", "0x7f800000:f32", "0xff800000:f32", "0x00000001:f32", "0x3dcccccd:f32", "0xc2f00000:f32", "0x7fc00000:f32", "0x43000000:f32", "0x0:f32", "0xffffffff:f32"}
	for range 2 + g.Intn(5) {
		g.whole, g.numbers = append(g.whole, whole[g.Intn(len(whole))]), append(g.numbers, numbers[g.Intn(len(numbers))])
	}
	g.ints, g.floats = []string{"vx", "vi", "va"}, []string{"vf"}
	g.operations(g.Intn(6))
	g.loop(1)
	if g.Intn(2) == 0 {
		g.loop(1)
	}
	last := g.emit("bitcast.i32.f32 %s", g.emit("fcanon.f32 %s", g.floats[len(g.floats)-1]))
	return fmt.Sprintf("program \"pinned\" compute\nsubgroup 8\nlocal %d %d %d\npush 4\nin global.x i32 0\nin localindex i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n"+
		"vP = push\nvn = ld.i32 vP, 0:i32, #0\nvA = res 0:i32, #0\nvB = res 0:i32, #1\nvx = in.i32 #0\nvi = in.i32 #1\nvo = at 0:i32, vi, #16\nva = ld.i32 vA, vo, #0\nvf = ld.f32 vA, vo, #4\n%s"+
		"st.i32 vB, vo, %s, #0\nst.i32 vB, vo, %s, #4\nst.i32 vB, vo, %s, #8\n}\n", local[0], local[1], local[2], g.body.String(), g.ints[len(g.ints)-1], g.ints[len(g.ints)-2], last)
}

// TestRandomConstants compares the engines on loops that read a few constants often, in subgroups of all sizes. CHIARO_SEEDS=from-to runs
// others.
func TestRandomConstants(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 60)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		g := &constantMaker{Rand: r, groups: r.Intn(3) == 0}
		text := g.program([][3]int{{64, 1, 1}, {8, 8, 1}, {128, 1, 1}, {5, 7, 1}, {1, 1, 1}, {32, 1, 1}, {24, 2, 1}}[r.Intn(7)])
		size := []uint32{4, 8, 16, 32, 64, 128}[r.Intn(6)]
		first := make([]byte, 16*128+64)
		r.Read(first)
		push := loadLittleEndian([]uint32{uint32(r.Intn(5))})
		do := func(e exec.Engine) []byte {
			prog := compileSeed(t, e, seed, text, size)
			defer prog.Close()
			memory := make([]byte, 16*128)
			job := &exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: push, Resources: [][]exec.Buffer{{{Bytes: bytes.Clone(first)}}, {{Bytes: memory}}}}
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			return memory
		}
		want := do(interp.Engine{})
		eachLevel(t, func(t *testing.T, engine jit.Engine) {
			if got := do(engine); !bytes.Equal(got, want) {
				t.Fatalf("seed %d, subgroups of %d: differs\n%s", seed, size, text)
			}
		})
	}
}
