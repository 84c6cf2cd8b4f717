package jit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// contextProgram writes a random program whose invocations have values that live across barriers: through phases, conditions on the index
// of the invocation, loops, and branches that exchange parameters.
type contextProgram struct {
	strings.Builder
	r      *rand.Rand
	values []string // in scope
	n      int      // names so far
}

func (c *contextProgram) name(kind string) string {
	c.n++
	return fmt.Sprint(kind, c.n)
}

func (c *contextProgram) any() string { return c.values[c.r.Intn(len(c.values))] }

// define emits an operation and brings its value into scope.
func (c *contextProgram) define(format string, args ...any) string {
	v := c.name("v")
	fmt.Fprintf(c, "\t"+v+" = "+format+"\n", args...)
	c.values = append(c.values, v)
	return v
}

func (c *contextProgram) compute() {
	c.define([]string{"add", "xor", "mul", "umin"}[c.r.Intn(4)]+".i32 %s, %s", c.any(), c.any())
}

// exchange passes a value to another invocation.
func (c *contextProgram) exchange() {
	at := c.name("v")
	fmt.Fprintf(c, "\tst.i32 vs, vo, %s, #0\n\tbarrier\n\t%s = xor.i32 vo, %d:i32\n", c.any(), at, 4*(1+c.r.Intn(63)))
	c.define("ld.i32 vs, %s, #0", at)
	c.WriteString("\tbarrier\n")
}

// condition changes a value of the invocations before an index, or from it on.
func (c *contextProgram) condition() {
	label, p, b, s, a := c.name("L"), c.name("v"), c.name("v"), c.name("v"), c.any()
	d := fmt.Sprint(c.r.Intn(70), ":i32")
	work := fmt.Sprintf("\t%s = add.i32 %s, %s\n\tst.i32 vs, vo, %s, #0\n\tbr %s(%s)\n", s, a, c.any(), s, label, s)
	idle := fmt.Sprintf("\tbr %s(%s)\n", label, a)
	compare := [][2]string{{"ule.i32 " + d + ", vl", "ult.i32 vl, " + d}, {"ult.i32 " + d + ", vl", "ule.i32 vl, " + d}, {"eq.i32 vl, " + d, "eq.i32 vl, " + d}}[c.r.Intn(3)]
	fmt.Fprintf(c, "\tblock %s(%s i32) {\n", label, p)
	if c.r.Intn(2) == 0 {
		fmt.Fprintf(c, "\t%s = %s\n\tif %s {\n%s\t}\n%s", b, compare[0], b, idle, work)
	} else {
		fmt.Fprintf(c, "\t%s = %s\n\tif %s {\n%s\t}\n%s", b, compare[1], b, work, idle)
	}
	c.WriteString("\t}\n\tbarrier\n")
	c.values = append(c.values, p)
}

// inner emits a loop within a phase: of a number of iterations that is the same for all invocations or depends on their data, in front of an
// arm or around one, with loads from workgroup memory at its counter, an early exit, and sums of subgroups.
func (c *contextProgram) inner() {
	out, top, k, next, b, result, own := c.name("L"), c.name("L"), c.name("v"), c.name("v"), c.name("v"), c.name("v"), c.name("v")
	bound := fmt.Sprint([]int{1, 3, 15, 16, 17, 63, 64, 65, 70}[c.r.Intn(9)], ":i32")
	common := c.r.Intn(2) == 0
	if !common {
		n := c.name("v")
		fmt.Fprintf(c, "\t%s = and.i32 %s, 7:i32\n", n, c.any())
		bound = n
	}
	fmt.Fprintf(c, "\tblock %s(%s i32) {\n\tloop %s(%s i32 = %d:i32, %s i32 = %s) {\n", out, result, top, k, c.r.Intn(2), own, c.any())
	compare := []string{"ult", "slt", "ule", "sle"}[c.r.Intn(4)]
	fmt.Fprintf(c, "\t%s = %s.i32 %s, %s\n\tif %s {\n", b, compare, k, bound, b)
	at, x, sum := c.name("v"), c.name("v"), c.name("v")
	fmt.Fprintf(c, "\t%s = at %s, %s, #4\n\t%s = ld.%s vs, %s, #%d\n", at, []string{"0:i32", "vo"}[c.r.Intn(2)], k, x, "i32", at, 4*c.r.Intn(3))
	fmt.Fprintf(c, "\t%s = add.i32 %s, %s\n", sum, own, x)
	if c.r.Intn(3) == 0 {
		bit, stop := c.name("v"), c.name("v")
		fmt.Fprintf(c, "\t%s = and.i32 %s, 31:i32\n\t%s = eq.i32 %s, 5:i32\n\tif %s {\n\tbr %s(%s)\n\t}\n", bit, sum, stop, bit, stop, out, sum)
	}
	if common && c.r.Intn(4) == 0 {
		of := c.name("v")
		fmt.Fprintf(c, "\t%s = reduce.i32 %s, add, #0\n", of, x)
	}
	fmt.Fprintf(c, "\t%s = add.i32 %s, %d:i32\n\tbr %s(%s, %s)\n\t} else {\n\tbr %s(%s)\n\t}\n\t}\n\t}\n", next, k, 1+c.r.Intn(2), top, next, sum, out, own)
	c.values = append(c.values, result)
}

