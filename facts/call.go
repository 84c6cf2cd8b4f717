package facts

import "slices"

// CallTree returns the functions in the static call tree of the entry point:
// its own first, and each before those that it calls, as far as there is no
// recursion. The list is made anew each time.
func (m *Module) CallTree(e *EntryPoint) []*Function {
	if e.Func == nil {
		return nil
	}
	seen := newNumbers(len(m.Functions))
	var after []*Function // each behind those that it calls
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
// statically: those that a function of its call tree names, and those that
// initialise one of them. They are in order of declaration. The list is made
// anew each time.
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
	for k := 0; k < len(list); k++ { // an initializer stands before
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

// numbers is a set of numbers below a bound. What it costs grows with what is
// in it where the bound is large, so that asking for each of many entry points
// costs what they use.
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

// add puts a number in, and reports whether it was not there.
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

// recursion finds the functions that can come to call themselves: those in a
// strongly connected part of the call graph that has a call within (Tarjan's
// algorithm, with a stack of its own).
func (g *gatherer) recursion() {
	n := len(g.Functions)
	calls := 0
	for i := range g.Functions {
		calls += len(g.Functions[i].Calls)
	}
	if calls == 0 {
		return
	}
	order, low := make([]int, n), make([]int, n) // order 0 is not visited
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

// leave takes the strongly connected part of v, its root, from the stack.
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
