package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// exchanges reports whether an atomic published something at a word.
func (h *history) exchanges() bool {
	return h.groups != nil || h.subgroups != nil || h.device != [domains]vector{}
}

// exchange is the effect of an atomic on the order of other accesses: an acquire reads what a release, or the release fence
// before an atomic, published. A read and write continues the release sequence. The scopes of the fence and of the atomic must
// both have the other invocation.
func (r *races) exchange(c *cell, t *thread, e *ir.Event) {
	h := r.histories[c.history]
	exchanges := h != nil && h.exchanges()
	if exchanges && e.Read {
		r.acquire(h, t, e)
	}
	if !exchanges && e.Release == 0 && !t.state.fences {
		return
	}
	if !e.Write {
		return
	}
	// An atomic with release semantics publishes all that its invocation did, an atomic without them everything before a release fence.
	for d := range domains {
		own := vector{}
		if e.Release>>d&1 != 0 {
			own = t.state.seen[d]
			own.lanes = r.raised(own.lanes, t.number, t.now)
		}
		for to := reachOf(e.Scope); to < reaches; to++ {
			v := own
			if t.publishes(to, d) {
				v = r.joined(r.fenced(t, to, d), own)
			}
			if exchanges || v != (vector{}) {
				r.give(c, t, to, d, v, e.Read)
			}
		}
	}
	if e.Release != 0 {
		t.now++
	}
}

// acquire is the read of published vectors.
func (r *races) acquire(h *history, t *thread, e *ir.Event) {
	local, near := h.groups[t.workgroup.number], h.subgroups[t.subgroupOf()]
	scope := reachOf(e.Scope)
	for d := range domains {
		got := vector{}
		if near != nil {
			got = near[d]
		}
		r.hear(t, inSubgroup, d, got)
		if local != nil && scope <= inGroup {
			got = r.joined(got, local[d])
		}
		r.hear(t, inGroup, d, got)
		if scope == onDevice {
			got = r.joined(got, h.device[d])
		}
		r.hear(t, onDevice, d, got)
		if e.Acquire>>d&1 != 0 {
			r.see(t, d, got)
		}
	}
}

// give publishes a vector at a word: to the invocations of the device, of the workgroup or of the subgroup. sequence tells whether
// the vectors that were there remain.
func (r *races) give(c *cell, t *thread, to, d int, v vector, sequence bool) {
	h := r.histories[c.history]
	var at *vector
	if h != nil {
		at = h.published(t, to, d)
	}
	if at == nil {
		if v == (vector{}) {
			return
		}
		h = r.exchanging(c)
		at = r.publishing(h, t, to, d)
	}
	if sequence {
		v = r.joined(*at, v)
	}
	*at = v
}

// published returns the vector of a reach; nil if there is none.
func (h *history) published(t *thread, to, d int) *vector {
	list := (*[domains]vector)(nil)
	switch to {
	case onDevice:
		return &h.device[d]
	case inGroup:
		list = h.groups[t.workgroup.number]
	case inSubgroup:
		list = h.subgroups[t.subgroupOf()]
	}
	if list == nil {
		return nil
	}
	return &list[d]
}

// publishing returns the vector of a reach, which it makes if there is none.
func (r *races) publishing(h *history, t *thread, to, d int) *vector {
	if at := h.published(t, to, d); at != nil {
		return at
	}
	list := &[domains]vector{}
	r.kept += localBytes
	if to == inGroup {
		if h.groups == nil {
			h.groups = map[uint32]*[domains]vector{}
		}
		h.groups[t.workgroup.number] = list
		return &list[d]
	}
	if h.subgroups == nil {
		h.subgroups = map[subgroupOf]*[domains]vector{}
	}
	h.subgroups[t.subgroupOf()] = list
	return &list[d]
}

// exchanging returns the history of a word, which it makes if there is none.
func (r *races) exchanging(c *cell) *history {
	if c.history == 0 {
		last := c.last()
		h := r.newHistory(c)
		h.list = append(h.list, last)
		r.kept += accessBytes
	}
	return r.histories[c.history]
}

// publishes reports whether a release fence before an atomic has something for a reach. A barrier at which all invocations of the
// workgroup acquire has published that to them.
func (t *thread) publishes(reach, d int) bool {
	p := &t.state.released[reach]
	return p.when[d] != 0 && !(reach >= inGroup && p.meets[d].all(d))
}

// fenced returns the vectors that the release fences before an atomic publish to a reach.
func (r *races) fenced(t *thread, reach, d int) vector {
	p := &t.state.released[reach]
	v := p.seen[d]
	v.lanes = r.raised(v.lanes, t.number, p.when[d])
	return v
}
