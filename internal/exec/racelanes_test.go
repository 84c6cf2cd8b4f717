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
			list = append(list, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: uint8(ir.EventGroup + r.IntN(2)), Acquire: acquire, Release: release})
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
	const width, subgroups, groups = 4, 2, 2
	r := rand.New(rand.NewPCG(3, 9))
	found := 0
	for range 3000 {
		events := randomSyncEvents(r)
		p := traced(width*subgroups, events...)
		p.SubgroupSize = width
		together, apart := &exec.Log{}, &exec.Log{}
		for i := range uint32(groups * len(events) * subgroups) {
			group, event, first := i/uint32(len(events)*subgroups), i/subgroups%uint32(len(events)), i%subgroups*width
			lanes := exec.Lanes{1 + r.Uint64N(1<<width-1)}
			if events[event].Kind != ir.AccessEvent {
				lanes = exec.FirstLanes(width)
			}
			var at, element [width]uint64
			for lane := range at {
				at[lane] = r.Uint64N(16)
			}
			together.Event(p, [3]uint32{group}, first, lanes, event, at[:], element[:])
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
