package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// tree maps the blocks of a function to nested IR regions.
//
// A block with several forward predecessors follows a labelled IR block; a branch to
// it is a br to the label. The label is opened at the block's parent: the header if
// the block is a merge block or a continue target, else the immediate dominator.
// Every other block is lowered in place of the only branch to it. The merge block of
// a loop follows the loop; all other labelled children of its header are inside.
//
//	parent   ┌ block a           a label per child; the innermost label
//	         │ ┌ block b         belongs to the child that is first in
//	         │ │  parent's code  structural order
//	         │ │  br b, br a
//	         │ └ end; b's code   may br a
//	         └ end; a's code
//
// A parent dominates its children, and labels of later children enclose labels of
// earlier ones. So the label of a forward branch is open if the module is
// structured; otherwise followEdge reports a malformed module. Compare Ramsey,
// "Beyond Relooper" (ICFP 2022).
type tree struct {
	inner, outer [][]*facts.Block // labelled children of each block, the innermost first; outer: around its loop
	labelled     []bool
}

// newTree builds the tree of a function.
func (u *unit) newTree(fn *facts.Function) tree {
	n := len(fn.Blocks)
	t := tree{make([][]*facts.Block, n), make([][]*facts.Block, n), make([]bool, n)}
	order := structuralOrder(fn)
	headers := headersOf(fn)
	for _, b := range order[1:] {
		parent, loop := b.Idom(), false
		h := headers[b.Number]
		if h != nil {
			parent, loop = h, h.MergeBlock == b && h.IsLoopHeader() && !returns(b, h)
		}
		if u.forwardPreds(b) < 2 && h == nil {
			continue
		}
		t.labelled[b.Number] = true
		list := &t.inner[parent.Number]
		if loop {
			list = &t.outer[parent.Number]
		}
		*list = append(*list, b)
	}
	return t
}

// returns reports whether the back edge of a loop is in the blocks that its merge block dominates: the merge block is in the
// loop then.
func returns(merge, header *facts.Block) bool {
	return slices.ContainsFunc(header.Preds, func(p *facts.Block) bool { return facts.Dominates(merge, p) })
}

// headersOf returns, for each block, the dominating header that names it as merge
// block or continue target. No block is the merge block of two constructs.
func headersOf(fn *facts.Function) []*facts.Block {
	headers := make([]*facts.Block, len(fn.Blocks))
	for i := range fn.Blocks {
		h := &fn.Blocks[i]
		if !h.Reachable {
			continue
		}
		for _, b := range [...]*facts.Block{h.MergeBlock, h.Continue} {
			if b != nil && b != h && b.Reachable && headers[b.Number] == nil && facts.Dominates(h, b) {
				headers[b.Number] = h
			}
		}
	}
	return headers
}

// forwardPreds counts the reachable predecessors that b does not dominate.
func (u *unit) forwardPreds(b *facts.Block) int {
	n := 0
	for _, p := range b.Preds {
		if !p.Reachable {
			continue
		}
		if !facts.Dominates(b, p) {
			n++
		} else if !b.IsLoopHeader() {
			u.at = p.Term
			u.malformed("a back edge to a block that is not a loop header")
		}
	}
	return n
}

// structuralOrder returns the reachable blocks in an order in which each precedes its
// forward successors, and a construct precedes its merge block and its continue
// target: the reverse postorder of a depth-first search that visits those two first.
func structuralOrder(fn *facts.Function) []*facts.Block {
	type frame struct {
		b    *facts.Block
		next int
	}
	seen := make([]bool, len(fn.Blocks))
	var order []*facts.Block
	enter := fn.Entry()
	stack := []frame{{b: enter}}
	seen[enter.Number] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if s, ok := structuralSucc(top.b, top.next); ok {
			top.next++
			if s != nil && s.Reachable && !seen[s.Number] {
				seen[s.Number] = true
				stack = append(stack, frame{b: s})
			}
			continue
		}
		order = append(order, top.b)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	return order
}

// structuralSucc returns successor i of a block in the structural control-flow graph:
// its merge block, its continue target, then its branch targets in reverse order.
// ok is false after the last.
func structuralSucc(b *facts.Block, i int) (*facts.Block, bool) {
	switch i {
	case 0:
		return b.MergeBlock, true
	case 1:
		return b.Continue, true
	}
	if i -= 2; i < len(b.Succs) {
		return b.Succs[len(b.Succs)-1-i], true
	}
	return nil, false
}

// inControl are the instructions that the control-flow code lowers.
var inControl = map[spirv.Op]bool{
	spirv.OpPhi: true, spirv.OpVariable: true, spirv.OpUntypedVariableKHR: true, spirv.OpFunctionParameter: true, spirv.OpLabel: true,
	spirv.OpFunction: true, spirv.OpFunctionEnd: true, spirv.OpSelectionMerge: true, spirv.OpLoopMerge: true,
	spirv.OpBranch: true, spirv.OpBranchConditional: true, spirv.OpSwitch: true,
	spirv.OpReturn: true, spirv.OpReturnValue: true,
	spirv.OpKill: true, spirv.OpTerminateInvocation: true, spirv.OpUnreachable: true, spirv.OpAbortKHR: true, spirv.OpEmitMeshTasksEXT: true,
	spirv.OpIgnoreIntersectionKHR: true, spirv.OpTerminateRayKHR: true,
}

// ignored reports whether an instruction in a function has no effect: a hint or a
// debugging note.
func ignored(op spirv.Op) bool {
	switch op {
	case spirv.OpNop, spirv.OpLine, spirv.OpNoLine, spirv.OpAssumeTrueKHR, spirv.OpUntypedPrefetchKHR, spirv.OpExtInstWithForwardRefsKHR:
		return true
	}
	return false
}
