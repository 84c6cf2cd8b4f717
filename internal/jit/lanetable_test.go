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

// tileMaker makes random programs that load words of tiles at indices which divide the lanes into rows and columns, and add products of
// them to many sums in a loop. Some tiles are smaller than the indices, some indices wrap around, and some lanes are inactive.
type tileMaker struct {
	*rand.Rand
	body  strings.Builder
	names int
}

func (g *tileMaker) line(format string, args ...any) { fmt.Fprintf(&g.body, format+"\n", args...) }

func (g *tileMaker) emit(format string, args ...any) string {
	g.names++
	r := fmt.Sprintf("vt%d", g.names)
	g.line("%s = %s", r, fmt.Sprintf(format, args...))
	return r
}

func (g *tileMaker) pick(list ...string) string { return list[g.Intn(len(list))] }

// index returns an index with constant differences between lanes, mostly: sums, products and parts of the invocation's number and of
// uniform numbers.
func (g *tileMaker) index(depth int) string {
	if depth == 0 {
		return g.pick("vx", "vx", "vlane", "vw", "vx", "3:i32", "vy")
	}
	a := g.index(depth - 1)
	switch g.Intn(11) {
	case 0, 1:
		return g.emit("and.i32 %s, %d:i32", a, []uint32{1, 3, 3, 7, 15, 31, 12, 4, 1<<32 - 4}[g.Intn(9)])
	case 2, 3:
		return g.emit("lshr.i32 %s, %d:i32", a, []int{1, 2, 2, 3, 4, 5}[g.Intn(6)])
	case 4:
		return g.emit("mul.i32 %s, %d:i32", a, []uint32{3, 17, 5, 33, 1 << 20, 1<<32 - 1}[g.Intn(6)])
	case 5:
		return g.emit("shl.i32 %s, %d:i32", a, g.Intn(6))
	case 6:
		return g.emit("%s.i32 %s, %s", g.pick("or", "xor", "sub"), a, g.index(depth-1))
	case 7:
		return g.emit("%s.i32 %s, %d:i32", g.pick("udiv", "umod", "xor", "sub"), a, 1+g.Intn(9))
	}
	return g.emit("add.i32 %s, %s", a, g.index(depth-1))
}

// offset returns an offset in bytes.
func (g *tileMaker) offset() string {
	i := g.index(1 + g.Intn(4))
	if g.Intn(6) > 0 { // mostly in range
		i = g.emit("and.i32 %s, 63:i32", i)
	}
	switch g.Intn(6) {
	case 0:
		return g.emit("shl.i32 %s, 2:i32", i)
	case 1:
		return g.emit("at %s, %s, #%d", g.emit("at 0:i32, %s, #4", g.index(1)), i, 4*(1+g.Intn(3)))
	}
	return g.emit("at %s, %s, #%d", g.pick("0:i32", "vw4", "16:i32"), i, []int{4, 4, 8, 12, 2}[g.Intn(5)])
}

// loads returns a few loaded words.
func (g *tileMaker) loads() []string {
	var list []string
	for range 2 + g.Intn(4) {
		o := g.offset()
		for range 1 + g.Intn(2) {
			list = append(list, g.emit("ld.i32 %s, %s, #%d", g.pick("vW", "vW", "vA"), o, 4*g.Intn(3)))
		}
	}
	return list
}

