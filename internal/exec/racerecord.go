package exec

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// record is an event of invocations that execute an instruction together. Words refer to it, so that an access needs no message of its
// own until there is a report of it.
type record struct {
	self      uint32 // in shadow.records
	program   *ir.Program
	event     *ir.Event
	number    uint32 // in Program.Messages
	where     int    // the values that identify the invocation
	id        [3]uint32
	lane      uint32      // the number in the workgroup of lane 0
	workgroup uint32      // its number in vectors
	thread    uint32      // the number of lane 0 in vectors
	values    [2][]uint64 // by lane
	single    *Message    // of one invocation, with its values; nil for others
	refs      uint32      // accesses that refer to it, and 1 while it is added
	bytes     uint64      // what it counts for the limit
	copy      []uint64    // values after it was added
}

// zeros are values of all lanes.
var zeros [128]uint64

// newRecord returns a record without values.
func (r *races) newRecord(p *ir.Program, number uint32) *record {
	var x *record
	if n := len(r.idle); n > 0 {
		x, r.idle = r.idle[n-1], r.idle[:n-1]
	} else {
		x = &record{self: uint32(len(r.records))}
		r.records = append(r.records, x)
	}
	m := &p.Messages[number]
	*x = record{self: x.self, program: p, event: &m.Event, number: number, where: int(m.Where), refs: 1, copy: x.copy[:0]}
	return x
}

// message returns the message of an invocation.
func (x *record) message(lane int) *Message {
	if x.single != nil {
		return x.single
	}
	m := &Message{Program: x.program, Group: x.id, Lane: x.lane + uint32(lane), Number: x.number}
	for i := range m.Of().Args {
		m.Args = append(m.Args, x.values[i][lane])
	}
	return m
}

// args returns the first n values of a lane, in a buffer of the caller if they are not those of a message.
func (x *record) args(lane, n int, buffer *[2]uint64) []uint64 {
	if x.single != nil {
		return x.single.Args[:n]
	}
	for i := range n {
		buffer[i] = x.values[i][lane]
	}
	return buffer[:n]
}

// settle ends the addition of a record. If accesses refer to it, it keeps its values.
func (r *races) settle(x *record, lanes Lanes) {
	if x.refs == 1 {
		r.release(x)
		return
	}
	x.refs--
	end := 64 - bits.LeadingZeros64(lanes[0])
	if lanes[1] != 0 {
		end = 128 - bits.LeadingZeros64(lanes[1])
	}
	for i, v := range x.values {
		switch {
		case x.single != nil || v == nil:
		case slices.Equal(v[:end], zeros[:end]):
			x.values[i] = zeros[:end]
		default:
			n := len(x.copy)
			x.copy = append(x.copy, v[:end]...)
			x.values[i] = x.copy[n:]
		}
	}
	x.bytes = recordBytes + 8*uint64(cap(x.copy))
	r.kept += x.bytes
}

// release removes a reference.
func (r *races) release(x *record) {
	if x.refs--; x.refs == 0 {
		r.kept -= x.bytes
		x.bytes, x.single, x.values = 0, nil, [2][]uint64{}
		r.idle = append(r.idle, x)
	}
}
