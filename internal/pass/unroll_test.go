package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// nest is a program with a loop of outer iterations around one of six with many operations. The body stores an array of 36
// words, and loads the element that the counters or, if varying is set, the invocation selects.
func nest(t *testing.T, outer, operations int, varying bool) *ir.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nres storage 0 0 count 1\nvar \"a\" 36 0\n\n" +
		"func \"main\"() L1 {\nv1 = res 0:i32, #0\nv2 = in.i32 #0\nv3 = at 0:i32, v2, #4\n" +
		fmt.Sprintf("block L4(v5 i32) {\nloop L6(v7 i32 = 0:i32, v8 i32 = 0:i32) {\nv9 = slt.i32 v7, %d:i32\nif v9 {\n} else {\nbr L4(v8)\n}\n", outer) +
		"block L10(v11 i32) {\nloop L12(v13 i32 = 0:i32, v14 i32 = v8) {\nv15 = slt.i32 v13, 6:i32\nif v15 {\n} else {\nbr L10(v14)\n}\n")
	for i := range 36 {
		fmt.Fprintf(&b, "pst.i32 %d:i32, v%d, #0\n", i, 2+i%2)
	}
	at := 16
	index := at + 1
	if varying {
		fmt.Fprintf(&b, "v%d = mul.i32 v2, 2:i32\nv%d = and.i32 v2, 31:i32\n", at, index)
	} else {
		fmt.Fprintf(&b, "v%d = mul.i32 v7, 6:i32\nv%d = add.i32 v%d, v13\n", at, index, at)
	}
	fmt.Fprintf(&b, "v%d = pld.i32 v%d, #0\nv%d = mul.i32 v14, 3:i32\n", index+1, index, index+2)
	at = index + 3
	for range operations {
		fmt.Fprintf(&b, "v%d = xor.i32 v%d, v%d\n", at, at-1, at-2)
		at++
	}
	fmt.Fprintf(&b, "v%d = add.i32 v%d, v%d\nv%d = add.i32 v13, 1:i32\nbr L12(v%d, v%d)\n}\n}\n", at, at-1, index+1, at+1, at+1, at)
	fmt.Fprintf(&b, "v%d = add.i32 v7, 1:i32\nbr L6(v%d, v11)\n}\n}\nst.i32 v1, v3, v5, #0\n}\n", at+2, at+2)
	p, err := ir.Parse(b.String())
	if err != nil {
		t.Fatal(err, b.String())
	}
	return p
}

// TestUnrollNests: an array is promoted if two nests of four loops select its elements, each in less than maxIndexed operations, and one of
// the nests is in a loop that stays. It is not if a value from memory selects an element in one nest.
func TestUnrollNests(t *testing.T) {
	for _, c := range []struct {
		name, last string
		promoted   bool
	}{
		{"counters", "v%d = add.i32 v%d, 0:i32\n", true},
		{"memory", "v%d = add.i32 v%d, v2\n", false},
	} {
		var b strings.Builder
		v := 10
		name := func() int { v++; return v }
		// nested emits a nest of two iterations for each loop around the code of body at the index of the counters.
		nested := func(body func(index int)) {
			var counters, labels [4]int
			sum := 0
			for k := range 4 {
				labels[k] = name()
				top := name()
				counters[k] = name()
				c := name()
				fmt.Fprintf(&b, "block L%d {\nloop L%d(v%d i32 = 0:i32) {\nv%d = ult.i32 v%d, 2:i32\nif v%d {\n} else {\nbr L%d\n}\n", labels[k], top, counters[k], c, counters[k], c, labels[k])
				labels[k] = top
				shifted, next := name(), name()
				fmt.Fprintf(&b, "v%d = shl.i32 v%d, %d:i32\n", shifted, counters[k], k)
				if k == 0 {
					fmt.Fprintf(&b, "v%d = add.i32 v%d, 0:i32\n", next, shifted)
				} else {
					fmt.Fprintf(&b, "v%d = add.i32 v%d, v%d\n", next, shifted, sum)
				}
				sum = next
			}
			body(sum)
			for k := 3; k >= 0; k-- {
				n := name()
				fmt.Fprintf(&b, "v%d = add.i32 v%d, 1:i32\nbr L%d(v%d)\n}\n}\n", n, counters[k], labels[k], n)
			}
		}
		b.WriteString("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\npush 4\nin localindex i32 0\nres storage 0 0 count 1\nvar \"a\" 16 0\n\nfunc \"main\"() L1 {\n" +
			"v1 = res 0:i32, #0\nv2 = in.i32 #0\nv3 = at 0:i32, v2, #64\nv4 = push\nv5 = ld.i32 v4, 0:i32, #0\n" +
			"block L6 {\nloop L7(v8 i32 = 0:i32) {\nv9 = ult.i32 v8, v5\nif v9 {\n} else {\nbr L6\n}\n")
		nested(func(index int) {
			old, sum := name(), name()
			fmt.Fprintf(&b, "v%d = pld.i32 v%d, #0\nv%d = add.i32 v%d, v8\npst.i32 v%d, v%d, #0\n", old, index, sum, old, index, sum)
		})
		n := name()
		fmt.Fprintf(&b, "v%d = add.i32 v8, 1:i32\nbr L7(v%d)\n}\n}\n", n, n)
		nested(func(index int) {
			at, word, offset := name(), name(), name()
			fmt.Fprintf(&b, c.last+"v%d = pld.i32 v%d, #0\nv%d = at v3, v%d, #4\nst.i32 v1, v%d, v%d, #0\n", at, index, word, at, offset, index, offset, word)
		})
		b.WriteString("}\n")
		p, err := ir.Parse(b.String())
		if err != nil {
			t.Fatal(err, b.String())
		}
		Run(p)
		if err := p.Verify(); err != nil {
			t.Fatal(c.name, err)
		}
		if promoted := !strings.Contains(p.String(), "pld.i32"); promoted != c.promoted {
			t.Errorf("%s: promoted %v\n%s", c.name, promoted, p)
		}
	}
}

