package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// countWriter writes a program with counters at random places of a tree of branches.
type countWriter struct {
	strings.Builder
	r    *rand.Rand
	next int // the next value
	word int // the next counter

	loops  bool   // there may be loops
	calls  bool   // there may be calls of function 1
	waits  bool   // the outermost loops with a common number of iterations may have barriers
	kills  bool   // an invocation may end by a kill
	result string // of the function, in a branch to its label
	labels []int  // of the blocks around the open loops, outermost first
	uneven int    // open branches and loops that only some invocations may take
}

func (w *countWriter) value(format string, args ...any) int {
	w.next++
	fmt.Fprintf(w, "v%d = %s\n", w.next, fmt.Sprintf(format, args...))
	return w.next
}

// condition writes a condition that is often the same in all invocations, and else depends on v2, the position of the invocation.
func (w *countWriter) condition() int {
	x := w.value("and.i32 v2, %d:i32", []uint32{0, 1, 3, 8, 15, 16, 31, 64, 1 << 20}[w.r.IntN(9)])
	return w.value("ult.i32 v%d, %d:i32", x, 1+w.r.IntN(17))
}

// loop writes a loop. Its number of iterations is the same in all invocations, or depends on v2; an iteration may end the invocation.
func (w *countWriter) loop(depth int) {
	n := w.value("add.i32 %d:i32, 0:i32", w.r.IntN(4))
	varies := w.r.IntN(2) == 0
	if varies {
		n = w.value("and.i32 v2, %d:i32", []uint32{1, 3, 7}[w.r.IntN(3)])
		w.uneven++
		defer func() { w.uneven-- }()
	}
	i, label, out := w.next+1, w.next+2, w.next+3
	w.next += 3
	fmt.Fprintf(w, "block L%d {\nloop L%d(v%d i32 = 0:i32) {\n", out, label, i)
	w.labels = append(w.labels, out)
	if w.waits && w.uneven == 0 {
		w.WriteString("barrier\n")
	}
	w.branches(depth - 1)
	c := w.value("ule.i32 v%d, v%d", n, i)
	if w.r.IntN(2) == 0 {
		fmt.Fprintf(w, "countedge v3, v%d, #%d\n", c, 8*w.word)
		w.word += 3
	}
	fmt.Fprintf(w, "if v%d {\nbr L%d()\n}\n", c, out)
	if w.r.IntN(2) == 0 {
		w.branches(depth - 1)
	}
	fmt.Fprintf(w, "br L%d(v%d)\n}\n}\n", label, w.value("add.i32 v%d, 1:i32", i))
	w.labels = w.labels[:len(w.labels)-1]
}

// branches writes counters, branches and loops; a branch may end the invocation.
func (w *countWriter) branches(depth int) {
	for range 1 + w.r.IntN(3) {
		switch k := w.r.IntN(7); {
		case k == 4 && w.loops && depth > 0:
			w.loop(depth)
		case k == 5 && w.calls:
			w.call()
		case k == 6 && depth > 0:
			w.cases(depth)
		case k == 0:
			fmt.Fprintf(w, "count v3, #%d\n", 8*w.word)
			w.word += 2
		case k == 1 || depth == 0:
			fmt.Fprintf(w, "countedge v3, v%d, #%d\n", w.condition(), 8*w.word)
			w.word += 3
		default:
			fmt.Fprintf(w, "if v%d {\n", w.condition())
			w.uneven++
			w.branches(depth - 1)
			w.uneven--
			w.leave()
			w.WriteString("}\n")
		}
	}
}

// leave ends an arm: it goes on, leaves some of the loops, or ends the function or the invocation.
func (w *countWriter) leave() {
	switch k := w.r.IntN(6); {
	case w.waits: // all invocations reach the barriers
	case k == 0:
		fmt.Fprintf(w, "br L1(%s)\n", w.result)
	case k == 1 && len(w.labels) > 0:
		fmt.Fprintf(w, "br L%d()\n", w.labels[w.r.IntN(len(w.labels))])
	case k == 2 && w.kills && w.r.IntN(4) == 0:
		w.WriteString("kill\n")
	}
}

// call writes a call of function 1, with an argument of its own.
func (w *countWriter) call() {
	x := w.value("lshr.i32 v2, %d:i32", w.r.IntN(4))
	w.next++
	fmt.Fprintf(w, "v%d i32 = call 1(v%d)\n", w.next, x)
}

// cases writes a switch with an arm for two values, and one for all others.
func (w *countWriter) cases(depth int) {
	x := w.value("and.i32 v2, %d:i32", []uint32{0, 1, 3, 32}[w.r.IntN(4)])
	out, one := w.next+1, w.next+2
	w.next += 2
	fmt.Fprintf(w, "block L%d {\nblock L%d {\nswitch v%d {1:i32 -> L%d, 3:i32 -> L%d, L%d}\n}\n", out, one, x, one, one, out)
	w.uneven++
	w.branches(depth - 1)
	w.uneven--
	w.WriteString("}\n")
}

