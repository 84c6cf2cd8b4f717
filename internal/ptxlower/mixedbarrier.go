package ptxlower

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// A barrier of the IR has no number: all threads meet there, at any barrier. If threads of a kernel may wait at barriers with different
// numbers at the same time, its barriers are in words of shared memory (namedbarrier.go): an endless wait is found there. Such a kernel has
// several barriers, and one of them in flow that is not uniform.
//
// The analysis finds registers with different values in the threads of the block (divergent ones), and partial blocks, between a
// branch on a divergent register and its immediate post-dominator: only some threads execute them, or more often than others.
// Threads that have ended do not count, so that a way of the kernel without a barrier is none (endings.go).
//
// A barrier without .aligned may be one of a part of a warp. With such a barrier in a partial block, the threads of the warp come to it one by
// one (partwait.go).

// maxMixedSteps bounds the blocks that the analysis visits after branches. With more, a kernel counts as one that mixes barriers.
const maxMixedSteps = 1 << 20

// mixture is the result of the analysis of the barriers of a kernel.
type mixture struct {
	mixed bool // threads may wait at different barriers of the block at the same time
	split bool // a part of a warp may come to a barrier without .aligned, or early
	early bool // threads of a warp may come to a barrier while others end after a further branch
}

// mixesBarriers analyzes the barriers of the kernel.
func (u *unit) mixesBarriers() (m mixture) {
	numbers, single, early := map[string]bool{}, false, false
	for _, f := range u.reached {
		forInstrs(f.Body, func(in *ptx.Instr) {
			if isBlockBarrier(in) {
				numbers[numberOf(in)] = true
			}
			single = single || isSingle(in)
		})
	}
	may := independent(u.module.Target)
	single = single && may
	several := len(numbers) > 1 || numbers[unknownNumber]
	if !several && !single && !(may && u.yields) {
		return m
	}
	meet := u.meetingFunctions(isBlockBarrier)
	singles := u.meetingFunctions(isSingle)
	leaving := u.meetingFunctions(func(in *ptx.Instr) bool { return in.Op == "exit" })
	for _, f := range u.list {
		if !meet[f.f.Name] && !singles[f.f.Name] {
			continue
		}
		d := &divergence{function: f, meet: meet, singles: singles}
		d.find()
		m.mixed = m.mixed || several && d.apart
		if may && d.apart || single && d.split {
			w := &divergence{function: f, meet: meet, singles: singles, leaving: leaving, warp: true}
			w.find()
			m.split = m.split || single && w.split
			early = early || may && w.early
		}
	}
	m.early = early && (m.mixed || u.yields)
	m.split = m.split || m.early
	return m
}

// meetingFunctions returns the functions with an instruction of a kind, by themselves or in calls: a call through a pointer may be of each
// function with a known address.
func (u *unit) meetingFunctions(kind func(*ptx.Instr) bool) map[string]bool {
	meet := u.callersOf(kind)
	if !slices.ContainsFunc(u.image.taken, func(f *ptx.Function) bool { return meet[f.Name] }) {
		return meet
	}
	work := slices.Collect(maps.Keys(meet))
	for _, f := range u.reached {
		if u.image.callsPointer(f.Body) {
			work = append(work, f.Name)
		}
	}
	return u.withCallers(work)
}

// isBlockBarrier reports whether threads of the block wait for each other at an instruction.
func isBlockBarrier(in *ptx.Instr) bool {
	return (in.Op == "bar" || in.Op == "barrier") && !in.Has(".warp") && !in.Has(".arrive")
}

// isSingle reports whether each thread comes by itself to a barrier: one without .aligned.
func isSingle(in *ptx.Instr) bool {
	return in.Op == "barrier" && !in.Has(".aligned") && !(in.Has(".cluster") && in.Has(".arrive"))
}

// unknownNumber is the number of a barrier in a register.
const unknownNumber = "?"

// numberOf returns the number of a barrier as text; the barrier of the cluster has none.
func numberOf(in *ptx.Instr) string {
	o := numberOperand(in)
	if o == nil {
		return ""
	}
	if o.Kind == ptx.Immediate {
		if n, ok := o.Expr.Int(); ok {
			return strconv.FormatUint(n, 10)
		}
	}
	return unknownNumber
}

// numberOperand returns the operand with the number of a barrier; nil for the barrier of the cluster.
func numberOperand(in *ptx.Instr) *ptx.Operand {
	at := 0
	if in.Has(".red") {
		at = 1
	}
	if in.Has(".cluster") || at >= len(in.Operands) {
		return nil
	}
	return in.Operands[at]
}

