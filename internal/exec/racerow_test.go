package exec_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The detector compares rows of words as one word. These tests compare its findings with all pairs of accesses, each by itself.

// rowAccess is an access of a lane: of size bytes from at on, in the memory of a domain.
type rowAccess struct {
	group, lane, event uint32
	barriers           int // of its workgroup before it
	domain             uint8
	at, size           uint64
	write, atomic      bool
}

// races reports whether two accesses, the first one earlier, are a data race: no barrier with release semantics follows the first one and
// itself or a later one acquires before the second one (Vulkan, "Memory Model", "Data Race").
func (x *rowAccess) races(y *rowAccess, barriers []ir.Event) bool {
	switch {
	case x.domain != y.domain || x.at+x.size <= y.at || y.at+y.size <= x.at || !x.write && !y.write || x.atomic && y.atomic:
		return false
	case x.group != y.group:
		return x.domain != ir.EventWorkgroup
	case x.lane == y.lane:
		return false
	}
	// The barriers are of all invocations, so that the clocks of both are those of the workgroup.
	released := false
	for _, e := range barriers[x.barriers:y.barriers] {
		released = released || e.Release>>x.domain&1 != 0
		if released && e.Acquire>>x.domain&1 != 0 {
			return false
		}
	}
	return true
}

// randomRowEvents returns accesses and barriers of whole workgroups.
func randomRowEvents(r *rand.Rand) (list []ir.Event) {
	for range 2 + r.IntN(7) {
		if r.IntN(4) == 0 {
			list = append(list, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup, Acquire: uint8(r.IntN(8)), Release: uint8(r.IntN(8))})
			continue
		}
		e := onBuffer("data")
		if r.IntN(2) == 0 {
			e.Memory, e.Domain = "shared", ir.EventWorkgroup
		}
		e.Write = r.IntN(2) == 0
		e.Read = !e.Write
		// Most accesses are of words. Those of fewer bytes, or of 64 bits, split rows.
		if e.Size = 4; r.IntN(4) == 0 {
			e.Size = 1 << r.IntN(4)
		}
		if r.IntN(8) == 0 {
			e.Atomic, e.Read, e.Write, e.Size = true, true, r.IntN(3) > 0, 4+4*uint32(r.IntN(2))
		}
		list = append(list, e)
	}
	return list
}

// TestRowRaces compares the races of random accesses of rows of words, of parts of them and of words with the relation of the memory
// model: the detector finds a race if there is one, and each pair of instructions that it reports races. CHIARO_LONG runs more.
func TestRowRaces(t *testing.T) {
	rounds := uint64(1500)
	if os.Getenv("CHIARO_LONG") != "" {
		rounds = 30_000
	}
	found := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(seed, 4))
		width, subgroups, groups := []uint32{16, 32}[r.IntN(2)], 1+uint32(r.IntN(2)), 1+uint32(r.IntN(2))
		events := randomRowEvents(r)
		p, l := traced(width*subgroups, events...), &exec.Log{}
		p.SubgroupSize = width
		var barriers []ir.Event
		var all []rowAccess
		for event, e := range events {
			for i := range groups * subgroups {
				group, first := i/subgroups, i%subgroups*width
				lanes := exec.FirstLanes(width)
				if e.Kind == ir.BarrierEvent {
					l.Event(p, [3]uint32{group}, first, lanes, uint32(event), make([]uint64, width), make([]uint64, width))
					continue
				}
				if r.IntN(4) == 0 {
					lanes = exec.Lanes{1 + r.Uint64N(1<<width-1)}
				}
				at := make([]uint64, width)
				// A step of 0 is a word that all lanes access, and a step of two elements leaves gaps.
				base, step := r.Uint64N(4)*64, uint64(e.Size)*[]uint64{0, 1, 1, 1, 2}[r.IntN(5)]
				// A row that does not begin at a multiple of its size, or not even at a word.
				if r.IntN(5) == 0 {
					base += r.Uint64N(9) * uint64(max(1, min(e.Size, 4)))
				}
				if r.IntN(2) == 0 { // of the invocations
					base += uint64(group*width*subgroups+first) * step
				}
				scatter := r.IntN(8) == 0
				for lane := range at {
					if at[lane] = base + step*uint64(lane); scatter {
						at[lane] = r.Uint64N(64) * uint64(e.Size)
					}
				}
				l.Event(p, [3]uint32{group}, first, lanes, uint32(event), at, make([]uint64, width))
				for lane := range lanes.All {
					all = append(all, rowAccess{group, first + uint32(lane), uint32(event), len(barriers), e.Domain, at[lane], uint64(e.Size), e.Write, e.Atomic})
				}
			}
			if e.Kind == ir.BarrierEvent {
				barriers = append(barriers, e)
			}
		}
		// The detector keeps the last accesses of a word: it may report another pair of instructions than the first one.
		racing := map[[2]uint32]bool{}
		for i := range all {
			for k := range all[:i] {
				x, y := &all[k], &all[i]
				if pair := [2]uint32{x.event, y.event}; !racing[pair] && x.races(y, barriers) {
					racing[pair] = true
				}
			}
		}
		// Each report must be of a pair that races, and no program with a race may be without a report. The number of reports may differ,
		// because the detector forgets accesses of which a later one tells the same.
		got := l.Races()
		if (len(got) > 0) != (len(racing) > 0) {
			t.Fatalf("seed %d, %+v: %d pairs of instructions race; must be %v", seed, events, len(got), racing)
		}
		for _, x := range got {
			a, b := x.First.Number, x.Second.Number
			if !racing[[2]uint32{a, b}] && !racing[[2]uint32{b, a}] {
				t.Fatalf("seed %d, %+v: instructions %s race; must be among %v", seed, events, fmt.Sprint(a, " and ", b), racing)
			}
		}
		if len(got) > 0 {
			found++
		}
	}
	if found < int(rounds)/4 || found > int(rounds)*9/10 {
		t.Errorf("%d of %d programs have races; must be about half", found, rounds)
	}
}
