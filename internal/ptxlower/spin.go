package ptxlower

import (
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// A spin loop is a loop that a thread leaves when it sees the store of another thread: a lock, a flag, a ticket. Another warp of the block
// may be the one to store, so that the loop lets the other warps run (independent.go). Compare ElTantawy and Aamodt, "MIMD Synchronization on SIMT
// Architectures", MICRO 2016: it finds the loops of SIMT-induced deadlocks.
//
// The analysis finds the loops with an exit that depends on a value from memory that other threads change. It follows registers, and stores
// and loads of the thread itself, whatever their addresses. A loop that repeats a compare-and-swap with the value that it has read
// waits for no thread at it, because it fails only if another thread has succeeded. It is a spin loop if it has a way round without one.

// maxSpinNesting is the greatest depth of a loop that may be a spin loop: each loop around an instruction looks at it.
const maxSpinNesting = 64

// markSpins marks the edges in the spin loops of a function, and reports whether there are any. A loop is a cycle of the graph without the
// first entries of the cycles around it.
func (f *function) markSpins() (found bool) {
	if !f.mayObserve() {
		return false
	}
	x := f.newReducer()
	all := make([]int, len(f.blocks))
	for i := range all {
		all[i] = i
	}
	type nest struct {
		nodes []int
		depth int
	}
	f.loopSteps = 0
	work := []nest{{all, 0}}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n.depth == maxSpinNesting {
			continue
		}
		for _, cycle := range x.cycles(n.nodes) {
			entries := x.entries(cycle)
			retries, found1 := f.mark(cycle, entries)
			found = found || found1
			if len(retries) > 0 { // the cycles in it without the first entry follow anyway
				for _, c := range x.cycles(without(cycle, retries)) {
					_, found1 = f.mark(c, x.entries(c))
					found = found || found1
				}
			}
			for _, c := range f.loopsOf(cycle, entries) {
				_, found1 = f.mark(c, entries)
				found = found || found1
			}
			work = append(work, nest{without(cycle, entries[:1]), n.depth + 1})
		}
	}
	return found
}

// maxLoopSteps bounds the blocks of a function that loopsOf visits: deep nests with many such edges need quadratic time.
const maxLoopSteps = 1 << 20

// loopsOf returns the natural loops of a cycle with several edges back to its entry: a spin loop and a loop around it may have one header. Each
// has the blocks that reach the start of such an edge without the header.
func (f *function) loopsOf(cycle, entries []int) (list [][]int) {
	if len(entries) != 1 {
		return nil
	}
	header := entries[0]
	preds := map[int][]int{}
	for _, v := range cycle {
		for _, s := range f.blocks[v].succs {
			preds[s] = append(preds[s], v)
		}
	}
	latches := preds[header]
	if f.loopSteps += len(cycle); len(latches) < 2 || f.loopSteps > maxLoopSteps {
		return nil
	}
	for _, l := range latches[:min(len(latches), maxSpinNesting)] {
		in, work := map[int]bool{header: true, l: true}, []int{l}
		for len(work) > 0 {
			v := work[len(work)-1]
			if work = work[:len(work)-1]; v == header {
				continue
			}
			if f.loopSteps++; f.loopSteps > maxLoopSteps {
				return list
			}
			for _, p := range preds[v] {
				if !in[p] {
					in[p] = true
					work = append(work, p)
				}
			}
		}
		if len(in) < len(cycle) {
			list = append(list, slices.Sorted(maps.Keys(in)))
		}
	}
	return list
}

// without returns the nodes that are not in a sorted list.
func without(nodes, list []int) []int {
	return slices.DeleteFunc(slices.Clone(nodes), func(v int) bool { _, in := slices.BinarySearch(list, v); return in })
}

// mark marks the edges of a cycle if it is a spin loop, and reports whether it is. Otherwise it returns the blocks that repeat a
// compare-and-swap.
func (f *function) mark(cycle, entries []int) (retries []int, spins bool) {
	retries, spins, yields := f.isSpin(cycle)
	if spins && !yields {
		f.markSpin(cycle, entries)
	}
	return retries, spins
}

