package exec_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// traced returns a program whose messages are events.
func traced(lanes uint32, events ...ir.Event) *ir.Program {
	p := &ir.Program{LocalSize: [3]uint32{lanes, 1, 1}, SubgroupSize: lanes}
	for i, e := range events {
		m := ir.Message{Kind: ir.Traced, Event: e, Site: ir.Site{Instruction: uint32(i + 1)}}
		if e.Kind == ir.AccessEvent {
			m.Args = []ir.Type{ir.I32, ir.I32}
		}
		p.Messages = append(p.Messages, m)
	}
	return p
}

// logged logs an event of an invocation; an access is at an offset.
func logged(l *exec.Log, p *ir.Program, group, lane, event, offset uint32) {
	at := [3]uint32{group}
	l.Begin(p, at, lane, event)
	if len(p.Messages[event].Args) > 0 {
		l.AddArg(at, lane, uint64(offset))
		l.AddArg(at, lane, 0)
	}
}

// onBuffer and onShared are accesses of a word of a buffer and of workgroup memory.
func onBuffer(memory string) ir.Event {
	return ir.Event{Kind: ir.AccessEvent, Memory: memory, Size: 4, Domain: ir.EventBuffers}
}

func storing(e ir.Event) ir.Event { e.Write = true; return e }
func loading(e ir.Event) ir.Event { e.Read = true; return e }

// TestRaceOrder: the order of the races is the same in all runs, also of several events of one instruction: OpCopyMemory has
// two, and the parts of a structure have sizes of their own.
func TestRaceOrder(t *testing.T) {
	p := traced(2)
	for _, size := range []uint32{1, 2, 4, 8} {
		e := storing(onBuffer("data"))
		e.Size = size
		p.Messages = append(p.Messages, ir.Message{Kind: ir.Traced, Args: []ir.Type{ir.I32, ir.I32}, Site: ir.Site{Instruction: 7}, Event: e})
	}
	for range 50 {
		l := &exec.Log{}
		for lane := range uint32(2) {
			for n := range uint32(4) {
				logged(l, p, 0, lane, n, 8*n)
			}
		}
		list := l.Races()
		if len(list) != 4 {
			t.Fatalf("%d races; must be 4", len(list))
		}
		for i, r := range list {
			if r.Second.Number != uint32(i) {
				t.Fatalf("race %d is of message %d; must be in the order of the messages", i, r.Second.Number)
			}
		}
	}
}

// TestFenceScope: fences of scope Workgroup do not order invocations of two workgroups, although the atomics between them have
// scope Device (Vulkan, "Memory Model", "Synchronizes-With": the scope instances must include each other). Fences of scope Device do,
// and those of scope Workgroup order two invocations of one.
func TestFenceScope(t *testing.T) {
	const buffers = 1 << ir.EventBuffers
	for _, c := range []struct {
		release, acquire uint8
		groups           uint32
		races            int
	}{
		{ir.EventGroup, ir.EventGroup, 2, 1},
		{ir.EventGroup, ir.EventDevice, 2, 1},
		{ir.EventDevice, ir.EventGroup, 2, 1},
		{ir.EventDevice, ir.EventDevice, 2, 0},
		{ir.EventGroup, ir.EventGroup, 1, 0},
		{ir.EventInvocation, ir.EventGroup, 1, 1},
	} {
		flag := onBuffer("flag")
		flag.Atomic, flag.Scope = true, ir.EventDevice
		p := traced(2, storing(onBuffer("data")), ir.Event{Kind: ir.FenceEvent, Scope: c.release, Release: buffers}, storing(flag),
			loading(flag), ir.Event{Kind: ir.FenceEvent, Scope: c.acquire, Acquire: buffers}, loading(onBuffer("data")))
		l := &exec.Log{}
		for n := range uint32(6) {
			second := n / 3
			logged(l, p, second*(c.groups-1), second*(2-c.groups), n, 0)
		}
		if n := len(l.Races()); n != c.races {
			t.Errorf("scopes %d and %d, %d workgroups: %d races; must be %d", c.release, c.acquire, c.groups, n, c.races)
		}
	}
}