// divergence is the analysis of one function.
type divergence struct {
	*function
	meet      map[string]bool     // the functions with a barrier, by themselves or in calls
	singles   map[string]bool     // those with a barrier without .aligned
	leaving   map[string]bool     // those that may end a thread
	warp      bool                // a register is divergent if threads of one warp may have different values, not of the block
	known     map[*register]int   // about registers (warpuniform.go)
	registers map[*register]bool  // the divergent ones
	users     map[*register][]int // the items that read a register, also as a guard
	work      []int               // items to look at
	blockOf   []int               // of an item
	partial   []bool              // the blocks that only some threads may execute
	matters   []bool              // the blocks on ways that matter
	next      [][]int             // their successors among those
	after     []int               // the immediate post-dominator of a block; len(blocks) for the end, -1 for none
	steps     int                 // of maxMixedSteps
	apart     bool                // threads may wait at different barriers
	split     bool                // a part of a warp may come to a barrier without .aligned
	ending    []bool              // the blocks from which threads may end without a barrier
	early     bool                // as in mixture
}

// find propagates divergence until nothing changes.
func (d *divergence) find() {
	d.registers, d.users = map[*register]bool{}, map[*register][]int{}
	d.partial = make([]bool, len(d.blocks))
	d.placeItems()
	d.findWays()
	d.findAfter()
	for i := range d.items {
		it := &d.items[i]
		_, reads := written(it.in)
		d.eachRegister(it, append(slices.Clone(reads), addressesIn(it.in)...), func(r *register) { d.users[r] = append(d.users[r], i) })
		if r := d.register(it.at, it.in.Guard); r != nil {
			d.users[r] = append(d.users[r], i)
		}
		d.work = append(d.work, i)
	}
	if d.warp {
		d.findThreadX()
		d.findEnding()
	}
	for _, v := range d.f.Params {
		if v.Space == ".reg" {
			for _, name := range parts(v) {
				d.diverge(d.register(d.top, name))
			}
		}
	}
	for len(d.work) > 0 {
		i := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		d.visit(i)
	}
}

// placeItems finds the block of each item.
func (d *divergence) placeItems() {
	d.blockOf = make([]int, len(d.items))
	for v := range d.blocks {
		b := &d.blocks[v]
		for i := b.from; i < b.to; i++ {
			d.blockOf[i] = v
		}
		if b.last != nil {
			d.blockOf[b.to] = v
		}
	}
}

// waits reports whether threads of the block wait for each other at an item, by itself or in a call, and whether they may do so in different
// functions: the call is through a pointer.
func (d *divergence) waits(it *item) (any, apart bool) {
	if it.in.Op != "call" {
		return isBlockBarrier(it.in), false
	}
	any, pointer := d.calls(it, d.meet)
	return any, any && pointer
}

// calls reports whether a call may be of one of some functions, and whether it is through a pointer.
func (d *divergence) calls(it *item, of map[string]bool) (may, pointer bool) {
	callee, _, _ := callParts(it.in)
	if d.image.functions[callee.Name] != nil {
		return of[callee.Name], false
	}
	return slices.ContainsFunc(d.image.taken, func(f *ptx.Function) bool { return of[f.Name] }), true
}

// findWays finds the successors of each block on ways that matter. In the kernel these are ways to a barrier; in another function all,
// because its caller may have one.
func (d *divergence) findWays() {
	d.next = make([][]int, len(d.blocks))
	d.matters = d.ahead(func(it *item) bool {
		any, _ := d.waits(it)
		return d.number > 0 || any || isSingle(it.in)
	})
	last := make([]int, len(d.blocks)) // 1 + the last predecessor
	for v := range d.blocks {
		for _, s := range d.blocks[v].succs {
			if d.matters[s] && last[s] != v+1 {
				d.next[v], last[s] = append(d.next[v], s), v+1
			}
		}
	}
}