// countProgram returns a program with counters for workgroups of a size, and the number of its counters. Each invocation stores its
// position, so that strips may be merged.
func countProgram(r *rand.Rand, subgroup uint32, local [3]uint32) (string, int) {
	w := &countWriter{r: r, next: 9, loops: r.IntN(3) > 0, calls: r.IntN(3) == 0, waits: r.IntN(4) == 0, kills: r.IntN(8) == 0}
	fmt.Fprintf(w, "program \"c\" compute\nsubgroup %d\nlocal %d %d %d\nin global.x i32 0\nres storage 0 0 count 1\nres storage 32 64 count 1\n\n", subgroup, local[0], local[1], local[2])
	w.WriteString("func \"main\"() L1 {\nv3 = res 0:i32, #1\n")
	if r.IntN(4) > 0 {
		w.WriteString("count v3, #0\n")
	}
	w.word = 2
	w.WriteString("v2 = in.i32 #0\nv4 = res 0:i32, #0\nv5 = at 0:i32, v2, #4\n")
	w.branches(2)
	w.WriteString("st.i32 v4, v5, v2, #0\n")
	w.branches(1)
	w.WriteString("}\n")
	if w.calls {
		w.calls, w.waits, w.result = false, false, "v2"
		result := w.next + 1
		w.next++
		fmt.Fprintf(w, "\nfunc \"f\"(v2 i32) L1(v%d i32) {\nv3 = res 0:i32, #1\n", result)
		w.branches(2)
		w.WriteString("br L1(v2)\n}\n")
	}
	return w.String(), w.word
}

// TestCounters compares the counters of random programs with the interpreter's, for strips of several subgroups, and for merged
// workgroups of one or several subgroups. CHIARO_SEEDS=from-to runs others.
func TestCounters(t *testing.T) { eachLevel(t, testCounters) }

func testCounters(t *testing.T, engine jit.Engine) {
	from, to := irgen.Seeds(t, 60, 60)
	if os.Getenv("CHIARO_LONG") != "" {
		to = from + 2000
	}
	merged := 0
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		subgroup := []uint32{4, 8, 16, 32, 64}[r.IntN(5)]
		local := [3]uint32{[]uint32{1, 2, 3, 4, 8, 16, 24, 32, 64, 128, 256}[r.IntN(11)], 1, 1}
		if r.IntN(4) == 0 && local[0] < 16 {
			local[1] = 4
		}
		groups := [3]uint32{1 + uint32(r.IntN(200)), 1 + uint32(r.IntN(2)), 1}
		text, words := countProgram(r, subgroup, local)
		run := func(e exec.Engine) (counters []byte, mergedGroups bool) {
			p, err := ir.Parse(text)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			p.StateEffects()
			prog, err := e.Compile(p, exec.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			defer prog.Close() // the programs of many seeds would fill the reservation of code
			counters = make([]byte, 8*(words+1))
			job := exec.Job{Groups: groups, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 1<<18)}}, {{Bytes: counters}}}}
			if err := prog.Run(context.Background(), &job); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			_, isCode := e.(jit.Engine)
			return counters, isCode && jit.MergedGroups(prog) > 0
		}
		want, _ := run(interp.Engine{})
		got, together := run(engine)
		if together {
			merged++
		}
		for i := range words {
			if x, y := got[8*i:][:8], want[8*i:][:8]; !bytes.Equal(x, y) {
				t.Fatalf("seed %d, subgroups of %d, local %d, groups %d: counter %d is %d, want %d\n%s", seed, subgroup, local, groups, i,
					binary.LittleEndian.Uint64(x), binary.LittleEndian.Uint64(y), text)
			}
		}
	}
	if merged == 0 {
		t.Error("no program with merged workgroups")
	}
}

// TestWideCounts: with a budget above the default, a counter of a loop has more than 32 bits. The last lane of a subgroup executes it most.
func TestWideCounts(t *testing.T) {
	if os.Getenv("CHIARO_LONG") == "" {
		t.Skip("2²⁶ iterations: set CHIARO_LONG")
	}
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		p, err := ir.Parse(`program "c" compute
subgroup 32
local 64 1 1
in global.x i32 0
res storage 32 64 count 1

func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = in.i32 #0
	v3 = add.i32 v2, 67108864:i32
	block L3 {
		loop L4(v5 i32 = 0:i32) {
			count v1, #0
			v6 = ule.i32 v3, v5
			countedge v1, v6, #16
			if v6 {
				br L3()
			}
			v7 = add.i32 v5, 1:i32
			br L4(v7)
		}
	}
}
`)
		if err != nil {
			t.Fatal(err)
		}
		p.StateEffects()
		prog, err := engine.Compile(p, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer prog.Close()
		counters := make([]byte, 8*5)
		job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Budget: 1 << 40, Resources: [][]exec.Buffer{{{Bytes: counters}}}}
		if err := prog.Run(context.Background(), &job); err != nil {
			t.Fatal(err)
		}
		const n = 1<<26 + 1 // iterations of lane 0
		for i, want := range []uint64{64*n + 64*63/2, n + 31 + n + 63, 62, 64, 2} {
			if got := binary.LittleEndian.Uint64(counters[8*i:]); got != want {
				t.Errorf("counter %d is %d; must be %d", i, got, want)
			}
		}
	})
}
