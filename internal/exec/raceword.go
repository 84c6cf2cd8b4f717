package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// access is an access of some bytes of a word. It has numbers in place of pointers, so that the garbage collector need not scan the words
// of a run.
type access struct {
	record uint32 // in shadow.records
	when   clock
	lane   uint8 // in the record
	bytes  uint8 // bit set
	reads  bool  // it only reads, and is not atomic
}

// cell has the last accesses of a word: one, or those in a history.
type cell struct {
	record  uint32 // 0 for no access, or for a history
	when    clock
	history uint32 // in shadow.histories; 0 for none
	lane    uint8
	bytes   uint8
	reads   bool
	written uint8 // bit set of the bytes that a store wrote
}

// last returns the access of a cell without a history.
func (c *cell) last() access { return access{c.record, c.when, c.lane, c.bytes, c.reads} }

// set makes an access the only one.
func (c *cell) set(a access) {
	c.record, c.when, c.lane, c.bytes, c.reads = a.record, a.when, a.lane, a.bytes, a.reads
}

// history has several accesses of a word, and the vectors that atomics published there.
type history struct {
	number    uint32
	list      []access
	device    [domains]vector
	groups    map[uint32]*[domains]vector // by number
	subgroups map[subgroupOf]*[domains]vector
	known     knownLoads
}

// knownLoads are the loads by an instruction of invocations of a workgroup in one state. If two invocations have loaded the word
// without a race and nothing else followed, then a load by a third one has none either: a store is by one invocation, so that
// what orders it before the loads of the two orders it before all. A later store that races with the third one's load
// races with one of the two, if all clocks are of workgroups. So the detector need not keep the third.
type knownLoads struct {
	program *ir.Program
	state   *state
	number  uint32 // of the message
	group   uint32
	now     clock
	bytes   uint8
	sure    bool   // two invocations have loaded it
	thread  uint32 // the first one
}

// knows reports whether a load needs no check.
func (h *history) knows(t *thread, x *record, a access) bool {
	k := &h.known
	return k.sure && a.reads && k.state == t.state && k.now == t.now && k.number == x.number && k.program == x.program && k.bytes == a.bytes && k.group == t.workgroup.number
}

// learn notes an access that was checked. races tells whether it has a race.
func (h *history) learn(t *thread, x *record, a access, races, simple bool) {
	if !a.reads || races || !simple || t.owned {
		h.known = knownLoads{}
		return
	}
	k := knownLoads{program: x.program, state: t.state, number: x.number, group: t.workgroup.number, now: t.now, bytes: a.bytes, thread: t.number}
	if first := h.known; first.program != nil {
		k.thread, k.sure = first.thread, first.sure
		if k == first {
			h.known.sure = first.sure || first.thread != t.number
			return
		}
		k.thread, k.sure = t.number, false
	}
	h.known = k
}

// bytes returns the share of a history in the limit.
func (h *history) bytes() uint64 {
	return historyBytes + accessBytes*uint64(len(h.list)) + localBytes*uint64(len(h.groups)+len(h.subgroups))
}

// maxAccesses bounds the accesses of a word that are kept: the last ones.
const maxAccesses = 64

// maxAlike bounds the accesses by one instruction among them that are not ordered, because they are atomic or a race of them is
// found: the first and the last one. One of the two is by another invocation than the next access.
const maxAlike = 2

// touch compares an access by a record with those before it, and keeps it.
func (r *races) touch(c *cell, t *thread, x *record, a access) {
	switch {
	case c.history != 0:
		if r.histories[c.history].knows(t, x, a) {
			return
		}
		r.touchAll(c, t, x, a)
	case c.record == 0:
		c.set(a)
	default:
		old := c.last()
		keeps, _ := r.compare(old, a, x, t)
		if !keeps {
			r.release(r.records[c.record])
			c.set(a)
			break
		}
		h := r.newHistory(c)
		h.list = append(h.list, old, a)
		r.kept += 2 * accessBytes
	}
	x.refs++
	if x.event.Atomic {
		r.exchange(c, t, x.event)
	}
}

// compare compares an access by an invocation with one before it, and reports a race. keeps tells whether the one before remains: not
// if what races with it later races with the new one, too. An atomic of a narrow scope also races with atomics that one of a wide scope
// excludes. alike tells whether both are by one instruction and not ordered, because they are atomic, store the same output, or race.
func (r *races) compare(old, a access, x *record, t *thread) (keeps, alike bool) {
	before := r.records[old.record]
	o, e := before.event, x.event
	by := before.thread+uint32(old.lane) == t.number
	ordered := by || !hidden(before, x, old.lane, t) && t.after(before, old, int(e.Domain))
	sound := bothAtomic(before, x, old.lane, t) || sameOutput(before, x, int(old.lane), int(a.lane))
	races := !ordered && !sound && old.bytes&a.bytes != 0 && (e.Write || o.Write)
	if races {
		r.report(before, x, int(old.lane), int(a.lane))
	}
	if ordered && old.bytes&^a.bytes == 0 && (e.Write || !o.Write && by) && e.Atomic == o.Atomic && (!e.Atomic || o.Scope <= e.Scope) {
		return false, false
	}
	return true, (sound || races) && before.program == x.program && before.number == x.number && old.bytes == a.bytes
}

