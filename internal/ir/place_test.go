package ir

import "testing"

// TestPlace names resources as the shader numbers them: a binding is any number of 32 bits, and only a sorted one has a sort in it.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		r    Resource
		want string
		sort uint32
	}{
		{Resource{Set: 1, Binding: 2}, "set 1, binding 2", SortPlain},
		{Resource{Set: 1<<32 - 1, Binding: 1 << 31}, "set 4294967295, binding 2147483648", SortPlain},
		{Resource{Binding: 1<<32 - 2}, "set 0, binding 4294967294", SortPlain},
		{Resource{Binding: SortedBinding(7, SortWritten), Sorted: true}, "set 0, binding 7", SortWritten},
		{Resource{Binding: SortedBinding(MaxSorted, SortStructure), Sorted: true}, "set 0, binding 268435455", SortStructure},
		{Resource{Binding: SortedBinding(7, SortPlain), Sorted: true}, "set 0, binding 7", SortPlain},
	} {
		if got := c.r.Place(); got != c.want {
			t.Errorf("%+v is at %q; must be at %q", c.r, got, c.want)
		}
		if _, sort := c.r.Number(); sort != c.sort {
			t.Errorf("%+v has the sort %d; must have %d", c.r, sort, c.sort)
		}
	}
}
