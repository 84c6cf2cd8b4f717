package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// scope tracks dominance on the control tree, without a dominator tree. A pass
// appends each definition to a log in code order; step returns the length of the
// prefix of the log that dominates the code after an operation.
//
//	v1 = …          log: v1
//	block L2 {
//		v2 = …      log: v1 v2
//		if v9 {
//			v3 = …  log: v1 v2 v3
//			br L2   the path to the end of L2 has the prefix v1 v2
//		}           log: v1 v2
//		v4 = …      log: v1 v2 v4
//	}               log: v1 v2, the common prefix of both paths
type scope struct {
	open  []openScope
	index []int32 // by label: its index in open
	dead  bool    // no lane reaches this position
}

type openScope struct {
	opener ir.V
	mark   int  // the log's length at the opener
	least  int  // block: the shortest prefix of the branches to its end
	came   bool // block: a branch goes to its end
	second bool // if: the else has been passed
	first  bool // if: lanes fall off the end of the first arm
}

func newScope(f *ir.Func, r *arena) scope { return scope{index: r.numbers.Alloc(len(f.Vals))} }

// step processes v at the given log length, and returns how much of the log
// dominates the code after v.
func (s *scope) step(f *ir.Func, v ir.V, log int) int {
	x := f.Val(v)
	switch x.Op {
	case ir.Block, ir.Loop, ir.If:
		s.index[v] = int32(len(s.open))
		s.open = append(s.open, openScope{opener: v, mark: log, least: log})
	case ir.Else:
		o := &s.open[len(s.open)-1]
		o.second, o.first, s.dead = true, !s.dead, false
		return o.mark
	case ir.End:
		return s.leave(f.Val(x.Args[0]).Op, log)
	case ir.Br:
		s.branch(s.index[x.Args[0]], log)
		s.dead = true
	case ir.Switch:
		s.branch(s.index[x.Args[1]], log)
		for i, c := range f.Cases(v) {
			if i%2 == 1 {
				s.branch(s.index[c], log)
			}
		}
		s.dead = true
	case ir.Kill:
		s.dead = true
	}
	return log
}

// returns reports whether lanes may reach the end of the function.
func returns(f *ir.Func) bool {
	r := newArena()
	defer r.release()
	s := newScope(f, r)
	for _, v := range f.Code {
		s.step(f, v, 0)
	}
	return !s.dead
}

// branch notes a branch to the end of open region i. Definitions in the regions that
// the branch leaves do not dominate that end.
func (s *scope) branch(i int32, log int) {
	o := &s.open[i]
	if int(i) < len(s.open)-1 {
		log = s.open[i+1].mark
	}
	if !o.came || log < o.least {
		o.came, o.least = true, log
	}
}

// leave closes the innermost region, whose opener is op, and returns how much of the
// log dominates the code after it.
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
	if o.second && !o.first && !s.dead { // all lanes come from the second arm
		return log
	}
	s.dead = s.dead && o.second && !o.first
	return o.mark
}