// touchAll compares an access with a history.
func (r *races) touchAll(c *cell, t *thread, x *record, a access) {
	// The list keeps its order, and its memory: an access is only moved if one before it is dropped.
	h := r.histories[c.history]
	kept, alike, last := h.list[:0], 0, 0
	before, raced := len(h.list), r.raced
	for i, old := range h.list {
		if !(a.reads && old.reads && (old.record == a.record || r.records[old.record].thread+uint32(old.lane) != t.number)) {
			keeps, like := r.compare(old, a, x, t)
			if !keeps {
				r.release(r.records[old.record])
				continue
			}
			if like {
				alike, last = alike+1, len(kept)
			}
		}
		if len(kept) == i {
			kept = h.list[:i+1]
		} else {
			kept = append(kept, old)
		}
	}
	switch {
	case alike >= maxAlike:
		r.release(r.records[kept[last].record])
		kept = append(kept[:last], kept[last+1:]...)
	case len(kept) >= maxAccesses:
		r.release(r.records[kept[0].record])
		kept = append(kept[:0], kept[1:]...)
	}
	h.list = append(kept, a)
	r.kept += accessBytes * uint64(len(h.list))
	r.kept -= accessBytes * uint64(before)
	h.learn(t, x, a, r.raced != raced, r.programOf(x.program).simple)
	if len(h.list) == 1 && !h.exchanges() {
		c.set(a)
		r.dropHistory(c)
	}
}

// newHistory gives a word a history.
func (r *races) newHistory(c *cell) *history {
	var h *history
	if n := len(r.idleHistories); n > 0 {
		h, r.idleHistories = r.idleHistories[n-1], r.idleHistories[:n-1]
	} else {
		h = &history{number: uint32(len(r.histories))}
		r.histories = append(r.histories, h)
	}
	c.history, c.record = h.number, 0
	r.kept += historyBytes
	return h
}

// dropHistory removes the history of a word and releases its accesses.
func (r *races) dropHistory(c *cell) {
	h := r.histories[c.history]
	c.history = 0
	r.kept -= h.bytes()
	*h = history{number: h.number, list: h.list[:0]}
	r.idleHistories = append(r.idleHistories, h)
}

// after reports whether an access by a record happens before the next one of an invocation.
func (t *thread) after(x *record, a access, d int) bool {
	s := t.state
	return x.workgroup == t.workgroup.number && s.own[d] >= a.when ||
		s.seen[d].groups.at(x.workgroup) >= a.when || s.seen[d].lanes.at(x.thread+uint32(a.lane)) >= a.when
}

// hidden reports whether no order of an access and a later one by another invocation counts: one is private, or the first is a store that is
// not available to the other invocation, or not visible to its load ("Location-Ordered").
func hidden(a, b *record, lane uint8, with *thread) bool {
	o, e := a.event, b.event
	return o.Private || e.Private || o.Write && (!o.Atomic && !within(o.Scope, a, lane, with) || !e.Write && !e.Atomic && !within(e.Scope, a, lane, with))
}

// sameOutput reports whether two accesses store the same value to an output of a patch, which is no conflict.
func sameOutput(a, b *record, first, second int) bool {
	if a.event.Domain != ir.EventOutputs || !a.event.Write || !b.event.Write {
		return false
	}
	var x, y [2]uint64
	return a.args(first, 2, &x)[1] == b.args(second, 2, &y)[1]
}

// bothAtomic reports whether two accesses are atomics that exclude each other: the scope of each has the other.
func bothAtomic(a, b *record, lane uint8, with *thread) bool {
	if !a.event.Atomic || !b.event.Atomic {
		return false
	}
	return within(max(a.event.Scope, b.event.Scope), a, lane, with)
}

// within reports whether a scope of an invocation has the one of a lane of a record.
func within(scope uint8, a *record, lane uint8, of *thread) bool {
	switch scope {
	case ir.EventDevice:
		return true
	case ir.EventGroup:
		return a.workgroup == of.workgroup.number
	case ir.EventSubgroup:
		n := of.workgroup.of.width
		return a.workgroup == of.workgroup.number && (n == 0 || (a.lane+uint32(lane))/n == of.lane/n)
	}
	return false
}
