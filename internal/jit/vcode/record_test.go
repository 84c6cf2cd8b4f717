package vcode

import "testing"

// TestSameRecords: two accesses are to the same records if they have the same offsets, or, if their offsets are in range, the same address.
func TestSameRecords(t *testing.T) {
	access := func(op Op, aux uint64, uses ...Reg) *Inst {
		in := &Inst{Op: op, Step: 1, Stride: 8, Uses: uses, Masks: []Reg{9}}
		in.Key.Aux = aux
		return in
	}
	proven := func(in *Inst) *Inst {
		in.Checked, in.Proven = true, true
		return in
	}
	for _, c := range []struct {
		name string
		x, y *Inst
		want bool
	}{
		{"two words", access(StridedLoad, 8, 1, 2, 3, 4), access(StridedLoad, 12, 1, 2, 3, 4), true},
		{"a load and a store", access(StridedLoad, 0, 1, 2, 3, 4), access(StridedStore, 4, 1, 2, 3, 4, 5), true},
		{"words of two records", access(StridedLoad, 4, 1, 2, 3, 4), access(StridedLoad, 8, 1, 2, 3, 4), false},
		{"two offsets", access(StridedLoad, 0, 1, 2, 3, 4), access(StridedLoad, 4, 1, 5, 3, 6), false},
		{"one address", proven(access(StridedLoad, 0, 1, 2, 2, 2, 7)), proven(access(StridedLoad, 4, 1, 2, 2, 2, 7)), true},
		{"two addresses", proven(access(StridedLoad, 0, 1, 2, 2, 2, 7)), proven(access(StridedStore, 4, 1, 2, 2, 2, 5, 8)), false},
		{"an address and an offset", proven(access(StridedLoad, 0, 1, 2, 2, 2, 7)), access(StridedStore, 4, 1, 2, 2, 2, 5), false},
	} {
		if c.x.SameRecords(c.y) != c.want || c.y.SameRecords(c.x) != c.want {
			t.Errorf("%s: the same records must be %t", c.name, c.want)
		}
	}
}
