package facts

import "slices"

// CallTree returns the functions of the static call tree of the entry point in
// topological order: the entry point's function first, each caller before its
// callees. The order of functions that call each other recursively is
// unspecified. The result is nil if the module does not define the entry
// point's function. Each call allocates a new list.
func (m *Module) CallTree(e *EntryPoint) []*Function {
	if e.Func == nil {
		return nil
	}
	seen := newNumbers(len(m.Functions))
	var after []*Function // postorder: each function after its callees
	type frame struct {
		f    *Function
		next int
	}
	stack := []frame{{e.Func, 0}}
	seen.add(e.Func.Number)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.f.Calls) {
			after = append(after, top.f)
			stack = stack[:len(stack)-1]
			continue
		}
		callee := top.f.Calls[top.next]
		top.next++
		if seen.add(callee.Number) {
			stack = append(stack, frame{callee, 0})
		}
	}
	for i, j := 0, len(after)-1; i < j; i, j = i+1, j-1 {
		after[i], after[j] = after[j], after[i]
	}
	return after
}

// Globals returns the variables of module scope that the entry point uses
// statically, in order of declaration: the variables that a function of its
// call tree names, and the variables that initialize one of them. This is the
// set that an OpEntryPoint of version 1.4 must list as its interface. The result
// is nil if the module does not define the entry point's function. Each call
// allocates a new list.
func (m *Module) Globals(e *EntryPoint) []*Variable {
	if e.Func == nil {
		return nil
	}
	var one [1]*Function
	tree := one[:]
	if one[0] = e.Func; len(e.Func.Calls) > 0 {
		tree = m.CallTree(e)
	}
	used := newNumbers(len(m.Variables))
	list := make([]*Variable, 0, len(e.Func.Globals))
	sorted := true
	add := func(v *Variable) {
		if used.add(v.Number) {
			sorted = sorted && (len(list) == 0 || list[len(list)-1].Number < v.Number)
			list = append(list, v)
		}
	}
	for _, f := range tree {
		for _, v := range f.Globals {
			add(v)
		}
	}
	for k := 0; k < len(list); k++ { // an initializer is declared before its variable
		if v := list[k]; v.Init != 0 {
			if n := m.at(v.Init, varFact); n >= 0 && n < v.Number {
				add(&m.Variables[n])
			}
		}
	}
	if !sorted {
		slices.SortFunc(list, func(x, y *Variable) int { return x.Number - y.Number })
	}
	return list
}

// numbers is a set of the numbers 0 … bound−1: a bit set for a small bound, else
// a map. The cost of a large set depends on its members alone, so that Globals,
// called for each of many entry points, costs no more than each one uses.
type numbers struct {
	few  [4]uint64
	many map[int]bool
}

func newNumbers(bound int) *numbers {
	if bound <= 256 {
		return &numbers{}
	}
	return &numbers{many: map[int]bool{}}
}

// add inserts a number and reports whether the set did not hold it yet.
func (s *numbers) add(n int) bool {
	if s.many == nil {
		had := s.few[n/64]>>(n%64)&1 != 0
		s.few[n/64] |= 1 << (n % 64)
		return !had
	}
	had := s.many[n]
	s.many[n] = true
	return !had
}

// recursion sets Function.Recursive of each function on a cycle of the call
// graph: the members of a strongly connected component with more than one
// function, and the functions that call themselves. It is Tarjan's algorithm
// (Depth-first search and linear graph algorithms, 1972) with an explicit stack,
// because a hostile module may have a call chain of any length.
func (g *gatherer) recursion() {
	n := len(g.Functions)
	calls := 0
	for i := range g.Functions {
		calls += len(g.Functions[i].Calls)
	}
	if calls == 0 {
		return
	}
	order, low := make([]int, n), make([]int, n) // order 0: not visited
	on := make([]bool, n)
	next := make([]int, n)
	var part, path []int
	count := 0
	for root := range n {
		if order[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if order[v] == 0 {
				count++
				order[v], low[v], on[v] = count, count, true
				part = append(part, v)
			}
			f := &g.Functions[v]
			if next[v] < len(f.Calls) {
				c := f.Calls[next[v]].Number
				next[v]++
				switch {
				case order[c] == 0:
					path = append(path, c)
				case on[c]:
					low[v] = min(low[v], order[c])
					f.Recursive = f.Recursive || c == v
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1]
				low[up] = min(low[up], low[v])
			}
			if low[v] == order[v] {
				part = g.leave(part, v, on)
			}
		}
	}
}

// leave pops the strongly connected component with root v from the stack, and
// marks its functions recursive if it has more than one.
func (g *gatherer) leave(part []int, v int, on []bool) []int {
	size := len(part)
	for {
		size--
		on[part[size]] = false
		if part[size] == v {
			break
		}
	}
	if len(part)-size > 1 {
		for _, w := range part[size:] {
			g.Functions[w].Recursive = true
		}
	}
	return part[:size]
}
