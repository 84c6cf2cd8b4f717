package exec

// Consecutive invocations often access consecutive words. Such a row is compared as one word: its accesses are by invocations at
// the same distances, and those of a subgroup have the same state, so that the order and the races of all words are the same.
// The cell of a row is that of its first word. A store by invocations 32 to 47 and then a load by invocations 0 to 15:
//
//	word     0    1    2   …   15
//	store   32   33   34   …   47     cell: lane 32
//	load     0    1    2   …   15     cell: lanes 32 and 0, in a history
//
// An access that is not of the whole row, such as an atomic of word 2, first splits the row: each word then has a cell of its own,
// with the lanes of its own accesses (split).

// inRows reports whether the accesses of a record may be of whole rows: loads and stores of words of one descriptor without gaps;
// and whether they are loads of one word. With Log.Commands each word has notes of its own.
func (r *races) inRows(p *traced, x *record) (rows, one bool) {
	e := x.event
	if r.commands || x.values != nil || x.where != 0 || e.Atomic || e.Size != 4 || e.Texel != 0 || p.sites[x.number].args != 2 || x.sequence[1].step != 0 {
		return false, false
	}
	return x.sequence[0].step == 4, x.sequence[0].step == 0 && !e.Write
}

// accessRow adds the accesses of a whole row by the lanes from one on. Of loads of one word it only skips those that need no check. If
// the words need cells of their own, it returns false, and its effects are a part of those of an access of each word.
func (r *races) accessRow(p *traced, g *workgroup, x *record, lane int, one bool) bool {
	var values [2]uint64
	from := p.locate(x, x.args(lane, 2, &values))
	from.stage, from.group = g.of.stage, groupOfPlace(g, x)
	word := from.at / 4
	if from.at%4 != 0 || !one && word%rowWords != 0 {
		return false
	}
	t := r.commonThread(g, x, lane)
	if t == nil {
		return false
	}
	at := r.near
	if at == nil || at.at.number != word/pageWords || at.at.space != from.space {
		if at = r.pageAt(pageOf{from.space, word / pageWords}, x); at == nil {
			return false
		}
	}
	n, e := word%pageWords/rowWords, x.event
	// A word that all lanes load has a cell of its own. If its history knows a load by the first lane, it knows those by the others,
	// which have the same state.
	if one {
		w := at.words[n]
		return w != nil && w[word%rowWords].history != 0 && (!e.Uninit || w[word%rowWords].written == 0xf) &&
			r.histories[w[word%rowWords].history].knows(t, x, access{bytes: 0xf, reads: true})
	}
	// The report of a load without a store names its word, and a split row remains split.
	c := &at.whole[n]
	if at.words[n] != nil || e.Uninit && e.Read && c.written == 0 {
		return false
	}
	a := access{record: x.self, when: t.now, lane: uint8(lane), bytes: 0xf, reads: !e.Write}
	switch {
	case c.record == 0 && c.history == 0:
		x.refs++
		c.set(a)
	case c.history != 0 && r.histories[c.history].knows(t, x, a):
		return true
	case !r.rowOrders(c, t, x):
		return false
	default:
		r.touch(c, t, x, a)
	}
	if e.Write {
		c.written = 0xf
	}
	return true
}

// commonThread returns the invocation of the first lane of a row, if all of its lanes have the same state; else nil.
func (r *races) commonThread(g *workgroup, x *record, lane int) *thread {
	if g.threads == nil {
		t := &r.newcomer
		t.lane, t.number = x.lane+uint32(lane), x.thread+uint32(lane)
		return t
	}
	list := g.threads[x.lane+uint32(lane):][:rowWords]
	first := &list[0]
	for i := range list {
		t := &list[i]
		if t.waits != nil {
			r.resume(t)
		}
		if t.access(x.event.Domain); t.state != first.state || t.now != first.now {
			return nil
		}
	}
	return first
}

// rowOrders reports whether the order of a row's accesses before the next one is the same for all of its words, and no two race.
func (r *races) rowOrders(c *cell, t *thread, x *record) bool {
	if c.history == 0 {
		return r.rowOrder(c.last(), t, x)
	}
	for _, old := range r.histories[c.history].list {
		if !r.rowOrder(old, t, x) {
			return false
		}
	}
	return true
}

// rowOrder is rowOrders for one of the accesses before. The clock of a workgroup orders all words alike; the clocks of its
// invocations may not, so that rows do not use them.
func (r *races) rowOrder(old access, t *thread, x *record) bool {
	before := r.records[old.record]
	o, e, d := before.event, x.event, x.event.Domain
	switch {
	case before.thread+uint32(old.lane) == t.number || !o.Write && !e.Write: // each word has the same invocation twice, or no race
		return true
	case hidden(before, x, old.lane, t):
		return false
	}
	s := t.state
	return before.workgroup == t.workgroup.number && s.own[d] >= old.when || s.seen[d].groups.at(before.workgroup) >= old.when
}
