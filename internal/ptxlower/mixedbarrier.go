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
// Threads that have ended do not count, so that a way of the kernel without a barrier is none.
//
// The lanes of a warp end together: a barrier in shared memory would wait for threads of its warp after their end. With a divergent branch to
// the end before a barrier, a kernel keeps the barriers of the IR.

// maxMixedSteps bounds the blocks that the analysis visits after branches. With more, a kernel keeps the barriers of the IR.
const maxMixedSteps = 1 << 20

// mixesBarriers reports whether threads of the kernel may wait at different barriers of the block at the same time.
func (u *unit) mixesBarriers() bool {
	numbers := map[string]bool{}
	for _, f := range u.reached {
		forInstrs(f.Body, func(in *ptx.Instr) {
			if isBlockBarrier(in) {
				numbers[numberOf(in)] = true
			}
		})
	}
	if len(numbers) < 2 && !numbers[unknownNumber] {
		return false
	}
	meet, apart := u.meetingFunctions(), false
	for _, f := range u.list {
		if f.number > 0 && endsThreads(f.f.Body) {
			return false
		}
		if !meet[f.f.Name] {
			continue
		}
		d := &divergence{function: f, meet: meet, registers: map[*register]bool{}, users: map[*register][]int{}}
		if d.find(); d.early {
			return false
		}
		apart = apart || d.apart
	}
	return apart
}

// endsThreads reports whether a function may end threads.
func endsThreads(body *ptx.Block) (ends bool) {
	forInstrs(body, func(in *ptx.Instr) { ends = ends || in.Op == "exit" })
	return ends
}

// meetingFunctions returns the functions with a barrier of the block, by themselves or in calls: a call through a pointer may be of each
// function with a known address.
func (u *unit) meetingFunctions() map[string]bool {
	meet := u.callersOf(isBlockBarrier)
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
	registers map[*register]bool  // the divergent ones
	users     map[*register][]int // the items that read a register, also as a guard
	work      []int               // items to look at
	blockOf   []int               // of an item
	partial   []bool              // the blocks that only some threads may execute
	matters   []bool              // the blocks with a barrier, or on a way to one
	next      [][]int             // the successors of a block on ways that matter
	after     []int               // the immediate post-dominator of a block; len(blocks) for the end, -1 for none
	steps     int                 // of maxMixedSteps
	apart     bool                // threads may wait at different barriers
	early     bool                // threads may skip barriers and end, or the analysis needs too many steps
}

// find propagates divergence until threads end early or nothing changes.
func (d *divergence) find() {
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
	for _, v := range d.f.Params {
		if v.Space == ".reg" {
			for _, name := range parts(v) {
				d.diverge(d.register(d.top, name))
			}
		}
	}
	for len(d.work) > 0 && !d.early {
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
	callee, _, _ := callParts(it.in)
	if d.image.functions[callee.Name] != nil {
		return d.meet[callee.Name], false
	}
	any = slices.ContainsFunc(d.image.taken, func(f *ptx.Function) bool { return d.meet[f.Name] })
	return any, any
}

// findWays finds the successors of each block on ways that matter. In the kernel these are ways to a barrier; in another function all,
// because its caller may have one.
func (d *divergence) findWays() {
	n := len(d.blocks)
	d.next = make([][]int, n)
	preds := make([][]int, n)
	for v := range d.blocks {
		for _, s := range d.blocks[v].succs {
			preds[s] = append(preds[s], v)
		}
	}
	matters := make([]bool, n)
	d.matters = matters
	var work []int
	for i := range d.items {
		any, _ := d.waits(&d.items[i])
		if v := d.blockOf[i]; (d.number > 0 || any) && !matters[v] {
			matters[v] = true
			work = append(work, v)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range preds[v] {
			if !matters[p] {
				matters[p] = true
				work = append(work, p)
			}
		}
	}
	for v := range d.blocks {
		for _, s := range d.blocks[v].succs {
			if matters[s] && !slices.Contains(d.next[v], s) {
				d.next[v] = append(d.next[v], s)
			}
		}
	}
}

// returns reports whether a block may return to the caller of a function.
func (d *divergence) returns(v int) bool {
	b := &d.blocks[v]
	return b.end == leaves && d.number > 0 && (b.last == nil || b.last.in.Op == "ret")
}

// findAfter finds the immediate post-dominators: the dominators of the graph with all edges reversed, from the end on.
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

// visit looks at an item: its result, its branch or its barrier may be divergent.
func (d *divergence) visit(i int) {
	it := &d.items[i]
	v := d.blockOf[i]
	guarded := it.in.Guard != "" && d.registers[d.register(it.at, it.in.Guard)]
	partial := guarded || d.partial[v]
	if any, apart := d.waits(it); any {
		d.apart = d.apart || apart || partial || it.in.Op != "call" && !d.isUniform(it, it.in.Operands)
	}
	writes, reads := written(it.in)
	if partial || len(writes) > 0 && !(d.isComputed(it) && d.isUniform(it, reads)) {
		d.eachRegister(it, writes, d.diverge)
	}
	b := &d.blocks[v]
	if b.last != it {
		return
	}
	divergent := guarded || b.end == selects && !d.isUniform(it, it.in.Operands[:1])
	if divergent || partial {
		d.early = d.early || d.mayEnd(v)
	}
	if divergent {
		d.separate(v)
	}
}

// mayEnd reports whether threads may end after a block of the kernel and skip barriers of others.
func (d *divergence) mayEnd(v int) bool {
	b := &d.blocks[v]
	return d.number == 0 && len(d.next[v]) > 0 && (b.end == leaves || slices.ContainsFunc(b.succs, func(s int) bool { return !d.matters[s] }))
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
	seen := map[int]bool{}
	work := slices.Clone(d.next[v])
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if s == d.after[v] || seen[s] {
			continue
		}
		if d.steps++; d.steps > maxMixedSteps {
			d.early = true
			return
		}
		seen[s] = true
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
		known := uniformRegisters[o.Name] || !strings.HasPrefix(o.Name, "%")
		d.eachRegister(it, []*ptx.Operand{o}, func(r *register) {
			known = !d.registers[r]
			same = same && known
		})
		same = same && known
	})
	return same
}
