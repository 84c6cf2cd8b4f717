package facts

import "github.com/chiaro-gpu/chiaro/spirv"

// ConstructKind is a kind of structured construct (SPIR-V §2.11.2).
type ConstructKind uint8

// The kinds.
const (
	Selection    ConstructKind = iota // from a header with OpSelectionMerge
	Loop                              // from a header with OpLoopMerge
	ContinuePart                      // from the continue target of a loop to its back edge
	CasePart                          // from a target of OpSwitch
)

// String returns "selection", "loop", "continue" or "case".
func (k ConstructKind) String() string {
	return [...]string{"selection", "loop", "continue", "case"}[k]
}

// Construct is one structured construct.
type Construct struct {
	Kind   ConstructKind
	Number int        // in Function.Constructs
	Header *Block     // the block with the merge instruction that makes it
	Entry  *Block     // its first block: the header, the continue target, the target of a switch
	Merge  *Block     // the merge block that the header names; nil where it is missing
	Back   *Block     // of a continue construct: the block with the back edge; nil where it is missing
	Parent *Construct // the innermost construct around it; nil where there is none

	cont *Construct // of a loop: its continue construct
}

// Contains reports whether a block is in the construct, in constant time.
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

// nesting is the state of the search for the constructs of one function.
type nesting struct {
	g        *gatherer
	f        *Function
	merges   []*Construct // of each block: the construct it is the merge block of
	conts    []*Construct // of each block: the continue construct that it begins
	cases    []*Construct // of each block: the selection of the switch that it is a target of
	patience int          // steps up that may still be made
}

// constructs states the structured constructs of a function and the innermost
// one of each block, from the entry block down the tree of structural
// dominators: a block is in the constructs of the block above it, but for those
// that it is the end of.
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
	f.Constructs = make([]Construct, 0, total)
	n := len(f.Blocks)
	room := make([]*Construct, 3*n)
	s := nesting{g, f, room[:n], room[n : 2*n], room[2*n:], 64*n + 4096}
	order := make([]*Block, n)
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

// block finds the constructs around a block and makes those that it begins.
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

// header makes the constructs that a header begins.
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
		b.Construct = k // a loop of one block is its own continue construct
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

// back returns the block with the back edge of a loop, nil where it is missing.
func back(header *Block) *Block {
	for _, p := range header.Preds {
		if StructurallyDominates(header.Continue, p) {
			return p
		}
	}
	return nil
}