// mayObserve reports whether a function has an instruction that observes may be true of: the search of cycles is quadratic in deep nests.
func (f *function) mayObserve() bool {
	loads := false
	for i := range f.items {
		switch in := f.items[i].in; {
		case in.Op == "atom" || in.Op == "call" || isObserving(in):
			return true
		case in.Op == "ld" && !in.Has(".param"):
			loads = true
		}
	}
	return loads && slices.ContainsFunc(f.items, isFence)
}

// isFence reports whether an instruction is a fence, or lets the thread sleep.
func isFence(it item) bool {
	return it.in.Op == "membar" || it.in.Op == "fence" || it.in.Op == "nanosleep"
}

// markSpin marks the edges back to the entries of a spin loop, and those that leave it, unless they go round another one.
func (f *function) markSpin(cycle, entries []int) {
	for _, v := range cycle {
		b := &f.blocks[v]
		for k, s := range b.succs {
			_, inside := slices.BinarySearch(cycle, s)
			again := slices.Contains(entries, s)
			if inside && !again || b.spins[k] {
				continue
			}
			if b.spins == nil {
				b.spins = map[int]bool{}
			}
			b.spins[k] = again
		}
	}
}

// spin is the analysis of one cycle.
type spin struct {
	*function
	items   []*item
	changes map[*register]bool    // written in the cycle
	seen    map[*register]bool    // those that depend on memory of other threads
	users   map[*register][]*item // the instructions that read a register; of nil: the loads
	work    []*register           // seen ones with users that follow has not visited since; nil: the thread has stored such a value
	kept    bool                  // the thread has stored such a value
	fenced  bool                  // the cycle has a fence or a sleep: its weak loads at one address read other threads' stores, too
}

// isSpin reports whether an exit of a cycle depends on memory that other threads change, and whether it waits at an mbarrier object, which
// lets other warps run by itself (namedbarrier.go). Of a cycle that repeats a compare-and-swap it returns the blocks with one instead.
func (f *function) isSpin(cycle []int) (retries []int, spins, yields bool) {
	s := &spin{function: f, changes: map[*register]bool{}, seen: map[*register]bool{}, users: map[*register][]*item{}}
	for _, v := range cycle {
		b := &f.blocks[v]
		for i := range f.items[b.from:b.to] {
			s.add(&f.items[b.from+i])
		}
	}
	for _, v := range cycle {
		if b := &f.blocks[v]; s.retries(b.from, b.to) {
			retries = append(retries, v)
		}
	}
	if len(retries) > 0 {
		return retries, false, false
	}
	for _, it := range s.items {
		s.follow(it)
	}
	for len(s.work) > 0 {
		r := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		for _, it := range s.users[r] {
			s.follow(it)
		}
	}
	yields = slices.ContainsFunc(s.items, func(it *item) bool { return it.in.Op == "mbarrier" && isObserving(it.in) })
	spins = slices.ContainsFunc(cycle, func(v int) bool {
		b := &f.blocks[v]
		leaves := b.end == leaves || slices.ContainsFunc(b.succs, func(x int) bool { _, inside := slices.BinarySearch(cycle, x); return !inside })
		return leaves && b.last != nil && s.reads(b.last)
	})
	return nil, spins, yields
}

// add adds an instruction of the cycle.
func (s *spin) add(it *item) {
	s.items = append(s.items, it)
	s.fenced = s.fenced || isFence(*it)
	writes, reads := written(it.in)
	forSymbols(writes, func(o *ptx.Operand) {
		if r := s.register(it.at, o.Name+o.Part); r != nil {
			s.changes[r] = true
		}
	})
	use := func(r *register) {
		if r != nil {
			s.users[r] = append(s.users[r], it)
		}
	}
	use(s.register(it.at, it.in.Guard))
	forSymbols(reads, func(o *ptx.Operand) { use(s.register(it.at, o.Name+o.Part)) })
	if it.in.Op == "ld" {
		s.users[nil] = append(s.users[nil], it)
	}
}