// program returns the text of a program.
func (g *tileMaker) program(subgroup, width int) string {
	g.line("vs = at 0:i32, vx, #4\nvm = mul.i32 vx, 40503:i32\nst.i32 vW, vs, vm, #0")
	barrier := g.Intn(3) > 0
	if barrier {
		g.line("barrier")
	}
	guarded := g.Intn(4) == 0 // some lanes are inactive
	if guarded {
		g.line("vg = ult.i32 %s, %d:i32\nif vg {", g.pick("vx", "vlane", "vy"), 1+g.Intn(width))
	}
	n := []int{1, 4, 9, 24, 40}[g.Intn(5)]
	params, inits := []string{"vk i32 = 0:i32"}, make([]string, n)
	results := make([]string, n)
	for i := range n {
		inits[i] = fmt.Sprintf("vp%d", i)
		params = append(params, fmt.Sprintf("vp%d i32 = %s", i, g.pick("0:i32", "vx", "vw")))
		results[i] = fmt.Sprintf("vr%d i32", i)
	}
	before := g.loads()
	g.line("block L5(%s) {\nloop L6(%s) {", strings.Join(results, ", "), strings.Join(params, ", "))
	g.line("vc = ult.i32 vk, %s\nif vc {\n} else {\nbr L5(%s)\n}", g.pick("vw", "vw", "3:i32", "vlane3"), strings.Join(inits, ", "))
	words := append(before, g.loads()...)
	moved := g.emit("at 0:i32, %s, #4", g.emit("add.i32 %s, vk", g.index(2)))
	words = append(words, g.emit("ld.i32 vW, %s, #%d", moved, 4*g.Intn(3)))
	sums := append([]string(nil), inits...)
	for round := range 1 + g.Intn(3) {
		for i := range sums {
			for range g.Intn(4) {
				sums[i] = g.emit("%s.i32 %s, %s", g.pick("add", "sub", "xor", "mul"), sums[i], words[g.Intn(len(words))])
			}
		}
		if g.Intn(3) == 0 {
			g.line("%s = ult.i32 vk, %d:i32\nif vq%d {\n} else {\nbr L5(%s)\n}", fmt.Sprintf("vq%d", round), 1+g.Intn(2), round, strings.Join(sums, ", "))
		}
		if g.Intn(4) == 0 {
			g.line("st.i32 vB, vs, %s, #%d", sums[g.Intn(n)], 4*width)
		}
	}
	g.line("br L6(%s, %s)\n}\n}", g.emit("add.i32 vk, 1:i32"), strings.Join(sums, ", "))
	sum := "vx"
	for i := range n {
		sum = g.emit("add.i32 %s, %s", g.emit("mul.i32 %s, 7:i32", sum), fmt.Sprintf("vr%d", i))
	}
	g.line("st.i32 vB, vs, %s, #0", sum)
	if guarded {
		g.line("}")
	}
	return fmt.Sprintf(`program "tiles" compute
subgroup %d
local %d 1 1
push 4
shared %d
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1 nonwritable

func "main"() L1 {
vP = push
vW = wg
vB = res 0:i32, #0
vA = res 0:i32, #1
vx = in.i32 #0
vlane = and.i32 vx, %d:i32
vlane3 = and.i32 vx, 3:i32
vy = lshr.i32 vx, 4:i32
vw = ld.i32 vP, 0:i32, #0
vw4 = shl.i32 vw, 2:i32
%s}
`, subgroup, width, 4*[]int{width, 64, 70, 300}[g.Intn(4)], subgroup-1, g.body.String())
}

// TestLaneTables compares programs that load tiles with the interpreter.
func TestLaneTables(t *testing.T) { eachLevel(t, testLaneTables) }

func testLaneTables(t *testing.T, engine jit.Engine) {
	from, to := irgen.Seeds(t, 300, 60)
	for seed := from; seed < to; seed++ {
		g := &tileMaker{Rand: rand.New(rand.NewSource(seed))}
		width := []int{16, 32, 64, 128, 24}[g.Intn(5)]
		text := g.program([]int{8, 16, 16, 16, 32, 64}[g.Intn(6)], width)
		for _, n := range []uint32{3, 1<<30 + 2} {
			if n > 3 && strings.Contains(text, "ult.i32 vk, vw") {
				continue // the loop would not end soon
			}
			in := make([]uint32, 50)
			for i := range in {
				in[i] = uint32(i) * 2654435761
			}
			job := exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Push: loadLittleEndian([]uint32{n}), Resources: [][]exec.Buffer{buffer(make([]uint32, 2*width)), buffer(in)}}
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
