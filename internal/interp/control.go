package interp

import "github.com/chiaro-gpu/chiaro/internal/exec"

// The handlers of control. Each is the line of package ir's document that it
// names, in the same letters.

// block L: L.in is empty already, and stays so until a br.
func (s *subgroup) block(in *inst) {}

// loop L: L.p ← init for the lanes of A; L.in = ∅; run the body.
func (s *subgroup) loop(in *inst) {
	s.move(in.moves)
	s.in[in.set] = exec.Lanes{}
}

// br L(a): L.p ← a for the lanes of A; L.in ∪= A; A = ∅.
func (s *subgroup) br(in *inst) {
	s.move(in.moves)
	s.in[in.set] = s.in[in.set].Or(s.A)
	s.A = exec.Lanes{}
	s.pc = in.skip
}

// end of block: A ∪= L.in; L.in = ∅.
func (s *subgroup) endBlock(in *inst) {
	s.A = s.A.Or(s.in[in.set])
	s.in[in.set] = exec.Lanes{}
	s.skipIfEmpty(in)
}

// end of loop: A = L.in; L.in = ∅; run the body again while A is not empty.
func (s *subgroup) endLoop(in *inst) {
	s.A = s.in[in.set]
	s.in[in.set] = exec.Lanes{}
	if s.A.Empty() {
		s.pc = in.skip
		return
	}
	s.pc = in.to
	s.countStep(in)
}

// if c: splits A. The lanes with c = 1 run the first arm; the others
// wait in the second set for the second arm.
func (s *subgroup) ifArm(in *inst) {
	yes := s.ones(in.x)
	s.in[in.set] = exec.Lanes{}
	s.in[in.set+1] = s.A.Without(yes)
	if s.A = yes; s.A.Empty() {
		s.pc = in.to
	}
}

// else: the lanes still active at the end of the first arm wait in the first set.
func (s *subgroup) elseArm(in *inst) {
	s.in[in.set] = s.A
	s.A = s.in[in.set+1]
	s.in[in.set+1] = exec.Lanes{}
	s.skipIfEmpty(in)
}

// end of if: afterwards A is the union of both arms' lanes.
func (s *subgroup) endIf(in *inst) {
	s.A = s.A.Or(s.in[in.set]).Or(s.in[in.set+1])
	s.in[in.set], s.in[in.set+1] = exec.Lanes{}, exec.Lanes{}
	s.skipIfEmpty(in)
}

// switch x {k→L…, L}: each lane goes to its label.
func (s *subgroup) switchOf(in *inst) {
	x := s.reg(in.x)
	for _, lane := range s.active() {
		set := in.set
		for i := range in.arms {
			if in.arms[i].value == x[lane] {
				set = in.arms[i].set
				break
			}
		}
		s.in[set][lane>>6] |= 1 << (lane & 63)
	}
	s.A = exec.Lanes{}
	s.pc = in.skip
}

// kill: the lanes of A leave every set for good. A lane is in one set at a
// time, so to leave A is all.
func (s *subgroup) kill(in *inst) {
	s.A = exec.Lanes{}
	s.pc = in.skip
}

// call: the callee runs for the lanes of A.
func (s *subgroup) call(in *inst) {
	s.move(in.moves)
	s.ret[in.set] = s.pc
	s.pc = in.to
	s.countStep(in)
}

// end of a function: its outermost block's, and the way back.
func (s *subgroup) endFunc(in *inst) {
	s.A = s.A.Or(s.in[in.set])
	s.in[in.set] = exec.Lanes{}
	if in.to == 0 {
		s.status = finished
		return
	}
	s.pc = s.ret[in.to]
}

// return from a call: its results; A is as before, without the lanes that were killed.
func (s *subgroup) result(in *inst) {
	s.move(in.moves)
	s.skipIfEmpty(in)
}

// barrier: the subgroup waits.
func (s *subgroup) barrier(in *inst) { s.status = waiting }

// fence does nothing: effects happen in order.
func (s *subgroup) fence(in *inst) {}

// demote: the lanes become helpers.
func (s *subgroup) demote(in *inst) { s.helper = s.helper.Or(s.A) }

// resetBudget resets the step budget of the subgroup.
func (s *subgroup) resetBudget(in *inst) { s.steps = 0 }

// isHelper: 1 for helpers.
func (s *subgroup) isHelper(in *inst) { s.setBool(in, s.helper) }

// skipIfEmpty jumps, if A is empty, to the next position at which A can grow.
func (s *subgroup) skipIfEmpty(in *inst) {
	if s.A.Empty() {
		s.pc = in.skip
	}
}

// ones returns the active lanes in which the register holds 1.
func (s *subgroup) ones(reg int) (set exec.Lanes) {
	x := s.reg(reg)
	for _, lane := range s.active() {
		set[lane>>6] |= x[lane] & 1 << (lane & 63)
	}
	return set
}

// setBool writes to the active lanes 1 if they are in the set, else 0.
func (s *subgroup) setBool(in *inst, set exec.Lanes) {
	dst := s.reg(in.dst)
	for _, lane := range s.active() {
		dst[lane] = set[lane>>6] >> (lane & 63) & 1
	}
}

// setAll writes the same bits to all active lanes.
func (s *subgroup) setAll(in *inst, bits uint64) {
	dst := s.reg(in.dst)
	for _, lane := range s.active() {
		dst[lane] = bits
	}
}
