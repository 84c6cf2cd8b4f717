package asm

import "github.com/chiaro-gpu/chiaro/spirv"

// Indentation of blocks by their nesting, in columns.
const (
	nestLevel    = 4   // for the branch targets of a header
	nestContinue = 2   // of a loop's continue target
	nestBody     = 2   // of a block's instructions beyond its label
	nestLimit    = 256 // of deeper nesting, which no reader could follow
)

// block is a block of a function: its instructions, its successors, and its place
// in the output.
type block struct {
	first, end int
	merge      spirv.ID // of a merge instruction, 0 for none
	continued  spirv.ID // the continue target of a loop, 0 for none
	targets    []spirv.ID
	branches   bool // ends in a conditional branch or a switch
	seen       bool
	nest       int // -1 until it is known
}

// structured prints the module with the blocks of each function in the order
// or at the depth of the structured control flow.
func (p *printer) structured() {
	for i := 0; i < p.m.Len(); i++ {
		p.instruction(i, 0)
		if p.m.Inst(i).Op() == spirv.OpFunction {
			i = p.function(i+1) - 1
		}
	}
}

// function prints the instructions after an OpFunction, up to its OpFunctionEnd,
// and returns the number of the latter.
func (p *printer) function(i int) int {
	for ; i < p.m.Len() && !endsHead(p.m.Inst(i).Op()); i++ {
		p.instruction(i, 0)
	}
	blocks, end := p.blocks(i)
	labels := make(map[spirv.ID]int, len(blocks))
	for b := range blocks {
		labels[p.m.Inst(blocks[b].first).Result()] = b
	}
	order := structuredOrder(blocks, labels)
	nestBlocks(blocks, labels, order)
	if !p.o.Reorder {
		for b := range order {
			order[b] = b
		}
	}
	for _, b := range order {
		p.block(&blocks[b])
	}
	return end
}

// endsHead reports whether an instruction ends the parameters of a function.
func endsHead(op spirv.Op) bool {
	return op == spirv.OpLabel || op == spirv.OpFunctionEnd || op == spirv.OpFunction
}

// block prints a block.
func (p *printer) block(b *block) {
	label, body := 0, 0
	if p.o.NestedIndent {
		p.dst = append(p.dst, '\n')
		label = min(b.nest, nestLimit)
		body = label + nestBody
	}
	p.instruction(b.first, label)
	for i := b.first + 1; i < b.end; i++ {
		p.instruction(i, body)
	}
}

// blocks divides the instructions from an OpLabel on, up to the end of the
// function. An instruction outside all blocks belongs to the one before it.
func (p *printer) blocks(i int) ([]block, int) {
	var list []block
	for ; i < p.m.Len(); i++ {
		in := p.m.Inst(i)
		op := in.Op()
		switch {
		case op == spirv.OpFunctionEnd || op == spirv.OpFunction:
			return list, i
		case op == spirv.OpLabel && p.m.Known(i):
			list = append(list, block{first: i, end: i + 1, nest: -1})
			continue
		case len(list) == 0 || !p.m.Known(i):
		default:
			p.control(&list[len(list)-1], i, in)
		}
		if len(list) > 0 {
			list[len(list)-1].end = i + 1
		}
	}
	return list, i
}

// control records the control-flow edges of an instruction.
func (p *printer) control(b *block, i int, in spirv.Inst) {
	switch in.Op() {
	case spirv.OpSelectionMerge:
		b.merge = spirv.ID(in[1])
	case spirv.OpLoopMerge:
		b.merge, b.continued = spirv.ID(in[1]), spirv.ID(in[2])
	case spirv.OpBranch:
		b.targets = []spirv.ID{spirv.ID(in[1])}
	case spirv.OpBranchConditional:
		b.targets = []spirv.ID{spirv.ID(in[2]), spirv.ID(in[3])}
		b.branches = true
	case spirv.OpSwitch:
		b.branches, b.targets = true, nil
		for w := p.m.Walk(i); w.Next(); {
			if w.Kind == spirv.KindIdRef && w.Pos > 1 {
				b.targets = append(b.targets, spirv.ID(w.Words[0]))
			}
		}
	}
}

// structuredOrder orders blocks so that each comes after its predecessors, a
// continue target after the loop's body and a merge block after all of
// its construct: the reverse postorder of a depth-first search that visits
// merge block, continue target and branch targets, the last one first.
// Unreachable blocks follow in their own order.
func structuredOrder(blocks []block, labels map[spirv.ID]int) []int {
	order := make([]int, len(blocks))
	at := len(blocks)
	if at == 0 {
		return order
	}
	reach(blocks, labels, 0, &at, order)
	n := copy(order, order[at:])
	for b := range blocks {
		if !blocks[b].seen {
			order[n] = b
			n++
		}
	}
	return order
}

// visit is a block that the search is in, and the successor it looks at next.
type visit struct{ block, next int }

// reach searches from a block with a stack of its own, for functions can be
// deeper than goroutines' patience.
func reach(blocks []block, labels map[spirv.ID]int, root int, at *int, order []int) {
	blocks[root].seen = true
	stack := []visit{{root, 0}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		id, more := blocks[v.block].successor(v.next)
		if !more {
			*at--
			order[*at] = v.block
			stack = stack[:len(stack)-1]
			continue
		}
		v.next++
		if b, ok := labels[id]; ok && !blocks[b].seen {
			blocks[b].seen = true
			stack = append(stack, visit{b, 0})
		}
	}
}

// successor returns the k-th block that the search looks at; 0 is no block.
func (b *block) successor(k int) (id spirv.ID, more bool) {
	switch {
	case k == 0:
		return b.merge, true
	case k == 1:
		return b.continued, true
	case k-2 < len(b.targets):
		return b.targets[len(b.targets)-1-(k-2)], true
	}
	return 0, false
}

// nestBlocks sets the depth of each block. A merge block has the depth of its
// header, a continue target is a little deeper, and the targets of a header or a
// conditional branch are one level deeper. The first assignment wins. Blocks that the
// entry does not reach are at the left.
func nestBlocks(blocks []block, labels map[spirv.ID]int, order []int) {
	set := func(id spirv.ID, nest int) {
		if b, ok := labels[id]; ok && blocks[b].nest < 0 {
			blocks[b].nest = nest
		}
	}
	for _, i := range order {
		b := &blocks[i]
		b.nest = max(b.nest, 0)
		if !b.seen {
			continue
		}
		set(b.merge, b.nest)
		set(b.continued, b.nest+nestContinue)
		inner := b.nest
		if b.merge != 0 || b.branches {
			inner += nestLevel
		}
		for _, id := range b.targets {
			set(id, inner)
		}
	}
}
