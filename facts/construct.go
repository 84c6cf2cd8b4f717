package facts

import "github.com/chiaro-gpu/chiaro/spirv"

// ConstructKind is a kind of structured construct (SPIR-V §2.11.2).
type ConstructKind uint8

// The kinds of structured constructs.
const (
	Selection    ConstructKind = iota // of a header with OpSelectionMerge
	Loop                              // of a header with OpLoopMerge
	ContinuePart                      // from the continue target of a loop to its back edge
	CasePart                          // from a target of an OpSwitch
)

// String returns "selection", "loop", "continue" or "case".
func (k ConstructKind) String() string {
	return [...]string{"selection", "loop", "continue", "case"}[k]
}

// Construct is one structured construct: the blocks that its entry block
// structurally dominates, without those that its merge block (or, for a loop,
// its continue construct) contains.
type Construct struct {
	Kind   ConstructKind
	Number int        // index in Function.Constructs
	Header *Block     // the block with the construct's merge instruction
	Entry  *Block     // its first block: the header, the continue target, the target of a switch
	Merge  *Block     // the merge block that the header names; nil if it is missing
	Back   *Block     // of a continue construct: the block with the back edge; nil if it is missing
	Parent *Construct // the innermost enclosing construct; nil if there is none

	cont *Construct // of a loop: its continue construct
}

// Contains reports whether the construct contains a block, in constant time.
func (c *Construct) Contains(b *Block) bool {
	if c == nil || b == nil || !StructurallyDominates(c.Entry, b) {
		return false
	}
	if c.Merge != nil && c.Merge != c.Entry && StructurallyDominates(c.Merge, b) {
		return false
	}
	switch c.Kind {
	case Loop:
		return !c.cont.Contains(b)
	case ContinuePart:
		return c.Back == nil || StructurallyPostDominates(c.Back, b)
	}
	return true
}

// nesting is the state of the search for the constructs of one function. Its
// slices are indexed by block number.
type nesting struct {
	g        *gatherer
	f        *Function
	merges   []*Construct // the construct with this merge block
	conts    []*Construct // the continue construct with this entry block
	cases    []*Construct // the switch construct with this target
	patience int          // remaining steps from a construct to its parent
}

// constructs finds the structured constructs of a function and the innermost
// one of each block. It walks the tree of structural dominators in preorder: a
// block is in the constructs of its immediate dominator, except those that end
// at the block. A budget linear in the number of blocks bounds the steps
// outward; blocks that remain when a hostile function exhausts it have no
// construct.
func (g *gatherer) constructs(f *Function) {
	total := 0
	for i := range f.Blocks {
		switch b := &f.Blocks[i]; {
		case b.Merge < 0:
		case g.Code.Inst(b.Merge).Op() == spirv.OpLoopMerge:
			total += 2
		case b.Term >= 0 && g.Code.Inst(b.Term).Op() == spirv.OpSwitch:
			total += 1 + len(b.Succs)
		default:
			total++
		}
	}
	if total == 0 {
		return
	}
	f.Constructs = g.Module.constructs.Alloc(total)[:0]
	n := len(f.Blocks)
	arena := g.inside.Alloc(3 * n)
	s := nesting{g, f, arena[:n], arena[n : 2*n], arena[2*n:], 64*n + 4096}
	order := g.order.Alloc(n)
	for i := range f.Blocks {
		if b := &f.Blocks[i]; b.structural.pre > 0 {
			order[b.structural.pre-1] = b
		}
	}
	for _, b := range order {
		if b != nil {
			s.block(b)
		}
	}
}

// block finds the innermost construct that contains a block, and adds the
// constructs that begin at the block.
func (s *nesting) block(b *Block) {
	n := b.Number
	var c *Construct
	if up := b.structural.idom; up != nil {
		c = up.Construct
	}
	if m := s.merges[n]; m != nil {
		c = m.Parent
	}
	for c != nil && !c.Contains(b) && s.patience > 0 {
		c = c.Parent
		s.patience--
	}
	if s.patience <= 0 {
		return
	}
	if k := s.conts[n]; k != nil && k.Contains(b) {
		c = k
	}
	if k := s.cases[n]; k != nil && k == c {
		c = s.add(Construct{Kind: CasePart, Header: k.Header, Entry: b, Merge: k.Merge, Parent: k})
	}
	b.Construct = c
	if b.Merge >= 0 {
		s.header(b)
	}
}

func (s *nesting) add(c Construct) *Construct {
	c.Number = len(s.f.Constructs)
	s.f.Constructs = append(s.f.Constructs, c)
	return &s.f.Constructs[len(s.f.Constructs)-1]
}

// header adds the constructs of a header block.
func (s *nesting) header(b *Block) {
	up := b.Construct
	c := s.add(Construct{Kind: Selection, Header: b, Entry: b, Merge: b.MergeBlock, Parent: up})
	if s.g.Code.Inst(b.Merge).Op() == spirv.OpLoopMerge {
		c.Kind = Loop
		if t := b.Continue; t != nil {
			k := s.add(Construct{Kind: ContinuePart, Header: b, Entry: t, Merge: b.MergeBlock, Back: back(b), Parent: up})
			c.cont = k
			if s.conts[t.Number] == nil {
				s.conts[t.Number] = k
			}
		}
	}
	b.Construct = c
	if k := c.cont; k != nil && k.Entry == b && k.Contains(b) {
		b.Construct = k // a single-block loop is its own continue construct
	}
	if m := b.MergeBlock; m != nil && s.merges[m.Number] == nil {
		s.merges[m.Number] = c
	}
	if c.Kind == Selection && b.Term >= 0 && s.g.Code.Inst(b.Term).Op() == spirv.OpSwitch {
		for _, t := range b.Succs {
			if t != b && t != b.MergeBlock && s.cases[t.Number] == nil {
				s.cases[t.Number] = c
			}
		}
	}
}

// back returns the block with the back edge of a loop; nil if it is missing.
func back(header *Block) *Block {
	for _, p := range header.Preds {
		if StructurallyDominates(header.Continue, p) {
			return p
		}
	}
	return nil
}
