package scratch_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

func TestSlab(t *testing.T) {
	var s scratch.Slab[int]
	for range 3 {
		seen := map[*int]bool{}
		for _, n := range []int{0, 1, 7, 100, 3, 0, 1000, 5} {
			list := s.Alloc(n)
			if len(list) != n || cap(list) != n {
				t.Fatalf("%d elements: length %d, capacity %d", n, len(list), cap(list))
			}
			for i := range list {
				if list[i] != 0 || seen[&list[i]] {
					t.Fatalf("element %d of %d is %d, or allocated twice", i, n, list[i])
				}
				list[i], seen[&list[i]] = 1, true
			}
		}
		s.Reset()
	}
}

// TestSlabUsesAgain: after a Reset, Alloc reuses the memory, zeroed, without an allocation.
func TestSlabUsesAgain(t *testing.T) {
	var s scratch.Slab[[2]uint64]
	s.Alloc(100)
	s.Reset()
	if n := testing.AllocsPerRun(10, func() {
		for range 4 {
			for _, x := range s.Alloc(25) {
				if x != [2]uint64{} {
					t.Fatal(x)
				}
			}
		}
		s.Reset()
	}); n != 0 {
		t.Errorf("%v allocations after a Reset", n)
	}
}

// TestSlabBound: Reset frees the memory of a very large Slab.
func TestSlabBound(t *testing.T) {
	var s scratch.Slab[byte]
	s.Alloc(1 << 26)
	s.Reset()
	if n := testing.AllocsPerRun(1, func() { s.Alloc(64); s.Reset() }); n > 1 {
		t.Error(n)
	}
	one := s.Alloc(1)
	if cap(one[:1]) != 1 {
		t.Error(cap(one))
	}
}
