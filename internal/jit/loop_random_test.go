package jit_test

import (
	"bytes"
	"context"
	"errors"
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

// loopMaker makes random programs with counted loops and loops that are nearly so.
type loopMaker struct {
	*rand.Rand
	body  strings.Builder
	names int
	loops int // labels
	depth int
	terms []string // uniform numbers in scope
	meets bool     // the invocations of a workgroup may meet
	plain bool     // loops only load and count
}

func (g *loopMaker) name() string { g.names++; return fmt.Sprintf("vt%d", g.names) }

func (g *loopMaker) pick(list ...string) string { return list[g.Intn(len(list))] }

func (g *loopMaker) put(format string, args ...any) {
	fmt.Fprintf(&g.body, "%s\n", fmt.Sprintf(format, args...))
}

func (g *loopMaker) emit(format string, args ...any) string {
	r := g.name()
	g.put("%s = %s", r, fmt.Sprintf(format, args...))
	return r
}

// index returns a number, often linear in a counter.
func (g *loopMaker) index() string {
	r := g.pick(append([]string{"vx", "vy", "vli", "vw"}, append(g.terms, g.terms...)...)...)
	for range g.Intn(4) {
		switch g.Intn(7) {
		case 0:
			r = g.emit("mul.i32 %s, %s", r, g.pick("vw", "3:i32", "vy", "4294967295:i32", "16:i32", "2147483648:i32"))
		case 1:
			r = g.emit("shl.i32 %s, %d:i32", r, g.Intn(34))
		case 2:
			r = g.emit("sub.i32 %s, %s", r, g.pick("vw", "1:i32", "vy"))
		default:
			r = g.emit("add.i32 %s, %s", r, g.pick(append([]string{"vx", "vy", "vw", "vbase", "2:i32", "vli"}, g.terms...)...))
		}
	}
	return r
}

func (g *loopMaker) offset() string {
	switch g.Intn(8) {
	case 0:
		return g.emit("at %s, %s, #4", g.emit("at 0:i32, %s, #%d", g.index(), 4*(1+g.Intn(5))), g.pick(append([]string{"vw", "vy", "vx"}, g.terms...)...))
	case 1:
		return g.emit("shl.i32 %s, 2:i32", g.index())
	case 2:
		return g.emit("at %s, %s, #%d", g.index(), g.index(), g.Intn(9))
	case 3:
		return g.index()
	}
	return g.emit("at 0:i32, %s, #%d", g.index(), 4*(1+g.Intn(4)))
}

// accesses emits a few accesses and returns the new sum.
func (g *loopMaker) accesses(sum string) string {
	for range 1 + g.Intn(3) {
		vol := g.pick("", "", "", "", "", " !vol", " !coh")
		typ := g.pick("i32", "i32", "i32", "f32", "i16", "i8", "i64")
		if g.plain {
			vol, typ = "", g.pick("i32", "i32", "f32")
		}
		h := g.pick("vA", "vB", "vC", "vE", "vS")
		v := g.emit("ld.%s %s, %s, #%d%s", typ, h, g.offset(), 4*g.Intn(3), vol)
		switch typ {
		case "f32":
			v = g.emit("bitcast.i32.f32 %s", g.emit("fcanon.f32 %s", g.emit("fadd.f32 %s, 1.5:f32", v)))
		case "i16", "i8":
			v = g.emit("zext.i32.%s %s", typ, v)
		case "i64":
			v = g.emit("trunc.i32.i64 %s", v)
		}
		sum = g.emit("%s.i32 %s, %s", g.pick("add", "xor", "mul"), sum, v)
	}
	if g.plain {
		return sum
	}
	switch g.Intn(6) {
	case 0:
		g.put("st.i32 %s, %s, %s, #%d", g.pick("vA", "vC", "vE", "vS"), g.offset(), sum, 4*g.Intn(3))
	case 1:
		c := g.emit("ult.i32 %s, %s", g.index(), g.pick("vx", "vy", "vw", "vli", "3:i32"))
		g.put("if %s {", c)
		g.put("st.i32 %s, %s, %s, #0", g.pick("vA", "vC", "vD"), g.offset(), g.index())
		g.put("}")
	case 2:
		if g.Intn(3) == 0 {
			g.put("%s = atomadd.i32 vD, %s, 1:i32, #4", g.name(), g.offset())
		}
	}
	return sum
}

// loop emits a loop and returns the sum after it.
func (g *loopMaker) loop(sum string) string {
	g.loops++
	out, top, result := fmt.Sprintf("L%d", 10*g.loops), fmt.Sprintf("L%d", 10*g.loops+1), g.name()
	k, s, m := g.name(), g.name(), g.name()
	bound := g.pick("vn", "vn", "vn", "vn", "7:i32", "vw", "vy", m)
	g.put("block %s(%s i32) {", out, result)
	g.put("loop %s(%s i32 = %s, %s i32 = %s, %s i32 = vn) {", top, s, sum, k, g.pick("0:i32", "0:i32", "vfrom", "1:i32", "vy"), m)
	before := g.terms
	g.terms = append(append([]string{}, g.terms...), k)
	if g.Intn(8) == 0 {
		s = g.accesses(s)
	}
	more := g.emit("%s.i32 %s, %s", g.pick("ult", "ult", "slt", "slt", "ule"), k, bound)
	if g.Intn(10) == 0 {
		more = g.emit("eq.b1 0:b1, %s", g.emit("ule.i32 %s, %s", bound, k))
	}
	g.put("if %s {", more)
	t := g.accesses(s)
	if g.Intn(5) == 0 && !g.plain { // an early end
		g.put("if %s {", g.emit("%s.i32 %s, %s", g.pick("ult", "eq"), g.pick("7:i32", "vx", "vli", t), g.pick(k, "vw", "vy", g.emit("and.i32 %s, 15:i32", t))))
		g.put("br %s(%s)", out, g.pick(t, s, k))
		g.put("}")
		t = g.accesses(t)
	}
	if g.depth < 2 && g.Intn(5) == 0 && !g.plain {
		g.depth++
		t = g.loop(t)
		g.depth--
	}
	if g.meets && g.depth == 0 && g.Intn(4) == 0 {
		g.put("barrier")
		t = g.accesses(t)
	}
	g.put("} else {\nbr %s(%s)\n}", out, s)
	next := g.emit("add.i32 %s, %s", k, g.pick("1:i32", "1:i32", "1:i32", "2:i32", "3:i32", "7:i32", "524288:i32", "4294967295:i32"))
	g.terms = append(g.terms, next)
	if g.Intn(4) == 0 {
		t = g.accesses(t)
	}
	g.terms = before
	g.put("br %s(%s, %s, %s)\n}\n}", top, t, next, g.pick(m, m, g.emit("umin.i32 %s, 9:i32", m)))
	return result
}

// program returns a program.
func (g *loopMaker) program(local [3]int, subgroup int) string {
	if g.Intn(2) == 0 {
		g.plain = g.Intn(2) == 0
		switch g.Intn(3) {
		case 0:
			g.put("vin = ule.i32 vlimit, vx\nif vin {\nbr L1\n}")
		case 1:
			g.put("vi1 = ule.i32 vlimit, vx\nvi2 = ule.i32 vn, vy\nvin = or.b1 vi1, vi2\nif vin {\nbr L1\n}")
		default:
			g.put("vi1 = ule.i32 vlimit, vx\nvi2 = ule.i32 vn, 3:i32\nvin = or.b1 vi1, vi2\nif vin {\nbr L1\n}")
		}
	} else {
		g.meets = true
	}
	sum := "0:i32"
	if g.Intn(3) == 0 {
		sum = g.accesses(sum)
	}
	for range 1 + g.Intn(2) {
		sum = g.loop(sum)
		if g.meets && g.Intn(3) == 0 {
			g.put("barrier")
		}
	}
	return fmt.Sprintf(`program "counted" compute
subgroup %d
local %d %d %d
push 20
shared 256
in global.x i32 0
in global.y i32 0
in localindex i32 0
res storage 0 0 count 1
res storage 0 1 count 1
res storage 0 2 count 1
res storage 0 3 count 1
res storage 0 4 count 3

func "main"() L1 {
vP = push
vA = res 0:i32, #0
vB = res 0:i32, #1
vC = res 0:i32, #2
vD = res 0:i32, #3
vS = wg
vx = in.i32 #0
vy = in.i32 #1
vli = in.i32 #2
vn = ld.i32 vP, 0:i32, #0
vw = ld.i32 vP, 0:i32, #4
vbase = ld.i32 vP, 0:i32, #8
vfrom = ld.i32 vP, 0:i32, #12
vlimit = ld.i32 vP, 0:i32, #16
ve = and.i32 vn, 3:i32
vE = res ve, #4
%svo1 = mul.i32 vy, 64:i32
vo2 = add.i32 vo1, vx
vo = at 0:i32, vo2, #4
st.i32 vD, vo, %s, #64
}
`, subgroup, local[0], local[1], local[2], g.body.String(), sum)
}

// TestLoops runs random programs with loops that are counted, or nearly so.
func TestLoops(t *testing.T) { eachLevel(t, testLoops) }

func testLoops(t *testing.T, engine jit.Engine) {
	words := scrambled(9000)
	for i := 0; i < len(words); i += 3 {
		words[i] = uint32(i) & 63
	}
	from, to := irgen.Seeds(t, 100, 20)
	for seed := from; seed < to; seed++ {
		g := &loopMaker{Rand: rand.New(rand.NewSource(seed))}
		local := [][3]int{{16, 16, 1}, {8, 8, 1}, {16, 4, 1}, {32, 2, 1}, {64, 1, 1}, {4, 16, 1}, {24, 2, 1}, {1, 1, 1}, {5, 5, 1}, {17, 3, 1}, {16, 3, 1}, {128, 1, 1}, {16, 2, 2}, {8, 1, 1}, {32, 4, 1}, {8, 4, 4}, {48, 3, 1}}[g.Intn(17)]
		size := []int{1, 2, 4, 8, 16, 16, 32, 64}[g.Intn(8)]
		text := g.program(local, size)
		pick := func(list ...uint32) uint32 { return list[g.Intn(len(list))] }
		for range 3 {
			push := loadLittleEndian([]uint32{pick(0, 1, 7, 20, 33, 1<<32-1, 1<<31-1), pick(0, 1, 16, 33, 1<<20), pick(0, 3, 9, 1<<31+9, 1<<32-7, 1<<30), pick(0, 2, 19, 1<<32-3, 1<<32-8, 1<<31-8), pick(0, 16, 17, 1000)})
			job := exec.Job{Groups: [3]uint32{2, 2, 1}, Workers: 1, Push: push, Budget: 3000}
			for r := range 4 {
				b := buffer(words[100*r:][:pick(0, 3, 40, 700, 3000, 5000)])
				if g.Intn(4) == 0 {
					b[0].Bytes = b[0].Bytes[:len(b[0].Bytes)*3/4]
				}
				job.Resources = append(job.Resources, b)
			}
			var several []exec.Buffer
			for range 3 {
				several = append(several, buffer(words[100:][:pick(0, 3, 40, 700, 3000)])[0])
			}
			job.Resources = append(job.Resources, several)
			want := run(interp.Engine{}, text, 0, job)
			if want.err != nil && !strings.Contains(want.err.Error(), "step") {
				t.Fatal(want.err, text)
			}
			got := runFenced(t, engine, text, job)
			if laterSubgroup(want.err, got.err, local, uint32(size)) {
				continue
			}
			if a, b := fmt.Sprint(want.err), fmt.Sprint(got.err); a != b {
				t.Fatalf("seed %d, push %v: error %s; must be %s\n%s", seed, push, b, a, text)
			}
			if same(t, want, got); t.Failed() {
				t.Fatalf("seed %d, push %v:\n%s", seed, push, text)
			}
		}
	}
}

// laterSubgroup reports whether an error names a later subgroup of the same workgroup than the one that is wanted, which exceeds its budget
// too, earlier on its way to the same barrier.
func laterSubgroup(want, got error, local [3]int, size uint32) bool {
	var a, b *exec.BudgetError
	if !errors.As(want, &a) || !errors.As(got, &b) || a.Group != b.Group {
		return false
	}
	number := func(at [3]uint32) uint32 { return (at[0] + uint32(local[0])*(at[1]+uint32(local[1])*at[2])) / size }
	return number(b.Local) > number(a.Local)
}

// fence is the number of foreign bytes before and after each buffer of runFenced.
const fence = 1 << 14

// runFenced is run with buffers between foreign bytes, which must not reach a result and must stay.
func runFenced(t *testing.T, e exec.Engine, text string, job exec.Job) outcome {
	t.Helper()
	p, err := parsed(source{text, 0})
	if err != nil {
		t.Fatal(err)
	}
	prog, err := e.Compile(p, exec.Options{})
	if err != nil {
		return outcome{err: err}
	}
	defer prog.Close()
	foreign := bytes.Repeat([]byte{0xa7}, fence)
	copied, fences := make([][]exec.Buffer, len(job.Resources)), [][]byte{}
	for r, list := range job.Resources {
		for _, b := range list {
			memory := slices.Concat(foreign, b.Bytes, foreign)
			end := fence + len(b.Bytes)
			copied[r] = append(copied[r], exec.Buffer{Bytes: memory[fence:end:end]})
			fences = append(fences, memory[:fence], memory[end:])
		}
	}
	job.Resources = copied
	out := outcome{copied, prog.Run(context.Background(), &job)}
	for _, f := range fences {
		if !bytes.Equal(f, foreign) {
			t.Error("foreign bytes changed")
		}
	}
	return out
}

// wrappedLoop loads and stores the element counter + base of a buffer. The counter may step over the bound and wrap around: then the loop ends
// with its budget.
const wrappedLoop = `program "wrapped" compute
subgroup 16
local 16 1 1
push 12
in global.x i32 0
res storage 0 0 count 1
res storage 0 1 count 1

func "main"() L1 {
	vP = push
	vA = res 0:i32, #0
	vB = res 0:i32, #1
	vx = in.i32 #0
	vfrom = ld.i32 vP, 0:i32, #0
	vn = ld.i32 vP, 0:i32, #4
	vbase = ld.i32 vP, 0:i32, #8
	vend = add.i32 vx, vbase
	%s
	block L2(vout i32) {
		loop L3(vsum i32 = 0:i32, vk i32 = vfrom) {
			vmore = %s.i32 vk, vn
			if vmore {
				vi = add.i32 vk, vbase
				vo = at 0:i32, vi, #4
				vj = add.i32 vi, vx
				vq = at 0:i32, vj, #4
				va = ld.i32 vA, vo, #0
				vt = add.i32 vsum, va
				st.i32 vA, vq, vx, #0
			} else {
				br L2(vsum)
			}
			vnext = add.i32 vk, %d:i32
			br L3(vt, vnext)
		}
	}
	vp = at 0:i32, vx, #4
	st.i32 vB, vp, vout, #0
}
`

// TestWrappedCounters runs loops whose counter wraps around before it reaches the bound.
func TestWrappedCounters(t *testing.T) { eachLevel(t, testWrappedCounters) }

func testWrappedCounters(t *testing.T, engine jit.Engine) {
	words := scrambled(32)
	const most, highest = 1<<32 - 1, 1<<31 - 1
	for _, c := range []struct {
		less            string
		from, n, at, by uint32
	}{
		{"ult", most - 7, most, 9, 3}, {"ult", most - 7, most, 9, 1}, {"ult", most - 7, most - 1, 9, 3}, {"ult", most - 7, most - 2, 9, 3},
		{"ult", most - 5, most, 7, 2}, {"ult", most - 3, most - 3, 4, 7},
		{"slt", highest - 7, highest, 1<<31 + 9, 3}, {"slt", highest - 7, highest - 2, 1<<31 + 9, 3}, {"slt", highest - 5, highest, 1<<31 + 6, 2},
	} {
		for _, early := range []string{"", "vmany = ule.i32 vend, 3:i32\n\tif vmany {\n\t\tbr L1\n\t}"} {
			push := loadLittleEndian([]uint32{c.from, c.n, c.at})
			text := fmt.Sprintf(wrappedLoop, early, c.less, c.by)
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: push, Budget: 100, Resources: [][]exec.Buffer{buffer(words[:26]), buffer(words)}}
			if same(t, run(interp.Engine{}, text, 0, job), runFenced(t, engine, text, job)); t.Failed() {
				t.Fatalf("%v, %q", c, early)
			}
		}
	}
}
