package exec

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Access is what the invocations of a command did with bytes of memory.
type Access struct {
	Message *Message // of the first invocation
	Write   bool
	Atomic  bool   // of scope Device
	Spans   []Span // ascending, without overlaps
}

// Span is a range of bytes by their addresses in the process.
type Span struct{ Start, End uint64 }

// note is the accesses of the invocations of a command to a word. The detector of a device compares commands by them: within a
// command the cells of the words decide.
type note struct {
	bytes [4]uint8     // bit sets of the bytes of the loads, stores, atomic loads and atomic stores
	first [4]firstNote // of each
}

// firstNote is the first access of a word of a kind.
type firstNote struct {
	record uint32 // 0 for none
	lane   uint8
}

// note keeps the first access of a word of each kind, and the bytes of all.
func (r *races) note(n *note, x *record, a access) {
	// Bit 0 of the kind is a store, bit 1 an atomic.
	i, e := 0, x.event
	if e.Write {
		i = 1
	}
	if e.Atomic && e.Scope == ir.EventDevice {
		i += 2
	}
	if n.bytes[i] |= a.bytes; n.first[i].record == 0 {
		x.refs++
		n.first[i] = firstNote{a.record, a.lane}
	}
}

// access adds an access of some lanes: a load, a store or an atomic. Rows of lanes with consecutive words take the short way;
// the other lanes are added one by one, in the order of their numbers, so that the first race of a word is the same in each run.
func (r *races) access(p *traced, x *record, lanes Lanes) {
	g := r.workgroupOf(x)
	x.workgroup, x.thread = g.number, g.first+x.lane
	if p.orders && g.threads == nil && x.grouped {
		r.begin(g)
	}
	t := &r.newcomer
	*t = thread{workgroup: g, standing: beginning}
	// Most accesses of a subgroup are in one descriptor: the place of a lane follows from the lane before.
	var from place
	var values [2]uint64
	var list [2][]uint64
	rows, one := false, false
	if x.values != nil {
		list = *x.values
		x.summarize(lanes)
		rows, one = r.inRows(p, x)
	}
	skipped := 0 // the lanes before it are in rows that are done
	for lane := range lanes.All {
		if lane < skipped {
			continue
		}
		if (rows || one) && lane%rowWords == 0 && lanes[lane>>6]>>(lane&63)&(1<<rowWords-1) == 1<<rowWords-1 && r.accessRow(p, g, x, lane, one) {
			if skipped = lane + rowWords; r.full(x, lane) {
				return
			}
			continue
		}
		switch {
		case !x.grouped:
			t = r.lone(g, x, true)
			x.lane, x.thread = t.lane, t.number
		case g.threads != nil:
			t = &g.threads[x.lane+uint32(lane)]
		default:
			t.lane, t.number = x.lane+uint32(lane), x.thread+uint32(lane)
		}
		if t.waits != nil {
			r.resume(t)
		}
		t.access(x.event.Domain)
		if from.linear && list[1][lane] == values[1] {
			from.at += list[0][lane] - values[0]
			values[0] = list[0][lane]
		} else {
			from = p.locate(x, x.args(lane, p.sites[x.number].args, &values))
			from.linear = from.linear && x.single == nil
			from.stage, from.group = g.of.stage, groupOfPlace(g, x)
		}
		if !r.accessBytes(t, x, access{record: x.self, lane: uint8(lane), reads: !x.event.Write && !x.event.Atomic}, &from) || r.kept+r.bytes > r.limit {
			r.full(x, lane)
			return
		}
	}
}

// groupOfPlace returns 0 for memory that all workgroups share, and a number from 1 for memory of a workgroup or a patch. It is the place of
// the access in the key of a page: two workgroups never meet in memory of their own.
func groupOfPlace(g *workgroup, x *record) uint32 {
	if ofGroup(x.event) {
		return 1 + g.number
	}
	return 0
}

// accessBytes adds an access of bytes of a place; false if the memory for it is used up.
func (r *races) accessBytes(t *thread, x *record, a access, from *place) bool {
	e, end := x.event, from.at+from.size
	// Without the sanitizer uninit, and for stores, all bytes count as written.
	written := !e.Uninit || !e.Read
	// Words are compared by bytes: neighbors in a word may belong to two invocations.
	for word := from.at / 4; word*4 < end; word++ {
		a.when, a.bytes = t.now, 0xf
		if first := word * 4; first < from.at {
			a.bytes &= 0xf << (from.at - first)
		}
		if last := word*4 + 4; last > end {
			a.bytes &= 0xf >> (last - end)
		}
		p := r.near
		if p == nil || p.at.number != word/pageWords || p.at.space != from.space {
			if p = r.pageAt(pageOf{from.space, word / pageWords}, x); p == nil {
				return false
			}
		}
		c := r.cell(p, word%pageWords)
		written = written || c.written&a.bytes != 0
		if e.Write {
			c.written |= a.bytes
		}
		if r.commands {
			r.note(&p.notes[word%pageWords], x, a)
		}
		if c.record == 0 && c.history == 0 && !e.Atomic { // the first access, by far the most common
			x.refs++
			c.set(a)
			continue
		}
		r.touch(c, t, x, a)
	}
	if !written {
		r.noteUnwritten(x, int(a.lane))
	}
	return true
}

// spansOf adds the bytes of a bit set of a word to a list.
func spansOf(list []Span, word uint64, bytes uint8) []Span {
	for at := 4 * word; bytes != 0; {
		n := bits.TrailingZeros8(bytes)
		at, bytes = at+uint64(n), bytes>>n
		n = bits.TrailingZeros8(^bytes)
		list = append(list, Span{at, at + uint64(n)})
		at, bytes = at+uint64(n), bytes>>n
	}
	return list
}

// Accesses returns the bytes that a run with Commands loaded and stored, by instruction. The log may be nil.
func (l *Log) Accesses() (list []Access) {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.races == nil || !l.races.commands {
		return nil
	}
	// The order of the pages is that of a map: the first invocation and the sorted ranges make the result the same in each run.
	type by struct {
		siteOf
		kind int
	}
	found := map[by]*Access{}
	for at, p := range l.races.pages {
		if at.memory != 0 || at.group != 0 {
			continue // it has no address
		}
		for word, n := range p.notes {
			for i, first := range n.first {
				if first.record == 0 {
					continue
				}
				m := l.races.records[first.record].message(int(first.lane))
				k := by{siteOf{m.Program, m.Number}, i}
				a := found[k]
				if a == nil {
					a = &Access{Message: m, Write: i&1 != 0, Atomic: i&2 != 0}
					found[k] = a
				}
				if m.order(a.Message) < 0 {
					a.Message = m
				}
				a.Spans = spansOf(a.Spans, at.number*pageWords+uint64(word), n.bytes[i])
			}
		}
	}
	for _, a := range found {
		slices.SortFunc(a.Spans, func(x, y Span) int { return cmp.Compare(x.Start, y.Start) })
		n := 0 // of the ranges without gaps
		for _, s := range a.Spans {
			if n > 0 && a.Spans[n-1].End >= s.Start {
				a.Spans[n-1].End = max(a.Spans[n-1].End, s.End)
				continue
			}
			a.Spans[n] = s
			n++
		}
		a.Spans = slices.Clip(a.Spans[:n])
	}
	return sorted(found, func(a, b Access) int {
		return cmp.Or(a.Message.place(b.Message), cmp.Compare(a.Spans[0].Start, b.Spans[0].Start))
	})
}
