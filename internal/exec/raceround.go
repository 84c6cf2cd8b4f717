package exec

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// round is one execution of a control barrier by the invocations of its scope. Those that release a domain there leave their
// clocks, and those that acquire it take the join of all clocks after the last one has arrived (vector clocks, Mattern 1989).
type round struct {
	at           roundOf
	event        *ir.Event
	arrived      [domains]vector
	within       map[uint32]*[domains]vector // what arrived for the invocations of a subgroup alone, by its number
	subgroup     uint32                      // invocations of a subgroup
	last         clock
	first, other *Message // of the first invocation, and of one at another barrier; nil for none
	meets        *meeting
	resumed      resumption
}

// meeting is how many of the invocations are at a control barrier. A published clock refers to it after its round is closed.
type meeting struct {
	count, size uint32 // invocations that are here, and those that must be
	whole       uint8  // domains that the barrier itself acquires, if all are at the same one of the workgroup
}

// all reports whether each invocation of the workgroup acquires a domain at the barrier before its next event.
func (m *meeting) all(d int) bool { return m != nil && m.count == m.size && m.whole>>d&1 != 0 }

// resumption is the change of the state of an invocation after a barrier. Invocations with the same state share the result.
type resumption struct {
	from, to *state
	acquires uint8
	count    uint32 // invocations that were there
	of       uint32 // 1 + the number of the subgroup, if its invocations alone have the result; else 0
}

// change is the change of the state of an invocation of a workgroup by its last event. Invocations with the same state share the
// result.
type change struct {
	event           *ir.Event
	round           *round
	from, to        *state
	now, next       clock
	fenced, fencing uint8 // before and after
}

// Barrier is a control barrier that not all invocations reach.
type Barrier struct {
	First, Other *Message // the invocation that was there first, and one that waits at another barrier; nil for none
	Count, Size  uint32   // invocations that reached it, and all of its scope
	Times        uint64
}

// roundOf identifies a round: of a workgroup, or of a subgroup.
type roundOf struct {
	group    uint32
	subgroup uint32 // 1 + its number; 0 is the workgroup
	number   uint32
}

// synchronize adds a fence or a control barrier. With count, only the invocations at barriers are counted.
func (r *races) synchronize(x *record, lanes Lanes, count bool) {
	e := x.event
	if count && e.Kind != ir.BarrierEvent && e.Kind != ir.ArriveEvent {
		return
	}
	g := r.workgroupOf(x)
	var before, after standing // of an invocation
	repeats := false           // whether another one with the same standing gets the same one
	for lane := range lanes.All {
		t := r.threadOf(g, x, lane, !count)
		if repeats && !t.owned && t.standing == before {
			if t.standing = after; e.Kind == ir.BarrierEvent {
				r.reach(after.waits)
			}
			continue
		}
		before = t.standing
		owned := t.owned
		if count {
			r.roundOf(x, lane, t)
		} else {
			r.order(t, x, lane)
			after = t.standing
			repeats = !owned && !t.owned && (e.Kind == ir.FenceEvent || e.Kind == ir.BarrierEvent && e.Execution == ir.EventGroup && forGroup(e) && before.near() == 0)
		}
		if r.full(x, lane) {
			return
		}
	}
}

// threadOf returns the invocation of a lane of an event.
func (r *races) threadOf(g *workgroup, x *record, lane int, follow bool) *thread {
	if !x.grouped {
		return r.lone(g, x, follow)
	}
	if g.threads == nil {
		r.begin(g)
	}
	return &g.threads[x.lane+uint32(lane)]
}

