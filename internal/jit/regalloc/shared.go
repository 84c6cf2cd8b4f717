package regalloc

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Shared are registers of class Vec that instructions overwrite for purposes of their own. A value has one of
// them only if no instruction in its interval overwrites it: the instructions are the fixed intervals of linear
// scan (Wimmer and Mössenböck 2005, "Optimized Interval Splitting in a Linear Scan Register Allocator").
type Shared struct {
	Count int     // at most 8
	Busy  []uint8 // of each instruction, in the order of the blocks: the registers that it overwrites, one bit each
}

// sharedScan is the state of the scan of Shared registers. Their numbers follow those of the other registers.
type sharedScan struct {
	Shared
	first int      // the lowest number
	next  [8]int32 // of each: no instruction from the start of the current interval up to this one overwrites it
}

// all returns the numbers of the registers, one bit each.
func (s *sharedScan) all() uint64 { return (1<<s.Count - 1) << s.first }

// usable returns the registers of class Vec that i may have, one bit each. Intervals must come in the order of
// their starts.
func (s *sharedScan) usable(i *interval) uint64 {
	n := uint64(1)<<s.first - 1
	for k := range s.Count {
		p := max(s.next[k], i.start>>1, 0)
		for int(p) < len(s.Busy) && s.Busy[p]>>k&1 == 0 {
			p++
		}
		s.next[k] = p
		if int(p) == len(s.Busy) || 2*p > i.end {
			n |= 1 << (s.first + k)
		}
	}
	return n
}

// Instructions returns the number of instructions of the function.
func (a *Analysis) Instructions() int { return a.instructions }

// Occupied returns, for each instruction, the shared registers that hold a value before or after it, one bit
// each; nil without shared registers.
func (a *Allocation) Occupied() []uint8 {
	if a.shared.Count == 0 {
		return nil
	}
	list := make([]uint8, a.instructions)
	for r, n := range a.regs {
		k := int(n) - a.shared.first
		if k < 0 || a.pool(vcode.Reg(r)) != vcode.Vec {
			continue
		}
		i := &a.intervals[r]
		for p := max(i.start>>1, 0); p <= i.end>>1 && int(p) < len(list); p++ {
			list[p] |= 1 << k
		}
	}
	return list
}
