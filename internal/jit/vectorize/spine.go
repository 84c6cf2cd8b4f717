package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// groupFlow is the control that all invocations of a workgroup take together: the
// constructs around barriers, and those from within which one of them is left.
// What stands between two operations of the spine is a phase.
type groupFlow struct {
	p      *ir.Program
	f      *ir.Func
	shapes *divergence
	joint  map[ir.V]bool // openers
	common []bool        // values that are the same in all invocations of a workgroup
	stored []bool        // resources whose bytes the program may change
	once   []bool        // common values that one subgroup computes for all
}

// findGroupFlow finds the spine of p's entry point. It returns nil where subgroups may
// leave it one by one, or where the entry point calls others. The shapes are
// those of a subgroup.
func findGroupFlow(p *ir.Program, s *divergence) *groupFlow {
	sp := &groupFlow{p: p, f: p.Funcs[0], shapes: s, joint: map[ir.V]bool{}}
	sp.stored = make([]bool, len(p.Res))
	for sp.grow() {
	}
	if !sp.scanEffects() {
		return nil
	}
	sp.common = make([]bool, len(sp.f.Vals))
	for v := range sp.common {
		x := sp.f.Val(ir.V(v))
		sp.common[v] = x.Op == ir.Const || x.Op == ir.Param && sp.joint[x.Args[0]]
	}
	for sp.propagateCommon() {
	}
	if !sp.allJoint() {
		return nil
	}
	return sp
}

// grow puts constructs on the spine, and reports whether there were new ones.
func (s *groupFlow) grow() bool {
	var open []ir.V
	grown := false
	put := func(down ir.V) {
		for i := len(open) - 1; i >= 0 && open[i] != down; i-- {
			grown = grown || !s.joint[open[i]]
			s.joint[open[i]] = true
		}
	}
	s.joint[s.f.Body()] = true
	for _, v := range s.f.Code {
		switch x := s.f.Val(v); x.Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, v)
		case ir.End:
			open = open[:len(open)-1]
		case ir.Barrier:
			put(0)
		case ir.Br:
			if s.joint[x.Args[0]] {
				put(x.Args[0])
			}
		case ir.Switch:
			for _, l := range switchTargets(s.f, v) {
				if s.joint[l] {
					put(l)
				}
			}
		}
	}
	return grown
}

// switchTargets returns the labels of a switch.
func switchTargets(f *ir.Func, v ir.V) []ir.V {
	list := []ir.V{f.Val(v).Args[1]}
	for i, c := range f.Cases(v) {
		if i%2 == 1 {
			list = append(list, c)
		}
	}
	return list
}

// scanEffects finds what is stored to, and reports whether there is nothing that rules
// a spine out.
func (s *groupFlow) scanEffects() bool {
	for _, v := range s.f.Code {
		switch x := s.f.Val(v); {
		case x.Op == ir.Call, x.Op == ir.Kill, x.Op == ir.Demote, x.Op == ir.Helper, x.Op == ir.Exit:
			return false
		case x.Op == ir.Switch:
			for _, l := range switchTargets(s.f, v) {
				if s.joint[l] {
					return false
				}
			}
		case x.Op == ir.St, x.Op.Family() == ir.Atomics:
			switch h := s.f.Val(x.Args[0]); h.Op {
			case ir.Res:
				s.stored[h.Aux] = true
			case ir.Wg:
			default:
				for i := range s.stored {
					s.stored[i] = true
				}
			}
		}
	}
	return true
}

// propagateCommon finds which values are common, and reports whether fewer are than
// before.
func (s *groupFlow) propagateCommon() bool {
	less := false
	bring := func(label ir.V, args []ir.V) {
		for i, p := range s.f.Params(label) {
			if s.common[p] && !s.common[args[i]] {
				s.common[p], less = false, true
			}
		}
	}
	for _, v := range s.f.Code {
		x := s.f.Val(v)
		switch {
		case x.Op == ir.Loop:
			bring(v, s.f.Inits(v))
		case x.Op == ir.Br:
			bring(x.Args[0], s.f.BrArgs(v))
		case x.Op.HasResult() && x.Op != ir.Call:
			s.common[v] = s.isCommon(x)
		}
	}
	return less
}

// isCommon reports whether an operation yields the same in all invocations of a
// workgroup, whenever they do it.
func (s *groupFlow) isCommon(x *ir.Val) bool {
	for i := range x.Op.Args() {
		if !s.common[x.Args[i]] {
			return false
		}
	}
	switch x.Op {
	case ir.In:
		sem := s.p.In[x.Aux].Semantic
		switch sem {
		case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
			return s.p.LocalSize[sem-ir.GlobalInvocationIdX] == 1
		case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
			return s.p.LocalSize[sem-ir.LocalInvocationIdX] == 1
		}
		return sem.Rate() <= ir.PerGroup
	case ir.Ld:
		switch h := s.f.Val(x.Args[0]); h.Op {
		case ir.Push, ir.Table:
			return true
		case ir.Res:
			return !s.stored[h.Aux] && x.Flags&ir.Volatile == 0
		}
		return false
	}
	return laneInvariant(x.Op) && !x.Op.Is(ir.Meets) && !x.Op.Is(ir.Writes)
}

// sameFootprint reports whether all invocations take the spine together, and finds
// the values that are shared.
func (s *groupFlow) allJoint() bool {
	s.once = make([]bool, len(s.f.Vals))
	markOnce := func(list []ir.V) {
		for _, v := range list {
			s.once[v] = s.common[v] && s.shapes.of[v].kind == uniform
		}
	}
	inside := 0 // constructs that are not on the spine
	var open []bool
	for i, v := range s.f.Code {
		x := s.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			joint := s.joint[v]
			switch {
			case !joint:
				if inside == 0 && x.Op == ir.Loop {
					return false // left by nobody, or to the spine
				}
				inside++
			case x.Op == ir.If:
				if c := x.Args[0]; !s.common[c] || s.shapes.of[c].kind != uniform {
					return false
				}
			default:
				markOnce(s.f.Params(v))
			}
			open = append(open, joint)
		case ir.End:
			if !open[len(open)-1] {
				inside--
			}
			open = open[:len(open)-1]
		default:
			if inside == 0 && x.Op.HasResult() {
				markOnce(s.f.Code[i : i+1])
			}
		}
	}
	return true
}
