package jit_test

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// joinMaker makes random programs with pairs of phases between which values live, in the forms of prefix sums and
// reductions. Some pairs may be joined; in the others a subgroup reads what another one writes.
type joinMaker struct {
	*rand.Rand
	body  strings.Builder
	names int
}

func (g *joinMaker) line(format string, args ...any) { fmt.Fprintf(&g.body, format+"\n", args...) }

func (g *joinMaker) emit(format string, args ...any) string {
	g.names++
	r := fmt.Sprintf("vt%d", g.names)
	g.line("%s = %s", r, fmt.Sprintf(format, args...))
	return r
}

// offset returns the offset of a cell in one of two arrays of 512 words, and an immediate.
func (g *joinMaker) offset(index string) (string, int) {
	stride := 4
	if g.Intn(5) == 0 {
		stride = 8
	}
	imm := 0
	switch g.Intn(8) {
	case 0:
		imm = 4
	case 1, 2:
		imm = 2048
	}
	if g.Intn(4) == 0 {
		return g.emit("shl.i32 %s, %d:i32", index, 1+stride/4), imm
	}
	return g.emit("at %d:i32, %s, #%d", 0, index, stride), imm
}

// guard opens an if of which the arm has vi not below d, and returns the code that closes it with its parameter set
// to x in the arm.
func (g *joinMaker) guard(d string, label int) func(x string) {
	g.line("block L%d(vr%d i32) {", label, label)
	otherwise, first := "vnone", false
	second, end := "} else {", "}\n}" // the code of the lanes that do not leave in the first arm is a second arm, or follows the if
	if g.Intn(2) == 0 {
		second, end = "}", "}"
	}
	if d == "0:i32" || d == "1:i32" && g.Intn(2) == 0 {
		g.line("if %s {\nbr L%d(%s)\n%s", g.emit("eq.i32 vi, 0:i32"), label, otherwise, second)
		return func(x string) { g.line("br L%d(%s)\n%s", label, x, end) }
	}
	switch g.Intn(6) {
	case 0:
		g.line("if %s {", g.emit("ult.i32 %s, vi", d))
	case 1:
		g.line("if %s {\nbr L%d(%s)\n%s", g.emit("ult.i32 vi, %s", d), label, otherwise, second)
		first = true
	case 2:
		g.line("if %s {\nbr L%d(%s)\n%s", g.emit("ule.i32 vi, %s", d), label, otherwise, second)
		first = true
	case 3:
		g.line("if %s {", g.emit("not.b1 %s", g.emit("ult.i32 vi, %s", d)))
	default:
		g.line("if %s {", g.emit("ule.i32 %s, vi", d))
	}
	return func(x string) {
		if first {
			g.line("br L%d(%s)\n%s", label, x, end)
			return
		}
		g.line("br L%d(%s)\n}\nbr L%d(%s)\n}", label, x, label, otherwise)
	}
}

// other returns the index of a cell of another invocation, mostly of one before.
func (g *joinMaker) other(d string) string {
	if g.Intn(8) == 0 {
		return g.emit("add.i32 vi, %s", d)
	}
	if k, ok := strings.CutSuffix(d, ":i32"); ok && g.Intn(2) == 0 {
		n, _ := strconv.Atoi(k)
		return g.emit("add.i32 vi, %d:i32", uint32(-n-g.Intn(6)/5))
	}
	return g.emit("sub.i32 vi, %s", d)
}

