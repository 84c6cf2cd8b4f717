package jit_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// randomTally is a program that does atomics of one kind, and more of another, to
// places of two resources, one of them an array: in and out of range, misaligned,
// of constants and not, in some lanes, in a loop, through a descriptor that lanes
// choose.
func randomTally(r *rand.Rand) string {
	var w strings.Builder
	fmt.Fprintf(&w, "program \"tally\" compute\nsubgroup 16\nlocal %d %d 1\nin global.x i32 0\nin global.y i32 0\nres storage 0 0 count 1\nres storage 0 1 count 1\nres storage 0 2 count 3\neffects writes\n\nfunc \"main\"() L1 {\n",
		[]int{1, 7, 16, 24, 64}[r.Intn(5)], []int{1, 1, 2, 3}[r.Intn(4)])
	w.WriteString("\tvx = in.i32 #0\n\tvy = in.i32 #1\n\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvC = res 1:i32, #2\n\tvD = and.i32 vx, 3:i32\n\tvE = res vD, #2\n" +
		"\tvs = mul.i32 vy, 29:i32\n\tvi = add.i32 vx, vs\n\tvo = at 0:i32, vi, #4\n\tvv = ld.i32 vA, vo, #0\n\tvb = slt.i32 vv, 0:i32\n")
	ops := []string{"add", "and", "or", "xor", "umin", "umax", "smin", "smax"}
	kinds := [2]string{ops[r.Intn(8)], ops[r.Intn(8)]}
	types := [2]string{[]string{"i32", "i64"}[r.Intn(2)], []string{"i32", "i64"}[r.Intn(2)]}
	for i := range 1 + r.Intn(4) {
		one := r.Intn(2)
		handle := [][]string{{"vB"}, {"vC", "vE"}}[one]
		operand := []string{"vv", "vx", "1:i32", "0xffffffff:i32", "0x80000000:i32", "127:i32", "128:i32", "vi"}[r.Intn(8)]
		fmt.Fprintf(&w, "\tvm%d = and.i32 %s, %d:i32\n\tvq%d = at %d:i32, vm%d, #%d\n", i, []string{"vv", "vi", "vx"}[r.Intn(3)], []int{0, 3, 31, 0x7fffffff}[r.Intn(4)], i, []uint32{0, 0, 4, 0xfffffff0}[r.Intn(4)], i, []int{4, 4, 8, 2, 1 << 30}[r.Intn(5)])
		if types[one] == "i64" {
			long := fmt.Sprintf("vl%d", i)
			fmt.Fprintf(&w, "\t%s = sext.i64 %s\n", long, operand)
			operand = long
		}
		atomic := fmt.Sprintf("\tvz%d = atom%s.%s %s, vq%d, %s, #%d !unused\n", i, kinds[one], types[one], handle[r.Intn(len(handle))], i, operand, []int{0, 0, 4, 60}[r.Intn(4)])
		switch r.Intn(4) {
		case 0:
			atomic = "\tif vb {\n" + atomic + "\t}\n"
		case 1:
			n := 100 + i
			atomic = fmt.Sprintf("\tvt%d = and.i32 vv, 3:i32\n\tblock L%d {\n\tloop L%d(vk%d i32 = 0:i32) {\n%s\tvn%d = add.i32 vk%d, 1:i32\n\tvc%d = ult.i32 vt%d, vn%d\n\tif vc%d {\n\tbr L%d\n\t}\n\tbr L%d(vn%d)\n\t}\n\t}\n",
				i, n, n+100, i, atomic, i, i, i, i, i, i, n, n+100, i)
		}
		w.WriteString(atomic)
	}
	return w.String() + "}\n"
}

// TestRandomTallies compares the engines on programs whose atomics workers may
// gather, run twice on the same memory, by one worker and by several, on
// descriptors that share bytes and that do not.
func TestRandomTallies(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 60)
	for seed := from; seed < to; seed++ {
		r := rand.New(rand.NewSource(seed))
		text, size := randomTally(r), []uint32{4, 8, 16, 32, 64, 128}[r.Intn(6)]
		groups := [3]uint32{1 + uint32(r.Intn(20)), 1 + uint32(r.Intn(3)), 1}
		first := make([]byte, 1<<10)
		r.Read(first)
		var at [5]int // of descriptors, in bytes
		var length, beyond [5]int
		workers := []int{1, 3}
		for i := range at {
			at[i], length[i] = i*192, 8*r.Intn(24)
			if r.Intn(12) == 0 {
				at[i] -= min(at[i], 8*r.Intn(8))
				workers = workers[:1] // order tells
			}
			length[i] -= r.Intn(2) * min(length[i], r.Intn(9))
			beyond[i] = r.Intn(2) * length[i] / 3
		}
		do := func(e exec.Engine, workers int) []byte {
			prog := compileSeed(t, e, seed, text, size)
			defer prog.Close()
			memory := bytes.Clone(first)
			part := func(i int) exec.Buffer {
				return exec.Buffer{Bytes: memory[at[i]:][:length[i]:length[i]], Beyond: beyond[i]}
			}
			job := &exec.Job{Groups: groups, Workers: workers, Resources: [][]exec.Buffer{{part(0)}, {part(1)}, {part(2), part(3), part(4)}}}
			for range 2 {
				if err := prog.Run(t.Context(), job); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			return memory
		}
		want := do(interp.Engine{}, 1)
		eachLevel(t, func(t *testing.T, engine jit.Engine) {
			for _, n := range workers {
				if got := do(engine, n); !bytes.Equal(got, want) {
					t.Fatalf("seed %d, subgroups of %d, %d workers: differs\n%s", seed, size, n, text)
				}
			}
		})
	}
}
