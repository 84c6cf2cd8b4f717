package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Divergence analysis: the values that may differ between the invocations of a
// subgroup. The property varies begins at the numbers of the invocations, at their
// positions and at atomics; data dependence carries it on (flow.instruction), and so
// do divergent branches, as Rosemann, Moll and Hack describe it ("An Abstract
// Interpretation for SPMD Divergence on Reducible Control Flow Graphs", 2021):
//
//   - A block where paths from a divergent branch meet is a join; its phis vary.
//   - A loop that some invocations leave while others stay diverges over time; the
//     values of its last iteration vary after the loop, although they are the same
//     for all invocations in it.
//   - A variable that is stored on one of the paths varies, if a load outside of the
//     paths can read it.
//
// The analysis looks at no condition, so a value that varies may in fact be uniform.
// For this reason its findings are warnings.

// divergence is the analysis of the control flow of one function.
type divergence struct {
	flow     *flow
	order    []*facts.Block // reachable blocks in reverse post-order
	position []int32        // by block: 1 + its index in order, 0 if it is not reachable
	label    []int32        // by block, in a search: 1 + the number of the block where its paths met last, 0 if not reached
	inside   []bool         // by block: scratch of stored
	loads    map[*facts.Variable][]*facts.Block
	patience int // remaining steps, so that hostile functions do not take the square of the time
}

