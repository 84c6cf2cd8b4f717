package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Accumulators of divergent loops
//
// A parameter of a loop and its next value usually need two registers per part and a copy, since lanes that
// have left the loop still read the value of their last iteration. For a reduction such as a sum both can
// be the same register: lanes that leave preserve their value in it, and lanes that continue find the next
// parameter there.
//
//	loop L3(s f32 = 0:f32) {         sum = 0
//		t = fadd.f32 s, x            sum = fadd sum, x   {A}          t and s are the register sum
//		if c { br L2(t) }
//		br L3(t)                     (no copy)
//	}
//
// This is coalescing of a phi with its operand. It is legal if the parameter has no use after the
// definition of its next value, and the next value has none outside of the loop around this one: the next
// iteration of that loop overwrites the register.

// findAccumulators returns the parameters of divergent loops that may share the registers of their next
// values, with those values.
func (w *vectorizer) findAccumulators() map[ir.V]ir.V {
	var s *accumulatorFinder
	for i, v := range w.src.Code {
		if x := w.src.Val(v); x.Op == ir.Br && w.src.Val(x.Args[0]).Op == ir.Loop {
			if s == nil {
				s = newAccumulatorFinder(w)
			}
			s.considerBackBranch(x.Args[0], v, i)
		}
	}
	if s == nil {
		return nil
	}
	return s.found
}

// accumulatorFinder looks for accumulators.
type accumulatorFinder struct {
	vectorizer   *vectorizer
	def, lastUse []int         // by value: index in the code of its definition, or 0, and of its last use
	end          map[ir.V]int  // by loop: index of its end
	found        map[ir.V]ir.V // the result: by parameter, its next value
	taken        map[ir.V]bool // values of found
}

// newAccumulatorFinder finds the definitions and last uses of all values.
func newAccumulatorFinder(w *vectorizer) *accumulatorFinder {
	n := len(w.src.Vals)
	s := &accumulatorFinder{vectorizer: w, def: make([]int, n), lastUse: make([]int, n), end: map[ir.V]int{}, found: map[ir.V]ir.V{}, taken: map[ir.V]bool{}}
	for i, v := range w.src.Code {
		s.def[v] = i
		w.src.Operands(v, func(a ir.V) { s.lastUse[a] = i })
		if x := w.src.Val(v); x.Op == ir.End {
			s.end[x.Args[0]] = i
		}
	}
	for _, v := range w.src.Results() {
		s.lastUse[v] = len(w.src.Code)
	}
	return s
}

// considerBackBranch examines the arguments of a br to a loop, at index i of the code.
func (s *accumulatorFinder) considerBackBranch(loop, br ir.V, i int) {
	if !s.vectorizer.shapes.divergent[loop] || s.vectorizer.liveOuts.branches[loop] != 1 {
		return
	}
	scopeEnd := len(s.vectorizer.src.Code)
	if outer := s.vectorizer.liveOuts.parent[loop]; outer != 0 {
		scopeEnd = s.end[outer]
	}
	args := s.vectorizer.src.BrArgs(br)
	for k, p := range s.vectorizer.src.Params(loop) {
		a := args[k]
		if s.taken[a] || !s.singleInstruction(a, loop) || s.lastUse[p] > s.def[a] || s.lastUse[a] < s.end[loop] || s.lastUse[a] > scopeEnd || s.def[a] > i {
			continue
		}
		if s.vectorizer.shapes.of[p].kind == varying && s.vectorizer.shapes.of[a].kind == varying && !s.readBySunkCode(p) {
			s.found[p], s.taken[a] = a, true
		}
	}
}

// singleInstruction reports whether one instruction for each part computes a value in each iteration of a
// loop.
func (s *accumulatorFinder) singleInstruction(a, loop ir.V) bool {
	if s.vectorizer.liveOuts.of[a].loop != loop {
		return false
	}
	switch x := s.vectorizer.src.Val(a); x.Op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FFma, ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		return x.Type == ir.F32 || x.Type == ir.I32
	}
	return false
}

// readBySunkCode reports whether a sunk operation, which is emitted later than its place in the code, reads
// p.
func (s *accumulatorFinder) readBySunkCode(p ir.V) (found bool) {
	for _, v := range s.vectorizer.src.Code {
		if s.vectorizer.sunk != nil && s.vectorizer.sunk.sunk[v] {
			s.vectorizer.src.Operands(v, func(a ir.V) { found = found || a == p })
		}
	}
	return found
}