// TestBarrierScope: a control barrier of the workgroup with semantics of scope Subgroup orders the accesses of invocations of one subgroup,
// and not those of two. Of scope Workgroup it orders all, and so do two barriers of which one has that scope.
func TestBarrierScope(t *testing.T) {
	const buffers, width = 1 << ir.EventBuffers, 2
	barrier := func(scope uint8) ir.Event {
		return ir.Event{Kind: ir.BarrierEvent, Scope: scope, Execution: ir.EventGroup, Acquire: buffers, Release: buffers}
	}
	for _, c := range []struct {
		barriers []ir.Event
		from     uint32 // the lane whose word a lane loads has these bits changed
		races    bool
	}{
		{[]ir.Event{barrier(ir.EventSubgroup)}, 0, false},
		{[]ir.Event{barrier(ir.EventSubgroup)}, 1, false},
		{[]ir.Event{barrier(ir.EventSubgroup)}, 2, true},
		{[]ir.Event{barrier(ir.EventSubgroup)}, 3, true},
		{[]ir.Event{barrier(ir.EventSubgroup), barrier(ir.EventSubgroup)}, 2, true},
		{[]ir.Event{barrier(ir.EventGroup)}, 3, false},
		{[]ir.Event{barrier(ir.EventDevice)}, 2, false},
		{[]ir.Event{barrier(ir.EventSubgroup), barrier(ir.EventGroup)}, 2, false},
		{[]ir.Event{barrier(ir.EventGroup), barrier(ir.EventSubgroup)}, 3, false},
	} {
		events := append([]ir.Event{storing(onBuffer("data"))}, c.barriers...)
		p := traced(2*width, append(events, loading(onBuffer("data")))...)
		p.SubgroupSize = width
		l := &exec.Log{}
		for event := range uint32(len(p.Messages)) {
			for lane := range uint32(2 * width) {
				at := lane
				if int(event) == len(p.Messages)-1 {
					at ^= c.from
				}
				logged(l, p, 0, lane, event, 4*at)
			}
		}
		if n := len(l.Races()); (n > 0) != c.races {
			t.Errorf("%d barriers, the first of scope %d, words of lanes xor %d: %d races", len(c.barriers), c.barriers[0].Scope, c.from, n)
		}
	}
}

// adding returns a program that adds to a counter.
func adding(lanes uint32, order uint8) *ir.Program {
	e := storing(loading(onBuffer("counter")))
	e.Atomic, e.Scope, e.Acquire, e.Release = true, ir.EventDevice, order, order
	return traced(lanes, e, loading(onBuffer("counter")))
}

// TestCounters: counters of many invocations have no race, and stay below the limit of memory; a load beside them has a race.
func TestCounters(t *testing.T) {
	for _, order := range []uint8{0, 1 << ir.EventBuffers} {
		const groups = 256
		p, l := adding(64, order), &exec.Log{RaceBytes: 1 << 26}
		for i := range uint32(64 * groups) {
			logged(l, p, i/64, i%64, 0, 0)
		}
		if l.Stopped() != nil || len(l.Races()) > 0 {
			t.Errorf("order %d: %v, %d races; must be none", order, l.Stopped(), len(l.Races()))
		}
		logged(l, p, 0, 0, 1, 0)
		if want := 1; len(l.Races()) != want {
			t.Errorf("%d races of a load beside a counter; must be %d", len(l.Races()), want)
		}
	}
}

// TestAtomicScopes: an atomic of scope Workgroup and one of scope Device by an invocation of another workgroup race, also if an atomic of
// scope Device by the first invocation is between them (Vulkan, "Memory Model", "Data Race": their scopes must include each other).
func TestAtomicScopes(t *testing.T) {
	atomic := func(scope uint8) ir.Event {
		e := storing(loading(onBuffer("counter")))
		e.Atomic, e.Scope = true, scope
		return e
	}
	p := traced(1, atomic(ir.EventGroup), atomic(ir.EventDevice))
	for _, c := range []struct {
		first []uint32
		races int
	}{{[]uint32{0}, 1}, {[]uint32{1}, 0}, {[]uint32{0, 1}, 1}, {[]uint32{1, 0}, 1}, {[]uint32{1, 1}, 0}} {
		l := &exec.Log{}
		for _, event := range c.first {
			logged(l, p, 0, 0, event, 0)
		}
		logged(l, p, 1, 0, 1, 0)
		if n := len(l.Races()); n != c.races {
			t.Errorf("after atomics %d: %d races; must be %d", c.first, n, c.races)
		}
	}
}

// TestRaceLimit: past the limit of memory the search for races ends, and says so, also of invocations and of words.
func TestRaceLimit(t *testing.T) {
	p := traced(1, storing(onBuffer("data")))
	for _, sameWord := range []uint32{0, 1} {
		l := &exec.Log{RaceBytes: 1 << 16}
		for i := range uint32(1000) {
			logged(l, p, i*sameWord, 0, 0, 4*i*(1-sameWord))
		}
		s := l.Stopped()
		if s == nil {
			t.Fatal("the search did not end")
		}
		if s.At.Group[0] == 0 && s.At.Args[0] == 0 {
			t.Error("it ended at the first access")
		}
		races := len(l.Races())
		logged(l, p, 2000, 0, 0, 0)
		if l.Stopped() != s || len(l.Races()) != races {
			t.Error("the search went on behind its end")
		}
	}
}

// TestLostEvents: a program that does not log all of its events has no race, because a barrier may be among the others.
func TestLostEvents(t *testing.T) {
	p, l := traced(2, storing(onBuffer("data")), ir.Event{Kind: ir.LostEvent}), &exec.Log{}
	logged(l, p, 0, 0, 0, 0)
	logged(l, p, 0, 1, 0, 0)
	if len(l.Races()) > 0 || l.Stopped() == nil {
		t.Errorf("%d races, end %v; must be an end alone", len(l.Races()), l.Stopped())
	}
}

