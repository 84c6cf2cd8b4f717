package pass

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// tileLoop is a program with a loop of n parameters, all of which the code after the loop reads.
func tileLoop(t *testing.T, n int) *ir.Program {
	t.Helper()
	var params, next, stores strings.Builder
	for i := range n {
		fmt.Fprintf(&params, "va%d i32 = 0:i32, ", i)
		fmt.Fprintf(&next, ", va%d", i)
		fmt.Fprintf(&stores, "st.i32 vh, vx, va%d, #0\n", i)
	}
	p, err := ir.Parse(fmt.Sprintf(`%sfunc "main"() L1 {
vx = in.i32 #0
vh = res 0:i32, #0
block L2 {
loop L3(%svi i32 = 0:i32) {
vc = ult.i32 vi, vx
if vc {
br L2
}
vj = add.i32 vi, 1:i32
br L3(%s, vj)
}
}
%s}
`, formHead, params.String(), next.String()[2:], stores.String()))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLoopCloseMemory: the pass closes every parameter of a loop, and its memory is linear in
// their number. Loops over the tiles of cooperative matrices have hundreds of parameters.
func TestLoopCloseMemory(t *testing.T) {
	memory := func(n int) float64 {
		p := tileLoop(t, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lcssa(p, p.Funcs[0])
		runtime.ReadMemStats(&after)
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(p.String(), "br L2("); got != 1 {
			t.Fatalf("%d branches pass values to the exit; must be 1", got)
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	memory(100)
	if a, b := memory(250), memory(2000); b > 3*8*a {
		t.Errorf("a loop of 250 parameters takes %.0f bytes, one of 2000 %.0f", a, b)
	}
}
