package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// randomSyncEvents returns accesses of memory of two kinds, fences and barriers, of random scopes and semantics.
func randomSyncEvents(r *rand.Rand) (list []ir.Event) {
	for range 2 + r.IntN(8) {
		acquire, release := uint8(r.IntN(8)), uint8(r.IntN(8))
		switch r.IntN(5) {
		case 0:
			list = append(list, ir.Event{Kind: ir.FenceEvent, Scope: uint8(r.IntN(3)), Acquire: acquire, Release: release})
		case 1:
			list = append(list, ir.Event{Kind: ir.BarrierEvent, Scope: uint8(ir.EventGroup + r.IntN(2)), Execution: uint8(ir.EventGroup + r.IntN(2)), Acquire: acquire, Release: release})
		case 2:
			e := storing(loading(onBuffer("data")))
			e.Atomic, e.Scope, e.Acquire, e.Release = true, uint8(r.IntN(3)), acquire, release
			list = append(list, e)
		default:
			e := onBuffer("data")
			if r.IntN(2) == 0 {
				e = ir.Event{Kind: ir.AccessEvent, Memory: "shared", Domain: ir.EventWorkgroup, Uninit: true}
			}
			e.Size, e.Write = uint32(1+r.IntN(8)), r.IntN(2) == 0
			e.Read = !e.Write
			list = append(list, e)
		}
	}
	return list
}

// findings returns all that a log found, as text.
func findings(l *exec.Log) (text string) {
	message := func(m *exec.Message) string { return fmt.Sprint(m.Number, m.Group, m.Lane, m.Args) }
	for _, x := range l.Races() {
		text += fmt.Sprintln("race", message(x.First), message(x.Second), x.Times, x.SameGroup)
	}
	for _, x := range l.Unwritten() {
		text += fmt.Sprintln("unwritten", message(x.First), x.Times)
	}
	for _, x := range l.Barriers() {
		text += fmt.Sprintln("barrier", message(x.First), x.Count, x.Size, x.Times)
	}
	return text
}

// TestLaneEvents: an event of a subgroup is the events of its lanes one after another, in ascending order.
func TestLaneEvents(t *testing.T) {
	const subgroups, groups = 2, 2
	r := rand.New(rand.NewPCG(3, 9))
	found := 0
	for round := range 4000 {
		width := []uint32{4, 16, 32}[max(round%6, 3)-3] // the wider ones also access whole rows of words
		events := randomSyncEvents(r)
		for i := range events {
			if width > 4 && r.IntN(4) != 0 {
				events[i].Size = 4
			}
		}
		p := traced(width*subgroups, events...)
		p.SubgroupSize = width
		together, apart := &exec.Log{}, &exec.Log{}
		for i := range uint32(groups * len(events) * subgroups) {
			group, event, first := i/uint32(len(events)*subgroups), i/subgroups%uint32(len(events)), i%subgroups*width
			lanes := exec.Lanes{1 + r.Uint64N(1<<width-1)}
			if events[event].Kind != ir.AccessEvent {
				lanes = exec.FirstLanes(width)
			}
			at, element := make([]uint64, width), make([]uint64, width)
			row, step := r.Uint64N(3)*64, 4*r.Uint64N(2)
			whole := width > 4 && r.IntN(3) != 0
			for lane := range at {
				if at[lane] = r.Uint64N(16); whole {
					at[lane] = row + step*uint64(lane)
				}
			}
			if whole && r.IntN(4) != 0 {
				lanes = exec.FirstLanes(width)
			}
			together.Event(p, [3]uint32{group}, first, lanes, event, at, element)
			for lane := range lanes.All {
				logged(apart, p, group, first+uint32(lane), event, uint32(at[lane]))
			}
		}
		got, want := findings(together), findings(apart)
		if got != want {
			t.Fatalf("%+v:\n%sone by one:\n%s", events, got, want)
		}
		if want != "" {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("%d programs have findings; must be more", found)
	}
}

// TestKnownLoads: the loads that the detector does not keep hide no racing store. A barrier of a subgroup in the program, which no
// invocation reaches, makes it keep all.
func TestKnownLoads(t *testing.T) {
	const width, groups = 4, 2
	r := rand.New(rand.NewPCG(5, 2))
	found := 0
	for range 3000 {
		var events []ir.Event
		for range 3 + r.IntN(6) {
			e := onBuffer("data")
			switch e.Write = r.IntN(3) == 0; r.IntN(4) {
			case 0:
				e = ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup, Acquire: uint8(r.IntN(8)), Release: uint8(r.IntN(8))}
			case 1:
				e.Memory, e.Domain = "shared", ir.EventWorkgroup
			}
			e.Read = e.Kind == ir.AccessEvent && !e.Write
			events = append(events, e)
		}
		some, all := traced(width, events...), traced(width, append(events, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventSubgroup, Execution: ir.EventSubgroup})...)
		logs := [2]exec.Log{}
		for group := range uint32(groups) {
			for event := range uint32(len(events)) {
				lanes := exec.Lanes{1 + r.Uint64N(1<<width-1)}
				if events[event].Kind == ir.BarrierEvent {
					lanes = exec.FirstLanes(width)
				}
				for lane := range lanes.All {
					at := uint32(4 * r.IntN(2))
					logged(&logs[0], some, group, uint32(lane), event, at)
					logged(&logs[1], all, group, uint32(lane), event, at)
				}
			}
		}
		// A store that races with several loads may be reported beside another one of them.
		racing := func(l *exec.Log) (stores uint64) {
			for _, x := range l.Races() {
				for _, m := range []*exec.Message{x.First, x.Second} {
					if m.Of().Event.Write {
						stores |= 1 << m.Number
					}
				}
			}
			return stores
		}
		got, want := racing(&logs[0]), racing(&logs[1])
		if got != want {
			t.Fatalf("%+v: the stores %b race, with all loads %b", events, got, want)
		}
		if want != 0 {
			found++
		}
	}
	if found < 500 {
		t.Errorf("%d programs have races; must be more", found)
	}
}
