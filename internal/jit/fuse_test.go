package jit_test

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// logicProgram is a random program for the fused operations: logic of several words, rotates, masked
// comparisons, and negated factors, in a loop with divergent exits.
func logicProgram(r *rand.Rand) string {
	var w strings.Builder
	w.WriteString("program \"t\" compute\nsubgroup 16\nlocal 64 1 1\nin global.x i32 0\nres storage 0 0 count 1\neffects writes\n\nfunc \"main\"() L1 {\n")
	n := 0
	line := func(format string, a ...any) string {
		n++
		fmt.Fprintf(&w, "v%d = %s\n", n, fmt.Sprintf(format, a...))
		return fmt.Sprintf("v%d", n)
	}
	h := line("res 0:i32, #0")
	x := line("in.i32 #0")
	at := line("at 0:i32, %s, #16", x)
	var words []string
	for i := range 3 {
		words = append(words, line("ld.i32 %s, %s, #%d", h, at, 4*i))
	}
	n += 3
	a, b, i := fmt.Sprintf("v%d", n-2), fmt.Sprintf("v%d", n-1), fmt.Sprintf("v%d", n)
	fmt.Fprintf(&w, "block L2 {\nloop L3(%s i32 = %s, %s i32 = %s, %s i32 = 0:i32) {\n", a, words[0], b, words[1], i)
	words = append(words, a, b, i)
	pick := func() string { return words[max(0, len(words)-1-r.Intn(6))] }
	for range 4 + r.Intn(20) {
		var v string
		switch u := pick(); r.Intn(8) {
		case 0:
			v = line("not.i32 %s", u)
		case 1:
			k := r.Intn(33) // a rotation but for 0 and 32: counts are modulo 32
			left, right := line("shl.i32 %s, %d:i32", u, k), ""
			right = line("lshr.i32 %s, %d:i32", u, 32-k)
			v = line("%s.i32 %s, %s", []string{"or", "xor", "add"}[r.Intn(3)], right, left)
		case 2:
			c := line("%s.i32 %s, %s", []string{"ult", "sle", "eq", "ule", "slt"}[r.Intn(5)], u, pick())
			d := line("%s.i32 %s, 1000:i32", []string{"ult", "sle"}[r.Intn(2)], pick())
			if r.Intn(2) == 0 {
				d = line("not.b1 %s", d)
			}
			c = line("%s.b1 %s, %s", []string{"and", "or", "xor"}[r.Intn(3)], c, d)
			v = line("select.i32 %s, %s, %s", c, u, pick())
		case 3:
			f, g := line("bitcast.f32.i32 %s", u), line("utof.f32.i32 %s", pick())
			q := line("fneg.f32 %s", f)
			for range 1 + r.Intn(3) { // the negation has readers that fold it, and perhaps another one
				three := []string{f, g, line("fneg.f32 %s", []string{f, g}[r.Intn(2)])}
				three[r.Intn(3)] = q
				r.Shuffle(3, func(i, k int) { three[i], three[k] = three[k], three[i] })
				g = line("ffma.f32 %s, %s, %s", three[0], three[1], three[2])
			}
			if r.Intn(3) == 0 {
				g = line("fadd.f32 %s, %s", g, q)
			}
			v = line("bitcast.i32.f32 %s", line("fcanon.f32 %s", g))
		default:
			v = line("%s.i32 %s, %s", []string{"and", "or", "xor"}[r.Intn(3)], u, pick())
		}
		words = append(words, v)
	}
	stop := line("ult.i32 %s, %s", pick(), pick())
	if r.Intn(2) == 0 {
		stop = line("not.b1 %s", stop)
	}
	fmt.Fprintf(&w, "if %s {\nbr L2\n}\n", stop)
	next := line("add.i32 %s, 1:i32", i)
	few := line("ult.i32 %s, 9:i32", next)
	fmt.Fprintf(&w, "if %s {\nbr L3(%s, %s, %s)\n}\nbr L2\n}\n}\n", few, pick(), pick(), next)
	sum := line("xor.i32 %s, %s", a, b)
	fmt.Fprintf(&w, "st.i32 %s, %s, %s, #12\n}\n", h, at, line("add.i32 %s, %s", sum, i))
	return w.String()
}

// A fused operation has the same result as its parts.
func TestFused(t *testing.T) { eachLevel(t, testFused) }

func testFused(t *testing.T, engine jit.Engine) {
	n := int64(400)
	if testing.Short() {
		n = 60
	}
	for seed := range n {
		r := rand.New(rand.NewSource(seed))
		text := logicProgram(r)
		data := make([]byte, 64*16)
		for i := 0; i < len(data); i += 4 {
			v := r.Uint32()
			if r.Intn(3) == 0 {
				v %= 2000
			}
			binary.LittleEndian.PutUint32(data[i:], v)
		}
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{{{Bytes: data}}}}
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
		}
		if same(t, want, run(engine, text, 0, job)); t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}
