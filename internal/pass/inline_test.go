package pass

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// callChain is a program of n functions. Each calls the next one as often as calls
// says.
func callChain(t *testing.T, n, calls int) *ir.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nres storage 0 0 count 1\n\n")
	b.WriteString("func \"main\"() L1 {\nv1 = res 0:i32, #0\nv2 i32 = call 1(5:i32)\nst.i32 v1, 0:i32, v2, #0\n}\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "\nfunc \"f%d\"(v1 i32) L2(v2 i32) {\nv3 = mul.i32 v1, 3:i32\n", i)
		last := 3
		for range calls {
			if i < n {
				fmt.Fprintf(&b, "v%d i32 = call %d(v%d)\n", last+1, i+1, last)
				last++
			}
		}
		fmt.Fprintf(&b, "v%d = add.i32 v%d, %d:i32\nbr L2(v%d)\n}\n", last+1, last, i, last+1)
	}
	p, err := ir.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestInlineChain: a chain of calls becomes one function, and the work is linear in
// the length of the chain.
func TestInlineChain(t *testing.T) {
	memory := func(n int) float64 {
		p := callChain(t, n, 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		inline(p)
		runtime.ReadMemStats(&after)
		if len(p.Funcs) != 1 {
			t.Fatalf("%d functions are left", len(p.Funcs))
		}
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	memory(100)
	if a, b := memory(1000), memory(8000); b > 3*8*a {
		t.Errorf("a chain of 1000 functions takes %.0f bytes, one of 8000 %.0f", a, b)
	}
}

// TestInlineTree: a chain of functions with two calls each has exponentially many
// paths. The program grows by no more than the budget, and the rest stays called.
func TestInlineTree(t *testing.T) {
	p := callChain(t, 60, 2)
	inline(p)
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, f := range p.Funcs {
		size += len(f.Code)
	}
	if size > 2*budgetSmall || len(p.Funcs) < 2 {
		t.Errorf("%d operations in %d functions", size, len(p.Funcs))
	}
}
