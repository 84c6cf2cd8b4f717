package link

import (
	"iter"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// tracer follows values of the functions that one entry point calls back to their
// variables: through access chains, through OpPhi and OpSelect, and through calls, because
// a parameter is the argument of any of the calls.
type tracer struct {
	m       *facts.Module
	tree    []*facts.Function
	passed  map[spirv.ID][]spirv.ID // by parameter
	returns map[spirv.ID][]spirv.ID // by function
}

// step is one index on the path from a variable to the target of a pointer, and the
// instruction that has the index.
type step struct {
	index spirv.ID
	at    int
}

// root is the origin of a value.
type root struct {
	id     spirv.ID // a variable, or the last value that can be followed
	path   []step   // from there to the target of the pointer
	chosen bool     // by OpSelect or OpPhi
}

// maxRoots bounds how many values are looked at for one, and maxPath how many
// indices are on a way: types are nested no deeper (SPIR-V, Universal Limits).
const (
	maxRoots = 256
	maxPath  = 256
)

// trace returns a tracer for a stage, or nil if its module cannot be read.
func (s *Shader) trace() *tracer {
	m := s.facts()
	if m == nil {
		return nil
	}
	t := &tracer{m: m, tree: functions(m, s.Entry)}
	if len(t.tree) > 1 {
		t.calls()
	}
	return t
}

// calls records the arguments of calls and the results of functions.
func (t *tracer) calls() {
	t.passed, t.returns = map[spirv.ID][]spirv.ID{}, map[spirv.ID][]spirv.ID{}
	for _, f := range t.tree {
		for i := f.Index; i < f.End; i++ {
			switch in := t.m.Code.Inst(i); in.Op() {
			case spirv.OpFunctionCall:
				c := inst.FunctionCall(in)
				callee := t.m.Function(c.Function())
				if callee == nil {
					continue
				}
				for n, a := range c.Arguments() {
					if n < len(callee.Params) {
						p := callee.Params[n].ID
						t.passed[p] = append(t.passed[p], a)
					}
				}
			case spirv.OpReturnValue:
				t.returns[f.ID] = append(t.returns[f.ID], inst.ReturnValue(in).Value())
			}
		}
	}
}

// instructions yields the instructions that the entry point may execute, with their
// numbers.
func (t *tracer) instructions() iter.Seq2[int, spirv.Inst] { return within(t.m, t.tree) }

// pointers returns the possible origins of a pointer. It does not follow loads from memory.
func (t *tracer) pointers(id spirv.ID) []root { return t.roots(id, nil) }

// images returns the variables from which an image, or a sampled image, may be loaded. It
// does not follow an image that is composed of others, because other rules cover it.
func (t *tracer) images(id spirv.ID) []root {
	return t.roots(id, func(in spirv.Inst) spirv.ID {
		if in.Op() == spirv.OpLoad {
			return inst.Load(in).Pointer()
		}
		return 0
	})
}

// samplers returns the variables from which the sampler of a sampled image may be loaded.
func (t *tracer) samplers(id spirv.ID) []root {
	return t.roots(id, func(in spirv.Inst) spirv.ID {
		switch in.Op() {
		case spirv.OpLoad:
			return inst.Load(in).Pointer()
		case spirv.OpSampledImage:
			return inst.SampledImage(in).Sampler()
		}
		return 0
	})
}

// roots follows a value; through returns the operand to follow for further instructions
// besides those that make pointers, or 0 for none.
func (t *tracer) roots(id spirv.ID, through func(spirv.Inst) spirv.ID) (out []root) {
	todo, seen := []root{{id: id}}, map[spirv.ID]bool{}
	for looked := 0; len(todo) > 0 && looked < maxRoots; looked++ {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		i := t.m.Code.Def(r.id)
		if i < 0 {
			continue
		}
		in := t.m.Code.Inst(i)
		from, indices := t.from(in)
		if from == nil && through != nil {
			if next := through(in); next != 0 {
				from = []spirv.ID{next}
			}
		}
		if len(from) == 0 {
			out = append(out, r)
			continue
		}
		if len(from) > 1 {
			if seen[r.id] { // a loop that continues with its own value, or a function that calls itself
				continue
			}
			seen[r.id] = true
			r.chosen = r.chosen || in.Op() == spirv.OpSelect || in.Op() == spirv.OpPhi
		}
		if len(indices)+len(r.path) > maxPath {
			continue
		}
		r.path = slices.Concat(steps(i, indices), r.path)
		for _, id := range from {
			r.id = id
			todo = append(todo, r)
		}
	}
	return out
}

// steps are the indices of one instruction.
func steps(at int, indices []spirv.ID) []step {
	out := make([]step, len(indices))
	for n, id := range indices {
		out[n] = step{id, at}
	}
	return out
}

// from returns the possible origins of a pointer that an instruction makes, and the indices
// from there; nil if the instruction derives it from no other pointer.
func (t *tracer) from(in spirv.Inst) (from, indices []spirv.ID) {
	switch in.Op() {
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
		c := inst.AccessChain(in)
		return []spirv.ID{c.Base()}, c.Indexes()
	case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
		c := inst.UntypedAccessChainKHR(in)
		return []spirv.ID{c.Base()}, c.Indexes()
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		c := inst.PtrAccessChain(in)
		return []spirv.ID{c.Base()}, c.Indexes()
	case spirv.OpCopyObject:
		return []spirv.ID{inst.CopyObject(in).Operand()}, nil
	case spirv.OpSelect:
		c := inst.Select(in)
		return []spirv.ID{c.Object1(), c.Object2()}, nil
	case spirv.OpPhi:
		for k := 3; k < len(in); k += 2 { // after the result, pairs of a value and its block
			from = append(from, spirv.ID(in[k]))
		}
		return from, nil
	case spirv.OpFunctionParameter:
		return t.passed[in.Result()], nil
	case spirv.OpFunctionCall:
		return t.returns[inst.FunctionCall(in).Function()], nil
	}
	return nil, nil
}

// bound returns the resources with a set and a binding that a stage uses and that
// are asked for, by their variables.
func (s *Shader) bound(asked func(*iface.Resource) bool) map[spirv.ID]*iface.Resource {
	of := map[spirv.ID]*iface.Resource{}
	for i := range s.Entry.Resources {
		if r := &s.Entry.Resources[i]; r.Used && !r.MissingSet && !r.MissingBinding && asked(r) {
			of[r.ID] = r
		}
	}
	return of
}

// constant reports whether the indices on a path are all constants; if they are not, at is
// the instruction with another index.
func (t *tracer) constant(path []step) (at int, ok bool) {
	for _, s := range path {
		if t.m.Const(s.index) == nil {
			return s.at, false
		}
	}
	return -1, true
}