// arms emits an if of the whole workgroup with phases in one arm or both, whose block has a parameter.
func (c *contextProgram) arms(depth int) {
	out, p, b := c.name("L"), c.name("v"), c.name("v")
	scope := len(c.values)
	fmt.Fprintf(c, "\tblock %s(%s i32) {\n\t%s = %s.i32 vg, %d:i32\n\tif %s {\n", out, p, b, []string{"eq", "ult"}[c.r.Intn(2)], c.r.Intn(2), b)
	if c.r.Intn(2) == 0 {
		c.statements(1+c.r.Intn(2), depth-1)
	}
	fmt.Fprintf(c, "\tbarrier\n\tbr %s(%s)\n\t} else {\n", out, c.any())
	c.values = c.values[:scope]
	if c.r.Intn(2) == 0 {
		c.statements(1+c.r.Intn(2), depth-1)
	}
	fmt.Fprintf(c, "\tbarrier\n\tbr %s(%s)\n\t}\n\t}\n", out, c.any())
	c.values = append(c.values[:scope], p)
}

// whileLoop emits a loop of the workgroup that the second arm of an if leaves, with values that the first arm replaces. Values of the first
// arm are live after the if.
func (c *contextProgram) whileLoop(depth int) {
	out, top, k, next, b := c.name("L"), c.name("L"), c.name("v"), c.name("v"), c.name("v")
	scope := len(c.values)
	n := 1 + c.r.Intn(3)
	var params, inits, results []string
	for range n {
		p := c.name("v")
		params, inits, results = append(params, p), append(inits, fmt.Sprintf("%s i32 = %s", p, c.any())), append(results, c.name("v"))
	}
	fmt.Fprintf(c, "\tblock %s(%s i32) {\n\tloop %s(%s, %s i32 = 0:i32) {\n", out, strings.Join(results, " i32, "), top, strings.Join(inits, ", "), k)
	c.values = append(c.values, params...)
	if c.r.Intn(2) == 0 {
		c.statements(1, depth-1)
	}
	args := func() string {
		list := make([]string, n)
		for i := range list {
			list[i] = c.any()
			if c.r.Intn(2) == 0 {
				list[i] = params[c.r.Intn(n)]
			}
		}
		return strings.Join(list, ", ")
	}
	leave := args()
	if c.r.Intn(2) == 0 {
		leave = strings.Join(params, ", ")
	}
	fmt.Fprintf(c, "\t%s = ult.i32 %s, %d:i32\n\tif %s {\n", b, k, 1+c.r.Intn(4), b)
	c.statements(1+c.r.Intn(2), depth-1)
	last := make([]string, n)
	for i := range last {
		last[i] = c.define("add.i32 %s, %s", params[i], c.any())
		if c.r.Intn(3) == 0 {
			c.WriteString("\tbarrier\n")
		}
	}
	fmt.Fprintf(c, "\tbarrier\n\t} else {\n\tbr %s(%s)\n\t}\n", out, leave)
	if c.r.Intn(2) == 0 {
		c.statements(1, depth-1)
	}
	list := strings.Join(last, ", ")
	if c.r.Intn(3) == 0 {
		list = args()
	}
	fmt.Fprintf(c, "\t%s = add.i32 %s, 1:i32\n\tbr %s(%s, %s)\n\t}\n\t}\n", next, k, top, list, next)
	c.values = append(c.values[:scope], results...)
}

