package exec

import (
	"maps"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// The detector of data races finds accesses of a location by two invocations that happens-before does not order, one of
// them a write and not both atomic (Vulkan, "Memory Model", "Data Race"). It keeps the last accesses of each word, and vector
// clocks of the invocations (Flanagan and Freund 2009, "FastTrack"); the barriers of a workgroup make the clocks of its
// invocations equal, so that a clock for a workgroup stands for those of its invocations (Eizenberg et al. 2017, "BARRACUDA").

// Race is a pair of accesses that are not ordered.
type Race struct {
	First, Second *Message // the second one ran later
	Times         uint64
	SameGroup     bool
}

// domains is the number of kinds of memory that a barrier orders by itself; see ir.Event.
const domains = ir.EventDomains

// clock counts the releases of an invocation.
type clock uint32

// vector is a vector clock, which does not change. A clock for a workgroup counts for all of its invocations.
type vector struct {
	groups map[[3]uint32]clock
	lanes  map[invocation]clock
}

// at returns the clock of an invocation.
func (v *vector) at(i invocation) clock {
	if v == nil {
		return 0
	}
	return max(v.groups[i.group], v.lanes[i])
}

// join returns the least vector that is not less than either one.
func join(a, b *vector) *vector {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	out := &vector{maps.Clone(a.groups), maps.Clone(a.lanes)}
	for k, c := range b.groups {
		if out.groups == nil {
			out.groups = map[[3]uint32]clock{}
		}
		out.groups[k] = max(out.groups[k], c)
	}
	for k, c := range b.lanes {
		if out.groups[k.group] >= c {
			continue
		}
		if out.lanes == nil {
			out.lanes = map[invocation]clock{}
		}
		out.lanes[k] = max(out.lanes[k], c)
	}
	return out
}

// thread is the state of an invocation.
type thread struct {
	invocation
	now      clock
	seen     [domains]*vector // what happens before its next access
	released [domains]*vector // at its last release fence
	read     [domains]*vector // what its atomics without acquire semantics read
	rounds   [2]uint32        // control barriers of the workgroup and of the subgroup so far
	waits    *round           // the barrier before its next event; nil for none
	acquires uint8            // the domains of its acquire semantics
	fenced   uint8            // domains with a fence since the last access: it counts for the next control barrier
}

// round is one control barrier.
type round struct {
	arrived      [domains]*vector
	last         clock
	count, size  uint32   // invocations that are here, and those that must be
	first, other *Message // of the first invocation, and of one at another barrier; nil for none
}

// Barrier is a control barrier that not all invocations reach.
type Barrier struct {
	First, Other *Message // the invocation that was there first, and one that waits at another barrier; nil for none
	Count, Size  uint32   // invocations that reached it, of those of its scope
	Times        uint64
}

// roundOf identifies a round: of a workgroup, or of a subgroup.
type roundOf struct {
	group    [3]uint32
	subgroup uint32 // 1 + its number; 0 is the workgroup
	number   uint32
}

// location is a word of memory.
type location struct {
	memory  string
	element uint32
	group   [3]uint32 // of workgroup memory
	word    uint64
}

// cell has the last accesses of a word, and what atomics published there.
type cell struct {
	accesses []access
	device   [domains]*vector
	groups   map[[3]uint32]*[domains]*vector
	written  uint8 // bit set of the bytes that a store wrote
}

// access is an access of some bytes of a word.
type access struct {
	message *Message
	by      invocation
	when    clock
	bytes   uint8 // bit set
}

// maxAccesses bounds the reads of a word that are kept.
const maxAccesses = 64

// maxCells bounds the words that the detector follows: the first ones.
const maxCells = 1 << 22

// races is the state of the detector.
type races struct {
	threads map[invocation]*thread
	rounds  map[roundOf]*round
	cells   map[location]*cell
	written map[*ir.Program]map[string]bool // memory that the program writes
	found   map[[2]siteOf]*Race
	missed  map[siteOf]*Barrier
	unread  map[siteOf]*Report // loads of bytes without a store
}

func newRaces() *races {
	return &races{
		threads: map[invocation]*thread{}, rounds: map[roundOf]*round{}, cells: map[location]*cell{},
		written: map[*ir.Program]map[string]bool{}, found: map[[2]siteOf]*Race{}, missed: map[siteOf]*Barrier{}, unread: map[siteOf]*Report{},
	}
}

// event adds an event of an invocation, with all of its values.
func (r *races) event(m *Message) {
	t := r.threadOf(invocation{m.Group, m.Lane})
	t.resume()
	switch e := &m.Of().Event; e.Kind {
	case ir.AccessEvent:
		r.access(t, m, e)
	case ir.FenceEvent:
		t.release(e.Release)
		t.fence(e.Acquire)
		t.fenced |= e.Release & e.Acquire
	case ir.BarrierEvent:
		r.arrive(t, m, e)
	}
}

func (r *races) threadOf(i invocation) *thread {
	t := r.threads[i]
	if t == nil {
		t = &thread{invocation: i, now: 1}
		r.threads[i] = t
	}
	return t
}

// each calls f with each domain of a bit set.
func each(set uint8, f func(d int)) {
	for d := range domains {
		if set>>d&1 != 0 {
			f(d)
		}
	}
}

// snapshot is what happens before an event that the next event of the invocation happens after, itself included.
func (t *thread) snapshot(d int) *vector {
	return join(t.seen[d], &vector{lanes: map[invocation]clock{t.invocation: t.now}})
}

// release is a release fence of some domains.
func (t *thread) release(set uint8) {
	if set == 0 {
		return
	}
	each(set, func(d int) { t.released[d] = t.snapshot(d) })
	t.now++
}

// fence is an acquire fence of some domains.
func (t *thread) fence(set uint8) {
	each(set, func(d int) { t.seen[d] = join(t.seen[d], t.read[d]) })
}

// arrive is a control barrier. The invocation waits for the others of its round: its next event is after all of theirs.
func (r *races) arrive(t *thread, m *Message, e *ir.Event) {
	at, kind := roundOf{group: t.group}, 0
	local := m.Program.LocalSize
	size := local[0] * local[1] * local[2]
	if n := m.Program.SubgroupSize; e.Execution >= ir.EventSubgroup {
		at.subgroup, kind = 1+m.Lane/n, 1
		size = min(n, size-m.Lane/n*n)
	}
	at.number = t.rounds[kind]
	t.rounds[kind]++
	x := r.rounds[at]
	if x == nil {
		x = &round{first: m, size: size}
		r.rounds[at] = x
	}
	if x.first.Number != m.Number {
		x.other = m
	}
	if x.count++; x.count == size {
		delete(r.rounds, at)
		r.judge(x)
	}
	x.last = max(x.last, t.now)
	release, acquire := e.Release|t.fenced, e.Acquire|t.fenced
	each(release, func(d int) {
		own := &vector{groups: map[[3]uint32]clock{t.group: t.now}}
		if kind == 1 || e.Scope >= ir.EventSubgroup {
			own = &vector{lanes: map[invocation]clock{t.invocation: t.now}}
		}
		x.arrived[d] = join(x.arrived[d], join(t.seen[d], own))
	})
	t.release(release)
	t.fence(acquire)
	t.waits, t.acquires = x, acquire
}

// judge notes a round that not all invocations reached, or at several barriers.
func (r *races) judge(x *round) {
	if x.count == x.size && x.other == nil {
		return
	}
	at := siteOf{x.first.Program, x.first.Number}
	b := r.missed[at]
	if b == nil {
		b = &Barrier{First: x.first, Other: x.other, Count: x.count, Size: x.size}
		r.missed[at] = b
	}
	b.Times++
}

// resume ends the wait of an invocation for a barrier.
func (t *thread) resume() {
	if t.waits == nil {
		return
	}
	for d := range domains { // an acquire fence behind the barrier reads them, too
		t.read[d] = join(t.read[d], t.waits.arrived[d])
	}
	each(t.acquires, func(d int) { t.seen[d] = join(t.seen[d], t.waits.arrived[d]) })
	t.now, t.waits = max(t.now, t.waits.last)+1, nil
}

// access is a load, a store or an atomic.
func (r *races) access(t *thread, m *Message, e *ir.Event) {
	if !r.writes(m.Program, e.Memory) {
		if e.Uninit {
			r.noteUnwritten(m)
		}
		return
	}
	t.fenced &^= 1 << e.Domain
	var at uint64
	element := uint32(0)
	switch len(m.Args) {
	case 1: // an address
		at = m.Args[0]
	case 2:
		at, element = m.Args[0], uint32(m.Args[1])
	}
	end := at + uint64(e.Size)
	written := !e.Uninit || !e.Read
	for word := at / 4; word*4 < end; word++ {
		bytes := uint8(0xf)
		if first := word * 4; first < at {
			bytes &= 0xf << (at - first)
		}
		if last := word*4 + 4; last > end {
			bytes &= 0xf >> (last - end)
		}
		l := location{memory: e.Memory, element: element, word: word}
		if e.Domain == ir.EventWorkgroup {
			l.group = t.group
		}
		c := r.cells[l]
		if c == nil {
			if len(r.cells) >= maxCells {
				return // the rest is not known
			}
			c = &cell{}
			r.cells[l] = c
		}
		written = written || c.written&bytes != 0
		if e.Write {
			c.written |= bytes
		}
		r.touch(c, t, access{m, t.invocation, t.now, bytes}, e)
	}
	if !written {
		r.noteUnwritten(m)
	}
}

// noteUnwritten counts a load of bytes of which no store wrote any.
func (r *races) noteUnwritten(m *Message) {
	at := siteOf{m.Program, m.Number}
	if r.unread[at] == nil {
		r.unread[at] = &Report{First: m}
	}
	r.unread[at].Times++
}

// writes reports whether a program writes a memory: reads alone do not race.
func (r *races) writes(p *ir.Program, memory string) bool {
	w := r.written[p]
	if w == nil {
		w = map[string]bool{}
		for i := range p.Messages {
			if e := &p.Messages[i].Event; e.Write {
				w[e.Memory] = true
			}
		}
		r.written[p] = w
	}
	return w[memory]
}

// touch compares an access with those before it, and keeps it.
func (r *races) touch(c *cell, t *thread, x access, e *ir.Event) {
	kept := c.accesses[:0]
	for _, old := range c.accesses {
		o := &old.message.Of().Event
		before := old.by == x.by || !e.Private && !o.Private && t.seen[e.Domain].at(old.by) >= old.when
		overlaps := old.bytes&x.bytes != 0
		if overlaps && !before && (e.Write || o.Write) && !bothAtomic(o, e, old.by, x.by, x.message.Program.SubgroupSize) {
			r.report(old.message, x.message)
		}
		covered := before && old.bytes&^x.bytes == 0 && (e.Write || !o.Write && old.by == x.by) && e.Atomic == o.Atomic
		if !covered {
			kept = append(kept, old)
		}
	}
	c.accesses = kept
	if e.Write || len(kept) < maxAccesses {
		c.accesses = append(kept, x)
	}
	if e.Atomic {
		c.synchronize(t, e)
	}
}

// bothAtomic reports whether two accesses are atomics that exclude each other: the scope of each has the other.
func bothAtomic(a, b *ir.Event, of, with invocation, subgroup uint32) bool {
	if !a.Atomic || !b.Atomic {
		return false
	}
	switch max(a.Scope, b.Scope) {
	case ir.EventDevice:
		return true
	case ir.EventGroup:
		return of.group == with.group
	case ir.EventSubgroup:
		return of.group == with.group && of.lane/subgroup == with.lane/subgroup
	}
	return false
}

// synchronize is the effect of an atomic on the order of other accesses: an acquire reads what a release, or the release fence
// before an atomic, published. A read and write continues the release sequence.
func (c *cell) synchronize(t *thread, e *ir.Event) {
	if c.groups == nil {
		c.groups = map[[3]uint32]*[domains]*vector{}
	}
	local := c.groups[t.group]
	if local == nil {
		local = &[domains]*vector{}
		c.groups[t.group] = local
	}
	if e.Read {
		for d := range domains {
			got := local[d]
			if e.Scope == ir.EventDevice {
				got = join(got, c.device[d])
			}
			t.read[d] = join(t.read[d], got)
			if e.Acquire>>d&1 != 0 {
				t.seen[d] = join(t.seen[d], got)
			}
		}
	}
	if !e.Write {
		return
	}
	for d := range domains {
		given := t.released[d]
		if e.Release>>d&1 != 0 {
			given = join(given, t.snapshot(d))
		}
		if e.Read {
			local[d] = join(local[d], given)
		} else {
			local[d] = given
		}
		switch {
		case e.Scope != ir.EventDevice:
		case e.Read:
			c.device[d] = join(c.device[d], given)
		default:
			c.device[d] = given
		}
	}
	if e.Release != 0 {
		t.now++
	}
}

// report counts a race.
func (r *races) report(first, second *Message) {
	at := [2]siteOf{{first.Program, first.Number}, {second.Program, second.Number}}
	if at[0].number > at[1].number {
		at[0], at[1] = at[1], at[0]
	}
	x := r.found[at]
	if x == nil {
		x = &Race{First: first, Second: second, SameGroup: first.Group == second.Group}
		r.found[at] = x
	}
	x.Times++
}
