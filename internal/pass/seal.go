package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// seal hands what a loop's parameters hold out of the loop through parameters of
// the block to which the loop is left, where code behind it reads them. Lanes
// leave loops in different iterations, so behind the loop a parameter differs
// between them that is the same in all lanes in each iteration; kept apart, the
// one within the loop stays so.
func seal(_ *ir.Program, f *ir.Func) {
	if !loops(f) {
		return
	}
	r := enter()
	defer r.leave()
	s := sealer{f: f, start: r.numbers.Alloc(len(f.Vals)), end: r.numbers.Alloc(len(f.Vals)), brs: map[ir.V][]int{}, fixed: map[ir.V]bool{}, reads: map[ir.V][]int{}}
	if !s.survey() {
		return
	}
	e := &editor{f: f}
	for _, loop := range s.loops {
		for _, p := range f.Params(loop.v) {
			if reads := s.reads[p]; len(reads) > 0 {
				s.through(e, loop, p, reads)
			}
		}
	}
}

// sealed is a loop and what is open around it, the innermost last.
type sealed struct {
	v      ir.V
	around []ir.V
}

type sealer struct {
	f          *ir.Func
	start, end []int32 // by label: its places in the code
	loops      []sealed
	brs        map[ir.V][]int // by label: the places of the branches to it
	fixed      map[ir.V]bool  // labels that take no arguments, since a switch goes there
	reads      map[ir.V][]int // by parameter of a loop: the places behind the loop where it is read
}

// maxSealed bounds the depth of the regions that are looked at.
const maxSealed = 64

// survey finds what is read where, and reports whether there is anything to do.
func (s *sealer) survey() bool {
	var open []ir.V
	for i, v := range s.f.Code {
		x := s.f.Val(v)
		s.f.Operands(v, func(a ir.V) { s.read(a, i) })
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			s.start[v] = int32(i)
			if x.Op == ir.Loop && len(open) <= maxSealed {
				s.loops = append(s.loops, sealed{v, append([]ir.V(nil), open...)})
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

// read notes a read behind the loop whose parameter a is: its end has been seen.
func (s *sealer) read(a ir.V, i int) {
	x := s.f.Val(a)
	if x.Op == ir.Param && s.f.Val(x.Args[0]).Op == ir.Loop && s.end[x.Args[0]] > 0 {
		s.reads[a] = append(s.reads[a], i)
	}
}

// through gives the block to which a loop is left a parameter for p, where all
// ways to the reads lead through its end, and all ways there from within the
// loop.
func (s *sealer) through(e *editor, loop sealed, p ir.V, reads []int) {
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
			return // a way that does not lead through the exit
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
	for label := range s.fixed { // a switch may be a way that is not among the branches
		if int(s.start[label]) < from && int(s.end[label]) > to && int(s.end[label]) < reads[len(reads)-1] {
			return
		}
	}
	q := e.addParams(exit, []ir.Type{s.f.Type(p)}, nil)[0]
	for _, br := range s.brs[exit] {
		e.addArgs(s.f.Code[br], []ir.V{p})
	}
	stands := make([]ir.V, int(p)+1)
	stands[p] = q
	for _, i := range reads {
		redirect(s.f, s.f.Code[i], stands)
	}
}
