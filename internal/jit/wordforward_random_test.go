package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// wordMaker makes random programs without loops that exchange words of two arrays in workgroup memory at constant distances: prefix sums,
// reductions, and any other, with races of subgroups, words that nothing stored and words out of range.
type wordMaker struct {
	*rand.Rand
	body        strings.Builder
	names       int
	values      []string
	invocations int
}

func (g *wordMaker) line(format string, args ...any) { fmt.Fprintf(&g.body, format+"\n", args...) }

func (g *wordMaker) emit(format string, args ...any) string {
	g.names++
	r := fmt.Sprintf("vt%d", g.names)
	g.line("%s = %s", r, fmt.Sprintf(format, args...))
	return r
}

func (g *wordMaker) value() string { return g.values[g.Intn(len(g.values))] }

// distance returns a distance of invocations, mostly a power of two.
func (g *wordMaker) distance() int {
	if g.Intn(6) == 0 {
		return g.Intn(70)
	}
	return 1 << g.Intn(8)
}

// word returns the offset of a word at distance d after the invocation's, and an immediate: one of two arrays.
func (g *wordMaker) word(d int) (offset string, imm int) {
	index := "vi"
	switch {
	case d < 0 && g.Intn(2) == 0:
		index = g.emit("sub.i32 vi, %d:i32", -d)
	case d != 0:
		index = g.emit("add.i32 vi, %d:i32", uint32(d))
	}
	imm = []int{0, 0, 0, 2048, 4}[g.Intn(5)]
	if g.Intn(4) == 0 {
		return g.emit("shl.i32 %s, 2:i32", index), imm
	}
	return g.emit("at %d:i32, %s, #4", 4*g.Intn(2), index), imm
}

// condition returns a comparison of the index of the invocation, mostly with d.
func (g *wordMaker) condition(d int) string {
	c := g.emit([]string{"ule.i32 %d:i32, vi", "ult.i32 vi, %d:i32", "ult.i32 %d:i32, vi", "eq.i32 vi, %d:i32", "sle.i32 %d:i32, vi"}[g.Intn(5)], d)
	if g.Intn(5) == 0 {
		c = g.emit("not.b1 %s", c)
	}
	if g.Intn(6) == 0 {
		c = g.emit("%s.b1 %s, %s", []string{"and", "or"}[g.Intn(2)], c, g.emit("ult.i32 vi, %d:i32", g.Intn(300)))
	}
	return c
}

// index returns a value that a constant number separates from that of the next invocation, mostly, and may wrap around.
func (g *wordMaker) index() string {
	of := []string{"vx", "vi"}[g.Intn(2)]
	switch g.Intn(8) {
	case 0:
		if g.Intn(2) == 0 {
			return g.emit("sub.i32 %d:i32, %s", g.Intn(900), of)
		}
		return g.emit("sub.i32 %s, %d:i32", of, g.Intn(80))
	case 1:
		return g.emit("add.i32 %s, %d:i32", of, g.Uint32())
	case 2:
		return g.emit("shl.i32 %s, %d:i32", of, g.Intn(4))
	case 3:
		return g.emit("mul.i32 %s, %d:i32", of, []int{-1, 0, 2, 3, 0x01010102}[g.Intn(5)]) // the last one wraps around to 254 from 0 to 255
	case 4:
		return g.emit("%s.i32 %s, %d:i32", []string{"and", "lshr"}[g.Intn(2)], of, g.Intn(40))
	}
	return of
}

// bound returns a number that all invocations share, mostly near the indices or more than they are.
func (g *wordMaker) bound() string {
	n := fmt.Sprintf("%d:i32", []int{g.Intn(800), (1+g.Intn(3))*g.invocations + g.Intn(3) - 1, (1+g.Intn(3))*g.invocations<<g.Intn(3) - 2, -1 << 31}[g.Intn(4)])
	if g.Intn(3) == 0 {
		return g.emit("umax.i32 %s, %s", g.emit("ld.i32 vB, %d:i32, #0", 4*g.Intn(9)), n)
	}
	return n
}

// checked emits an access in two forms under a condition of every lane, as accesses by device addresses have it, or one under a condition of any
// values; rarely with an access to a word in an arm. The forms yield the same if, and only if, the condition holds for the lane.
func (g *wordMaker) checked(label int) {
	at, word := g.emit("shl.i32 vx, 2:i32"), ""
	if g.Intn(12) == 0 {
		word = fmt.Sprintf("st.i32 vS, vo, %s, #0\n", g.value())
	}
	if g.Intn(6) == 0 {
		g.line("if %s {\nst.i32 vB, %s, %s, #0\n%s}", g.emit("ult.i32 %s, %s", g.value(), g.value()), at, g.value(), word)
		return
	}
	index, bound := g.index(), g.bound()
	condition := g.emit("every %s", g.emit("ult.i32 %s, %s", index, bound))
	below := g.emit("umin.i32 %s, %s", index, g.emit("sub.i32 %s, 1:i32", bound))
	if g.Intn(2) == 0 {
		g.line("block L%d {\nif %s {\nst.i32 vB, vto, %s, #0\n%sbr L%d\n}", label, condition, below, word, label)
		g.line("st.i32 vB, %s, %s, #0\n%s}", at, index, word)
		return
	}
	g.line("block L%d(vr%d i32) {\nif %s {", label, label, condition)
	a := g.emit("add.i32 %s, %s", g.emit("ld.i32 vB, vto, #0"), below)
	g.line("%sbr L%d(%s)\n}", word, label, a)
	b := g.emit("add.i32 %s, %s", g.emit("ld.i32 vB, %s, #0", at), index)
	g.line("%sbr L%d(%s)\n}", word, label, b)
	g.values = append(g.values, fmt.Sprintf("vr%d", label))
}