// order is the effect of a fence or a barrier on the order of accesses.
func (r *races) order(t *thread, x *record, lane int) {
	r.resume(t)
	e, at := x.event, (*round)(nil)
	switch e.Kind {
	case ir.BarrierEvent, ir.ArriveEvent:
		at = r.roundOf(x, lane, t)
	case ir.WaitEvent:
		at = t.arrived
	}
	// A state that several invocations have does not change, so that the same event at the same round changes it to the same one.
	same := &t.workgroup.last
	if !t.owned && same.event == e && same.round == at && same.from == t.state && same.now == t.now && same.fenced == t.fenced {
		if (e.Kind == ir.BarrierEvent || e.Kind == ir.ArriveEvent) && (!forGroup(e) || t.near() != 0) {
			r.arrive(t, e, at)
		}
		t.state, t.now, t.fenced = same.to, same.next, same.fencing
	} else {
		change := change{event: e, round: at, from: t.state, now: t.now, fenced: t.fenced}
		shared := !t.owned
		r.apply(t, e, at)
		if shared {
			if same.event == nil {
				r.count(t.workgroup, sharedBytes)
			}
			r.share(t)
			change.to, change.next, change.fencing = t.state, t.now, t.fenced
			t.workgroup.last = change
		}
	}
	switch e.Kind {
	case ir.ArriveEvent:
		t.arrived = at
	case ir.BarrierEvent, ir.WaitEvent: // the next event is after the arrivals of the others
		t.waits, t.acquires = at, e.Acquire|t.wide()|t.near()
	}
}

// apply changes the state of an invocation: a release publishes its clocks before an acquire takes those of others, because a
// fence with both orders the accesses before it before the ones after it.
func (r *races) apply(t *thread, e *ir.Event, at *round) {
	switch e.Kind {
	case ir.FenceEvent:
		if e.Scope == ir.EventInvocation {
			return
		}
		r.publish(t, e.Release, e.Scope, nil)
		r.fence(t, e.Acquire, e.Scope)
		t.noteFence(e.Release&e.Acquire, e.Scope)
	case ir.BarrierEvent, ir.ArriveEvent:
		r.arrive(t, e, at)
		r.publish(t, e.Release|t.wide(), e.Scope, at.meets)
		if e.Kind == ir.BarrierEvent {
			r.fence(t, e.Acquire|t.wide(), e.Scope)
		}
	case ir.WaitEvent:
		r.fence(t, e.Acquire|t.wide(), e.Scope)
	}
}

// roundOf adds an invocation to its round of a barrier.
func (r *races) roundOf(x *record, lane int, t *thread) *round {
	e := x.event
	at, kind := roundOf{group: t.workgroup.number}, 0
	local := x.program.LocalSize
	size := local[0] * local[1] * local[2]
	if n := x.program.SubgroupSize; e.Execution >= ir.EventSubgroup {
		in := x.lane + uint32(lane)
		at.subgroup, kind = 1+in/n, 1
		size = min(n, size-in/n*n)
	}
	at.number = t.rounds[kind]
	t.rounds[kind]++
	b := t.workgroup.open
	if b == nil || b.at != at || b.meets.count == size {
		if b = r.rounds[at]; b == nil {
			b = &round{at: at, event: e, first: x.message(lane), meets: &meeting{size: size}, subgroup: max(x.program.SubgroupSize, 1)}
			if kind == 0 && e.Kind == ir.BarrierEvent && !narrow(e) {
				b.meets.whole = e.Acquire
			}
			r.rounds[at] = b
			r.kept += roundBytes
		}
		t.workgroup.open = b
	}
	if b.first.Number != x.number && (e.Barrier == 0 || e.Barrier != b.event.Barrier) {
		b.other = x.message(lane)
		b.meets.whole = 0
	}
	r.reach(b)
	if b.meets.count == size {
		t.workgroup.open = nil
	}
	return b
}

// leaving is how many invocations of a workgroup have ended after the same number of its barriers.
type leaving struct{ number, count uint32 }

// leave notes the end of invocations that barriers do not wait for.
func (r *races) leave(x *record, lanes Lanes) {
	g := r.workgroupOf(x)
	for lane := range lanes.All {
		number := r.threadOf(g, x, lane, false).rounds[0]
		list := r.left[g.number]
		i := slices.IndexFunc(list, func(l leaving) bool { return l.number == number })
		if i < 0 {
			i, list = len(list), append(list, leaving{number: number})
			r.left[g.number] = list
			r.kept += leavingBytes
		}
		local := x.program.LocalSize
		if list[i].count++; len(list) == 1 && list[i].count == local[0]*local[1]*local[2] {
			delete(r.left, g.number) // none is left to wait
			r.kept -= leavingBytes
		}
	}
	r.full(x, int(lanes.First()))
}

// gone returns how many invocations had ended before a round.
func (r *races) gone(x *round) (n uint32) {
	for _, l := range r.left[x.at.group] {
		if l.number <= x.at.number {
			n += l.count
		}
	}
	return n
}