// pair emits two phases in iteration number d of a loop.
func (g *joinMaker) pair(label int, d string) {
	at, imm := g.offset("vi")
	v := g.emit("ld.i32 vS, %s, #%d", at, imm)
	if g.Intn(6) == 0 {
		v = g.emit("add.i32 %s, %s", v, g.emit("ld.i32 vB, vo, #0"))
	}
	g.line("vnone = add.i32 %s, %d:i32", v, g.Intn(2))
	end := g.guard(d, label)
	from, off := g.offset(g.other(d))
	x := g.emit("add.i32 %s, %s", v, g.emit("ld.i32 vS, %s, #%d", from, off))
	if g.Intn(8) == 0 {
		g.line("st.i32 vS, %s, %s, #%d", at, x, imm)
	}
	end(x)
	if g.Intn(12) == 0 {
		g.line("st.i32 vS, %s, vr%d, #%d", at, label, imm)
	}
	g.line("barrier")
	to, off := at, imm
	if g.Intn(4) == 0 {
		to, off = g.offset("vi")
	}
	if g.Intn(4) > 0 {
		g.line("st.i32 vS, %s, vr%d, #%d", to, label, off)
	} else {
		g.line("if %s {", g.emit("ule.i32 %s, vi", d))
		g.line("st.i32 vS, %s, %s, #%d", to, g.emit("add.i32 vr%d, %s", label, g.emit("ld.i32 vS, %s, #%d", to, off)), off)
		g.line("}")
	}
	g.line("barrier")
}

// joinProgram returns a random program for workgroups of that many invocations.
func joinProgram(seed int64, invocations int) string {
	g := &joinMaker{Rand: rand.New(rand.NewSource(seed))}
	index := "localindex"
	if g.Intn(3) == 0 {
		index = "local.x"
	}
	init := g.emit("mul.i32 vi, %d:i32", 1+g.Intn(1000))
	g.line("st.i32 vS, vo, %s, #0\nst.i32 vS, vo, vi, #2048\nbarrier", init)
	first, step := []string{"1:i32", "1:i32", "0:i32", "16:i32", "3:i32", "vw"}[g.Intn(6)], []string{"shl.i32 vd, 1:i32", "add.i32 vd, 5:i32", "add.i32 vd, vn"}[g.Intn(3)]
	g.line("block L2 {\nloop L3(vd i32 = %s, vk i32 = 0:i32) {\nvgo = ult.i32 vk, %d:i32\nif vgo {", first, 1+g.Intn(8))
	g.pair(4, []string{"vd", "vd", "vd", fmt.Sprintf("%d:i32", g.Intn(40))}[g.Intn(4)])
	g.line("} else {\nbr L2\n}\nve = %s\nvl = add.i32 vk, 1:i32\nbr L3(ve, vl)\n}\n}", step)
	g.line("vp = ld.i32 vS, vo, #0\nvq = ld.i32 vS, vo, #2048\nvz = mul.i32 vq, 31:i32\nvy = add.i32 vp, vz")
	return fmt.Sprintf(`program "joined" compute
subgroup 16
local %d 1 1
push 4
shared 4096
in %s i32 0
in workgroup.x i32 0
res storage 0 0 count 1

func "main"() L1 {
	vi = in.i32 #0
	vw = in.i32 #1
	vB = res 0:i32, #0
	vS = wg
	vP = push
	vn = ld.i32 vP, 0:i32, #0
	vo = at 0:i32, vi, #4
%s	vto = at vo, vw, #1024
	st.i32 vB, vto, vy, #0
}
`, invocations, index, g.body.String())
}

// TestJoinedPhases: results do not depend on whether phases on both sides of a barrier are joined. CHIARO_SEEDS=from-to
// selects other seeds.
func TestJoinedPhases(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 40)
	for seed := from; seed < to; seed++ {
		text := joinProgram(seed, []int{64, 256, 128, 40, 512}[seed%5])
		job := exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Push: []byte{5, 0, 0, 0}, Resources: [][]exec.Buffer{buffer(make([]uint32, 2048))}}
		size := []uint32{4, 8, 16, 32}[seed%4]
		want := run(interp.Engine{}, text, size, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
		}
		for _, level := range jit.Levels() {
			t.Run(fmt.Sprintf("%d/%s", seed, level), func(t *testing.T) {
				same(t, want, run(jit.Engine{Level: level}, text, size, job))
			})
		}
	}
}
