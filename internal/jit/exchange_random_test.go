package jit_test

import (
	"bytes"
	"context"
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

// exchange makes programs out of textbook algorithms on tiles of workgroup memory, with mutations: each algorithm is right for most
// parameters, and the wrong ones read words that nothing stored, out of range, or of another algorithm. wordMaker, beside it, makes
// programs of single accesses.
type exchange struct {
	r       *rand.Rand
	out     *strings.Builder
	n       int      // invocations
	bytes   int      // of the workgroup memory
	plain   bool     // only forms for registers
	next    int      // number of the next value
	labels  int      // number of the next label
	values  []string // i32, defined in all invocations
	barrier int      // barriers may be emitted here: 0 or more; negative in code that is not uniform
}

func (x *exchange) say(format string, args ...any) { fmt.Fprintf(x.out, "\t"+format+"\n", args...) }

func (x *exchange) let(format string, args ...any) string {
	x.next++
	v := fmt.Sprintf("v%d", 1000+x.next)
	x.say("%s = %s", v, fmt.Sprintf(format, args...))
	return v
}

func (x *exchange) chance(percent int) bool { return x.r.Intn(100) < percent }

func (x *exchange) pick(list ...string) string { return list[x.r.Intn(len(list))] }

func (x *exchange) any() string { return x.values[x.r.Intn(len(x.values))] }

func (x *exchange) keep(v string) { x.values = append(x.values, v) }

func (x *exchange) sync() {
	if x.barrier >= 0 && !x.chance(8) {
		x.say("barrier")
	}
}

// tile is an array of workgroup memory: its first byte, as a part of the offset and of the immediate.
type tile struct{ start, imm int }

func (x *exchange) tile() tile {
	first := 4 * x.r.Intn(3*x.n)
	switch x.r.Intn(4) {
	case 0:
		return tile{first, 0}
	case 1:
		return tile{0, first}
	}
	return tile{0, 0}
}

// at returns the address of element l + d of a tile, in one of the forms of compilers.
func (x *exchange) at(t tile, d int) string {
	i := "vl"
	if d != 0 || x.chance(5) {
		if i = x.let("add.i32 vl, %d:i32", uint32(d)); d < 0 && x.chance(50) {
			i = x.let("sub.i32 vl, %d:i32", -d)
		}
	}
	if t.start == 0 && x.chance(30) {
		return x.let("shl.i32 %s, 2:i32", i)
	}
	return x.let("at %d:i32, %s, #4", t.start, i)
}

func (x *exchange) load(t tile, d int) string {
	a := x.at(t, d)
	if x.chance(15) {
		return x.let("bitcast.i32.f32 %s", x.let("ld.f32 vS, %s, #%d", a, t.imm))
	}
	return x.let("ld.i32 vS, %s, #%d", a, t.imm)
}

func (x *exchange) store(t tile, d int, v string) {
	a := x.at(t, d)
	if x.chance(10) {
		x.say("st.f32 vS, %s, %s, #%d", a, x.let("bitcast.f32.i32 %s", v), t.imm)
		return
	}
	x.say("st.i32 vS, %s, %s, #%d", a, v, t.imm)
}

func (x *exchange) combine(a, b string) string {
	return x.let("%s.i32 %s, %s", x.pick("add", "add", "xor", "sub", "umax", "mul"), a, b)
}

// below returns a condition that holds for the invocations with an index below k, or for those that have not if not is set.
func (x *exchange) below(k int, not bool) string {
	form := x.r.Intn(3)
	var c string
	switch {
	case form == 0:
		c = x.let("ult.i32 vl, %d:i32", k)
	case form == 1 && k > 0:
		c = x.let("ule.i32 vl, %d:i32", k-1)
	default:
		c, not = x.let("ule.i32 %d:i32, vl", k), !not
	}
	if not {
		c = x.let("not.b1 %s", c)
	}
	return c
}

// choose emits code with one of two values as its result: yes's where c holds, and no's elsewhere.
func (x *exchange) choose(c string, yes, no func() string) string {
	x.labels++
	label := x.labels
	depth := x.barrier
	x.barrier = -1
	x.say("block L%d(vp%d i32) {", label, label)
	x.say("if %s {", c)
	live := len(x.values)
	x.say("br L%d(%s)", label, yes())
	x.values = x.values[:live]
	x.say("}")
	x.say("br L%d(%s)", label, no())
	x.values = x.values[:live]
	x.say("}")
	x.barrier = depth
	return fmt.Sprintf("vp%d", label)
}

// prefix is a scan with doubled distances, from one side or the other.
func (x *exchange) prefix() {
	t, v, up := x.tile(), x.any(), x.chance(70)
	x.store(t, 0, v)
	x.sync()
	for d := 1 << x.r.Intn(3); d < x.n && !x.chance(10); d *= 2 {
		e := d
		if x.chance(10) {
			e += x.r.Intn(5) - 2
		}
		c, from := x.below(e, true), -e
		if !up {
			c, from = x.below(max(x.n-e, 0), false), e
		}
		old := v
		v = x.choose(c, func() string { return x.combine(old, x.load(t, from)) }, func() string { return old })
		x.sync()
		x.store(t, 0, v)
		x.sync()
	}
	x.keep(v)
}

// tree reduces a tile in halves; each step adds in place.
func (x *exchange) tree() {
	t := x.tile()
	x.store(t, 0, x.any())
	x.sync()
	for d := x.n / 2; d > 0 && !x.chance(10); d /= 2 {
		x.say("if %s {", x.below(d, false))
		x.store(t, 0, x.combine(x.load(t, 0), x.load(t, d)))
		x.say("}")
		x.sync()
	}
	x.keep(x.let("ld.i32 vS, %d:i32, #%d", t.start, t.imm))
}

// rotate reads the tile in another order of two runs: (l + d) mod n.
func (x *exchange) rotate() {
	t, d := x.tile(), 1+x.r.Intn(x.n)
	x.store(t, 0, x.any())
	x.sync()
	x.keep(x.choose(x.below(x.n-d, false), func() string { return x.load(t, d) }, func() string { return x.load(t, d-x.n) }))
	x.sync()
}

// stencil combines neighbours; ends outside of the tile read other words.
func (x *exchange) stencil() {
	t := x.tile()
	x.store(t, 1, x.any())
	if x.chance(50) {
		x.say("if %s {", x.below(1+x.r.Intn(3), x.chance(20)))
		x.store(t, 0, x.any())
		x.store(t, x.n+x.r.Intn(3), x.any())
		x.say("}")
	}
	x.sync()
	v := x.load(t, 1)
	for range 1 + x.r.Intn(3) {
		v = x.combine(v, x.load(t, 1+x.r.Intn(9)-4))
	}
	x.keep(v)
	x.sync()
}

// overlay stores two runs of different values over each other, the second at a distance, and reads both.
func (x *exchange) overlay() {
	t, d := x.tile(), x.r.Intn(20)-4
	x.store(t, 0, x.any())
	x.say("if %s {", x.below(x.r.Intn(x.n+1), x.chance(50)))
	x.store(t, d, x.any())
	if x.chance(30) {
		x.say("if %s {", x.below(x.r.Intn(x.n+1), x.chance(50)))
		x.store(t, d+x.r.Intn(3), x.any())
		x.say("}")
	}
	x.say("}")
	x.sync()
	x.keep(x.combine(x.load(t, 0), x.load(t, d)))
}

// butterfly exchanges values by the index with flipped bits, which no distance describes.
func (x *exchange) butterfly() {
	t := x.tile()
	for d := 1; d < x.n && !x.chance(25); d *= 2 {
		v := x.any()
		x.store(t, 0, v)
		x.sync()
		i := x.let("xor.i32 vl, %d:i32", d)
		x.keep(x.combine(v, x.let("ld.i32 vS, %s, #%d", x.let("at %d:i32, %s, #4", t.start, i), t.imm)))
		x.sync()
	}
}

// sweeps is an exclusive scan with an up-sweep and a down-sweep in place (Blelloch 1990).
func (x *exchange) sweeps() {
	t := x.tile()
	x.store(t, 0, x.any())
	x.sync()
	step := func(d int, down bool) {
		x.say("if %s {", x.let("ult.i32 vl, %d:i32", x.n/(2*d)))
		i := x.let("mul.i32 vl, %d:i32", 2*d)
		lo, hi := x.let("at %d:i32, %s, #4", t.start+4*(d-1), i), x.let("at %d:i32, %s, #4", t.start+4*(2*d-1), i)
		a, b := x.let("ld.i32 vS, %s, #%d", lo, t.imm), x.let("ld.i32 vS, %s, #%d", hi, t.imm)
		if down {
			x.say("st.i32 vS, %s, %s, #%d", lo, b, t.imm)
		}
		x.say("st.i32 vS, %s, %s, #%d", hi, x.let("add.i32 %s, %s", a, b), t.imm)
		x.say("}")
		x.sync()
	}
	d := 1
	for ; 2*d <= x.n; d *= 2 {
		step(d, false)
	}
	x.say("if %s {", x.let("eq.i32 vl, %d:i32", x.r.Intn(x.n)))
	x.say("st.i32 vS, %d:i32, 0:i32, #%d", t.start+4*(d-1), t.imm)
	x.say("}")
	x.sync()
	for d /= 2; d >= 1; d /= 2 {
		step(d, true)
	}
	x.keep(x.load(t, 0))
}

// arithmetic mixes values, with words of the resources.
func (x *exchange) arithmetic() {
	switch x.r.Intn(4) {
	case 0:
		x.keep(x.let("ld.i32 vB, %s, #%d", x.let("at 0:i32, vx, #4"), 4*x.r.Intn(3)))
	case 1:
		x.say("st.i32 vC, %s, %s, #%d", x.let("at 0:i32, vx, #8"), x.any(), 4*x.r.Intn(2))
	case 2:
		if !x.plain {
			x.keep(x.let("ld.i32 vC, %s, #0", x.let("at 0:i32, vx, #8")))
			return
		}
		fallthrough
	default:
		x.keep(x.combine(x.any(), x.any()))
	}
}

// algorithm emits one of them.
func (x *exchange) algorithm() {
	list := []func(){x.prefix, x.tree, x.rotate, x.stencil, x.overlay, x.arithmetic, x.arithmetic}
	if !x.plain {
		list = append(list, x.butterfly, x.sweeps)
	}
	list[x.r.Intn(len(list))]()
}

// uniform emits algorithms in control flow that all invocations share: an arm, or a loop of few iterations.
func (x *exchange) uniform() {
	live := len(x.values)
	if x.chance(50) {
		x.say("if %s {", x.let("ult.i32 vu, %d:i32", x.r.Intn(4)))
		x.algorithm()
		x.say("}")
		x.values = x.values[:live]
		return
	}
	x.labels += 2
	out, loop := x.labels-1, x.labels
	x.say("block L%d(vp%d i32) {", out, out)
	x.say("loop L%d(vk%d i32 = 0:i32, vm%d i32 = %s) {", loop, loop, loop, x.any())
	x.keep(fmt.Sprintf("vm%d", loop))
	x.algorithm()
	x.algorithm()
	last := x.any()
	k := x.let("add.i32 vk%d, 1:i32", loop)
	x.say("if %s {", x.let("ult.i32 vu, %s", k))
	x.say("br L%d(%s)", out, last)
	x.say("}")
	x.say("br L%d(%s, %s)", loop, k, last)
	x.say("}")
	x.say("}")
	x.values = append(x.values[:live], fmt.Sprintf("vp%d", out))
}

// exchangeProgram returns a program and the number of its invocations.
func exchangeProgram(r *rand.Rand) (text string, invocations int) {
	local := [][3]int{{64, 1, 1}, {256, 1, 1}, {128, 1, 1}, {8, 8, 1}, {16, 4, 2}, {192, 1, 1}, {512, 1, 1}, {32, 2, 4}, {40, 1, 1}, {100, 1, 1}, {33, 1, 1}, {96, 1, 1}, {12, 5, 1}, {24, 1, 1}}[r.Intn(14)]
	n := local[0] * local[1] * local[2]
	x := &exchange{r: r, out: &strings.Builder{}, n: n, bytes: 4 * n * (1 + r.Intn(4)), plain: r.Intn(4) > 0, labels: 1}
	x.keep("vl")
	x.keep(x.let("ld.i32 vB, %s, #0", x.let("at 0:i32, vx, #4")))
	x.keep(x.let("mul.i32 vx, %d:i32", 1+r.Intn(1<<20)))
	for range 1 + r.Intn(5) {
		if !x.plain && x.chance(30) {
			x.uniform()
			continue
		}
		x.algorithm()
	}
	if x.chance(30) { // an early return, mostly after the last barrier
		x.say("if %s {", x.below(r.Intn(n+1), x.chance(50)))
		x.say("br L1")
		x.say("}")
		if x.barrier = -1; x.chance(50) {
			x.overlay()
			x.stencil()
		}
	}
	sum := "vl"
	for _, v := range x.values {
		sum = x.let("add.i32 %s, %s", x.let("mul.i32 %s, 31:i32", sum), v)
	}
	return fmt.Sprintf("program \"exchange\" compute\nsubgroup 16\nlocal %d %d %d\npush 4\nshared %d\nin localindex i32 0\nin workgroup.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects barrier writes\n\nfunc \"main\"() L1 {\n"+
		"\tvl = in.i32 #0\n\tvw = in.i32 #1\n\tvB = res 0:i32, #0\n\tvC = res 0:i32, #1\n\tvS = wg\n\tvP = push\n\tvu = ld.i32 vP, 0:i32, #0\n\tvb = mul.i32 vw, %d:i32\n\tvx = add.i32 vb, vl\n%s\tst.i32 vC, %s, %s, #0\n}\n",
		local[0], local[1], local[2], x.bytes, n, x.out.String()+"\tvo = at 0:i32, vx, #8\n", "vo", sum), n
}

// TestExchanges compares the engines on exchanges of words by workgroup memory, with words in registers where that is possible, and on
// resources that share their bytes. CHIARO_SEEDS=from-to selects other seeds.
func TestExchanges(t *testing.T) {
	from, to := irgen.Seeds(t, 250, 40)
	defer vectorize.ForwardFrom(0)()
	slides := int64(0)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		text, n := exchangeProgram(r)
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		p.SubgroupSize = []uint32{4, 8, 16, 32, 64}[r.Intn(5)]
		if list, _, _ := vectorize.Workgroup(p, vcode.Form{Lanes: 8, Vectors: 15, VectorMasks: true}); list != nil && strings.Contains(list[0].String(), " slide ") {
			slides++
		}
		words, alias := 6*n+r.Intn(9), r.Intn(6) == 0
		memory := func(e exec.Engine) ([]byte, error) {
			b := make([]uint32, words)
			for i := range b {
				b[i] = uint32(i+1) * 2654435761
			}
			in, out := buffer(b), buffer(make([]uint32, words))
			if alias {
				in = out
			}
			prog, err := e.Compile(p, exec.Options{})
			if err != nil {
				return nil, err
			}
			defer prog.Close()
			err = prog.Run(context.Background(), &exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Push: []byte{byte(seed % 4), 0, 0, 0}, Resources: [][]exec.Buffer{in, out}})
			return out[0].Bytes, err
		}
		want, err := memory(interp.Engine{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, level := range jit.Levels() {
			if got, err := memory(jit.Engine{Level: level}); err != nil || !bytes.Equal(want, got) {
				t.Errorf("seed %d, %s, subgroups of %d: error %v, or other bytes\n%s", seed, level, p.SubgroupSize, err, text)
			}
		}
		if t.Failed() {
			return
		}
	}
	if slides*8 < to-from {
		t.Errorf("%d of %d programs have words in registers; must be an eighth", slides, to-from)
	}
}