// reach counts an invocation at a barrier.
func (r *races) reach(b *round) {
	if b.meets.count++; b.meets.count == b.meets.size {
		delete(r.rounds, b.at)
		r.kept -= roundBytes
		r.judge(b)
	}
}

// forGroup reports whether the clock of the workgroup represents an invocation that arrives. It keeps running after it arrives at a
// split barrier.
func forGroup(e *ir.Event) bool {
	return e.Kind != ir.ArriveEvent && max(e.Execution, e.Scope) < ir.EventSubgroup
}

// narrow reports whether invocations of several subgroups meet at a barrier whose semantics are for those of a subgroup: it orders no
// accesses of two subgroups (Vulkan, "Memory Model", "Synchronizes-With": the scope instances must include each other).
func narrow(e *ir.Event) bool { return e.Execution < ir.EventSubgroup && e.Scope == ir.EventSubgroup }

// arrive records the arrival at a control barrier.
func (r *races) arrive(t *thread, e *ir.Event, x *round) {
	x.last = max(x.last, t.now)
	released, near := e.Release|t.wide(), uint8(0)
	if narrow(e) { // a fence before the barrier has a scope of its own
		released, near = t.wide(), e.Release
	}
	if e.Execution < ir.EventSubgroup {
		near |= t.near()
	} else { // all are of the subgroup
		released |= t.near()
	}
	// The clocks are those of invocations: one of the workgroup would order the other subgroups, too.
	each(near, func(d int) {
		list := x.near(t)
		if list == nil {
			if x.within == nil {
				x.within = map[uint32]*[domains]vector{}
			}
			list = &[domains]vector{}
			x.within[t.lane/x.subgroup] = list
		}
		v := r.joined(list[d], t.state.seen[d])
		v.lanes = r.raised(v.lanes, t.number, t.now)
		list[d] = v
	})
	each(released, func(d int) {
		v := r.joined(x.arrived[d], t.state.seen[d])
		if forGroup(e) {
			v.groups = r.raised(v.groups, t.workgroup.number, t.now)
		} else {
			v.lanes = r.raised(v.lanes, t.number, t.now)
		}
		x.arrived[d] = v
	})
}

// near returns what arrived for the subgroup of an invocation alone; nil for nothing.
func (x *round) near(t *thread) *[domains]vector {
	if x.within == nil {
		return nil
	}
	return x.within[t.lane/x.subgroup]
}

// judge notes a round that not all invocations reached, or at several barriers.
func (r *races) judge(x *round) {
	if x.meets.count+r.gone(x) >= x.meets.size && x.other == nil {
		return
	}
	at := siteOf{x.first.Program, x.first.Number}
	b := r.missed[at]
	if b == nil {
		b = &Barrier{First: x.first, Other: x.other, Count: x.meets.count, Size: x.meets.size}
		r.missed[at] = b
	}
	b.Times++
}

// resume ends the wait of an invocation for a barrier.
func (r *races) resume(t *thread) {
	x := t.waits
	if x == nil {
		return
	}
	near, of := x.near(t), uint32(0)
	// What arrived for a subgroup alone is a result of its own, which other subgroups do not share.
	if near != nil {
		of = 1 + t.lane/x.subgroup
	}
	// Arrivals after a resumption would make another result: the count tells.
	if same := &x.resumed; !t.owned && same.from == t.state && same.acquires == t.acquires && same.count == x.meets.count && same.of == of {
		t.state = same.to
	} else {
		from, shared := t.state, !t.owned
		for d := range domains { // an acquire fence after the barrier reads them, too
			for reach := range reaches {
				r.hear(t, reach, d, x.arrived[d])
				if near != nil {
					r.hear(t, reach, d, near[d])
				}
			}
		}
		each(t.acquires, func(d int) {
			if r.see(t, d, x.arrived[d]); near != nil {
				r.see(t, d, near[d])
			}
		})
		if shared {
			r.share(t)
			x.resumed = resumption{from, t.state, t.acquires, x.meets.count, of}
		}
	}
	// The clocks of all are equal after the barrier: the workgroup needs one.
	t.now, t.waits = max(t.now, x.last)+1, nil
}
