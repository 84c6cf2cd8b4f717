package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// gathers is a program that calls each of three functions for calls pairs of numbers: functions with a common beginning of
// size operations, and an end of their own. Each function gets the same pairs if same is set.
func gathers(t *testing.T, calls, size int, same bool) *ir.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nres storage 0 0 count 1\n\n")
	b.WriteString("func \"main\"() L1 {\nv1 = res 0:i32, #0\nv2 = in.i32 #0\n")
	v := 3
	at := 0
	for i := range calls {
		x := v
		fmt.Fprintf(&b, "v%d = mul.i32 v2, %d:i32\nv%d = xor.i32 v2, %d:i32\n", x, 3+2*i, x+1, 100+i)
		v += 2
		for g := 1; g <= 3; g++ {
			first := x
			if !same {
				fmt.Fprintf(&b, "v%d = add.i32 v%d, %d:i32\n", v, x, 1000*g)
				first, v = v, v+1
			}
			fmt.Fprintf(&b, "v%d i32 = call %d(v%d, v%d)\nst.i32 v1, 0:i32, v%d, #%d\n", v, g, first, x+1, v, at)
			v, at = v+1, at+4
		}
	}
	b.WriteString("}\n")
	for g := 1; g <= 3; g++ {
		fmt.Fprintf(&b, "\nfunc \"g%d\"(v1 i32, v2 i32) L3(v4 i32) {\nv5 = add.i32 v1, v2\n", g)
		for i := range size {
			fmt.Fprintf(&b, "v%d = mul.i32 v%d, v%d\n", 6+i, 5+i, 1+i%2)
		}
		fmt.Fprintf(&b, "v%d = xor.i32 v%d, %d:i32\nbr L3(v%d)\n}\n", 6+size, 5+size, g, 6+size)
	}
	p, err := ir.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestInlineShare: callees that compute the same from the same arguments are inlined although their copies exceed the budget; after
// common-subexpression elimination the copies are within it.
func TestInlineShare(t *testing.T) {
	const calls, size = 16, 120
	if calls*size*3 <= budgetBig {
		t.Fatal("the copies do not exceed the budget")
	}
	p := gathers(t, calls, size, true)
	inline(p)
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	if len(p.Funcs) != 1 {
		t.Errorf("%d functions are left, want 1", len(p.Funcs))
	}
	cse(p, p.Funcs[0])
	if n := len(p.Funcs[0].Code); n > budgetBig {
		t.Errorf("%d operations are left", n)
	}
	p = gathers(t, calls, size, false)
	inline(p)
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	if len(p.Funcs) != 2 {
		t.Errorf("different arguments: %d functions are left, want 2", len(p.Funcs))
	}
}

// TestInlineShareLimit: equal code may add a limited number of operations before common-subexpression elimination.
func TestInlineShareLimit(t *testing.T) {
	p := gathers(t, 50, 800, true)
	inline(p)
	size := 0
	for _, f := range p.Funcs {
		size += len(f.Code)
	}
	if size > maxShareCode+3*1000 {
		t.Errorf("%d operations", size)
	}
}

// TestInlineShareDominance: code in an arm is computed once for each arm, and a store to the memory that the callees load makes their
// loads differ. Each copy has three operations of control besides the handle and the load.
func TestInlineShareDominance(t *testing.T) {
	for _, c := range []struct {
		name, main string
		many       int
	}{
		{"same", "v4 i32 = call 1(v2)\nv5 i32 = call 1(v2)\n", 8},
		{"other arguments", "v4 i32 = call 1(v2)\nv5 i32 = call 1(v3)\n", 9},
		{"arms", "if v3 {\nv4 i32 = call 1(v2)\n} else {\nv5 i32 = call 1(v2)\n}\n", 10},
		{"before an arm", "v4 i32 = call 1(v2)\nif v3 {\nv5 i32 = call 1(v2)\n}\n", 8},
		{"store", "v4 i32 = call 1(v2)\nst.i32 v1, 0:i32, v2, #0\nv5 i32 = call 1(v2)\n", 9},
	} {
		main := c.main
		third := "v3 = add.i32 v2, 1:i32\n"
		if strings.Contains(main, "if") {
			third = "v3 = ult.i32 v2, 1:i32\n"
		}
		p, err := ir.Parse("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nres storage 0 0 count 1\n\n" +
			"func \"main\"() L1 {\nv1 = res 0:i32, #0\nv2 = in.i32 #0\n" + third + main + "}\n" +
			"\nfunc \"g\"(v1 i32) L2(v2 i32) {\nv3 = res 0:i32, #0\nv4 = ld.i32 v3, v1, #0\nbr L2(v4)\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		order, _ := callOrder(p)
		n := inliner{p: p, order: order, verdicts: make([]verdict, len(p.Funcs))}
		if many, ok := n.distinct(1); many != c.many || !ok {
			t.Errorf("%s: %d operations, want %d", c.name, many, c.many)
		}
	}
}