// counted emits a loop within a phase whose counter begins, grows and is compared in any way, also so that it wraps.
func (c *contextProgram) counted() {
	out, top, k, b, result, own, left, fewer := c.name("L"), c.name("L"), c.name("v"), c.name("v"), c.name("v"), c.name("v"), c.name("v"), c.name("v")
	first := []string{"0", "0", "1", "7", "60", "63", "64", "65", "2147483640", "2147483647", "2147483648", "4294967290", "4294967295"}[c.r.Intn(13)]
	step := []string{"1", "1", "2", "3", "64", "65536", "65537", "2147483647", "2147483648", "4294967295", "4294967294"}[c.r.Intn(11)]
	bound := []string{"0", "1", "16", "62", "63", "64", "65", "2147418111", "2147418112", "2147483647", "2147483648", "4294967295"}[c.r.Intn(12)]
	compare := []string{"ult", "slt", "ule", "sle"}[c.r.Intn(4)] + ".i32 "
	if c.r.Intn(2) == 0 {
		compare += k + ", " + bound + ":i32"
	} else {
		compare += bound + ":i32, " + k
	}
	fmt.Fprintf(c, "\tblock %s(%s i32) {\n\tloop %s(%s i32 = %s, %s i32 = %s:i32, %s i32 = %d:i32) {\n", out, result, top, own, c.any(), k, first, left, 1+c.r.Intn(9))
	stop := c.name("v")
	fmt.Fprintf(c, "\t%s = eq.i32 %s, 0:i32\n\tif %s {\n\tbr %s(%s)\n\t}\n", stop, left, stop, out, own)
	fmt.Fprintf(c, "\t%s = sub.i32 %s, 1:i32\n\t%s = %s\n", fewer, left, b, compare)
	if c.r.Intn(3) == 0 {
		not := c.name("v")
		fmt.Fprintf(c, "\t%s = not.b1 %s\n", not, b)
		b = not
	}
	load := func() string {
		at, x, sum := c.name("v"), c.name("v"), c.name("v")
		fmt.Fprintf(c, "\t%s = at %s, %s, #%d\n\t%s = ld.i32 vs, %s, #%d\n", at, []string{"0:i32", "0:i32", "vo", "4:i32"}[c.r.Intn(4)], k, []int{4, 4, 8}[c.r.Intn(3)], x, at, 4*c.r.Intn(3))
		fmt.Fprintf(c, "\t%s = add.i32 %s, %s\n", sum, own, x)
		return sum
	}
	back := func(sum string) {
		n := c.name("v")
		fmt.Fprintf(c, "\t%s = add.i32 %s, %s:i32\n\tbr %s(%s, %s, %s)\n", n, k, step, top, sum, n, fewer)
	}
	leave := func(sum string) { fmt.Fprintf(c, "\tbr %s(%s)\n", out, sum) }
	if c.r.Intn(4) == 0 {
		bit, odd := c.name("v"), c.name("v")
		fmt.Fprintf(c, "\t%s = and.i32 %s, 3:i32\n\t%s = eq.i32 %s, 1:i32\n\tif %s {\n", bit, own, odd, bit, odd)
		back(own)
		c.WriteString("\t}\n")
	}
	end := c.r.Intn(4)
	fmt.Fprintf(c, "\tif %s {\n", b)
	sum := load()
	if end != 0 {
		[]func(string){back, leave}[c.r.Intn(2)](sum)
	}
	c.WriteString("\t} else {\n")
	other := own
	if c.r.Intn(2) == 0 {
		other = load()
	}
	if end != 1 {
		[]func(string){back, leave, leave}[c.r.Intn(3)](other)
	}
	c.WriteString("\t}\n")
	switch end {
	case 0:
		back(sum)
	case 1:
		back(other)
	}
	c.WriteString("\t}\n\t}\n")
	c.values = append(c.values, result)
}