// findAfter finds the immediate post-dominators: the dominators of the graph with all edges reversed, from the end on. The threads that stay in a
// loop meet at its header: the ways back to it are the end of a loop with no exits, or none that matter.
func (d *divergence) findAfter() {
	n := len(d.blocks)
	back := make([]block, n+1) // the end is the first one; block v is v+1
	for v := range d.blocks {
		for _, s := range d.next[v] {
			back[s+1].succs = append(back[s+1].succs, v+1)
		}
		if len(d.next[v]) == 0 || d.returns(v) {
			back[0].succs = append(back[0].succs, v+1)
		}
	}
	a := &flow{rank: make([]int, n+1), idom: make([]int, n+1), preds: make([][]int, n+1)}
	a.search(back, nil)
	if ends := d.endless(a.rank[1:]); ends != nil {
		for _, v := range ends {
			back[0].succs = append(back[0].succs, v+1)
		}
		a.search(back, nil)
	}
	a.dominate(back)
	d.after = make([]int, n)
	for v := range d.after {
		switch x := a.idom[v+1]; {
		case x < 0:
			d.after[v] = -1
		case x == 0:
			d.after[v] = n
		default:
			d.after[v] = x - 1
		}
	}
}

// endless returns the blocks with an edge back to the header of a loop that no way leaves. rank is -1 of the blocks from which no way leads to the
// end.
func (d *divergence) endless(rank []int) (ends []int) {
	var nodes []int
	for v := range d.blocks {
		if rank[v] < 0 {
			nodes = append(nodes, v)
		}
	}
	if nodes == nil {
		return nil
	}
	n := len(d.blocks)
	entry := &flow{rank: make([]int, n)}
	entry.search(d.blocks, nil)
	loop := make([]int, n) // 1 + the number of the loop of a block
	loops := d.newReducer().cycles(nodes)
	for i, cycle := range loops {
		for _, v := range cycle {
			loop[v] = i + 1
		}
	}
	for i, cycle := range loops {
		header, leaves := -1, false
		for _, v := range cycle {
			leaves = leaves || slices.ContainsFunc(d.next[v], func(s int) bool { return loop[s] != i+1 })
			if r := entry.rank[v]; r >= 0 && (header < 0 || r < entry.rank[header]) {
				header = v
			}
		}
		for _, v := range cycle {
			if !leaves && slices.Contains(d.next[v], header) {
				ends = append(ends, v)
			}
		}
	}
	return ends
}

// visit looks at an item: its result, its branch or its barrier may be divergent.
func (d *divergence) visit(i int) {
	it := &d.items[i]
	v := d.blockOf[i]
	guarded := it.in.Guard != "" && d.registers[d.register(it.at, it.in.Guard)]
	partial := guarded || d.partial[v]
	if any, apart := d.waits(it); any {
		d.apart = d.apart || apart || partial || it.in.Op != "call" && !d.isUniform(it, it.in.Operands)
	}
	if it.in.Op == "call" {
		may, pointer := d.calls(it, d.singles)
		d.split = d.split || may && (pointer || partial)
	} else if isSingle(it.in) {
		d.split = d.split || partial || !d.isUniform(it, it.in.Operands)
	}
	writes, reads := written(it.in)
	if partial || len(writes) > 0 && !(d.isComputed(it) && d.isUniform(it, reads) || d.isOfWarp(it, reads)) {
		d.eachRegister(it, writes, d.diverge)
	}
	b := &d.blocks[v]
	if b.last != it {
		return
	}
	if guarded || b.end == selects && !d.isUniform(it, it.in.Operands[:1]) {
		d.separate(v)
	}
}

// separate marks the blocks that only some threads may execute after a divergent branch.
func (d *divergence) separate(v int) {
	ways := len(d.next[v])
	if d.returns(v) {
		ways++
	}
	if ways < 2 {
		return
	}
	ends := d.warp && slices.ContainsFunc(d.next[v], func(s int) bool { return d.ending[s] })
	seen := map[int]bool{}
	work := slices.Clone(d.next[v])
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if s == d.after[v] || seen[s] {
			continue
		}
		if d.steps++; d.steps > maxMixedSteps {
			d.apart, d.split, d.early, d.work = true, true, true, nil
			return
		}
		seen[s] = true
		d.early = d.early || ends && d.hasWait(s)
		if work = append(work, d.next[s]...); d.partial[s] {
			continue
		}
		d.partial[s] = true
		b := &d.blocks[s]
		for i := b.from; i < b.to; i++ {
			d.work = append(d.work, i)
		}
		if b.last != nil {
			d.work = append(d.work, b.to)
		}
	}
}

// hasWait reports whether threads wait for each other in a block.
func (d *divergence) hasWait(v int) bool {
	b := &d.blocks[v]
	return slices.ContainsFunc(d.items[b.from:b.to], func(it item) bool { any, _ := d.waits(&it); return any })
}

