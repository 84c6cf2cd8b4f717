package codegen

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestClearedSlots: of variables of 1, 70 and 8 slots.
func TestClearedSlots(t *testing.T) {
	for _, x := range []struct{ code, want string }{
		{"va = pld.i32 0:i32, #0", "[{0 1}]"},
		{"pst.i32 0:i32, vx, #0\nva = pld.i32 0:i32, #0", "[]"},
		{"pclr #2\nva = pld.i32 vx, #2", "[]"},
		{"va = pld.i32 vx, #2\npclr #2", "[{71 79}]"},
		{"pst.i32 vx, vx, #2\nva = pld.i32 1:i32, #2", "[{72 73}]"},
		{"va = pld.i64 6:i32, #2\npst.i32 0:i32, vx, #2\nvb = pld.i64 0:i32, #2", "[{72 79}]"}, // with a gap of four slots
		{"va = pld.i64 7:i32, #2", "[]"},                                                       // out of range
		{"if vc {\npst.i32 0:i32, vx, #0\nva = pld.i32 0:i32, #0\n}", "[]"},
		{"if vc {\npst.i32 0:i32, vx, #0\n}\nva = pld.i32 0:i32, #0", "[{0 1}]"},
		{"if vc {\npst.i32 0:i32, vx, #0\n} else {\nva = pld.i32 0:i32, #0\n}", "[{0 1}]"},
		{"pst.i32 0:i32, vx, #0\nif vc {\npst.i32 0:i32, vx, #0\n}\nva = pld.i32 0:i32, #0", "[]"},
		{"block L2 {\nif vc {\nbr L2\n}\npst.i32 0:i32, vx, #0\nbr L2\n}\nva = pld.i32 0:i32, #0", "[{0 1}]"},
		{"ray 0:i32, 0:i32, #1", fmt.Sprintf("[{1 %d}]", 1+ir.RayAnswer)},
		{"ray 0:i32, 1:i32, #1\nva = pld.i32 45:i32, #1\nvb = pld.i32 56:i32, #1", fmt.Sprintf("[{1 %d}]", 1+ir.RayAnswer)},
		{"ray 0:i32, vx, #1\nva = pld.i32 56:i32, #1", "[{1 46} {57 58}]"},
		{"ray 14:i32, 0:i32, #1", "[]"}, // it does not fit
		{"ray vx, 0:i32, #1", "[{1 71}]"},
		{"va = paddr #1", "[]"},
		{"va = paddr #1\nvb = pldi.i32 va", "[{0 79}]"},
	} {
		text := "program \"p\" compute\nsubgroup 8\nlocal 8 1 1\nin global.x i32 0\nvar \"a\" 1 -1\nvar \"b\" 70 -1\nvar \"c\" 8 -1\neffects rays\n\nfunc \"main\"() L1 {\nvx = in.i32 #0\nvc = ult.i32 vx, 3:i32\n" + x.code + "\n}\n"
		p, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", x.code, err)
		}
		list := ClearedSlots(p)
		if list == nil {
			list = []SlotRange{}
		}
		if got := fmt.Sprint(list); got != x.want {
			t.Errorf("%s: %s, want %s", x.code, got, x.want)
		}
	}
}

// TestClearedBytes: rows of 32 bytes are cleared in whole lines, which do not overlap.
func TestClearedBytes(t *testing.T) {
	p := &ir.Program{Vars: []ir.Var{{Slots: 16}}}
	b := ir.NewFunc("main", nil, nil)
	for _, slot := range []uint32{1, 7, 8} {
		b.OpAux(ir.PLd, ir.I32, 0, b.I32(slot))
	}
	p.Funcs = []*ir.Func{b.Finish()}
	if got := fmt.Sprint(ClearedBytes(p, 128, 32)); got != "[[128 192] [320 448]]" {
		t.Error(got)
	}
}