// loop emits a loop of the workgroup with one to three parameters, which the branch back may exchange. Its block may have a parameter.
func (c *contextProgram) loop(depth int) {
	out, top, k, next, b, result := c.name("L"), c.name("L"), c.name("v"), c.name("v"), c.name("v"), c.name("v")
	scope := len(c.values)
	var params, inits []string
	for range 1 + c.r.Intn(3) {
		p := c.name("v")
		params, inits = append(params, p), append(inits, fmt.Sprintf("%s i32 = %s", p, []string{c.any(), c.any(), "7:i32", "vl"}[c.r.Intn(4)]))
	}
	fmt.Fprintf(c, "\tblock %s(%s i32) {\n\tloop %s(%s, %s i32 = 0:i32) {\n", out, result, top, strings.Join(inits, ", "), k)
	c.values = append(c.values, params...)
	c.statements(1+c.r.Intn(3), depth-1)
	c.WriteString("\tbarrier\n")
	fmt.Fprintf(c, "\t%s = add.i32 %s, 1:i32\n\t%s = ule.i32 %d:i32, %s\n\tif %s {\n\tbr %s(%s)\n\t}\n", next, k, b, 1+c.r.Intn(4), next, b, out, c.any())
	var args []string
	for range params {
		args = append(args, c.any())
	}
	fmt.Fprintf(c, "\tbr %s(%s, %s)\n\t}\n\t}\n", top, strings.Join(args, ", "), next)
	c.values = append(c.values[:scope], result)
}

func (c *contextProgram) statements(n, depth int) {
	for range n {
		switch c.r.Intn(9) {
		case 8:
			c.counted()
		case 7:
			if depth > 0 {
				c.arms(depth)
			}
		case 6:
			if depth > 0 {
				c.whileLoop(depth)
			}
		case 5:
			c.inner()
		case 0, 1:
			c.compute()
		case 2:
			c.exchange()
		case 3:
			c.condition()
		case 4:
			if depth > 0 {
				c.loop(depth)
			}
		}
	}
}

func contextText(seed int64) string {
	c := &contextProgram{r: rand.New(rand.NewSource(seed))}
	size := [][2]int{{16, 64}, {16, 64}, {16, 48}, {32, 64}, {8, 32}, {16, 33}, {4, 16}, {64, 128}}[c.r.Intn(8)]
	fmt.Fprintf(c, "program \"contexts\" compute\nsubgroup %d\nlocal %d 1 1\nshared 256\nin local.x i32 0\nin workgroup.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects barrier writes\n\n"+
		"func \"main\"() L1 {\n\tvs = wg\n\tvl = in.i32 #0\n\tvg = in.i32 #1\n\tvo = at 0:i32, vl, #4\n\tvr = res 0:i32, #0\n\tvw = res 0:i32, #1\n", size[0], size[1])
	for i := range 1 + c.r.Intn(3) {
		c.define("ld.i32 vr, vo, #%d", 256*i)
	}
	c.statements(3+c.r.Intn(5), 2)
	group := c.name("v")
	fmt.Fprintf(c, "\t%s = at vo, vg, #8192\n", group)
	for i, v := range c.values {
		fmt.Fprintf(c, "\tst.i32 vw, %s, %s, #%d\n", group, v, 256*i)
	}
	return c.String() + "}\n"
}

// loopedFrom returns the number of operations from which the phases of a program are loops: all of them, or only those that are not short, so
// that the other ones access the contexts of their subgroups one by one.
func loopedFrom(seed int64) int { return []int{1, 1, 60, 200}[seed%4] }

