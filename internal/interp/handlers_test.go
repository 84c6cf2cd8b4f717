package interp

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestTotality checks that every operation of the IR is run, or known not to be.
func TestTotality(t *testing.T) {
	elsewhere := map[ir.Op]string{
		ir.Else: "flattened", ir.End: "flattened", ir.Br: "flattened", ir.Switch: "flattened", ir.Call: "flattened",
		ir.Out: "not of compute",
	}
	for op := ir.Const; op.String() != "op?"; op++ {
		reg := op.Row()
		n := 0
		if reg.Eval != nil {
			n++
		}
		if handlers[op] != nil {
			n++
		}
		if elsewhere[op] != "" || op.OfStage() || op.Is(ir.Implicit) {
			n++
		}
		if n != 1 {
			t.Errorf("%s is handled in %d ways; want one", op, n)
		}
	}
}
