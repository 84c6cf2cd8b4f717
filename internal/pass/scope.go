package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// scope follows the control tree forward. Of a log of what is defined, in the
// order of the code, it knows how much holds at each place: what dominates it.
type scope struct {
	open  []openScope
	place []int32 // by label: its index in open
	dead  bool    // no lane is here
}

type openScope struct {
	opener ir.V
	mark   int  // length of the log when the region was opened
	least  int  // block: how much of the log holds for all who branched to its end
	came   bool // block: somebody branched
	second bool // if: the else was seen
	first  bool // if: lanes leave the first arm by falling off
}

func newScope(f *ir.Func, r *room) scope { return scope{place: r.numbers.Alloc(len(f.Vals))} }

// step passes v, where the log has the given length. It returns how much of
// the log holds behind v.
func (s *scope) step(f *ir.Func, v ir.V, log int) int {
	x := f.Val(v)
	switch x.Op {
	case ir.Block, ir.Loop, ir.If:
		s.place[v] = int32(len(s.open))
		s.open = append(s.open, openScope{opener: v, mark: log, least: log})
	case ir.Else:
		o := &s.open[len(s.open)-1]
		o.second, o.first, s.dead = true, !s.dead, false
		return o.mark
	case ir.End:
		return s.leave(f.Val(x.Args[0]).Op, log)
	case ir.Br:
		s.branch(s.place[x.Args[0]], log)
		s.dead = true
	case ir.Switch:
		s.branch(s.place[x.Args[1]], log)
		for i, c := range f.Cases(v) {
			if i%2 == 1 {
				s.branch(s.place[c], log)
			}
		}
		s.dead = true
	case ir.Kill:
		s.dead = true
	}
	return log
}

// returns reports whether lanes may come to the end of the function.
func returns(f *ir.Func) bool {
	r := enter()
	defer r.leave()
	s := newScope(f, r)
	for _, v := range f.Code {
		s.step(f, v, 0)
	}
	return !s.dead
}

// branch notes a branch to the open region i: what is defined in the regions
// that it leaves, or behind it, does not hold at the region's end.
func (s *scope) branch(i int32, log int) {
	o := &s.open[i]
	if int(i) < len(s.open)-1 {
		log = s.open[i+1].mark
	}
	if !o.came || log < o.least {
		o.came, o.least = true, log
	}
}

// leave closes the innermost region, and returns how much of the log holds
// behind it.
func (s *scope) leave(op ir.Op, log int) int {
	o := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	switch op {
	case ir.Loop:
		s.dead = true
		return o.mark
	case ir.Block:
		s.dead = s.dead && !o.came
		if o.came {
			return o.least
		}
		return log
	}
	if o.second && !o.first && !s.dead { // who is here comes from the second arm
		return log
	}
	s.dead = s.dead && o.second && !o.first
	return o.mark
}