// TestIndexedNestsDeep: a nest that is deeper than maxIndexed operations stays, although its outermost loop selects the element of an array.
// A walk over the code of each loop would take minutes.
func TestIndexedNestsDeep(t *testing.T) {
	const depth = 1 << 14
	var b strings.Builder
	b.WriteString("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nres storage 0 0 count 1\nvar \"a\" 16 0\n\nfunc \"main\"() L1 {\nv1 = res 0:i32, #0\n")
	for k := range depth {
		v := 10 + 5*k
		fmt.Fprintf(&b, "block L%d {\nloop L%d(v%d i32 = 0:i32) {\nv%d = ult.i32 v%d, 2:i32\nif v%d {\n} else {\nbr L%d\n}\n", v, v+1, v+2, v+3, v+2, v+3, v)
	}
	fmt.Fprintf(&b, "v2 = pld.i32 v%d, #0\nst.i32 v1, 0:i32, v2, #0\n", 12)
	for k := depth - 1; k >= 0; k-- {
		v := 10 + 5*k
		fmt.Fprintf(&b, "v%d = add.i32 v%d, 1:i32\nbr L%d(v%d)\n}\n}\n", v+4, v+2, v+1, v+4)
	}
	b.WriteString("}\n")
	p, err := ir.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if nests := indexedNests(p, p.Funcs[0]); len(nests) > 0 {
		t.Errorf("%d loops are unrolled; must be none", len(nests))
	}
}

// TestUnrollIndexed: loops with counters that select the element of a private array are unrolled beyond the limit of other loops, and the
// array is promoted. It is not done for nothing: not if another value selects the element, nor beyond maxIndexed.
func TestUnrollIndexed(t *testing.T) {
	for _, c := range []struct {
		name              string
		outer, operations int
		varying           bool
		loops, accesses   bool
	}{
		{"counters", 6, 0, false, false, false},
		{"invocation", 6, 0, true, true, true},
		{"too many", 32, 0, false, true, true},
		{"too large", 6, 500, false, true, true},
	} {
		p := nest(t, c.outer, c.operations, c.varying)
		Run(p)
		if err := p.Verify(); err != nil {
			t.Fatal(c.name, err)
		}
		hasLoops, hasAccesses := loops(p.Funcs[0]), false
		for _, v := range p.Funcs[0].Code {
			op := p.Funcs[0].Val(v).Op
			hasAccesses = hasAccesses || op == ir.PLd || op == ir.PSt
		}
		if hasLoops != c.loops || hasAccesses != c.accesses {
			t.Errorf("%s: loops %v, private accesses %v", c.name, hasLoops, hasAccesses)
		}
	}
}
