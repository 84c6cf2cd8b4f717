package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// lcssa converts loop parameters to loop-closed SSA (LCSSA; Dvořák 2004): code after
// a loop reads such a parameter through a parameter of the block that the loop's
// exits branch to.
//
//	block L2 {                           block L2(v5 i32) {
//		loop L3(v3 i32 = 0:i32) {            loop L3(v3 i32 = 0:i32) {
//			if v4 {                              if v4 {
//				br L2                                br L2(v3)
//	…                                    …
//	… v3 …                               … v5 …
//
// Lanes leave a loop in different iterations. So v5 is varying even if v3 is uniform
// in each iteration, as loop counters are. With two values, divergence analysis can
// keep v3 uniform (temporal divergence, Rosemann et al. 2021). LLVM closes every
// value of a loop; here other values gain nothing.
func lcssa(_ *ir.Program, f *ir.Func) {
	if !loops(f) {
		return
	}
	r := newArena()
	defer r.release()
	s := loopCloser{f: f, start: r.numbers.Alloc(len(f.Vals)), end: r.numbers.Alloc(len(f.Vals)), brs: map[ir.V][]int{}, fixed: map[ir.V]bool{}, reads: map[ir.V][]int{}}
	if !s.survey() {
		return
	}
	s.to = make([]ir.V, len(f.Vals))
	for _, loop := range s.loops {
		s.closeLoop(&editor{f: f}, loop)
	}
}

// closedLoop is a loop and the regions that are open around it, the innermost last.
type closedLoop struct {
	v      ir.V
	around []ir.V
}

type loopCloser struct {
	f          *ir.Func
	start, end []int32 // by label: its positions in the code
	loops      []closedLoop
	brs        map[ir.V][]int // by label: the positions of the branches to it
	fixed      map[ir.V]bool  // labels that get no parameters: a switch, which passes no arguments, branches to them
	reads      map[ir.V][]int // by loop parameter: the positions after the loop that read it
	to         []ir.V         // by value: the value that replaces it in the reads of one parameter; else 0
}

// maxLoopDepth limits the depth of the loops that the pass handles.
const maxLoopDepth = 64

// survey fills the maps, and reports whether a loop parameter is read after its
// loop.
func (s *loopCloser) survey() bool {
	var open []ir.V
	for i, v := range s.f.Code {
		x := s.f.Val(v)
		s.f.Operands(v, func(a ir.V) { s.read(a, i) })
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			s.start[v] = int32(i)
			if x.Op == ir.Loop && len(open) <= maxLoopDepth {
				s.loops = append(s.loops, closedLoop{v, append([]ir.V(nil), open...)})
			}
			open = append(open, v)
		case ir.End:
			s.end[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		case ir.Br:
			s.brs[x.Args[0]] = append(s.brs[x.Args[0]], i)
		case ir.Switch:
			s.fixed[x.Args[1]] = true
			list := s.f.Cases(v)
			for k := 1; k < len(list); k += 2 {
				s.fixed[list[k]] = true
			}
		}
	}
	return len(s.reads) > 0
}

// read notes the use of a at position i if a is a parameter of a loop that has
// ended.
func (s *loopCloser) read(a ir.V, i int) {
	x := s.f.Val(a)
	if x.Op == ir.Param && s.f.Val(x.Args[0]).Op == ir.Loop && s.end[x.Args[0]] > 0 {
		s.reads[a] = append(s.reads[a], i)
	}
}

// closeLoop closes the parameters of a loop. Parameters with the same exit are added together,
// because each addition copies the exit's list: a loop over a tile has hundreds of them.
func (s *loopCloser) closeLoop(e *editor, loop closedLoop) {
	var exits []ir.V
	closed := map[ir.V][]ir.V{}
	for _, p := range s.f.Params(loop.v) {
		exit := s.exit(loop, s.reads[p])
		if exit == 0 {
			continue
		}
		if closed[exit] == nil {
			exits = append(exits, exit)
		}
		closed[exit] = append(closed[exit], p)
	}
	for _, exit := range exits {
		s.closeParams(e, exit, closed[exit])
	}
}

// exit returns the innermost block that branches in the loop leave to, or 0 if a parameter of it
// cannot replace the reads. It can if every path from the loop to the reads passes the end of the
// exit, and every branch to the exit is in the loop. The exit of a typical loop is the block
// directly around it. A read inside the exit block, but after the loop, has no merge at which a
// parameter could be, and stays.
func (s *loopCloser) exit(loop closedLoop, reads []int) ir.V {
	if len(reads) == 0 {
		return 0
	}
	from, to := int(s.start[loop.v]), int(s.end[loop.v])
	exit := ir.V(0)
	for i := len(loop.around) - 1; i >= 0; i-- {
		label := loop.around[i]
		leaves := false
		for _, br := range s.brs[label] {
			leaves = leaves || br > from && br < to
		}
		switch {
		case !leaves:
		case exit == 0:
			exit = label
		case int(s.end[label]) < reads[len(reads)-1]:
			return 0 // a path to the reads bypasses the exit
		}
	}
	if exit == 0 || s.fixed[exit] || exit == s.f.Body() || s.f.Val(exit).Op != ir.Block || reads[0] < int(s.end[exit]) {
		return 0
	}
	for _, br := range s.brs[exit] {
		if br < from || br > to {
			return 0
		}
	}
	for label := range s.fixed { // a switch may branch past the exit too
		if int(s.start[label]) < from && int(s.end[label]) > to && int(s.end[label]) < reads[len(reads)-1] {
			return 0
		}
	}
	return exit
}

// closeParams adds a parameter to the exit for each of the loop parameters, and redirects the reads to it.
func (s *loopCloser) closeParams(e *editor, exit ir.V, params []ir.V) {
	types := make([]ir.Type, len(params))
	for i, p := range params {
		types[i] = s.f.Type(p)
	}
	added := e.addParams(exit, types, nil)
	for _, br := range s.brs[exit] { // each exit branch passes the values of its own iteration
		e.addArgs(s.f.Code[br], params)
	}
	for i, p := range params {
		s.to[p] = added[i]
		for _, at := range s.reads[p] {
			redirect(s.f, s.f.Code[at], s.to)
		}
		s.to[p] = 0
	}
}
