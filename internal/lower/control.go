package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
)

// tree says where the blocks of a function stand in the tree of the IR.
//
// A block that several others lead to stands behind a labelled block: a branch
// to it is a br to that label. The label is opened at the block's parent: the
// header, of a merge block or a continue target, else the immediate dominator.
// Every other block stands at the branch that leads to it. The merge block of
// a loop stands behind the loop, all other labelled children of its header
// inside.
//
// Since a parent dominates its children, and children are opened so that those
// that come later in order stand further outside, the label of a branch's
// target is open wherever the module is structured. Where it is not, the walk
// finds the label closed and says so.
type tree struct {
	inner, outer [][]*facts.Block // labelled children of each block, the first innermost
	labelled     []bool
}

// plant makes the tree of a function.
func (u *unit) plant(fn *facts.Function) tree {
	n := len(fn.Blocks)
	t := tree{make([][]*facts.Block, n), make([][]*facts.Block, n), make([]bool, n)}
	order := structuralOrder(fn)
	headers := headersOf(fn)
	for _, b := range order[1:] {
		parent, loop := b.Idom(), false
		h := headers[b.Number]
		if h != nil {
			parent, loop = h, h.MergeBlock == b && h.IsLoopHeader()
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

// headersOf returns the header that names each block as its merge block or its
// continue target, where it dominates the block. The merge block of one
// construct cannot be that of another.
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

// forwardPreds counts the blocks that lead forward to b.
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
			u.malformed("a branch back to a block that is no loop header")
		}
	}
	return n
}

// structuralOrder returns the reachable blocks so that each comes before those
// that it leads forward to, and merge blocks and continue targets behind their
// constructs: the reverse of the order in which a search that goes to them
// first leaves the blocks.
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

// structuralSucc returns where a block leads in the structural control-flow
// graph: its merge block, its continue target, and then, the last first, what
// it branches to. False is the end.
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
