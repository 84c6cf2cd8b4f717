package jit_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// weighCase weighs the bytes of two words as linear filters of texels do, for some of the components, or nearly so: with a
// weight that is no byte, weights without a sum of 256, or a rest that something else reads.
func weighCase(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("program \"weights\" compute\nsubgroup 16\nlocal 16 1 1\nin global.x i32 0\n" +
		"res storage 0 0 count 1\nres storage 0 1 count 1\n\nfunc \"main\"() L1 {\n" +
		"\tvi = in.i32 #0\n\tvA = res 0:i32, #0\n\tvC = res 0:i32, #1\n\tva = at 0:i32, vi, #16\n\tvout = at 0:i32, vi, #64\n" +
		"\tvl = ld.i32 vA, va, #0\n\tvh = ld.i32 vA, va, #4\n\tvw = ld.i32 vA, va, #8\n\tvo = ld.i32 vA, va, #12\n")
	largest, whole, other := 255, 256, "vp"
	switch r.Intn(8) {
	case 0:
		largest = 511
	case 1:
		whole = 257
	case 2:
		other = "vq"
	}
	fmt.Fprintf(&b, "\tvp = and.i32 vw, %d:i32\n\tvq = and.i32 vo, 255:i32\n\tvrest = sub.i32 %d:i32, %s\n", largest, whole, other)
	end := ""
	if r.Intn(3) == 0 { // the weights are of another block
		b.WriteString("\tvsome = ult.i32 vo, 2000000000:i32\n\tif vsome {\n")
		end = "\t}\n"
	}
	if r.Intn(4) == 0 {
		b.WriteString("\tst.i32 vC, vout, vrest, #32\n")
	}
	texels := [][2]string{{"vl", "vh"}, {"vh", "vo"}}[:1+r.Intn(2)]
	for t, words := range texels {
		mask := []string{"16711935", "16711935", "16711935", "16711934"}[r.Intn(4)]
		for odd := range 2 {
			n := 2*t + odd
			for i, x := range words {
				if odd == 1 {
					fmt.Fprintf(&b, "\tvs%d%d = lshr.i32 %s, %d:i32\n", n, i, x, []int{8, 8, 8, 9}[r.Intn(4)])
					x = fmt.Sprintf("vs%d%d", n, i)
				}
				fmt.Fprintf(&b, "\tvx%d%d = and.i32 %s, %s:i32\n", n, i, x, mask)
			}
			weights := []string{"vrest", "vp"}
			if r.Intn(8) == 0 {
				weights = []string{"vp", "vrest"}
			}
			for i, w := range weights {
				factors := []string{fmt.Sprintf("vx%d%d", n, i), w}
				if r.Intn(2) == 0 {
					factors[0], factors[1] = factors[1], factors[0]
				}
				fmt.Fprintf(&b, "\tvm%d%d = mul.i32 %s, %s\n", n, i, factors[0], factors[1])
			}
			first := r.Intn(2)
			fmt.Fprintf(&b, "\tve%d = add.i32 vm%d%d, vm%d%d\n", n, n, first, n, 1-first)
			if r.Intn(4) > 0 {
				fmt.Fprintf(&b, "\tvd%d = and.i32 ve%d, 65535:i32\n\tst.i32 vC, vout, vd%d, #%d\n", n, n, n, 8*n)
			}
			if r.Intn(4) > 0 {
				fmt.Fprintf(&b, "\tvf%d = lshr.i32 ve%d, 16:i32\n\tst.i32 vC, vout, vf%d, #%d\n", n, n, n, 8*n+4)
			}
		}
	}
	return b.String() + end + "}\n"
}

// TestWeighBytes runs sums of weighted bytes on both engines.
func TestWeighBytes(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) { testWeighBytes(t, engine) })
}

func testWeighBytes(t *testing.T, engine exec.Engine) {
	const n = 64
	for seed := range 150 {
		r := rand.New(rand.NewSource(int64(seed)))
		words := make([]uint32, 4*n)
		for i := range words {
			switch words[i] = r.Uint32(); r.Intn(5) {
			case 0:
				words[i] = 1<<32 - 1
			case 1:
				words[i] &= 0xff00ff00
			}
		}
		job := exec.Job{Groups: [3]uint32{n / 16, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(words), {{Bytes: make([]byte, 64*n)}}}}
		text := weighCase(r)
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, want.err, text)
		}
		same(t, want, run(engine, text, 0, job))
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
}
