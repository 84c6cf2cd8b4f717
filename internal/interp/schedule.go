package interp

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// maxResident bounds the groups that a schedule interleaves. Others wait until one of them has ended.
const maxResident = 8

// schedule runs the groups of a batch in the order that Job.Schedule chooses. A subgroup runs until it is about to access memory that
// others may write; there any subgroup that does not wait at a barrier may be the next. Effects of one operation in several lanes are
// in any order. No subgroup has a right to be chosen: Vulkan promises no progress to invocations that wait for others, except at
// barriers.
type schedule struct {
	w         *worker
	choose    func(alternatives int) int
	residents []*worker // each with a group, in the order of their start
	idle      []*worker
	pending   pendingGroups
	room      int       // residents at most
	current   *subgroup // the last one that ran
	ready     []*subgroup
}

// scheduled is batch with a schedule.
func (w *worker) scheduled(b exec.Batch) error {
	x := &schedule{w: w, choose: w.job.Schedule, pending: pendingGroups{first: b.First, left: b.Count}, room: maxResident}
	if w.job.InOrder {
		x.room = 1
	}
	for !w.stop.Load() {
		if err := x.admit(); err != nil {
			return err
		}
		s := x.next()
		if s == nil {
			return nil
		}
		s.access(x)
		x.current = s
		if err := x.settle(s.w); err != nil {
			return err
		}
	}
	return nil
}

// pick returns one of n alternatives. 0 is the order without a schedule.
func (x *schedule) pick(n int) int {
	if n < 2 {
		return 0
	}
	if k := x.choose(n); k > 0 && k < n {
		return k
	}
	return 0
}

// admit starts groups while there is room. If all groups have room, they start in order, since the order has no effect.
func (x *schedule) admit() error {
	for x.pending.left > 0 && len(x.residents) < x.room {
		n := uint64(1)
		if !x.w.job.InOrder && x.pending.left > uint64(x.room-len(x.residents)) {
			n = min(x.pending.left, 1<<16) // a choice among more is not needed
		}
		r := x.resident()
		r.group = x.w.job.GroupID(x.pending.take(uint64(x.pick(int(n)))))
		clear(r.shared)
		for i, s := range r.subs {
			s.start(uint32(i))
		}
		x.residents = append(x.residents, r)
		if err := x.settle(r); err != nil {
			return err
		}
	}
	return nil
}

// resident returns a worker for one more group, with all subgroups.
func (x *schedule) resident() *worker {
	if n := len(x.idle); n > 0 {
		r := x.idle[n-1]
		x.idle = x.idle[:n-1]
		return r
	}
	r := newWorker(x.w.p)
	for uint32(len(r.subs)) < r.p.p.Subgroups() {
		r.subs = append(r.subs, r.newSubgroup())
	}
	r.at, r.job, r.handleList, r.stop, r.ctx, r.serial = x.w.at, x.w.job, x.w.handleList, x.w.stop, x.w.ctx, x.w.serial
	r.handles = append(r.handles[:0], x.w.handles...)
	r.handles[wgHandle].bytes = r.shared
	return r
}

// next chooses a subgroup that can run: first the one that ran last, then the others in order. It returns nil at the end.
func (x *schedule) next() *subgroup {
	x.ready = x.ready[:0]
	if x.current != nil && x.current.status == running {
		x.ready = append(x.ready, x.current)
	}
	for _, r := range x.residents {
		for _, s := range r.subs {
			if s.status == running && s != x.current {
				x.ready = append(x.ready, s)
			}
		}
	}
	if len(x.ready) == 0 {
		return nil
	}
	return x.ready[x.pick(len(x.ready))]
}

// settle runs the subgroups of a group to where each accesses shared memory, or has ended. If all that have not ended wait at a barrier,
// it ends. A group whose subgroups have all ended leaves.
func (x *schedule) settle(r *worker) error {
	for again := true; again; {
		again = false
		waits, runs := false, false
		for _, s := range r.subs {
			s.advance()
			if s.err != nil {
				return s.err
			}
			waits, runs = waits || s.status == waiting, runs || s.status == running
		}
		if runs {
			return nil
		}
		for _, s := range r.subs {
			if waits && s.status == waiting {
				s.status, again = running, true
			}
		}
	}
	for i, o := range x.residents {
		if o == r {
			x.residents = append(x.residents[:i], x.residents[i+1:]...)
			break
		}
	}
	x.current = nil
	x.idle = append(x.idle, r)
	return nil
}

// advance runs a subgroup to the next access that others may observe, to a barrier or to its end.
func (s *subgroup) advance() {
	code := s.w.p.code.insts
	for s.status == running {
		in := &code[s.pc]
		if s.shares(in) {
			return
		}
		s.pc++
		in.run(s, in)
	}
}

// access runs the access at which advance ended.
func (s *subgroup) access(x *schedule) {
	in := &s.w.p.code.insts[s.pc]
	s.pc++
	if in.op == ir.Ld || !s.overlaps(in) {
		in.run(s, in)
		return
	}
	s.shuffle(x)
	in.run(s, in)
	s.listed, s.list = exec.Lanes{}, s.list[:0] // ascending again
}

// shares reports whether an instruction accesses memory that another subgroup may access, and one of the two may write.
func (s *subgroup) shares(in *inst) bool {
	if in.op != ir.Ld && in.op != ir.St && in.op.Family() != ir.Atomics {
		return false
	}
	h := s.reg(in.x)
	for lane := range s.A.All {
		if to := &s.w.handles[h[lane]]; !to.readOnly && len(to.bytes) > 0 {
			return true
		}
	}
	return false
}

// overlaps reports whether two lanes of a store or an atomic access the same bytes, so that their order matters.
func (s *subgroup) overlaps(in *inst) bool {
	h, off := s.reg(in.x), s.reg(in.y)
	size := uint64(in.key.Type.Size())
	list := s.active()
	for i, a := range list {
		for _, b := range list[:i] {
			if h[a] == h[b] && off[a] < off[b]+size && off[b] < off[a]+size {
				return true
			}
		}
	}
	return false
}

// shuffle chooses the order of the active lanes for one instruction.
func (s *subgroup) shuffle(x *schedule) {
	list := s.active()
	for i := range list {
		k := i + x.pick(len(list)-i)
		lane := list[k]
		copy(list[i+1:k+1], list[i:k]) // the others stay in order
		list[i] = lane
	}
}

// pendingGroups is the groups of a batch that have not started: a sparse Fisher–Yates shuffle.
type pendingGroups struct {
	first, left uint64
	moved       map[uint64]uint64 // groups that are not at their own place
}

// take removes the k-th group of the list, whose place the first one takes.
func (p *pendingGroups) take(k uint64) uint64 {
	n, head := p.at(p.first+k), p.at(p.first)
	if k > 0 {
		if p.moved == nil {
			p.moved = map[uint64]uint64{}
		}
		p.moved[p.first+k] = head
	}
	delete(p.moved, p.first)
	p.first++
	p.left--
	return n
}

func (p *pendingGroups) at(i uint64) uint64 {
	if n, ok := p.moved[i]; ok {
		return n
	}
	return i
}
