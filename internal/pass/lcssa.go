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
	e := &editor{f: f}
	for _, loop := range s.loops {
		for _, p := range f.Params(loop.v) {
			if reads := s.reads[p]; len(reads) > 0 {
				s.closeParam(e, loop, p, reads)
			}
		}
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

// closeParam adds a parameter for p to the exit, the innermost block that branches in the loop leave
// to, and redirects the reads to it. It does so only if every path from the loop to the reads passes
// the end of the exit, and every branch to the exit is in the loop. The exit of a typical loop is
// the block directly around it. A read inside the exit block, but after the loop, has no merge at
// which a parameter could be, and stays.
func (s *loopCloser) closeParam(e *editor, loop closedLoop, p ir.V, reads []int) {
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
			return // // a path to the reads that bypasses the exit
		}
	}
	if exit == 0 || s.fixed[exit] || exit == s.f.Body() || s.f.Val(exit).Op != ir.Block || reads[0] < int(s.end[exit]) {
		return
	}
	for _, br := range s.brs[exit] {
		if br < from || br > to {
			return
		}
	}
	for label := range s.fixed { // a switch may branch past the exit too
		if int(s.start[label]) < from && int(s.end[label]) > to && int(s.end[label]) < reads[len(reads)-1] {
			return
		}
	}
	// Each exit branch passes the value of its own iteration.
	q := e.addParams(exit, []ir.Type{s.f.Type(p)}, nil)[0]
	for _, br := range s.brs[exit] {
		e.addArgs(s.f.Code[br], []ir.V{p})
	}
	by := make([]ir.V, int(p)+1)
	by[p] = q
	for _, i := range reads {
		redirect(s.f, s.f.Code[i], by)
	}
}
