package valid

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestLaneTypes: rules work on lanes only if both vectors are as long and have known components. A module may name a component that is
// not defined.
func TestLaneTypes(t *testing.T) {
	pointer, float := &facts.Type{Op: spirv.OpTypePointer}, &facts.Type{Op: spirv.OpTypeFloat, Width: 32}
	vector := func(of *facts.Type, n uint64) *facts.Type {
		return &facts.Type{Op: spirv.OpTypeVector, Elem: of, Count: n}
	}
	for _, c := range []struct {
		a, b  *facts.Type
		lanes bool
	}{
		{vector(pointer, 2), vector(float, 2), true},
		{vector(float, 2), vector(pointer, 2), true},
		{vector(float, 2), vector(float, 2), false},
		{vector(pointer, 2), vector(float, 3), false},
		{vector(pointer, 2), float, false},
		{vector(pointer, 2), vector(nil, 2), false},
		{vector(nil, 2), vector(pointer, 2), false},
		{vector(pointer, 2), nil, false},
	} {
		wantA, wantB := c.a, c.b
		if c.lanes {
			wantA, wantB = c.a.Elem, c.b.Elem
		}
		if a, b := laneTypes(c.a, c.b); a != wantA || b != wantB {
			t.Errorf("%+v and %+v: %+v and %+v; must be %+v and %+v", c.a, c.b, a, b, wantA, wantB)
		}
	}
}
