package interp

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// runObserved is run with the hook told of every step, until it needs none. A subgroup that still runs then goes on without.
func (s *subgroup) runObserved(code []inst) {
	if s.step == nil {
		s.step = s.newStep()
	}
	step, hook := s.step, s.w.job.Hook
	step.Group, step.Subgroup = s.w.group, s.index
	for s.status == running {
		in := &code[s.pc]
		if !s.A.Empty() {
			step.Active, step.Helper, step.Func, step.Value = s.A, s.helper, in.fn, in.v
			switch err := hook.Step(step); err {
			case nil:
			case exec.ErrNoSteps:
				s.observed = false
				return
			default:
				s.fail(err)
				return
			}
		}
		s.pc++
		in.run(s, in)
	}
	if y, ok := hook.(exec.YieldHook); ok && s.err == nil {
		if err := y.Yield(step); err != nil {
			s.fail(err)
		}
	}
}

// newStep returns the step of the subgroup, which all its steps reuse.
func (s *subgroup) newStep() *exec.Step {
	step := &exec.Step{Bases: s.w.bases, Workgroup: s.w.shared}
	step.Read = func(fn int, v ir.V, lane uint32) uint64 {
		reg := s.w.p.code.regOf[fn]
		if v < 0 || int(v) >= len(reg) || lane >= uint32(s.w.lanes) {
			return 0
		}
		return s.reg(reg[v])[lane]
	}
	at := func(slot uint64, lane uint32) (int, bool) {
		lanes := uint64(s.w.lanes)
		n := slot*lanes + uint64(lane)
		return int(n), slot < uint64(len(s.private)) && uint64(lane) < lanes && n < uint64(len(s.private))
	}
	step.ReadPrivate = func(slot uint64, lane uint32) uint32 {
		if n, ok := at(slot, lane); ok {
			return s.private[n]
		}
		return 0
	}
	step.WritePrivate = func(slot uint64, lane, word uint32) {
		if n, ok := at(slot, lane); ok {
			s.private[n] = word
		}
	}
	step.Calls = func(list []exec.Call) []exec.Call {
		for fn := step.Func; fn != 0; {
			result := &s.w.p.code.insts[s.ret[fn]] // at the return address, made from the call
			fn = result.fn
			list = append(list, exec.Call{Func: fn, Value: result.v})
		}
		return list
	}
	if p := s.w.p.p; !p.Effects.Rays && len(p.Messages) == 0 { // the state of rays and of reports is elsewhere
		step.Snapshot = func() exec.Snapshot { return s.w.snapshot() }
	}
	return step
}