func newDivergence(w *flow, f *facts.Function) *divergence {
	n := len(f.Blocks)
	d := &divergence{flow: w, position: make([]int32, n), label: make([]int32, n), inside: make([]bool, n), patience: 32*(f.End-f.Index) + 4096}
	type frame struct {
		b    *facts.Block
		next int
	}
	stack := []frame{{f.Entry(), 0}}
	d.position[0] = -1 // found
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(top.b.Succs) {
			d.order = append(d.order, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.b.Succs[top.next]
		top.next++
		if d.position[s.Number] == 0 {
			d.position[s.Number] = -1
			stack = append(stack, frame{s, 0})
		}
	}
	slices.Reverse(d.order)
	for k, b := range d.order {
		d.position[b.Number] = int32(k) + 1
	}
	return d
}

// branch searches the paths of a branch with a condition that varies, once.
func (w *flow) branch(f *facts.Function, i int, in spirv.Inst) {
	b := w.at
	if w.known[i]&varies != 0 || len(b.Succs) < 2 || w.used(spirv.ID(in[1]))&varies == 0 {
		return
	}
	w.add(i, varies)
	d := w.control[f.Number]
	if d == nil {
		d = newDivergence(w, f)
		w.control[f.Number] = d
	}
	if d.position[b.Number] > 0 {
		d.paths(b.Succs, loopAround(b.Construct))
	}
}

// loopAround returns the header of the innermost loop among a construct and its
// parents, nil if there is none.
func loopAround(k *facts.Construct) *facts.Block {
	for ; k != nil; k = k.Parent {
		if k.Kind == facts.Loop || k.Kind == facts.ContinuePart {
			return k.Header
		}
	}
	return nil
}

// parentLoop returns the header of the loop around a loop, nil if there is none.
func parentLoop(header *facts.Block) *facts.Block {
	k := header.Construct // the construct of the loop, or of its continue part
	for k != nil && k.Header != header {
		k = k.Parent
	}
	if k == nil {
		return nil
	}
	return loopAround(k.Parent)
}

// inLoopOf reports whether a block is in the loop of a header.
func inLoopOf(header, b *facts.Block) bool {
	return facts.StructurallyDominates(header, b) && (header.MergeBlock == nil || !facts.StructurallyDominates(header.MergeBlock, b))
}

// paths follows the paths of divergent invocations from several blocks in a loop
// (nil: in none) until they have met, left the loop, or come to its end. The blocks
// are visited in reverse post-order, so that all paths to a block precede it.
func (d *divergence) paths(from []*facts.Block, loop *facts.Block) {
	if d.patience--; d.patience < 0 {
		return
	}
	var exits, reached, region []*facts.Block
	open, stay := 0, false
	reach := func(t *facts.Block, at, label int32) {
		outside := loop != nil && !inLoopOf(loop, t)
		switch old := d.label[t.Number]; {
		case t == loop:
			stay = true
		case !outside && d.position[t.Number] <= at: // a back edge in the paths
		case old == 0:
			d.label[t.Number] = label
			reached = append(reached, t)
			if outside {
				exits = append(exits, t)
			} else {
				open++
			}
		case old != label:
			d.join(t)
			d.label[t.Number] = int32(t.Number) + 1
		}
	}
	first := len(d.order)
	for _, t := range from {
		reach(t, 0, int32(t.Number)+1)
		first = min(first, int(d.position[t.Number])-1)
	}
	for at := max(first, 0); at < len(d.order) && d.patience > 0; at++ {
		if open == 0 || open == 1 && len(exits) == 0 && !stay {
			break // all that go on have met
		}
		d.patience--
		b := d.order[at]
		label := d.label[b.Number]
		if label == 0 || loop != nil && !inLoopOf(loop, b) {
			continue
		}
		open--
		region = append(region, b)
		for _, t := range b.Succs {
			reach(t, int32(at)+1, label)
		}
	}
	for _, b := range reached {
		d.label[b.Number] = 0
	}
	d.stored(region)
	switch {
	case loop != nil && stay && len(exits) > 0:
		d.leave(loop)
	case len(exits) > 1:
		d.paths(exits, parentLoop(loop))
	}
}

// join marks a block where divergent invocations meet.
func (d *divergence) join(b *facts.Block) { d.flow.add(b.Index, joins) }

// leave marks a loop that diverges over time. Invocations meet where they leave it.
func (d *divergence) leave(header *facts.Block) {
	if header.Merge < 0 || d.flow.known[header.Merge]&joins != 0 {
		return
	}
	d.flow.add(header.Merge, joins)
	d.flow.overTime = true
	var body, exits []*facts.Block
	for _, b := range d.order[d.position[header.Number]-1:] {
		if d.patience--; d.patience < 0 {
			break
		}
		if !inLoopOf(header, b) {
			continue
		}
		body = append(body, b)
		for _, t := range b.Succs {
			if !inLoopOf(header, t) && d.label[t.Number] == 0 {
				d.label[t.Number] = 1
				exits = append(exits, t)
				d.join(t)
			}
		}
	}
	for _, t := range exits {
		d.label[t.Number] = 0
	}
	d.stored(body)
	if len(exits) > 1 {
		d.paths(exits, parentLoop(header))
	}
}

// stored marks the variables that a region stores and a block outside of it reads. A
// return in the region makes the result of the function vary.
func (d *divergence) stored(region []*facts.Block) {
	for _, b := range region {
		d.inside[b.Number] = true
	}
	for _, b := range region {
		for i := b.Index; i < b.End && d.patience > 0; i++ {
			d.patience--
			switch in := d.flow.checker.code.Inst(i); in.Op() {
			case spirv.OpStore:
				d.storedTo(b.Func, inst.Store(in).Pointer())
			case spirv.OpCopyMemory, spirv.OpCopyMemorySized:
				d.storedTo(b.Func, inst.CopyMemory(in).Target())
			case spirv.OpFunctionCall:
				for _, id := range inst.FunctionCall(in).Arguments() {
					d.storedTo(b.Func, id)
				}
			case spirv.OpReturnValue:
				d.flow.add(b.Func.Index, varies)
			}
		}
	}
	for _, b := range region {
		d.inside[b.Number] = false
	}
}

func (d *divergence) storedTo(f *facts.Function, pointer spirv.ID) {
	v := d.flow.checker.origin(pointer)
	if !ofInvocation(v) || d.flow.known[v.Index]&varies != 0 || d.patience < 0 {
		return
	}
	if v.Func == nil || slices.ContainsFunc(d.readers(f, v), func(b *facts.Block) bool {
		d.patience--
		return !d.inside[b.Number]
	}) {
		d.flow.add(v.Index, varies)
	}
}

// ofInvocation reports whether each invocation has a variable of its own that it can
// store to.
func ofInvocation(v *facts.Variable) bool {
	return v != nil && (v.Func != nil || v.Storage == spirv.StorageClassPrivate)
}

// readers returns the blocks that may read a variable of the function.
func (d *divergence) readers(f *facts.Function, v *facts.Variable) []*facts.Block {
	if d.loads != nil {
		return d.loads[v]
	}
	d.loads = map[*facts.Variable][]*facts.Block{}
	read := func(b *facts.Block, id spirv.ID) {
		if v := d.flow.checker.origin(id); v != nil && v.Func != nil {
			if list := d.loads[v]; len(list) == 0 || list[len(list)-1] != b {
				d.loads[v] = append(list, b)
			}
		}
	}
	for n := range f.Blocks {
		b := &f.Blocks[n]
		for i := b.Index; i < b.End; i++ {
			switch in := d.flow.checker.code.Inst(i); in.Op() {
			case spirv.OpLoad:
				read(b, inst.Load(in).Pointer())
			case spirv.OpCopyMemory, spirv.OpCopyMemorySized:
				read(b, inst.CopyMemory(in).Source())
			case spirv.OpFunctionCall:
				for _, id := range inst.FunctionCall(in).Arguments() {
					read(b, id)
				}
			}
		}
	}
	return d.loads[v]
}

// used returns the properties that a value has in the block of the pass: a value of a
// loop that diverges over time varies outside of the loop.
func (w *flow) used(id spirv.ID) uint16 { return w.usedIn(id, w.at) }

// usedIn returns the properties that a value has in a block.
func (w *flow) usedIn(id spirv.ID, b *facts.Block) uint16 {
	d := w.checker.code.Def(id)
	if d < 0 {
		return 0
	}
	p := w.known[d]
	if p&varies != 0 || !w.overTime || w.checker.blockOf[d] == 0 {
		return p
	}
	made := w.checker.blockNumber(w.checker.blockOf[d])
	if made == nil || made == b {
		return p
	}
	for h := loopAround(made.Construct); h != nil && w.patience > 0 && !inLoopOf(h, b); h = parentLoop(h) {
		w.patience--
		if h.Merge >= 0 && w.known[h.Merge]&joins != 0 {
			return p | varies
		}
	}
	return p
}

// varyingInput reports whether a built-in differs between the invocations of a
// subgroup; index is the component that is read, −1 for all of them.
func (w *flow) varyingInput(b spirv.BuiltIn, index int64) bool {
	switch b {
	case spirv.BuiltInLocalInvocationId, spirv.BuiltInGlobalInvocationId:
		return w.maySpan[dimension(index)]
	case spirv.BuiltInLocalInvocationIndex:
		return w.maySpan[whole]
	case spirv.BuiltInSubgroupLocalInvocationId, spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask,
		spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask, spirv.BuiltInFragCoord, spirv.BuiltInPointCoord,
		spirv.BuiltInVertexIndex, spirv.BuiltInVertexId, spirv.BuiltInTessCoord, spirv.BuiltInLaunchIdKHR, spirv.BuiltInBaryCoordKHR,
		spirv.BuiltInBaryCoordNoPerspKHR, spirv.BuiltInInvocationId:
		return true
	}
	return false
}

// agreement returns whether the result of an instruction is the same in all
// invocations of a subgroup, or certainly its own in each of them.
func (w *flow) agreement(in spirv.Inst) (same, own bool) {
	op := in.Op()
	if w.quad && w.quadAgreement(in) {
		return true, false
	}
	switch op {
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformAllEqual, spirv.OpGroupNonUniformBroadcast,
		spirv.OpGroupNonUniformBroadcastFirst, spirv.OpGroupNonUniformBallot, spirv.OpSubgroupAllKHR, spirv.OpSubgroupAnyKHR,
		spirv.OpSubgroupAllEqualKHR, spirv.OpSubgroupBallotKHR, spirv.OpSubgroupFirstInvocationKHR, spirv.OpGroupAll, spirv.OpGroupAny,
		spirv.OpGroupBroadcast:
		return true, false
	case spirv.OpGroupNonUniformElect, spirv.OpGroupNonUniformInverseBallot:
		return false, true
	case spirv.OpGroupNonUniformBallotBitCount:
		return w.groupAgreement(inst.GroupNonUniformBallotBitCount(in).Operation())
	case spirv.OpAtomicLoad, spirv.OpAtomicStore:
		return false, false
	}
	switch {
	case op.Class() == spirv.ClassAtomic:
		return false, true
	case slices.Contains(combineOps, op):
		return w.groupAgreement(inst.GroupNonUniformIAdd(in).Operation())
	}
	return false, false
}

func (w *flow) groupAgreement(op spirv.GroupOperation) (same, own bool) {
	switch op {
	case spirv.GroupOperationReduce:
		return true, false
	case spirv.GroupOperationInclusiveScan, spirv.GroupOperationExclusiveScan:
		return false, true
	}
	return false, false
}