// findEnding finds the blocks from which threads may end without a barrier.
func (d *divergence) findEnding() {
	preds := make([][]int, len(d.blocks))
	d.ending = make([]bool, len(d.blocks))
	var work []int
	for v := range d.blocks {
		ends, passes := d.endsIn(v)
		if passes {
			for _, s := range d.next[v] {
				preds[s] = append(preds[s], v)
			}
		}
		if ends {
			work = append(work, v)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		if work = work[:len(work)-1]; !d.ending[v] {
			d.ending[v] = true
			work = append(work, preds[v]...)
		}
	}
}

// endsIn reports whether threads may end in a block, or on a way from it that has no barrier, and whether they may pass it without a wait. A
// thread that returns from a function may end in its caller.
func (d *divergence) endsIn(v int) (ends, passes bool) {
	b := &d.blocks[v]
	for i := range d.items[b.from:b.to] {
		it := &d.items[b.from+i]
		if it.in.Op != "call" {
			if isBlockBarrier(it.in) && it.in.Guard == "" {
				return false, false
			}
		} else if leaves, _ := d.calls(it, d.leaving); leaves {
			return true, true
		}
	}
	return b.end == leaves || slices.ContainsFunc(b.succs, func(s int) bool { return !d.matters[s] }), true
}

// diverge marks a register as divergent.
func (d *divergence) diverge(r *register) {
	if r == nil || d.registers[r] {
		return
	}
	d.registers[r] = true
	d.work = append(d.work, d.users[r]...)
}

// eachRegister yields the registers in operands, each element of a vector register that an operand names as a whole.
func (d *divergence) eachRegister(it *item, list []*ptx.Operand, yield func(*register)) {
	forSymbols(list, func(o *ptx.Operand) {
		if r := d.register(it.at, o.Name+o.Part); r != nil {
			yield(r)
			return
		}
		for _, c := range components {
			if r := d.register(it.at, o.Name+"."+string(c)); r != nil {
				yield(r)
			}
		}
	})
}

// addressesIn returns the operands of an instruction that are addresses. A store reads them too.
func addressesIn(in *ptx.Instr) []*ptx.Operand {
	return slices.DeleteFunc(slices.Clone(in.Operands), func(o *ptx.Operand) bool { return o.Kind != ptx.Address })
}

// computed are instructions with results that depend on nothing but their operands.
var computed = setOfWords(`abs add and bfe bfi bfind bmsk brev clz cnot cvt cvta div fma lop3 mad mad24 max min mov mul mul24 neg not or popc prmt
	rem sad selp set setp shf shl shr slct sub szext xor bar barrier`)

// setOfWords returns the words of a text as a set.
func setOfWords(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// isComputed reports whether the result of an item depends on nothing but its operands, or it loads a parameter of the kernel. All threads
// have the same result of a reduction at a barrier.
func (d *divergence) isComputed(it *item) bool {
	if it.in.Op == "ld" && it.in.Has(".param") {
		s := (*symbol)(nil)
		for _, o := range addressesIn(it.in) {
			if len(o.Elems) > 0 && o.Elems[0].Kind == ptx.Symbol {
				s = d.symbol(it.at, o.Elems[0].Name)
			}
		}
		return s != nil && s.space == inParam
	}
	return computed[it.in.Op]
}

// uniformRegisters are the special registers with the same value in all threads of a block.
var uniformRegisters = setOfWords(`%ntid %ctaid %nctaid %nwarpid %clusterid %nclusterid %nsmid %smid %gridid %cluster_ctaid %cluster_nctaid
	%cluster_ctarank %cluster_nctarank %is_explicit_cluster %dynamic_smem_size %total_smem_size %aggr_smem_size`)

// isUniform reports whether operands have the same value in all threads of the block. The predicate of a reduction may differ.
func (d *divergence) isUniform(it *item, list []*ptx.Operand) bool {
	if it.in.Op == "bar" || it.in.Op == "barrier" {
		list = slices.DeleteFunc(slices.Clone(list), func(o *ptx.Operand) bool { return o != numberOperand(it.in) })
	}
	same := true
	forSymbols(list, func(o *ptx.Operand) {
		known := d.isSpecial(o) || !strings.HasPrefix(o.Name, "%")
		d.eachRegister(it, []*ptx.Operand{o}, func(r *register) {
			known = !d.registers[r]
			same = same && known
		})
		same = same && known
	})
	return same
}
