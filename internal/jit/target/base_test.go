package target_test

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// waiting is a loop that ends once it reads 3.
func waiting(read string) string {
	return "\tblock L2 {\n\tloop L3 {\n\tvw = " + read + "\n\tvb = eq.i32 vw, 3:i32\n\tif vb {\n\tbr L2\n\t}\n\tbr L3\n\t}\n\t}\n"
}

// TestWithBase checks which atomics at an address get a resource: those that are the last effects, of one kind, in no loop and after none
// that waits for other invocations.
func TestWithBase(t *testing.T) {
	const add = "\tvy = atomadd.i32 vh, vo, vx, #0 !unused\n"
	for _, c := range []struct {
		what, code string
		atomics    int // with the resource
	}{
		{"one", add, 1},
		{"two", add + "\tvz = atomadd.i32 vh, vo, vx, #4 !unused\n", 2},
		{"one more at another address", add + "\tvr = region 4096:i64, #4\n\tvz = atomadd.i32 vr, 0:i32, vx, #0 !unused\n", 1},
		{"one of another kind at another address", add + "\tvr = region 4096:i64, #4\n\tvz = atomor.i32 vr, 0:i32, vx, #0 !unused\n", 0},
		{"one of another kind", add + "\tvz = atomor.i32 vh, vo, vx, #4 !unused\n", 0},
		{"one of another kind before it", "\tvz = atomor.i32 vh, vo, vx, #4 !unused\n\tvw = atomadd.i32 vh, vo, vx, #0\n", 0},
		{"one whose result is read", "\tvy = atomadd.i32 vh, vo, vx, #0\n", 0},
		{"one that orders", "\tvy = atomadd.i32 vh, vo, vx, #0 !coh !unused\n", 0},
		{"one before a load", add + "\tvz = ld.i32 vh, vo, #0\n", 0},
		{"one before a load of workgroup memory", add + "\tvz = ld.i32 vs, 0:i32, #0\n", 1},
		{"one before a store", add + "\tst.i32 vs, 0:i32, vx, #0\n", 0},
		{"one before a barrier", add + "\tbarrier\n", 0},
		{"one before a fence", add + "\tfence\n", 0},
		{"one after a load", "\tvz = ld.i32 vh, vo, #0\n" + add, 1},
		{"one in a branch", "\tvb = eq.i32 vx, 3:i32\n\tif vb {\n" + add + "\t}\n", 1},
		{"one in a loop", "\tblock L2 {\n\tloop L3 {\n" + add + "\tvb = eq.i32 vx, 3:i32\n\tif vb {\n\tbr L2\n\t}\n\tbr L3\n\t}\n\t}\n", 0},
		{"one before a loop of others of its kind", add + "\tblock L2 {\n\tloop L3 {\n\tvr = region 4096:i64, #4\n\tvz = atomadd.i32 vr, vo, vx, #0 !unused\n" +
			"\tvb = eq.i32 vx, 3:i32\n\tif vb {\n\tbr L2\n\t}\n\tbr L3\n\t}\n\t}\n", 1},
		{"one after a loop that waits", waiting("ld.i32 vh, vo, #0 !vol") + add, 0},
		{"one after a loop that waits by an atomic", waiting("atomadd.i32 vh, vo, 0:i32, #0") + add, 0},
		{"one after a loop that waits for its workgroup", waiting("ld.i32 vs, 0:i32, #0 !vol") + add, 1},
		{"one after a loop of loads", waiting("ld.i32 vh, vo, #0") + add, 1},
		{"one at a computed address", "\tvn = add.i64 va, 8:i64\n\tvr = region vn, #4\n\tvz = atomadd.i32 vr, vo, vx, #0 !unused\n", 0},
	} {
		p, err := ir.Parse("program \"base\" compute\nsubgroup 16\nlocal 64 1 1\npush 16\nshared 4\nin local.x i32 0\neffects barrier writes\n\nfunc \"main\"() L1 {\n" +
			"\tvp = push\n\tva = ld.i64 vp, 0:i32, #8\n\tvh = region va, #4\n\tvo = regionoff vh, va\n\tvx = in.i32 #0\n\tvs = wg\n" + c.code + "}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		before := p.Append(nil)
		q, base := target.WithBase(p)
		if !slices.Equal(before, p.Append(nil)) {
			t.Errorf("%s: the program was changed", c.what)
		}
		if c.atomics == 0 {
			if base != nil || q != p {
				t.Errorf("%s: a base at %d; must be none", c.what, base.Offset)
			}
			continue
		}
		if base == nil {
			t.Errorf("%s: no base; must be one", c.what)
			continue
		}
		n := 0
		for _, v := range q.Funcs[0].Code {
			if x := q.Funcs[0].Val(v); x.Op.Family() == ir.Atomics && q.Funcs[0].Val(x.Args[0]).Op == ir.Res {
				n++
			}
		}
		if err := q.Verify(); err != nil || n != c.atomics || *base != (target.Base{Offset: 8, Bytes: 4}) {
			t.Errorf("%s: %d atomics with the base %v, %v; must be %d with that at 8 of 4 bytes", c.what, n, *base, err, c.atomics)
		}
		if got := target.PrivatizableAtomics(q); !slices.Equal(got, []target.Tally{{Op: ir.AtomAdd, Type: ir.I32}}) {
			t.Errorf("%s: the tallies are %v; must be of additions", c.what, got)
		}
	}
}
