package oracle

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/precision"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestFast compares ranges with those of package precision, whose arithmetic has hundreds of digits.
func TestFast(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	number := func() float64 {
		switch r.IntN(6) {
		case 0:
			return 0
		case 1:
			return float64(r.IntN(9) - 4)
		}
		return float64(float32(math.Ldexp(r.Float64()*2-1, r.IntN(120)-60)))
	}
	tried := 0
	for range 3000 {
		op := []spirv.Op{spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFNegate}[r.IntN(4)]
		x := make([]precision.Range, 2)
		if op == spirv.OpFNegate {
			x = x[:1]
		}
		var operands [][]precision.Range
		for i := range x {
			a, b := number(), number()
			if r.IntN(2) == 0 {
				b = a
			}
			x[i] = precision.Range{Low: min(a, b), High: max(a, b)}
			operands = append(operands, x[i:i+1])
		}
		got, ok := fast(op, x)
		if !ok {
			continue
		}
		tried++
		sets, err := precision.Between(context.Background(), precision.Query{Instruction: op.String(), Bits: 32}, operands)
		if err != nil {
			t.Fatal(err)
		}
		if n := ofSet(&sets[0]); n.Any || n.Low != got.Low || n.High != got.High {
			t.Fatalf("%s of %v is %v; must be %v", op, x, got, n)
		}
	}
	if tried < 1000 {
		t.Errorf("%d of 3000 tried; must be at least 1000", tried)
	}
}
