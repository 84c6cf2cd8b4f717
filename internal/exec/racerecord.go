package exec

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// record is an event of invocations that execute an instruction together. Words refer to it, so that an access needs no message of its
// own until there is a report of it.
type record struct {
	self      uint32 // in shadow.records
	number    uint32 // in Program.Messages
	program   *ir.Program
	event     *ir.Event
	single    *Message // of one invocation, with its values; nil for others
	id        [3]uint32
	lane      uint32         // the number in the workgroup of lane 0
	workgroup uint32         // its number in vectors
	thread    uint32         // the number of lane 0 in vectors
	refs      uint32         // accesses that refer to it, and 1 while it is added
	where     uint32         // the values that identify the invocation
	grouped   bool           // the invocation is one of a workgroup or a patch, whose control barriers order accesses
	values    *[2][]uint64   // by lane, while it is added
	sequence  [2]progression // the values later, if list is empty
	list      []uint64       // those by lane of the first, then of the second value
}

// progression is a value of each lane: first + step · lane.
type progression struct{ first, step uint64 }

// progressionOf returns the progression of the values of some lanes; ok is false if they are not one.
func progressionOf(values []uint64, lanes Lanes) (p progression, ok bool) {
	from := uint64(lanes.First())
	p.first = values[from]
	if rest := lanes.Without(FirstLanes(uint32(from) + 1)); !rest.Empty() {
		to := uint64(rest.First())
		p.step = (values[to] - p.first) / (to - from) // if it is negative and not of neighbors, they count as none
		p.first -= from * p.step
	}
	// Most events are of all lanes from the first one on.
	n := bits.TrailingZeros64(^lanes[0])
	at := p.first
	for _, v := range values[:n] {
		if v != at {
			return p, false
		}
		at += p.step
	}
	for lane := range lanes.Without(FirstLanes(uint32(n))).All {
		if values[lane] != p.first+p.step*uint64(lane) {
			return p, false
		}
	}
	return p, true
}

// newRecord returns a record without values.
func (r *races) newRecord(p *ir.Program, number uint32) *record {
	var x *record
	// A run has few records at a time: a later one accesses most of the same words.
	if n := len(r.idle); n > 0 {
		x, r.idle = r.idle[n-1], r.idle[:n-1]
	} else {
		x = &record{self: uint32(len(r.records))}
		r.records = append(r.records, x)
	}
	m := &p.Messages[number]
	*x = record{self: x.self, program: p, event: &m.Event, number: number, where: m.Where, refs: 1, list: x.list[:0]}
	x.grouped = m.Where == 0 || m.Stage == ir.TessControl
	return x
}

// message returns the message of an invocation.
func (x *record) message(lane int) *Message {
	if x.single != nil {
		return x.single
	}
	m := &Message{Program: x.program, Group: x.id, Lane: x.lane + uint32(lane), Number: x.number}
	for i := range m.Of().Args {
		m.Args = append(m.Args, x.value(i, lane))
	}
	return m
}

// value returns the i-th value of a lane.
func (x *record) value(i, lane int) uint64 {
	switch {
	case x.values != nil:
		return x.values[i][lane]
	case len(x.list) > 0:
		return x.list[len(x.list)/2*i+lane]
	}
	return x.sequence[i].first + x.sequence[i].step*uint64(lane)
}

// args returns the first n values of a lane, in a buffer of the caller if a message does not have them.
func (x *record) args(lane, n int, buffer *[2]uint64) []uint64 {
	if x.single != nil {
		return x.single.Args[:n]
	}
	for i := range n {
		buffer[i] = x.value(i, lane)
	}
	return buffer[:n]
}

// settle ends the addition of a record. If accesses refer to it, it keeps its values.
func (r *races) settle(x *record, lanes Lanes) {
	if x.refs--; x.refs == 0 {
		r.recycle(x)
		return
	}
	if x.values != nil {
		x.keep(lanes)
	}
	r.kept += x.bytes()
}

// summarize replaces the values of some lanes by progressions, if they are.
func (x *record) summarize(lanes Lanes) {
	ok, also := false, false
	if x.sequence[0], ok = progressionOf(x.values[0], lanes); ok {
		if x.sequence[1], also = progressionOf(x.values[1], lanes); also {
			x.values = nil
		}
	}
}

// keep copies the values of some lanes.
func (x *record) keep(lanes Lanes) {
	values := x.values
	x.values = nil
	// Few accesses get here: those with a gather of offsets, or of several descriptors.
	end := 64 - bits.LeadingZeros64(lanes[0])
	if lanes[1] != 0 {
		end = 128 - bits.LeadingZeros64(lanes[1])
	}
	x.list = append(append(x.list, values[0][:end]...), values[1][:end]...)
}

// bytes returns the share of a record in the limit.
func (x *record) bytes() uint64 { return recordBytes + 8*uint64(cap(x.list)) }

// release removes a reference to a record.
func (r *races) release(x *record) {
	if x.refs--; x.refs == 0 {
		r.kept -= x.bytes()
		r.recycle(x)
	}
}

// recycle makes a record without references available to the next event. It keeps the memory of its list.
func (r *races) recycle(x *record) {
	x.single, x.values = nil, nil
	r.idle = append(r.idle, x)
}
