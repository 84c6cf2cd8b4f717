package interp

import "slices"

// snapshot is the state of a group before an operation of the subgroup whose turn it is.
type snapshot struct {
	round  int
	turn   uint32
	shared []byte
	subs   []subgroup // copies, with memory of their own
}

// Bytes is the size of the snapshot.
func (x *snapshot) Bytes() int {
	n := len(x.shared)
	for i := range x.subs {
		s := &x.subs[i]
		n += 8*(len(s.vals)+len(s.inputs)) + 4*len(s.private)
	}
	return n
}

// snapshot copies the state of the group.
func (w *worker) snapshot() *snapshot {
	x := &snapshot{round: w.round, turn: w.turn, shared: slices.Clone(w.shared)}
	for _, s := range w.subs {
		x.subs = append(x.subs, subgroup{
			index: s.index, member: s.member, status: s.status, pc: s.pc, A: s.A, in: slices.Clone(s.in), ret: slices.Clone(s.ret),
			vals: slices.Clone(s.vals), private: slices.Clone(s.private), inputs: slices.Clone(s.inputs), helper: s.helper, steps: s.steps, observed: s.observed,
		})
	}
	return x
}

// resume restores the state of a snapshot, and runs the group from there on.
func (w *worker) resume(x *snapshot) error {
	w.round, w.turn = x.round, x.turn
	copy(w.shared, x.shared)
	for i := range x.subs {
		from, s := &x.subs[i], w.subs[i]
		s.index, s.member, s.status, s.pc, s.A, s.helper, s.steps, s.observed, s.err = from.index, from.member, from.status, from.pc, from.A, from.helper, from.steps, from.observed, nil
		copy(s.in, from.in)
		copy(s.ret, from.ret)
		copy(s.vals, from.vals)
		copy(s.private, from.private)
		copy(s.inputs, from.inputs)
	}
	return w.takeTurns(true)
}
