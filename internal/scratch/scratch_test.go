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
			list := s.Take(n)
			if len(list) != n || cap(list) != n {
				t.Fatalf("%d were wanted, and there are %d of %d", n, len(list), cap(list))
			}
			for i := range list {
				if list[i] != 0 || seen[&list[i]] {
					t.Fatalf("number %d of %d is %d, or somebody has it", i, n, list[i])
				}
				list[i], seen[&list[i]] = 1, true
			}
		}
		s.Reset()
	}
}

// TestSlabUsesAgain: what was taken back is given out, as zeros, without more memory.
func TestSlabUsesAgain(t *testing.T) {
	var s scratch.Slab[[2]uint64]
	s.Take(100)
	s.Reset()
	if n := testing.AllocsPerRun(10, func() {
		for range 4 {
			for _, x := range s.Take(25) {
				if x != [2]uint64{} {
					t.Fatal(x)
				}
			}
		}
		s.Reset()
	}); n != 0 {
		t.Errorf("%v times memory was wanted for what had been taken back", n)
	}
}

// TestSlabBound: a Slab that has become very large gives its memory up.
func TestSlabBound(t *testing.T) {
	var s scratch.Slab[byte]
	s.Take(1 << 26)
	s.Reset()
	if n := testing.AllocsPerRun(1, func() { s.Take(64); s.Reset() }); n > 1 {
		t.Error(n)
	}
	one := s.Take(1)
	if cap(one[:1]) != 1 {
		t.Error(cap(one))
	}
}
