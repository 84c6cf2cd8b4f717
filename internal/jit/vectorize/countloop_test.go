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
	adds := 0
	f := q.Funcs[0]
	for _, v := range f.Code {
		x := f.Val(v)
		if x.Op != ir.Reduce || ir.Op(x.Aux&0xff) != ir.Add {
			continue
		}
		adds++
		y := f.Val(x.Args[0])
		if n := f.Val(y.Args[1]).Aux; !(y.Op == ir.And && n < 1<<laneBits || y.Op == ir.LShr && n == laneBits) {
			t.Errorf("v%d is a sum over 64 lanes of more than %d bits", v, laneBits)
		}
	}
	if adds != 2 {
		t.Errorf("%d sums over the lanes; must be 2: the low and the high bits of the block's\n%s", adds, q)
	}
}
