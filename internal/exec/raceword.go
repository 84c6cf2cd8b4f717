package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// access is an access of some bytes of a word.
type access struct {
	record *record
	when   clock
	lane   uint8 // in the record
	bytes  uint8 // bit set
}

// thread returns the number of the invocation in vectors.
func (a *access) thread() uint32 { return a.record.thread + uint32(a.lane) }

// cell has the last accesses of a word: one, or those in a history.
type cell struct {
	record  *record // nil for no access, or for a history
	when    clock
	lane    uint8
	bytes   uint8
	written uint8 // bit set of the bytes that a store wrote
	history *history
}

// last returns the access of a cell without a history.
func (c *cell) last() access { return access{c.record, c.when, c.lane, c.bytes} }

// set makes an access the only one.
func (c *cell) set(a access) { c.record, c.when, c.lane, c.bytes = a.record, a.when, a.lane, a.bytes }

// history has several accesses of a word, and what atomics published there.
type history struct {
	list   []access
	device [domains]vector
	groups map[uint32]*[domains]vector // by number
}

// bytes returns what a history counts for the limit.
func (h *history) bytes() uint64 {
	return historyBytes + accessBytes*uint64(len(h.list)) + localBytes*uint64(len(h.groups))
}

// maxAccesses bounds the accesses of a word that are kept: the last ones.
const maxAccesses = 64

// maxAlike bounds the accesses by one instruction among them that are not ordered, because they are atomic or a race of them is
// found: the first and the last one. One of the two is by another invocation than the next access.
const maxAlike = 2

// touch compares an access with those before it, and keeps it.
func (r *races) touch(c *cell, t *thread, a access) {
	a.record.refs++
	switch {
	case c.history != nil:
		r.touchAll(c, t, a)
	case c.record == nil:
		c.set(a)
	default:
		old := c.last()
		keeps, _ := r.compare(old, a, t)
		if !keeps {
			r.release(c.record)
			c.set(a)
			break
		}
		h := r.newHistory(c)
		h.list = append(h.list, old, a)
		r.kept += 2 * accessBytes
	}
	if a.record.event.Atomic {
		r.exchange(c, t, a.record.event)
	}
}

// compare compares an access by an invocation with one before it, and reports a race. keeps tells whether the one before remains: not
// if what races with it later races with the new one, too. alike tells whether both are by one instruction and not ordered, because they
// are atomic or race.
func (r *races) compare(old, a access, t *thread) (keeps, alike bool) {
	o, e := old.record.event, a.record.event
	by := old.thread() == t.number
	if !e.Write && !o.Write && !by && !e.Atomic {
		return true, false
	}
	ordered := by || !e.Private && !o.Private && t.after(&old, int(e.Domain))
	atomic := bothAtomic(old.record, a.record, old.lane, t)
	races := !ordered && !atomic && old.bytes&a.bytes != 0 && (e.Write || o.Write)
	if races {
		r.report(old, a)
	}
	if ordered && old.bytes&^a.bytes == 0 && (e.Write || !o.Write && by) && e.Atomic == o.Atomic {
		return false, false
	}
	return true, (atomic || races) && old.record.program == a.record.program && old.record.number == a.record.number && old.bytes == a.bytes
}

// touchAll compares an access with a history.
func (r *races) touchAll(c *cell, t *thread, a access) {
	h := c.history
	kept, alike, last := h.list[:0], 0, 0
	before := len(h.list)
	for _, old := range h.list {
		keeps, like := r.compare(old, a, t)
		if !keeps {
			r.release(old.record)
			continue
		}
		if like {
			alike, last = alike+1, len(kept)
		}
		kept = append(kept, old)
	}
	switch {
	case alike >= maxAlike:
		r.release(kept[last].record)
		kept = append(kept[:last], kept[last+1:]...)
	case len(kept) >= maxAccesses:
		r.release(kept[0].record)
		kept = append(kept[:0], kept[1:]...)
	}
	h.list = append(kept, a)
	r.kept += accessBytes * uint64(len(h.list))
	r.kept -= accessBytes * uint64(before)
	if len(h.list) == 1 && !h.exchanges() {
		c.set(a)
		c.history = nil
		r.kept -= h.bytes()
		h.list = h.list[:0]
		r.histories = append(r.histories, h)
	}
}

// newHistory gives a word a history.
func (r *races) newHistory(c *cell) *history {
	h := &history{}
	if n := len(r.histories); n > 0 {
		h, r.histories = r.histories[n-1], r.histories[:n-1]
	}
	c.history, c.record = h, nil
	r.kept += historyBytes
	return h
}

// after reports whether an access happens before the next one of an invocation.
func (t *thread) after(a *access, d int) bool {
	s := t.state
	return a.record.workgroup == t.workgroup.number && s.own[d] >= a.when ||
		s.seen[d].groups.at(a.record.workgroup) >= a.when || s.seen[d].lanes.at(a.thread()) >= a.when
}

// bothAtomic reports whether two accesses are atomics that exclude each other: the scope of each has the other.
func bothAtomic(a, b *record, lane uint8, with *thread) bool {
	if !a.event.Atomic || !b.event.Atomic {
		return false
	}
	subgroup := b.program.SubgroupSize
	switch max(a.event.Scope, b.event.Scope) {
	case ir.EventDevice:
		return true
	case ir.EventGroup:
		return a.workgroup == with.workgroup.number
	case ir.EventSubgroup:
		return a.workgroup == with.workgroup.number && (a.lane+uint32(lane))/subgroup == with.lane/subgroup
	}
	return false
}
