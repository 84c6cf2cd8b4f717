package facts

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// flow computes the control flow of a function: edges, dominators, constructs.
func (g *gatherer) flow(f *Function) {
	if len(f.Blocks) == 0 {
		return
	}
	g.edges(f)
	g.trees.dominate(f)
	g.constructs(f)
	g.numbers.Reset()
	g.inside.Reset()
	g.order.Reset()
}

// edges fills in the successors, predecessors and merge blocks of the blocks.
// All lists share two arrays.
func (g *gatherer) edges(f *Function) {
	total := 0
	for n := range f.Blocks {
		b := &f.Blocks[n]
		b.Number = n
		g.targets(b, func(id spirv.ID) { total++ })
	}
	if total == 0 {
		for n := range f.Blocks {
			g.merge(&f.Blocks[n])
		}
		return
	}
	mark := g.numbers.Alloc(len(f.Blocks)) // number of the last block with an edge to this one, from 1
	arena := g.Module.edges.Alloc(total)[:0]
	preds := g.numbers.Alloc(len(f.Blocks) + 1)
	for n := range f.Blocks {
		b := &f.Blocks[n]
		at := len(arena)
		g.targets(b, func(id spirv.ID) {
			if t := g.within(f, id); t != nil && mark[t.Number] != int32(n+1) {
				mark[t.Number] = int32(n + 1)
				arena = append(arena, t)
				preds[t.Number]++
			}
		})
		b.Succs = arena[at:len(arena):len(arena)]
		g.merge(b)
	}
	back := g.Module.edges.Alloc(len(arena))
	at := 0
	for n := range f.Blocks {
		f.Blocks[n].Preds = back[at : at : at+int(preds[n])]
		at += int(preds[n])
	}
	for n := range f.Blocks {
		for _, t := range f.Blocks[n].Succs {
			t.Preds = append(t.Preds, &f.Blocks[n])
		}
	}
}

// within returns the block of a label; nil if f does not contain it.
func (g *gatherer) within(f *Function, id spirv.ID) *Block {
	if b := g.Block(id); b != nil && b.Func == f {
		return b
	}
	return nil
}

// merge resolves the operands of a header's merge instruction.
func (g *gatherer) merge(b *Block) {
	if b.Merge < 0 {
		return
	}
	in := g.Code.Inst(b.Merge)
	if in.Op() == spirv.OpSelectionMerge {
		b.MergeBlock = g.within(b.Func, inst.SelectionMerge(in).MergeBlock())
		return
	}
	v := inst.LoopMerge(in)
	b.MergeBlock, b.Continue = g.within(b.Func, v.MergeBlock()), g.within(b.Func, v.ContinueTarget())
}

// targets yields the labels that the terminator of a block names, in order.
func (g *gatherer) targets(b *Block, yield func(spirv.ID)) {
	if b.Term < 0 {
		return
	}
	in := g.Code.Inst(b.Term)
	switch in.Op() {
	case spirv.OpBranch:
		yield(inst.Branch(in).TargetLabel())
	case spirv.OpBranchConditional:
		v := inst.BranchConditional(in)
		yield(v.TrueLabel())
		yield(v.FalseLabel())
	case spirv.OpSwitch:
		v := inst.Switch(in)
		yield(v.Default())
		for _, label := range v.Cases(g.selectorWords(v)) {
			yield(label)
		}
	}
}

// selectorWords returns the number of words of each literal of a switch.
func (m *Module) selectorWords(v inst.Switch) int {
	if t := m.TypeOf(v.Selector()); t.IsInt() && t.Width > 32 {
		return int((uint64(t.Width) + 31) / 32)
	}
	return 1
}

// Case is one case of an OpSwitch.
type Case struct {
	Value  uint64 // the literal's bits, truncated to the width of the selector
	Target *Block // nil if it is missing
}

// Switch returns the targets of the OpSwitch that terminates a block: deflt is
// the target for selectors that equal no case. It returns false if no OpSwitch
// terminates the block. Each call allocates a new list.
func (m *Module) Switch(b *Block) (deflt *Block, cases []Case, ok bool) {
	if b.Term < 0 || m.Code.Inst(b.Term).Op() != spirv.OpSwitch {
		return nil, nil, false
	}
	v := inst.Switch(m.Code.Inst(b.Term))
	g := gatherer{Module: m}
	width := uint32(32)
	if t := m.TypeOf(v.Selector()); t.IsInt() {
		width = t.Width
	}
	for words, label := range v.Cases(m.selectorWords(v)) {
		cases = append(cases, Case{number(words, width), g.within(b.Func, label)})
	}
	return g.within(b.Func, v.Default()), cases, true
}

// number returns the bits of a literal, low-order word first, truncated to width
// bits.
func number(words []uint32, width uint32) uint64 {
	var x uint64
	if len(words) > 0 {
		x = uint64(words[0])
	}
	if len(words) > 1 {
		x |= uint64(words[1]) << 32
	}
	return x & mask(width)
}

// mask returns a mask of width ones.
func mask(width uint32) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<width - 1
}
