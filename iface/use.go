package iface

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// use is one use in a function: of a member of a block, of the whole block, or of
// a constant.
type use struct {
	variable *facts.Variable
	member   int // −1 for all
	constant *facts.Const
}

// uses are the uses in every function of a module; each function is read once.
type uses struct {
	m           *facts.Module
	static      *facts.StaticUses
	old         bool // only memory and image instructions count
	of          [][]use
	shown       []*facts.Variable // the variables of module scope in storage classes that entries may list
	specialized []int             // numbers of the constants that have an id for specialization
	sizes       []*facts.Const    // the constants that are decorated WorkgroupSize
	sources     []string          // the files of OpSource
	global      map[spirv.ID]int  // constants, by their number in Module.Consts; made when it is asked for
	idPositions []int
}

func gatherUses(m *facts.Module, r facts.Reading) *uses {
	u := &uses{m: m, static: m.StaticUses(r), old: r.Old(), of: make([][]use, len(m.Functions))}
	for i := range m.Functions {
		u.function(&m.Functions[i])
	}
	for i := range m.Variables {
		v := &m.Variables[i]
		switch v.Storage {
		case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassWorkgroup:
			continue
		}
		if v.Func == nil {
			u.shown = append(u.shown, v)
		}
	}
	for _, s := range m.Sources() {
		if s.File != "" {
			u.sources = append(u.sources, s.File)
		}
	}
	for i := range m.Consts {
		k := &m.Consts[i]
		if k.HasSpecID {
			u.specialized = append(u.specialized, i)
		}
		if b, ok := m.BuiltIn(k.ID); k.ID != 0 && ok && b == spirv.BuiltInWorkgroupSize {
			u.sizes = append(u.sizes, k)
		}
	}
	return u
}

// function reads one function.
func (u *uses) function(f *facts.Function) {
	code := u.m.Code
	for i := f.Index; i < f.End; i++ {
		in := code.Inst(i)
		u.idPositions = code.IDs(i, u.idPositions[:0])
		chain := in.Op() == spirv.OpAccessChain || in.Op() == spirv.OpInBoundsAccessChain
		for _, at := range u.idPositions {
			u.name(f, in, spirv.ID(in[at]), chain && at == 3)
		}
		if w, ok := code.Tail(i); ok {
			for w.Next() {
				if w.Kind.Category() == spirv.CategoryID {
					u.name(f, in, spirv.ID(in[w.Pos]), false)
				}
			}
		}
	}
}

// name records that an instruction names an id; chained is set if it is the base
// of an access chain.
func (u *uses) name(f *facts.Function, in spirv.Inst, id spirv.ID, chained bool) {
	if v := u.m.Variable(id); v != nil && v.Func == nil {
		s := blockOfAny(v.Type)
		if c := in.Op().Class(); s == nil || u.old && c != spirv.ClassMemory && c != spirv.ClassImage {
			return
		}
		member := -1
		if chained {
			member = u.first(inst.AccessChain(in), v)
		}
		list := u.of[f.Number]
		for k := len(list) - 1; k >= 0 && k >= len(list)-8; k-- { // most are named again soon
			if list[k].variable == v && (list[k].member == member || list[k].member < 0) {
				return
			}
		}
		u.of[f.Number] = append(list, use{variable: v, member: member})
		return
	}
	if k := u.m.Const(id); k != nil && k.Spec {
		u.of[f.Number] = append(u.of[f.Number], use{constant: k})
	}
}

// first returns the member of the block that an access chain leads to.
func (u *uses) first(chain inst.AccessChain, v *facts.Variable) int {
	t, path := v.Type, chain.Indexes()
	for t != nil && (t.IsArray() || t.IsRuntimeArray()) && len(path) > 0 {
		t, path = t.Elem, path[1:]
	}
	if t == nil || !t.IsStruct() || len(path) == 0 {
		return -1
	}
	k := u.m.Const(path[0])
	if k == nil || !k.Known || k.Bits >= uint64(len(t.Members)) {
		return -1
	}
	return int(k.Bits)
}

// used is the set of members of a variable's block that an entry point uses.
type used struct {
	all     bool
	members []int
}

// variables returns the uses of each variable by the functions of a call tree.
func (u *uses) variables(tree []*facts.Function) map[*facts.Variable]*used {
	out := map[*facts.Variable]*used{}
	for _, f := range tree {
		for _, x := range u.of[f.Number] {
			if x.variable == nil {
				continue
			}
			of := out[x.variable]
			if of == nil {
				of = &used{}
				out[x.variable] = of
			}
			if x.member < 0 {
				of.all = true
			} else {
				of.members = append(of.members, x.member)
			}
		}
	}
	return out
}

// membersOf returns which members of a variable's block are used; nil means all of them.
func membersOf(uses map[*facts.Variable]*used, v *facts.Variable) []bool {
	s, of := blockOfAny(v.Type), uses[v]
	if s == nil || of != nil && of.all {
		return nil
	}
	out := make([]bool, len(s.Members))
	if of != nil {
		for _, k := range of.members {
			out[k] = true
		}
	}
	return out
}

// constants returns which constants of the module an entry point uses.
func (u *uses) constants(e *facts.EntryPoint, tree []*facts.Function, globals []*facts.Variable) []bool {
	if len(u.specialized) == 0 {
		return nil
	}
	out := make([]bool, len(u.m.Consts))
	r := reach{u: u, constants: out, types: make([]bool, len(u.m.Types))}
	for _, f := range tree {
		for _, x := range u.of[f.Number] {
			if x.constant != nil {
				r.constant(x.constant)
			}
		}
	}
	for _, v := range globals {
		r.typ(v.Type)
	}
	called := map[*facts.Function]bool{}
	for _, f := range tree {
		called[f] = true
	}
	for i := range u.m.Variables {
		if v := &u.m.Variables[i]; called[v.Func] {
			r.typ(v.Type)
		}
	}
	for _, mode := range e.Modes {
		if mode.IDs {
			for _, id := range mode.Operands {
				r.constant(u.m.Const(spirv.ID(id)))
			}
		}
	}
	for _, k := range u.sizes {
		r.constant(k)
	}
	return out
}

// reach follows constants to those they are made of, and types to the lengths of
// arrays.
type reach struct {
	u         *uses
	constants []bool
	types     []bool
}

// constant marks a constant and its constituents, with a stack of its own.
func (r *reach) constant(k *facts.Const) {
	if k == nil || !k.Spec {
		return
	}
	u := r.u
	if u.global == nil {
		u.global = map[spirv.ID]int{}
		for i := range u.m.Consts {
			u.global[u.m.Consts[i].ID] = i
		}
	}
	todo := []spirv.ID{k.ID}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n, ok := u.global[id]
		if !ok || r.constants[n] {
			continue
		}
		r.constants[n] = true
		at := u.m.Consts[n].Index
		in := u.m.Code.Inst(at)
		for w := u.m.Code.Walk(at); w.Next(); {
			if w.Kind == spirv.KindIdRef {
				todo = append(todo, spirv.ID(in[w.Pos]))
			}
		}
	}
}

// typ marks the lengths of arrays in a type.
func (r *reach) typ(t *facts.Type) {
	todo := []*facts.Type{t}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if t == nil || r.types[t.Number] {
			continue
		}
		r.types[t.Number] = true
		r.constant(t.Length)
		todo = append(todo, t.Elem)
		for k := range t.Members {
			todo = append(todo, t.Members[k].Type)
		}
	}
}
