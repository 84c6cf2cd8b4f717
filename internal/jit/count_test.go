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
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// countWriter writes a program with counters at random places of a tree of branches.
type countWriter struct {
	strings.Builder
	r    *rand.Rand
	next int // the next value
	word int // the next counter

	loops bool // there may be loops
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
	if w.r.IntN(2) == 0 {
		n = w.value("and.i32 v2, %d:i32", []uint32{1, 3, 7}[w.r.IntN(3)])
	}
	i, label, out := w.next+1, w.next+2, w.next+3
	w.next += 3
	fmt.Fprintf(w, "block L%d {\nloop L%d(v%d i32 = 0:i32) {\n", out, label, i)
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
}

// branches writes counters, branches and loops; a branch may end the invocation.
func (w *countWriter) branches(depth int) {
	for range 1 + w.r.IntN(3) {
		switch k := w.r.IntN(5); {
		case k == 4 && w.loops && depth > 0:
			w.loop(depth)
		case k == 0:
			fmt.Fprintf(w, "count v3, #%d\n", 8*w.word)
			w.word += 2
		case k == 1 || depth == 0:
			fmt.Fprintf(w, "countedge v3, v%d, #%d\n", w.condition(), 8*w.word)
			w.word += 3
		default:
			fmt.Fprintf(w, "if v%d {\n", w.condition())
			w.branches(depth - 1)
			if w.r.IntN(3) == 0 {
				w.WriteString("br L1()\n")
			}
			w.WriteString("}\n")
		}
	}
}

// countProgram returns a program with counters for workgroups of a size, and the number of its counters. Each invocation stores its
// position, so that strips may be merged.
func countProgram(r *rand.Rand, subgroup uint32, local [3]uint32) (string, int) {
	w := &countWriter{r: r, next: 9, loops: r.IntN(2) == 0}
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
	return w.String(), w.word
}

// TestCounters compares the counters of random programs with the interpreter's, for strips of several subgroups, and for merged
// workgroups of one or several subgroups.
func TestCounters(t *testing.T) { eachLevel(t, testCounters) }

func testCounters(t *testing.T, engine jit.Engine) {
	n := uint64(60)
	if os.Getenv("CHIARO_LONG") != "" {
		n = 2000
	}
	merged := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(seed, 23))
		subgroup := []uint32{4, 8, 16, 32, 64}[r.IntN(5)]
		local := [3]uint32{[]uint32{1, 2, 3, 4, 8, 16, 24, 32, 64, 128, 256}[r.IntN(11)], 1, 1}
		if r.IntN(4) == 0 && local[0] < 16 {
			local[1] = 4
		}
		groups := [3]uint32{1 + uint32(r.IntN(200)), 1 + uint32(r.IntN(2)), 1}
		text, words := countProgram(r, subgroup, local)
		run := func(e exec.Engine) (exec.Program, []byte) {
			p := compileWith(t, e, text)
			counters := make([]byte, 8*(words+1))
			job := exec.Job{Groups: groups, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: make([]byte, 1<<18)}}, {{Bytes: counters}}}}
			if err := p.Run(context.Background(), &job); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			return p, counters
		}
		_, want := run(interp.Engine{})
		p, got := run(engine)
		if jit.MergedGroups(p) > 0 {
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
