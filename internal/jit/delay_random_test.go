package jit_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
)

// tensorWriter writes a kernel over a tensor, of which each invocation computes several elements: their indices are split after the first store.
type tensorWriter struct {
	*rand.Rand
	strings.Builder
	count int
}

// op writes an operation and returns its result.
func (w *tensorWriter) op(op string, args ...any) string {
	w.count++
	fmt.Fprintf(w, "\tvr%d = %s.i32 %s\n", w.count, op, strings.TrimSuffix(fmt.Sprintln(args...), "\n"))
	return fmt.Sprintf("vr%d", w.count)
}

// push reads a number of the launch.
func (w *tensorWriter) push(i int) string {
	w.count++
	fmt.Fprintf(w, "\tvr%d = ld.i32 vP, 0:i32, #%d\n", w.count, 4*i)
	return fmt.Sprintf("vr%d", w.count)
}

// wrap writes the remainder of an index, as compilers write it for divisors that may be powers of two: an if with two branches, or one operation.
func (w *tensorWriter) wrap(index, by string) string {
	switch w.Intn(4) {
	case 0:
		return w.op("umod", index+",", by)
	case 1:
		return w.op("and", w.op("sub", by+",", "1:i32")+",", index)
	}
	mask := w.op("sub", by+",", "1:i32")
	both := w.op("and", mask+",", by)
	w.count++
	n := w.count
	fmt.Fprintf(w, "\tblock L%[1]d(vr%[1]d i32) {\n\tvc%[1]d = eq.i32 %[2]s, 0:i32\n\tif vc%[1]d {\n", n, both)
	fmt.Fprintf(w, "\tbr L%d(%s)\n\t}\n", n, w.op("and", index+",", mask))
	fmt.Fprintf(w, "\tbr L%d(%s)\n\t}\n", n, w.op("umod", index+",", by))
	return fmt.Sprintf("vr%d", n)
}

// offset splits an index by two sizes and returns the place of an element, with the distances of the dimensions.
func (w *tensorWriter) offset(index string) string {
	inner, outer := w.push(1), w.push(2)
	var row, column string
	switch w.Intn(3) {
	case 0:
		row = w.op("udiv", index+",", inner)
		column = w.op("sub", index+",", w.op("mul", row+",", inner))
	case 1:
		row, column = w.op("udiv", index+",", inner), w.op("umod", index+",", inner)
	default: // by a reciprocal
		row = w.op("lshr", w.op("add", w.op("umulhi", index+",", w.push(6))+",", index)+",", w.push(7))
		column = w.op("sub", index+",", w.op("mul", row+",", inner))
	}
	if w.Intn(2) == 0 {
		column = w.wrap(column, outer)
	}
	if w.Intn(4) == 0 {
		column = w.op("lshr", w.op("shl", column+",", "5:i32")+",", fmt.Sprint(w.Intn(7), ":i32"))
	}
	at := w.op("add", w.op("mul", row+",", w.push(4))+",", w.op("mul", column+",", w.push(3)))
	return w.op("add", at+",", fmt.Sprint(w.Intn(3), ":i32"))
}

// element writes the computation of one element and returns the next index.
func (w *tensorWriter) element(n int, index string) string {
	next := fmt.Sprintf("vnext%d", n)
	fmt.Fprintf(w, "\tblock L%d(%s i32) {\n\tvout%d = ule.i32 vN, %s\n\tif vout%d {\n\tbr L%d(%s)\n\t}\n", 1000+n, next, n, index, n, 1000+n, index)
	load := func(from, at string) string {
		w.count++
		fmt.Fprintf(w, "\tvo%[1]d = at 0:i32, %[2]s, #4\n\tvr%[1]d = ld.i32 %[3]s, vo%[1]d, #0\n", w.count, at, from)
		return fmt.Sprintf("vr%d", w.count)
	}
	from := w.offset(index)
	value := load("vA", from)
	if w.Intn(2) == 0 {
		value = w.op("add", value+",", load([]string{"vA", "vB"}[w.Intn(2)], w.offset(index)))
	}
	to := index
	switch w.Intn(3) {
	case 0:
		to = w.offset(index)
	case 1:
		to = from
	}
	if w.Intn(6) == 0 { // an index that another store may have changed
		to = w.op("add", to+",", w.op("and", load("vB", index)+",", "7:i32"))
	}
	w.count++
	fmt.Fprintf(w, "\tvo%[1]d = at 0:i32, %[2]s, #4\n\tst.i32 vB, vo%[1]d, %[3]s, #0\n", w.count, to, value)
	fmt.Fprintf(w, "\tbr L%d(%s)\n\t}\n", 1000+n, w.op("add", index+",", "64:i32"))
	return next
}

// randomTensors returns a kernel of several elements for each invocation.
func randomTensors(r *rand.Rand) string {
	w := &tensorWriter{Rand: r}
	fmt.Fprintf(w, "program \"tensors\" compute\nsubgroup 16\nlocal 64 1 1\npush 32\nin workgroup.x i32 0\nin local.x i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n")
	w.WriteString("\tvP = push\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvN = ld.i32 vP, 0:i32, #0\n\tvg = in.i32 #0\n\tvl = in.i32 #1\n\tvs = mul.i32 vg, 192:i32\n\tvi = add.i32 vs, vl\n")
	index := "vi"
	for n := range 1 + r.Intn(3) {
		index = w.element(n, index)
	}
	return w.String() + "}\n"
}

// TestRandomTensors compares the engines on kernels with stores after which indices are split: tensors of all sizes and distances, and loads of the memory
// stored to.
func TestRandomTensors(t *testing.T) {
	from, to := irgen.Seeds(t, 400, 40)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		text, size := randomTensors(r), []uint32{8, 16, 16, 32, 64}[r.Intn(5)]
		input := make([]byte, 4096)
		r.Read(input)
		one := func(list ...uint32) uint32 { return list[r.Intn(len(list))] }
		var jobs []*exec.Job
		for range 6 {
			inner := one(1, 3, 16, 32, 48, 64, 100, 128, 256, 0)
			push := []uint32{one(0, 50, 64, 200, 576, 576, 600), inner, one(inner, inner, 1, 8, 16, 32, 64, 128, 40, 0), one(1, 1, 1, 1, 2, 0, 3), one(inner, inner, 64, 1), 0, one(0, 1, 1<<30, 0x55555556), one(0, 4, 5, 6, 8, 31)}
			jobs = append(jobs, &exec.Job{Groups: [3]uint32{3, 1, 1}, Workers: 1, Push: loadLittleEndian(push)})
		}
		shared := r.Intn(2) == 0
		agreeOnJobs(t, seed, text, size, jobs, func(job *exec.Job) []byte {
			memory := make([]byte, 2400)
			a := exec.Buffer{Bytes: bytes.Clone(input)}
			if shared {
				copy(memory, input)
				a.Bytes = memory
			}
			job.Resources = [][]exec.Buffer{{a}, {{Bytes: memory}}}
			return memory
		})
	}
}
