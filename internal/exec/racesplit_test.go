package exec_test

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// splitCase is a sequence of control barriers that all invocations of a workgroup execute, whole or split, and two accesses of one
// word by two of them.
type splitCase struct {
	sync   []ir.Event
	access [2]struct {
		lane  uint32
		place int // the number of events of sync before it
		write bool
	}
}

func randomSplitCase(r *rand.Rand, lanes uint32) (c splitCase) {
	const shared = 1 << ir.EventWorkgroup
	for range r.IntN(5) {
		e := ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup}
		release, acquire := uint8(r.IntN(4)&1*shared), uint8(r.IntN(4)&1*shared)
		if r.IntN(3) == 0 {
			e.Release, e.Acquire = release, acquire
			c.sync = append(c.sync, e)
			continue
		}
		e.Kind, e.Release = ir.ArriveEvent, release
		c.sync = append(c.sync, e)
		e.Kind, e.Release, e.Acquire = ir.WaitEvent, 0, acquire
		c.sync = append(c.sync, e)
	}
	for i := range c.access {
		a := &c.access[i]
		a.lane, a.place, a.write = r.Uint32N(lanes), r.IntN(len(c.sync)+1), r.IntN(3) > 0
	}
	return c
}

// ordered reports whether access i happens before access j: program order, or a barrier with release semantics after i, and acquire
// semantics of its wait or of a later barrier before j (Vulkan, "Memory Model", "Synchronizes-With").
func (c *splitCase) ordered(i, j int) bool {
	x, y := c.access[i], c.access[j]
	if x.lane == y.lane {
		return true
	}
	for k := x.place; k < len(c.sync); k++ {
		if c.sync[k].Release == 0 {
			continue
		}
		if c.sync[k].Kind == ir.ArriveEvent {
			k++ // the wait
		}
		for n := k; n < y.place; n++ {
			if c.sync[n].Acquire != 0 {
				return true
			}
		}
	}
	return false
}

// TestSplitBarriers compares the race detector with the happens-before relation of the memory model, for random sequences of barriers
// and random interleavings. A wait blocks until all invocations have arrived.
func TestSplitBarriers(t *testing.T) {
	const lanes = 3
	r := rand.New(rand.NewPCG(7, 11))
	found := 0
	for range 5000 {
		c := randomSplitCase(r, lanes)
		events := append([]ir.Event{}, c.sync...)
		for _, a := range c.access {
			events = append(events, ir.Event{Kind: ir.AccessEvent, Memory: "shared", Size: 4, Domain: ir.EventWorkgroup, Read: !a.write, Write: a.write})
		}
		p, l := traced(lanes, events...), &exec.Log{}
		var at [lanes]int
		for left := lanes * (len(c.sync) + 1); left > 0; {
			lane := r.IntN(lanes)
			place := at[lane]
			if place > len(c.sync) || place > 0 && !arrived(c.sync, at[:], place-1) {
				continue
			}
			for i, a := range c.access {
				if int(a.lane) == lane && a.place == place {
					logged(l, p, 0, uint32(lane), uint32(len(c.sync)+i), 0)
				}
			}
			if place < len(c.sync) {
				logged(l, p, 0, uint32(lane), uint32(place), 0)
			}
			at[lane]++
			left--
		}
		want := (c.access[0].write || c.access[1].write) && !c.ordered(0, 1) && !c.ordered(1, 0)
		if got := len(l.Races()) > 0; got != want {
			t.Fatalf("%+v: race %t; must be %t", c, got, want)
		}
		if want {
			found++
		}
	}
	if found < 300 {
		t.Errorf("%d cases have a race; must be more", found)
	}
}

// arrived reports whether all invocations have arrived at the barrier whose wait is event k.
func arrived(sync []ir.Event, at []int, k int) bool {
	switch sync[k].Kind {
	case ir.ArriveEvent:
		return true
	case ir.WaitEvent:
		k--
	}
	for _, n := range at {
		if n <= k {
			return false
		}
	}
	return true
}