// TestContexts compares the engines on random programs with values that live across barriers, which are in memory even where that does
// not pay.
func TestContexts(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 40)
	for seed := from; seed < to; seed++ {
		undo := vectorize.LoopFrom(loopedFrom(seed))
		text := contextText(seed)
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if seed%2 == 1 {
			pass.Run(p)
		}
		var want []byte
		for i, e := range append([]exec.Engine{interp.Engine{}}, contextEngines()...) {
			prog, err := e.Compile(p, exec.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			in, out := make([]byte, 2048), make([]byte, 1<<14)
			rand.New(rand.NewSource(seed)).Read(in)
			job := &exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: in}}, {{Bytes: out}}}}
			if err := prog.Run(t.Context(), job); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if i == 0 {
				want = out
			}
			if !bytes.Equal(out, want) {
				t.Errorf("seed %d: engine %d has other results than the interpreter\n%s", seed, i, text)
			}
		}
		undo()
	}
}

// rotated are loops of a workgroup of 64 invocations. The phase of the new value is right in front of the branch that still reads the old one, and
// the phase of the first value right in front of a loop whose iterations all read it.
var rotated = map[string]struct {
	text string
	want func(n uint32) uint32 // of the word n of an invocation
}{
	"Fibonacci": {`	vn = add.i32 vx, 0:i32
	block L2(vr i32) {
		loop L3(va i32 = vx, vb i32 = vn, vk i32 = 0:i32) {
			vc = ult.i32 vk, 5:i32
			if vc {
				barrier
			} else {
				br L2(va)
			}
			vs = add.i32 va, vb
			vj = add.i32 vk, 1:i32
			br L3(vb, vs, vj)
		}
	}
`, func(n uint32) uint32 { return 8 * n }},
	"first value": {`	block L2(vr i32) {
		vn = mul.i32 vx, vx
		loop L3(va i32 = 0:i32, vk i32 = 0:i32) {
			vc = ult.i32 vk, 3:i32
			if vc {
				block L4(vq i32) {
					ve = eq.i32 vk, 0:i32
					if ve {
						barrier
						vs = add.i32 va, vx
						br L4(vs)
					} else {
						barrier
						br L4(vn)
					}
				}
				vt = add.i32 va, vq
			} else {
				br L2(va)
			}
			vj = add.i32 vk, 1:i32
			br L3(vt, vj)
		}
	}
`, func(n uint32) uint32 { return 2*n*n + n }},
}

// TestRotatedContexts: parameters of the loops of a workgroup have the values of the branches, if all values are in memory.
func TestRotatedContexts(t *testing.T) {
	defer vectorize.LoopFrom(1)()
	for name, c := range rotated {
		p, err := ir.Parse("program \"rotated\" compute\nsubgroup 16\nlocal 64 1 1\nin local.x i32 0\nres storage 0 0 count 1\neffects barrier writes\n\nfunc \"main\"() L1 {\n" +
			"\tvh = res 0:i32, #0\n\tvg = in.i32 #0\n\tvo = at 0:i32, vg, #4\n\tvx = ld.i32 vh, vo, #0\n\tbarrier\n" + c.text + "\tst.i32 vh, vo, vr, #0\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append([]exec.Engine{interp.Engine{}}, contextEngines()...) {
			memory := make([]byte, 256)
			for i := range uint32(64) {
				binary.LittleEndian.PutUint32(memory[4*i:], i+7)
			}
			prog, err := e.Compile(p, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := prog.Run(t.Context(), &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: memory}}}}); err != nil {
				t.Fatal(err)
			}
			for i := range uint32(64) {
				if got, want := binary.LittleEndian.Uint32(memory[4*i:]), c.want(i+7); got != want {
					t.Errorf("%s, %v: invocation %d has %d; must have %d", name, e, i, got, want)
				}
			}
		}
	}
}

func contextEngines() (list []exec.Engine) {
	for _, level := range jit.Levels() {
		list = append(list, jit.Engine{Level: level})
	}
	return list
}

// TestLoopedWorkgroups compares the engines on programs whose invocations cooperate, with loops over the subgroups of all phases.
func TestLoopedWorkgroups(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 40)
	for seed := from; seed < to; seed++ {
		undo := vectorize.LoopFrom(loopedFrom(seed))
		want, err := left(interp.Engine{}, seed, false)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, level := range jit.Levels() {
			got, err := left(jit.Engine{Level: level}, seed, seed%2 == 0)
			if err != nil {
				t.Fatalf("seed %d, %s: %v", seed, level, err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s: other bytes than the interpreter's", seed, level)
			}
		}
		undo()
	}
}
