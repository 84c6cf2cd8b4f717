package ptxlower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// The address of a device function is its number in the module, in a window that no memory has. All kernels of a module agree on it,
// because one may store a pointer that another one calls.
const functionIndex = 7

// numberFunctions gives the device functions of a module their addresses.
func (m *Image) numberFunctions(module *ptx.Module) {
	m.addresses = map[string]uint64{}
	for _, x := range module.Items {
		if f, ok := x.(*ptx.Function); ok && !f.Entry && m.functions[f.Name] == f && f.Body != nil {
			m.addresses[f.Name] = functionIndex<<windowBits | uint64(len(m.addresses)+1)
		}
	}
}

// findTaken lists the functions with an address in use: in an initial value, or in an instruction other than as the callee of a call.
func (m *Image) findTaken(module *ptx.Module) {
	seen := map[string]bool{}
	take := func(name string) {
		if m.addresses[name] != 0 && !seen[name] {
			seen[name] = true
			m.taken = append(m.taken, m.functions[name])
		}
	}
	for _, f := range m.fixes {
		take(f.name)
	}
	for _, x := range module.Items {
		f, ok := x.(*ptx.Function)
		if !ok {
			continue
		}
		forInstrs(f.Body, func(in *ptx.Instr) {
			list := in.Operands
			if in.Op == "call" {
				i := slices.IndexFunc(list, func(o *ptx.Operand) bool { return o.Kind != ptx.List })
				list = slices.Delete(slices.Clone(list), max(i, 0), i+1)
			}
			forSymbols(list, func(o *ptx.Operand) { take(o.Name) })
		})
	}
}

// callsPointer reports whether a body has a call of a function that the call does not name.
func (m *Image) callsPointer(b *ptx.Block) (any bool) {
	forInstrs(b, func(in *ptx.Instr) {
		for _, o := range in.Operands {
			if in.Op == "call" && o.Kind != ptx.List {
				any = any || m.functions[o.Name] == nil
				return // the callee is the first operand that is no list
			}
		}
	})
	return any
}

// fits reports whether a call may be one of a function: as many parameters and results, of the same sizes.
func (f *function) fits(at *scope, results, params []*ptx.Operand, c *ptx.Function) bool {
	same := func(list []*ptx.Operand, decls []*ptx.Variable) bool {
		for i, o := range list {
			if o.Kind != ptx.Symbol {
				continue
			}
			if s := f.symbol(at, o.Name); s != nil && s.decl != nil && s.decl.Size() != decls[i].Size() {
				return false
			}
		}
		return true
	}
	return len(params) == len(c.Params) && len(results) == len(c.Results) && same(params, c.Params) && same(results, c.Results)
}

// candidates returns the functions that a call through a pointer may call.
func (f *function) candidates(at *scope, results, params []*ptx.Operand) (list []*function) {
	for _, c := range f.image.taken {
		if x := f.funcs[c.Name]; x != nil && f.fits(at, results, params, c) {
			list = append(list, x)
		}
	}
	return list
}

// callees returns the functions that a function may call.
func (f *function) callees() (list []*function) {
	for i := range f.items {
		it := &f.items[i]
		if it.in.Op != "call" {
			continue
		}
		callee, results, params := callParts(it.in)
		if f.register(it.at, callee.Name) != nil {
			list = append(list, f.candidates(it.at, results, params)...)
		} else if x := f.funcs[callee.Name]; x != nil {
			list = append(list, x)
		}
	}
	return list
}

// findCycles gives each function the number of its strongly connected component of the graph of calls, by Tarjan's algorithm.
func (u *unit) findCycles() {
	order, low := make([]int, len(u.list)), make([]int, len(u.list)) // 0: not met
	var stack []*function
	met, components := 0, 0
	var visit func(f *function)
	visit = func(f *function) {
		met++
		order[f.number], low[f.number] = met, met
		stack = append(stack, f)
		for _, c := range f.callees() {
			if order[c.number] == 0 {
				visit(c)
				low[f.number] = min(low[f.number], low[c.number])
			} else if c.component == 0 {
				low[f.number] = min(low[f.number], order[c.number])
			}
		}
		if low[f.number] != order[f.number] {
			return
		}
		components++
		at := slices.Index(stack, f)
		for _, x := range stack[at:] {
			x.component = components
		}
		stack = stack[:at]
	}
	for _, f := range u.list {
		if order[f.number] == 0 {
			visit(f)
		}
	}
}

// callIndirect emits a call of the function with an address: a choice among those that fit. A function that might call its caller again
// is none of them, because a program has no recursion.
func (e *emitter) callIndirect(callee *ptx.Operand, results, params []*ptx.Operand) {
	address := e.read(callee, ir.I64)
	list := e.candidates(e.scope, results, params)
	n := 0
	for _, f := range list {
		if f.component == e.component {
			continue
		}
		n++
		e.b.If(e.b.Cmp(ir.Eq, address, e.b.Const(ir.I64, e.image.addresses[f.f.Name])))
		e.callFunction(f, results, params)
		e.b.Else()
	}
	if len(list) == 0 {
		unsupported(e.in.Pos, "a call of no function of the module")
	}
	e.abort("a call through a pointer to no function with these parameters, or to one that recurs")
	for range n {
		e.b.End()
	}
}
