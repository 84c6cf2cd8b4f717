package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// staysOf finds the parameters of loops that may live where their next values do:
// where what an iteration makes is handed to the next one and is read behind the loop
// too, such as a sum. It gives those values by parameter. Lanes that leave the loop
// keep them there, and those that go on find there what they need, so that nothing is
// copied in between.
//
// That is so where nobody reads the parameter any more once its next value is made, nor
// that from outside of the loop around this one, whose next iteration begins anew.
func (w *widener) staysOf() map[ir.V]ir.V {
	var s *stays
	for i, v := range w.src.Code {
		if x := w.src.Val(v); x.Op == ir.Br && w.src.Val(x.Args[0]).Op == ir.Loop {
			if s == nil {
				s = newStays(w)
			}
			s.back(x.Args[0], v, i)
		}
	}
	if s == nil {
		return nil
	}
	return s.found
}

type stays struct {
	*widener
	made, last []int // by value: its place in the code, and the last where it is read; of parameters before made the loop's
	end        map[ir.V]int
	found      map[ir.V]ir.V
	taken      map[ir.V]bool
}

func newStays(w *widener) *stays {
	n := len(w.src.Vals)
	s := &stays{widener: w, made: make([]int, n), last: make([]int, n), end: map[ir.V]int{}, found: map[ir.V]ir.V{}, taken: map[ir.V]bool{}}
	for i, v := range w.src.Code {
		s.made[v] = i
		w.src.Operands(v, func(a ir.V) { s.last[a] = i })
		if x := w.src.Val(v); x.Op == ir.End {
			s.end[x.Args[0]] = i
		}
	}
	for _, v := range w.src.Results() {
		s.last[v] = len(w.src.Code)
	}
	return s
}

// back looks at a br to a loop, which stands at place i.
func (s *stays) back(loop, br ir.V, i int) {
	if !s.shapes.diverges[loop] || s.homes.brs[loop] != 1 {
		return
	}
	around := len(s.src.Code)
	if outer := s.homes.outer[loop]; outer != 0 {
		around = s.end[outer]
	}
	args := s.src.BrArgs(br)
	for k, p := range s.src.Params(loop) {
		a := args[k]
		if s.taken[a] || !s.onceMade(a, loop) || s.last[p] > s.made[a] || s.last[a] < s.end[loop] || s.last[a] > around || s.made[a] > i {
			continue
		}
		if s.shapes.of[p].kind == varying && s.shapes.of[a].kind == varying && !s.readLate(p) {
			s.found[p], s.taken[a] = a, true
		}
	}
}

// onceMade reports whether a value is made by one instruction for each part in every
// iteration of a loop.
func (s *stays) onceMade(a, loop ir.V) bool {
	if s.homes.of[a].loop != loop {
		return false
	}
	switch x := s.src.Val(a); x.Op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FFma, ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		return x.Type == ir.F32 || x.Type == ir.I32
	}
	return false
}

// readLate reports whether what reads a parameter may be made elsewhere than where it
// stands.
func (s *stays) readLate(p ir.V) (late bool) {
	for _, v := range s.src.Code {
		if s.deferred != nil && s.deferred.skip[v] {
			s.src.Operands(v, func(a ir.V) { late = late || a == p })
		}
	}
	return late
}
