package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// location is a word of memory.
type location struct {
	stage   ir.Stage // the order of task and mesh shaders is not followed: their accesses are not compared
	memory  string
	element uint32
	group   uint32 // of workgroup memory: 1 + its number
	word    uint64
}

// cell has the last accesses of a word, and what atomics published there.
type cell struct {
	accesses []access
	device   [domains]vector
	groups   map[uint32]*[domains]vector // by number
	written  uint8                       // bit set of the bytes that a store wrote
	noted    [4]uint8                    // bit sets of the bytes of the loads, stores, atomic loads and atomic stores
	first    [4]*Message                 // the first of each; nil for none
}

// access is an access of some bytes of a word.
type access struct {
	message *Message
	by      *thread
	when    clock
	bytes   uint8 // bit set
}

// maxAccesses bounds the accesses of a word that are kept: the last ones.
const maxAccesses = 64

// maxAlike bounds the accesses by one instruction among them that are not ordered, because they are atomic or a race of them is
// found: the first and the last one. One of the two is by another invocation than the next access.
const maxAlike = 2

// touch compares an access with those before it, and keeps it.
func (r *races) touch(c *cell, t *thread, x access, e *ir.Event) {
	kept, alike, last := c.accesses[:0], 0, 0
	before := len(c.accesses)
	for _, old := range c.accesses {
		o := &old.message.Of().Event
		ordered := old.by == t || !e.Private && !o.Private && t.seen[e.Domain].at(old.by) >= old.when
		atomic := bothAtomic(o, e, old.by, t, x.message.Program.SubgroupSize)
		races := !ordered && !atomic && old.bytes&x.bytes != 0 && (e.Write || o.Write)
		if races {
			r.report(old, x)
		}
		if ordered && old.bytes&^x.bytes == 0 && (e.Write || !o.Write && old.by == t) && e.Atomic == o.Atomic {
			continue // what races with it later races with x
		}
		if (atomic || races) && old.message.Program == x.message.Program && old.message.Number == x.message.Number && old.bytes == x.bytes {
			alike, last = alike+1, len(kept)
		}
		kept = append(kept, old)
	}
	switch {
	case alike >= maxAlike:
		kept = append(kept[:last], kept[last+1:]...)
	case len(kept) >= maxAccesses:
		kept = append(kept[:0], kept[1:]...)
	}
	kept = append(kept, x)
	r.kept += accessBytes * uint64(len(kept))
	r.kept -= accessBytes * uint64(before)
	clear(c.accesses[min(len(kept), before):]) // they hold messages
	c.accesses = kept
	if e.Atomic {
		r.synchronize(c, t, e)
	}
}

// bothAtomic reports whether two accesses are atomics that exclude each other: the scope of each has the other.
func bothAtomic(a, b *ir.Event, of, with *thread, subgroup uint32) bool {
	if !a.Atomic || !b.Atomic {
		return false
	}
	switch max(a.Scope, b.Scope) {
	case ir.EventDevice:
		return true
	case ir.EventGroup:
		return of.workgroup == with.workgroup
	case ir.EventSubgroup:
		return of.workgroup == with.workgroup && of.lane/subgroup == with.lane/subgroup
	}
	return false
}

// synchronize is the effect of an atomic on the order of other accesses: an acquire reads what a release, or the release fence
// before an atomic, published. A read and write continues the release sequence. The scopes of the fence and of the atomic must
// both have the other invocation.
func (r *races) synchronize(c *cell, t *thread, e *ir.Event) {
	local := c.groups[t.workgroup.number]
	if local == nil {
		if c.groups == nil {
			c.groups = map[uint32]*[domains]vector{}
		}
		local = &[domains]vector{}
		c.groups[t.workgroup.number] = local
		r.kept += localBytes
	}
	reach := reachOf(e.Scope)
	if e.Read {
		for d := range domains {
			got := local[d]
			t.read[inGroup][d] = r.joined(t.read[inGroup][d], got)
			if reach == onDevice {
				got = r.joined(got, c.device[d])
			}
			t.read[onDevice][d] = r.joined(t.read[onDevice][d], got)
			if e.Acquire>>d&1 != 0 {
				t.seen[d] = r.joined(t.seen[d], got)
			}
		}
	}
	if !e.Write {
		return
	}
	for d := range domains {
		own := vector{}
		if e.Release>>d&1 != 0 {
			own = t.seen[d]
			own.lanes = r.raised(own.lanes, t.number, t.now)
		}
		for to := reach; to < reaches; to++ {
			given := r.joined(r.fenced(t, to, d), own)
			at := &local[d]
			if to == onDevice {
				at = &c.device[d]
			}
			if e.Read {
				given = r.joined(*at, given)
			}
			*at = given
		}
	}
	if e.Release != 0 {
		t.now++
	}
}

// fenced returns what the release fences before an atomic publish to a reach.
func (r *races) fenced(t *thread, reach, d int) (v vector) {
	p := &t.released[reach]
	if when := p.when[d]; when != 0 {
		v = p.seen[d]
		v.lanes = r.raised(v.lanes, t.number, when)
	}
	return v
}
