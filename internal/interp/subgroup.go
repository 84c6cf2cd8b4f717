package interp

import (
	"context"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// status is the reason for which a subgroup stopped.
type status uint8

const (
	running  status = iota
	waiting         // at a barrier
	finished        // the entry point has ended, or an error stopped it
)

// subgroup is the whole state of one subgroup.
type subgroup struct {
	w      *worker
	index  uint32     // number in its group
	member exec.Lanes // lanes that are invocations

	status status
	pc     int
	A      exec.Lanes   // active lanes
	in     []exec.Lanes // by set; see package ir's document, "Control"
	ret    []int        // by function: the return address of its active call
	vals   []uint64     // registers × lanes
	regs   [][]uint64   // by register: its part of vals
	temp   []uint64     // registers × lanes, for moves
	listed exec.Lanes   // the set whose lanes list has
	list   []int        // its lanes, ascending

	private  []uint32   // [slot][lane]
	inputs   []uint64   // [input][lane]
	helper   exec.Lanes // lanes that were demoted
	steps    uint64
	step     *exec.Step // for a hook; nil without one
	observed bool       // the hook sees its steps
	err      error
}

// worker runs groups, one after the other.
type worker struct {
	p          *program
	at         *prepared // of which it runs groups
	serial     uint64    // of at
	job        *exec.Job
	handles    []handle
	handleList *handles
	shared     []byte
	bases      []uint32 // of the variables in private memory
	lanes      int      // subgroup size
	all        exec.Lanes
	group      [3]uint32
	hooked     exec.Group  // group, for the hook of the job
	observed   bool        // the hook sees the steps of its subgroups
	round      int         // 0 before the first barrier of a group, then 1
	turn       uint32      // the subgroup that runs
	subs       []*subgroup // one, reused for every subgroup, if there is no barrier
	stop       *atomic.Bool
	ctx        context.Context // of the run
	rays       exec.RayCall
}

func newWorker(p *program) *worker {
	w := &worker{p: p, lanes: int(p.p.SubgroupSize), all: exec.FirstLanes(p.p.SubgroupSize)}
	w.shared = words(int(p.p.SharedBytes))
	base := uint32(0)
	for _, v := range p.p.Vars {
		w.bases = append(w.bases, base)
		base += v.Slots
	}
	n := uint32(1)
	if p.code.barriers {
		n = p.p.Subgroups()
	}
	for range n {
		w.subs = append(w.subs, w.newSubgroup())
	}
	return w
}

// bytes is the memory of the worker.
func (w *worker) bytes() int {
	n := len(w.shared)
	for _, s := range w.subs {
		n += 8*(len(s.vals)+3*len(s.regs)+len(s.temp)+len(s.inputs)) + 4*len(s.private)
	}
	return n
}

func (w *worker) newSubgroup() *subgroup {
	c := w.p.code
	s := &subgroup{
		w:       w,
		in:      make([]exec.Lanes, c.sets),
		ret:     make([]int, len(w.p.p.Funcs)),
		vals:    make([]uint64, c.regs*w.lanes),
		temp:    make([]uint64, c.temps*w.lanes),
		private: make([]uint32, int(w.p.p.PrivateSlots())*w.lanes),
		inputs:  make([]uint64, len(w.p.p.In)*w.lanes),
		list:    make([]int, 0, w.lanes),
	}
	s.regs = make([][]uint64, c.regs)
	for r := range s.regs {
		s.regs[r] = s.vals[r*w.lanes : (r+1)*w.lanes : (r+1)*w.lanes]
	}
	for i, bits := range c.consts {
		reg := s.reg(1 + i)
		for lane := range reg {
			reg[lane] = bits
		}
	}
	return s
}

// batch runs the groups of a batch in order.
func (w *worker) batch(b exec.Batch) error {
	if w.job.Schedule != nil && w.job.Hook == nil {
		return w.scheduled(b)
	}
	for n := b.First; n < b.First+b.Count && !w.stop.Load(); n++ {
		w.group = w.job.GroupID(n)
		if err := w.observedGroup(); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) observedGroup() error {
	h := w.job.Hook
	if h == nil {
		w.observed = false
		return w.runGroup()
	}
	g := &w.hooked
	*g, w.observed = exec.Group{ID: w.group, Job: w.job, Program: w.p.p}, true
	switch err := h.BeginGroup(g); err {
	case nil:
	case exec.ErrNoSteps:
		w.observed = false
	case exec.ErrSkipGroup:
		return nil
	default:
		return err
	}
	run := w.runGroup
	if x, ok := g.Resume.(*snapshot); ok {
		run = func() error { return w.resume(x) }
	}
	if err := run(); err != nil {
		return err
	}
	return h.EndGroup(g)
}

// runGroup runs the group's subgroups ascending, each to its next barrier,
// until all have finished.
func (w *worker) runGroup() error {
	clear(w.shared)
	w.round, w.turn = 0, 0
	return w.takeTurns(false)
}

// takeTurns runs the subgroups from a turn of a round on; begun says that the subgroup whose turn
// it is has begun it.
func (w *worker) takeTurns(begun bool) error {
	for count := w.p.p.Subgroups(); w.round == 0 && w.turn < count; w.turn++ {
		s := w.subs[int(w.turn)%len(w.subs)]
		if !begun {
			s.start(w.turn)
		}
		begun = false
		s.run()
		if s.err != nil {
			return s.err
		}
	}
	if w.round == 0 {
		w.round, w.turn = 1, 0
	}
	for again := w.p.code.barriers; again; w.turn = 0 {
		again = begun
		for ; int(w.turn) < len(w.subs); w.turn++ {
			s := w.subs[w.turn]
			if s.status == waiting || begun {
				s.status, begun, again = running, false, true
				s.run()
			}
			if s.err != nil {
				return s.err
			}
		}
	}
	return nil
}

// start sets the subgroup to the beginning of the entry point.
func (s *subgroup) start(index uint32) {
	p := s.w.p.p
	s.index = index
	s.member = exec.FirstLanes(min(p.Invocations()-index*p.SubgroupSize, p.SubgroupSize))
	s.status, s.pc, s.A, s.helper = running, 0, s.member, exec.Lanes{}
	s.steps, s.err, s.observed = 0, nil, s.w.observed
	clear(s.in)
	clear(s.private)
	clear(s.vals[(1+len(s.w.p.code.consts))*s.w.lanes:])
	s.fillInputs()
}

// run runs until the subgroup waits or has finished.
func (s *subgroup) run() {
	code := s.w.p.code.insts
	if s.observed {
		s.runObserved(code)
	}
	for s.status == running {
		in := &code[s.pc]
		s.pc++
		in.run(s, in)
	}
}

// fail ends the subgroup with an error.
func (s *subgroup) fail(err error) { s.err, s.status = err, finished }

// reg returns the lanes of a register.
func (s *subgroup) reg(r int) []uint64 { return s.regs[r] }

// active returns the active lanes, ascending. Most instructions run with the active lanes of
// the instruction before.
func (s *subgroup) active() []int {
	if s.A != s.listed {
		s.listActive()
	}
	return s.list
}

func (s *subgroup) listActive() {
	s.listed, s.list = s.A, s.list[:0]
	for lane := range s.A.All {
		s.list = append(s.list, lane)
	}
}

// move copies registers for the active lanes. All are read before any is written.
func (s *subgroup) move(list []move) {
	if len(list) == 1 {
		from, to := s.reg(list[0].from), s.reg(list[0].to)
		for _, lane := range s.active() {
			to[lane] = from[lane]
		}
		return
	}
	n := s.w.lanes
	for i, m := range list {
		copy(s.temp[i*n:i*n+n], s.reg(m.from))
	}
	for i, m := range list {
		from, to := s.temp[i*n:i*n+n], s.reg(m.to)
		for _, lane := range s.active() {
			to[lane] = from[lane]
		}
	}
}

// countStep counts a step, and stops the subgroup if the budget is exhausted or
// the job has ended for another reason.
func (s *subgroup) countStep(in *inst) {
	s.steps++
	if s.steps > s.w.job.EffectiveBudget() {
		s.fail(&exec.BudgetError{Position: s.position(in), Steps: s.w.job.EffectiveBudget()})
		return
	}
	if !s.w.stop.Load() {
		return
	}
	s.status = finished
	if err := s.w.ctx.Err(); err != nil {
		s.fail(&exec.InterruptError{Position: s.position(in), Err: err})
	}
}

// position returns the location of the subgroup at a step, for observers.
func (s *subgroup) position(in *inst) exec.Position {
	f := s.w.p.p.Funcs[in.fn]
	return exec.Position{
		Func:   f.Name,
		Loop:   in.v,
		Origin: f.Val(in.v).Origin,
		Group:  s.w.group,
		Local:  s.local(s.A.First()),
	}
}