// step emits a load, a store, an exchange under a condition, an access with a check, or an operation.
func (g *wordMaker) step(label int) {
	d := g.distance()
	if g.Intn(3) > 0 {
		d = -d
	}
	switch g.Intn(9) {
	case 7, 8:
		g.checked(label)
	case 0:
		at, imm := g.word(d)
		g.values = append(g.values, g.emit("ld.i32 vS, %s, #%d", at, imm))
	case 1:
		at, imm := g.word(g.Intn(2) * d)
		g.line("st.i32 vS, %s, %s, #%d", at, g.value(), imm)
	case 2:
		g.line("if %s {", g.condition(max(d, -d)))
		at, imm := g.word(0)
		from, off := g.word(d)
		g.line("st.i32 vS, %s, %s, #%d\n}", at, g.emit("add.i32 %s, %s", g.emit("ld.i32 vS, %s, #%d", at, imm), g.emit("ld.i32 vS, %s, #%d", from, off)), imm)
	case 3:
		g.values = append(g.values, g.emit("%s.i32 %s, %s", []string{"add", "xor", "mul"}[g.Intn(3)], g.value(), g.value()))
	case 4:
		if g.Intn(3) == 0 {
			g.values = append(g.values, g.emit("ld.i32 vS, %d:i32, #0", 4*g.Intn(300)))
		}
	default: // a step of a prefix sum
		old := g.value()
		g.line("block L%d(vr%d i32) {\nif %s {", label, label, g.condition(max(d, -d)))
		from, off := g.word(d)
		g.line("br L%d(%s)\n}\nbr L%d(%s)\n}", label, g.emit("add.i32 %s, %s", old, g.emit("ld.i32 vS, %s, #%d", from, off)), label, old)
		g.values = append(g.values, fmt.Sprintf("vr%d", label))
		g.line("barrier")
		to, imm := g.word(0)
		g.line("st.i32 vS, %s, vr%d, #%d", to, label, imm)
	}
	if g.Intn(3) > 0 {
		g.line("barrier")
	}
}

// wordProgram returns a random program for workgroups of that many invocations.
func wordProgram(seed int64, invocations int) string {
	g := &wordMaker{Rand: rand.New(rand.NewSource(seed)), invocations: invocations}
	first := g.emit("mul.i32 vi, %d:i32", 1+g.Intn(1000))
	g.values = []string{first, g.emit("ld.i32 vB, vto, #0"), "vi"}
	for i, array := range []int{0, 2048} {
		if g.Intn(4) > 0 {
			g.line("st.i32 vS, vo, %s, #%d", g.values[i], array)
		}
	}
	g.line("barrier")
	for i := range 2 + g.Intn(8) {
		g.step(10 + i)
	}
	sum := "vi"
	for _, v := range append(g.values, g.emit("ld.i32 vS, vo, #0"), g.emit("ld.i32 vS, vo, #2048")) {
		sum = g.emit("add.i32 %s, %s", g.emit("mul.i32 %s, 31:i32", sum), v)
	}
	return fmt.Sprintf(`program "words" compute
subgroup 16
local %d 1 1
shared 4096
in %s i32 0
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1
effects barrier writes

func "main"() L1 {
	vi = in.i32 #0
	vx = in.i32 #1
	vB = res 0:i32, #0
	vC = res 0:i32, #1
	vS = wg
	vo = at 0:i32, vi, #4
	vto = at 0:i32, vx, #4
%s	st.i32 vC, vto, %s, #0
}
`, invocations, []string{"localindex", "local.x"}[g.Intn(2)], g.body.String(), sum)
}

// TestForwardedWords: results do not depend on whether words of workgroup memory are in registers. CHIARO_SEEDS=from-to selects other seeds.
func TestForwardedWords(t *testing.T) {
	from, to := irgen.Seeds(t, 400, 60)
	defer vectorize.ForwardFrom(0)()
	forwarded, guarded := 0, 0
	for seed := from; seed < to; seed++ {
		text := wordProgram(seed, []int{64, 256, 128, 40, 512}[seed%5])
		input := make([]uint32, 2048)
		for i := range input {
			input[i] = uint32(i) * 2654435761
		}
		job := exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(input), buffer(make([]uint32, 1500))}}
		size := []uint32{4, 8, 16, 32}[seed%4]
		want := run(interp.Engine{}, text, size, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
		}
		if p, err := ir.Parse(text); err == nil {
			if list, _, _ := vectorize.Workgroup(p, vcode.Form{Lanes: 8, Vectors: 15, VectorMasks: true}); list != nil && strings.Contains(list[0].String(), " slide ") {
				forwarded++
				if len(list) > 1 {
					guarded++
				}
			}
		}
		for _, level := range jit.Levels() {
			t.Run(fmt.Sprintf("%d/%s", seed, level), func(t *testing.T) {
				same(t, want, run(jit.Engine{Level: level}, text, size, job))
			})
		}
	}
	if guarded == 0 {
		t.Error("no program has a guard")
	}
	if uint64(forwarded)*4 < uint64(to-from) {
		t.Errorf("%d of %d programs have words in registers; must be a quarter", forwarded, to-from)
	}
}