// keep notes that the thread stores a value that depends on other threads.
func (s *spin) keep() {
	if !s.kept {
		s.kept, s.work = true, append(s.work, nil)
	}
}

// retries reports whether one of a range of items is a compare-and-swap with a comparand that the cycle makes.
func (s *spin) retries(from, to int) bool {
	for i := from; i < to; i++ {
		it := &s.function.items[i]
		if it.in.Op == "atom" && it.in.Has(".cas") && len(it.in.Operands) > 2 && s.varies(it, it.in.Operands[2]) {
			return true
		}
	}
	return false
}

// varies reports whether the cycle changes a register of an operand.
func (s *spin) varies(it *item, o *ptx.Operand) (yes bool) {
	forSymbols([]*ptx.Operand{o}, func(o *ptx.Operand) { yes = yes || s.changes[s.register(it.at, o.Name+o.Part)] })
	return yes
}

// follow adds the registers that an instruction makes depend on other threads.
func (s *spin) follow(it *item) {
	reads := s.reads(it)
	if reads && (it.in.Op == "st" || it.in.Op == "call") {
		s.keep()
	}
	if !reads && !s.observes(it) && !(s.kept && it.in.Op == "ld") {
		return
	}
	writes, _ := written(it.in)
	forSymbols(writes, func(o *ptx.Operand) {
		if r := s.register(it.at, o.Name+o.Part); r != nil && !s.seen[r] {
			s.seen[r], s.work = true, append(s.work, r)
		}
	})
}

// reads reports whether an instruction reads a register that depends on other threads, or has one as its guard.
func (s *spin) reads(it *item) (yes bool) {
	yes = s.seen[s.register(it.at, it.in.Guard)]
	_, reads := written(it.in)
	forSymbols(reads, func(o *ptx.Operand) { yes = yes || s.seen[s.register(it.at, o.Name+o.Part)] })
	return yes
}

// observes reports whether the result of an instruction may change by stores of other threads while it is repeated.
func (s *spin) observes(it *item) bool {
	in := it.in
	switch {
	case in.Op == "ld" && s.fenced && len(in.Operands) > 1 && !s.varies(it, in.Operands[1]):
		return !in.Has(".param") && !in.Has(".local") && !in.Has(".const")
	case in.Op == "atom" && len(in.Operands) > 2 && (in.Has(".and") || in.Has(".or") || in.Has(".xor") || in.Has(".min") || in.Has(".max")):
		return !s.varies(it, in.Operands[2])
	case in.Op == "call":
		callee, _, _ := callParts(in)
		found := s.observesIn(callee.Name)
		if s.image.functions[callee.Name] == nil { // through a pointer
			found = slices.ContainsFunc(s.image.taken, func(f *ptx.Function) bool { return s.observesIn(f.Name) })
		}
		if found { // the result is in a .param
			s.keep()
		}
		return found
	}
	return isObserving(in)
}

// observesIn reports whether a function has an instruction of isObserving, by itself or in calls.
func (u *unit) observesIn(name string) bool {
	if u.observing == nil {
		u.observing = u.callersOf(isObserving)
	}
	return u.observing[name]
}

// isObserving reports whether an instruction by itself reads memory for stores of other threads: a strong load, or an atomic that a lock
// or a flag has. An addition of 0 is a load.
func isObserving(in *ptx.Instr) bool {
	switch in.Op {
	case "ld":
		return in.Has(".volatile") || in.Has(".relaxed") || in.Has(".acquire") || in.Has(".mmio")
	case "mbarrier":
		return in.Has(".test_wait") || in.Has(".try_wait")
	case "atom":
		if in.Has(".add") && len(in.Operands) > 2 && in.Operands[2].Kind == ptx.Immediate {
			n, ok := in.Operands[2].Expr.Int()
			return ok && n == 0
		}
		return in.Has(".exch") || in.Has(".cas")
	}
	return false
}
