package target_test

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

func TestTalliesOf(t *testing.T) {
	const add = "\tvy = atomadd.i32 vB, 0:i32, vx, #0 !unused\n"
	words := target.Tally{Op: ir.AtomAdd, Type: ir.I32}
	for _, c := range []struct {
		what, code string
		want       target.Tally // of the second resource
	}{
		{"one", add, words},
		{"two of a kind", add + "\tvz = atomadd.i32 vB, 4:i32, 1:i32, #0 !unused\n", words},
		{"its length", add + "\tvz = len vB\n\tst.i32 vA, 0:i32, vz, #0\n", words},
		{"a barrier", add + "\tbarrier\n\tfence\n", words},
		{"two of two kinds", add + "\tvz = atomor.i32 vB, 4:i32, 1:i32, #0 !unused\n", target.Tally{}},
		{"one whose result is read", "\tvy = atomadd.i32 vB, 0:i32, vx, #0\n", target.Tally{}},
		{"one of 64 bits", "\tvy = atomadd.i64 vB, 0:i32, 1:i64, #0 !unused\n", target.Tally{Op: ir.AtomAdd, Type: ir.I64}},
		{"two of two sizes", add + "\tvz = atomadd.i64 vB, 0:i32, 1:i64, #0 !unused\n", target.Tally{}},
		{"an exchange", "\tvy = atomxchg.i32 vB, 0:i32, vx, #0 !unused\n", target.Tally{}},
		{"a load beside it", add + "\tvz = ld.i32 vB, 0:i32, #4\n\tst.i32 vA, 0:i32, vz, #0\n", target.Tally{}},
		{"a store before it", "\tst.i32 vB, 0:i32, vx, #0\n" + add, target.Tally{}},
		{"an order that others see", add + "\tfence !coh\n", target.Tally{}},
		{"a barrier that orders for others", add + "\tbarrier !coh\n", target.Tally{}},
		{"one that orders", "\tvy = atomadd.i32 vB, 0:i32, vx, #0 !coh !unused\n", target.Tally{}},
		{"a watched store elsewhere", add + "\tst.i32 vA, 0:i32, vx, #0 !vol\n", target.Tally{}},
		{"any address", add + "\tvh = region 4096:i64, #4\n\tst.i32 vh, 0:i32, vx, #0\n", target.Tally{}},
		{"nothing", "", target.Tally{}},
	} {
		p, err := ir.Parse("program \"tally\" compute\nsubgroup 16\nlocal 64 1 1\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
			"\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvx = ld.i32 vA, 0:i32, #0\n" + c.code + "}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if got := target.PrivatizableAtomics(p); !slices.Equal(got, []target.Tally{{}, c.want}) {
			t.Errorf("%s: %v", c.what, got)
		}
		p.Res[1].NonWritable = true
		if got := target.PrivatizableAtomics(p); got[1] != (target.Tally{}) {
			t.Errorf("%s, not to be written: %v", c.what, got)
		}
	}
}
