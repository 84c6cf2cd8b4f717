package vectorize

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestWideSums: with a budget above the default, the sum of the lanes' executions does not fit in 32 bits.
func TestWideSums(t *testing.T) {
	p, err := ir.Parse(`program "c" compute
subgroup 64
local 64 1 1
in global.x i32 0
res storage 32 64 count 1

func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = in.i32 #0
	block L3 {
		loop L4(v5 i32 = 0:i32) {
			count v1, #0
			v6 = ule.i32 v2, v5
			countedge v1, v6, #16
			if v6 {
				br L3()
			}
			v7 = add.i32 v5, 1:i32
			br L4(v7)
		}
	}
}
`)
	if err != nil {
		t.Fatal(err)
	}
	p.StateEffects()
	q := ExpandCounts(p, 64)
	sums := 0
	for _, v := range q.Funcs[0].Code {
		if x := q.Funcs[0].Val(v); x.Op == ir.Reduce {
			sums++
			if x.Type != ir.I64 {
				t.Errorf("a sum over the lanes has type %s; must be i64", x.Type)
			}
		}
	}
	if sums != 5 {
		t.Errorf("%d sums; must be 5: two of the block and three of the edge\n%s", sums, q)
	}
}
