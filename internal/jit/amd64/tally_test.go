package amd64_test

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

func TestTalliesOf(t *testing.T) {
	const add = "\tvy = atomadd.i32 vB, 0:i32, vx, #0 !unused\n"
	for _, c := range []struct {
		what, code string
		want       ir.Op // of the second resource
	}{
		{"one", add, ir.AtomAdd},
		{"two of a kind", add + "\tvz = atomadd.i32 vB, 4:i32, 1:i32, #0 !unused\n", ir.AtomAdd},
		{"its length", add + "\tvz = len vB\n\tst.i32 vA, 0:i32, vz, #0\n", ir.AtomAdd},
		{"a barrier", add + "\tbarrier\n\tfence\n", ir.AtomAdd},
		{"two of two kinds", add + "\tvz = atomor.i32 vB, 4:i32, 1:i32, #0 !unused\n", ir.Bad},
		{"one whose result is read", "\tvy = atomadd.i32 vB, 0:i32, vx, #0\n", ir.Bad},
		{"one of 64 bits", "\tvy = atomadd.i64 vB, 0:i32, 1:i64, #0 !unused\n", ir.Bad},
		{"an exchange", "\tvy = atomxchg.i32 vB, 0:i32, vx, #0 !unused\n", ir.Bad},
		{"a load beside it", add + "\tvz = ld.i32 vB, 0:i32, #4\n\tst.i32 vA, 0:i32, vz, #0\n", ir.Bad},
		{"a store before it", "\tst.i32 vB, 0:i32, vx, #0\n" + add, ir.Bad},
		{"an order that others see", add + "\tfence !coh\n", ir.Bad},
		{"a barrier that orders for others", add + "\tbarrier !coh\n", ir.Bad},
		{"one that orders", "\tvy = atomadd.i32 vB, 0:i32, vx, #0 !coh !unused\n", ir.Bad},
		{"a watched store elsewhere", add + "\tst.i32 vA, 0:i32, vx, #0 !vol\n", ir.Bad},
		{"any address", add + "\tvh = region 4096:i64, #4\n\tst.i32 vh, 0:i32, vx, #0\n", ir.Bad},
		{"nothing", "", ir.Bad},
	} {
		p, err := ir.Parse("program \"tally\" compute\nsubgroup 16\nlocal 64 1 1\nres storage 0 0 count 1\nres storage 0 1 count 1\neffects writes\n\nfunc \"main\"() L1 {\n" +
			"\tvA = res 0:i32, #0\n\tvB = res 0:i32, #1\n\tvx = ld.i32 vA, 0:i32, #0\n" + c.code + "}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if got := amd64.PrivatizableAtomics(p); !slices.Equal(got, []ir.Op{ir.Bad, c.want}) {
			t.Errorf("%s: %v", c.what, got)
		}
		p.Res[1].NonWritable = true
		if got := amd64.PrivatizableAtomics(p); got[1] != ir.Bad {
			t.Errorf("%s, not to be written: %v", c.what, got)
		}
	}
}
