package exec

import "math/bits"

// Lanes is a set of lanes of a subgroup (an execution mask): lane i is bit i%64 of word i/64. A subgroup has
// at most 128 lanes.
type Lanes [2]uint64

// FirstLanes returns the set of the lanes 0 to n−1; n is at most 128.
func FirstLanes(n uint32) Lanes {
	switch {
	case n >= 128:
		return Lanes{^uint64(0), ^uint64(0)}
	case n >= 64:
		return Lanes{^uint64(0), 1<<(n-64) - 1}
	}
	return Lanes{1<<n - 1, 0}
}

// Has reports whether the lane is in the set.
func (s Lanes) Has(lane uint32) bool { return lane < 128 && s[lane>>6]>>(lane&63)&1 != 0 }

// Empty reports whether no lane is in the set.
func (s Lanes) Empty() bool { return s[0]|s[1] == 0 }

// Len returns the number of lanes in the set.
func (s Lanes) Len() int { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// First returns the lowest lane of the set, or 128 if the set is empty.
func (s Lanes) First() uint32 {
	if s[0] != 0 {
		return uint32(bits.TrailingZeros64(s[0]))
	}
	return 64 + uint32(bits.TrailingZeros64(s[1]))
}

// And returns the lanes that are in both sets.
func (s Lanes) And(t Lanes) Lanes { return Lanes{s[0] & t[0], s[1] & t[1]} }

// Or returns the lanes that are in at least one of the sets.
func (s Lanes) Or(t Lanes) Lanes { return Lanes{s[0] | t[0], s[1] | t[1]} }

// Without returns the lanes of s that are not in t.
func (s Lanes) Without(t Lanes) Lanes { return Lanes{s[0] &^ t[0], s[1] &^ t[1]} }

// All calls yield for each lane of the set, ascending: range over it.
func (s Lanes) All(yield func(lane int) bool) {
	for w, set := range s {
		for ; set != 0; set &= set - 1 {
			if !yield(w<<6 | bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}
