package pass

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// sharedOffsets is a program that loads words of workgroup memory at sums of numbers with a bound and constants. Some sums wrap, are beyond
// the memory, or saturate.
func sharedOffsets(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nshared %d\nin localindex i32 0\nres storage 0 0 count 1\n\n", 64+r.Intn(80))
	b.WriteString("func \"main\"() L1 {\n\tv1 = wg\n\tv2 = res 0:i32, #0\n\tv3 = in.i32 #0\n\tv4 = at 0:i32, v3, #4\n\tv5 = at 0:i32, v3, #64\n\tv6 = mul.i32 v3, 2654435769:i32\n\tst.i32 v1, v4, v6, #0\n\tbarrier\n")
	constant := func() uint32 {
		return []uint32{uint32(r.Intn(16)), uint32(r.Intn(160)), -uint32(r.Intn(70)), 1 << 31, math.MaxUint32, uint32(r.Intn(40)) * 4}[r.Intn(6)]
	}
	v := 7
	values := []int{3, 4, 6}
	var stores strings.Builder
	for n := range 16 {
		for range 1 + r.Intn(4) {
			x := values[r.Intn(len(values))]
			switch r.Intn(9) {
			case 0:
				fmt.Fprintf(&b, "\tv%d = shl.i32 v%d, %d:i32\n", v, x, r.Intn(34))
			case 1:
				fmt.Fprintf(&b, "\tv%d = lshr.i32 v%d, %d:i32\n", v, x, r.Intn(34))
			case 2:
				fmt.Fprintf(&b, "\tv%d = and.i32 v%d, %d:i32\n", v, x, constant())
			case 3:
				fmt.Fprintf(&b, "\tv%d = mul.i32 v%d, %d:i32\n", v, x, r.Intn(6))
			case 4:
				fmt.Fprintf(&b, "\tv%d = at v%d, %d:i32, #%d\n", v, x, constant()&255, 1+r.Intn(8))
			case 5:
				fmt.Fprintf(&b, "\tv%d = umin.i32 v%d, v%d\n", v, x, values[r.Intn(len(values))])
			default:
				fmt.Fprintf(&b, "\tv%d = add.i32 v%d, %d:i32\n", v, x, constant())
			}
			values = append(values, v)
			v++
		}
		fmt.Fprintf(&b, "\tv%d = ld.i32 v1, v%d, #%d\n", v, v-1, []uint32{0, uint32(r.Intn(70)), -uint32(1 + r.Intn(90))}[r.Intn(3)])
		fmt.Fprintf(&stores, "\tst.i32 v2, v5, v%d, #%d\n", v, 4*n)
		v++
	}
	return b.String() + stores.String() + "}\n"
}

// stored runs a workgroup of a program on the interpreter, and returns the bytes of its buffer.
func stored(t *testing.T, p *ir.Program) []byte {
	t.Helper()
	prog, err := interp.Engine{}.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	out := make([]byte, 16*64)
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: out}}}}
	if err := prog.Run(t.Context(), &job); err != nil {
		t.Fatal(err)
	}
	return out
}

// sameStores checks that random programs, one for each seed, store the same bytes after a pass.
func sameStores(t *testing.T, seeds int64, program func(*rand.Rand) string, pass func(*ir.Program)) {
	t.Helper()
	for seed := range seeds {
		text := program(rand.New(rand.NewSource(seed)))
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err, text)
		}
		before := stored(t, p)
		pass(p)
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if !bytes.Equal(before, stored(t, p)) {
			t.Fatalf("seed %d: other bytes\n%s", seed, text)
		}
	}
}

// TestBounds: strength reduction moves a constant of a sum to the access only if that changes no address.
func TestBounds(t *testing.T) {
	changed := 0
	sameStores(t, 400, sharedOffsets, func(p *ir.Program) {
		before := p.String()
		if reduceStrength(p, p.Funcs[0]); p.String() != before {
			changed++
		}
	})
	if changed < 100 {
		t.Errorf("%d programs have changed", changed)
	}
}
