package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Workgroup-uniform control flow
//
// A workgroup with barriers can be one instruction stream if all its invocations execute the same path to
// every barrier. pocl splits a kernel at its barriers into parallel regions and runs each one for all
// work-items (Jääskeläinen et al. 2015); here the unit is the subgroup. A construct is joint if the whole
// workgroup executes it together: it contains a barrier, or a branch in it leaves it for a joint label.
// Code between two operations of joint constructs, or barriers, is a phase: a parallel region.
//
//	loop L2(k i32 = 0:i32) {     joint: it contains barriers, and its exit condition is common
//		st.i32 wg, …             phase 1:  subgroup 0, subgroup 1, …
//		barrier                  emits nothing
//		… = ld.i32 wg, …         phase 2:  subgroup 0, subgroup 1, …
//		j = add.i32 k, 1:i32     (the counter is common: computed once, by the first subgroup)
//		c = ule.i32 vn, j        (also common)
//		if c { br L1 }           a jump of the whole workgroup
//		br L2(j)
//	}
//
// The conditions of joint ifs must be common: the same in all invocations of the workgroup. That is more
// than uniform, which is the same in all lanes of a strip.

// groupFlow is the joint control flow of an entry point, and the values that belong to the workgroup.
type groupFlow struct {
	p      *ir.Program
	f      *ir.Func
	shapes *divergence   // of a strip that is one subgroup
	joint  map[ir.V]bool // by opener: the construct is joint
	common []bool        // by value: the same in all invocations of a workgroup
	stored []bool        // by resource: the program may change its bytes
	once   []bool        // by value: the first subgroup computes it for all
}

// findGroupFlow finds the joint control flow of the entry point of p. It returns nil if subgroups may
// execute different paths to a barrier, and for programs with calls or discarded invocations. s is the
// result for strips that are subgroups.
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

// grow makes constructs joint, and reports whether any were added.
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

// scanEffects finds the resources that are stored to, and returns false at an operation that rules out one
// stream.
func (s *groupFlow) scanEffects() bool {
	for _, v := range s.f.Code {
		switch x := s.f.Val(v); {
		case x.Op == ir.Call, x.Op == ir.Kill, x.Op == ir.Demote, x.Op == ir.Helper, x.Op.Family() == ir.Rays:
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

// propagateCommon recomputes common once, and reports whether any value left it. It begins with all
// parameters of joint labels common, and is repeated to the greatest fixpoint.
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

// isCommon reports whether an operation yields the same in all invocations of a workgroup, at any time.
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

// allJoint reports whether the whole workgroup executes the joint control flow together, and finds the
// values to compute once.
func (s *groupFlow) allJoint() bool {
	s.once = make([]bool, len(s.f.Vals))
	markOnce := func(list []ir.V) {
		for _, v := range list {
			s.once[v] = s.common[v] && s.shapes.of[v].kind == uniform
		}
	}
	inside := 0 // depth in constructs that are not joint
	var open []bool
	for i, v := range s.f.Code {
		x := s.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			joint := s.joint[v]
			switch {
			case !joint:
				if inside == 0 && x.Op == ir.Loop {
					return false // endless, or left for a joint label
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
