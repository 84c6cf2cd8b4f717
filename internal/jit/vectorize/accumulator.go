package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// findAccumulators finds the parameters of loops that may live where their next values do:
// where what an iteration makes is handed to the next one and is read behind the loop
// too, such as a sum. It gives those values by parameter. Lanes that leave the loop
// keep them there, and those that go on find there what they need, so that nothing is
// copied in between.
//
// That is so where nobody reads the parameter any more once its next value is made, nor
// that from outside of the loop around this one, whose next iteration begins anew.
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

type accumulatorFinder struct {
	*vectorizer
	def, lastUse []int // by value: its place in the code, and the last where it is read; of parameters before made the loop's
	end          map[ir.V]int
	found        map[ir.V]ir.V
	taken        map[ir.V]bool
}

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

// backEdge looks at a br to a loop, which stands at place i.
func (s *accumulatorFinder) considerBackBranch(loop, br ir.V, i int) {
	if !s.shapes.divergent[loop] || s.liveOuts.branches[loop] != 1 {
		return
	}
	scopeEnd := len(s.src.Code)
	if outer := s.liveOuts.parent[loop]; outer != 0 {
		scopeEnd = s.end[outer]
	}
	args := s.src.BrArgs(br)
	for k, p := range s.src.Params(loop) {
		a := args[k]
		if s.taken[a] || !s.singleInstruction(a, loop) || s.lastUse[p] > s.def[a] || s.lastUse[a] < s.end[loop] || s.lastUse[a] > scopeEnd || s.def[a] > i {
			continue
		}
		if s.shapes.of[p].kind == varying && s.shapes.of[a].kind == varying && !s.readBySunkCode(p) {
			s.found[p], s.taken[a] = a, true
		}
	}
}

// singleInstruction reports whether a value is made by one instruction for each part in every
// iteration of a loop.
func (s *accumulatorFinder) singleInstruction(a, loop ir.V) bool {
	if s.liveOuts.of[a].loop != loop {
		return false
	}
	switch x := s.src.Val(a); x.Op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FFma, ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		return x.Type == ir.F32 || x.Type == ir.I32
	}
	return false
}

// readBySunkCode reports whether what reads a parameter may be made elsewhere than where it
// stands.
func (s *accumulatorFinder) readBySunkCode(p ir.V) (found bool) {
	for _, v := range s.src.Code {
		if s.sunk != nil && s.sunk.sunk[v] {
			s.src.Operands(v, func(a ir.V) { found = found || a == p })
		}
	}
	return found
}