// TestMeshGroups: mesh workgroups of two jobs, each of which is number 0 of its job, are two workgroups. Each lane stores a word, all
// wait, and each loads the word of its neighbor.
func TestMeshGroups(t *testing.T) {
	const shared = 1 << ir.EventWorkgroup
	word := onBuffer("words")
	word.Domain = ir.EventWorkgroup
	p := traced(2, storing(word), ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup, Acquire: shared, Release: shared}, loading(word))
	l := &exec.Log{}
	for range 2 {
		l.NewJob()
		for n, x := range [3]uint32{0, 0, 1} {
			for lane := range uint32(2) {
				logged(l, p, 0, lane, uint32(n), 4*(lane^x))
			}
		}
	}
	if list := l.Races(); len(list) != 0 {
		t.Errorf("%d races in a program without one", len(list))
	}
	l.NewJob() // without a barrier
	logged(l, p, 0, 0, 0, 0)
	logged(l, p, 0, 1, 2, 0)
	if len(l.Races()) != 1 {
		t.Errorf("%d races in a workgroup; must be 1", len(l.Races()))
	}
}

// TestJobsShareBuffers: accesses of a buffer by workgroups of two jobs of one draw race.
func TestJobsShareBuffers(t *testing.T) {
	p, l := traced(1, storing(onBuffer("data"))), &exec.Log{}
	for range 2 {
		l.NewJob()
		logged(l, p, 0, 0, 0, 0)
	}
	if list := l.Races(); len(list) != 1 || list[0].SameGroup {
		t.Errorf("races %v; must be one of two workgroups", list)
	}
}

// TestTaskAndMesh: a task shader of 2 invocations and a mesh shader of 4, each with one barrier that all reach.
func TestTaskAndMesh(t *testing.T) {
	l := &exec.Log{}
	for i, n := range []uint32{2, 4} {
		p := traced(n, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup})
		p.Messages[0].Stage = ir.Task + ir.Stage(i)
		for lane := range n {
			logged(l, p, 0, lane, 0, 0)
		}
	}
	for _, b := range l.Barriers() {
		t.Errorf("a barrier that %d of %d invocations reach", b.Count, b.Size)
	}
}

// TestRestoreRaces: a restored log has no accesses of the run after the state, and has the races before it.
func TestRestoreRaces(t *testing.T) {
	p, l := traced(2, storing(onBuffer("data")), storing(onBuffer("more"))), &exec.Log{}
	both := func(event uint32) {
		logged(l, p, 0, 0, event, 0)
		logged(l, p, 0, 1, event, 0)
	}
	empty := l.State()
	both(0)
	one := l.State()
	both(1)
	both(0)
	for range 2 {
		l.Restore(one)
		if list := l.Races(); len(list) != 1 || list[0].Times != 1 {
			t.Errorf("races %v; must be one, once", list)
		}
		logged(l, p, 0, 1, 1, 0)
	}
	l.Restore(empty)
	logged(l, p, 0, 1, 0, 0)
	if len(l.Races()) != 0 {
		t.Errorf("%d races; must be none", len(l.Races()))
	}
}

// TestReadOnly: barriers of a program that writes nothing are followed without clocks: each invocation needs little memory, also
// with many barriers, and a barrier that not all reach is found.
func TestReadOnly(t *testing.T) {
	p := traced(4, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup})
	l := &exec.Log{RaceBytes: 1 << 20}
	const groups = 1000
	for g := range uint32(groups) {
		for i := range uint32(40) {
			logged(l, p, g, i%4, 0, 0)
		}
	}
	logged(l, p, 0, 0, 0, 0)
	if l.Stopped() != nil {
		t.Error(l.Stopped().Why)
	}
	if list := l.Barriers(); len(list) != 1 || list[0].Count != 1 || list[0].Size != 4 || list[0].Times != 1 {
		t.Errorf("barriers %v; must be one that 1 of 4 reaches", list)
	}
}

// TestInterruptedBarriers: a run that ends early has no report of a barrier that its other invocations might reach.
func TestInterruptedBarriers(t *testing.T) {
	p, l := traced(4, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup}), &exec.Log{}
	logged(l, p, 0, 0, 0, 0)
	l.Interrupt()
	if n := len(l.Barriers()); n != 0 {
		t.Errorf("%d barriers that not all reached; must be none", n)
	}
}

// TestOpenRounds: an invocation that waits at more and more barriers alone ends the search at the limit of memory.
func TestOpenRounds(t *testing.T) {
	p, l := traced(2, ir.Event{Kind: ir.BarrierEvent, Scope: ir.EventGroup, Execution: ir.EventGroup}), &exec.Log{RaceBytes: 1 << 16}
	for range 1000 {
		logged(l, p, 0, 0, 0, 0)
	}
	if l.Stopped() == nil {
		t.Error("the search did not end")
	}
}
