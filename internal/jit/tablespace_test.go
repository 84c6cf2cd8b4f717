package jit

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// TestTableSpaceMerges fills a small space with blocks, frees them in random order and takes larger and smaller ones: none overlap, and
// all of the space is used again, whatever its division was before.
func TestTableSpaceMerges(t *testing.T) {
	const size = 1 << 12 // handles
	s := &tableSpace{memory: new(exec.Space), next: [2]uint32{jobHandles - size, spaceHandles}}
	random := rand.New(rand.NewPCG(1, 2))
	var used [size >> leastBlock]bool
	mark := func(p place, on bool) {
		for i := range 1 << (p.class - leastBlock) {
			k := int(p.at-(jobHandles-size))>>leastBlock + i
			if used[k] == on {
				t.Fatalf("block %d: used %v twice", k, on)
			}
			used[k] = on
		}
	}
	for range 20 {
		for _, class := range []int{leastBlock, 9, 7, 12, leastBlock} {
			var list []place
			for {
				at, ok := s.take(0, class)
				if !ok {
					break
				}
				list = append(list, place{0, class, at})
				mark(list[len(list)-1], true)
			}
			if n := size >> class; len(list) != n {
				t.Fatalf("%d blocks of %d handles; must be %d", len(list), 1<<class, n)
			}
			random.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
			for _, p := range list {
				mark(p, false)
				s.put(p)
			}
		}
	}
	var list []place // a mixture
	for range 1000 {
		if class := leastBlock + random.IntN(4); random.IntN(2) == 0 {
			if at, ok := s.take(0, class); ok {
				list = append(list, place{0, class, at})
				mark(list[len(list)-1], true)
			}
		} else if len(list) > 0 {
			i := random.IntN(len(list))
			mark(list[i], false)
			s.put(list[i])
			list[i] = list[len(list)-1]
			list = list[:len(list)-1]
		}
	}
}
