package valid

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// constructFamily checks structured control flow (SPIR-V §2.11), which the
// capability Shader requires: merge blocks, back edges, exits from and entries
// into constructs, their nesting, and the order of cases.
//
// Constructs and dominators come from facts (construct.go, dominator.go), so
// each test of containment or dominance takes constant time. The merge and
// branch instructions themselves are checked by controlflow.go.
var constructFamily = family{
	rules: []Rule{
		{Code: "SPV-Construct-Merge", Section: "SPIR-V 2.11.1", Words: "a block is the merge block of at most one header"},
		{Code: "SPV-SelectionMerge-Block", Section: "SPIR-V 2.11.1", Words: "the merge block of a selection is not its header"},
		{Code: "SPV-Construct-Dominance", Section: "SPIR-V 2.11.1", Words: "a structurally reachable header structurally dominates its merge block, and each loop header its continue target"},
		{Code: "SPV-Construct-BackEdge", Section: "SPIR-V 2.11.1", Words: "each back edge goes to a loop header, and each loop header has exactly one back edge"},
		{Code: "SPV-Construct-Continue", Section: "SPIR-V 2.11.1", Words: "a continue target structurally dominates the block of the back edge, and this block structurally post-dominates the continue target"},
		{Code: "SPV-Construct-Exit", Section: "SPIR-V 2.11.2", Words: "a branch out of a construct goes to its merge block, or to a merge block or continue target of an enclosing loop or switch"},
		{Code: "SPV-Construct-Entry", Section: "SPIR-V 2.11.3", Words: "a branch into a construct from outside goes to its header"},
		{Code: "SPV-Construct-Nesting", Section: "SPIR-V 2.11.2", Words: "a construct that contains a header also contains its merge block"},
		{Code: "SPV-Construct-Selection", Section: "SPIR-V 2.11.1", Words: "a branch to several blocks follows a merge instruction, unless all but one are exits"},
		{Code: "SPV-Construct-Switch", Section: "SPIR-V 2.11.1", Words: "OpSwitch follows an OpSelectionMerge"},
		{Code: "SPV-Construct-Target", Section: "SPIR-V 2.11.1", Words: "an OpSwitch dominates its case constructs"},
		{Code: "SPV-Construct-Case", Section: "SPIR-V 2.11.2", Words: "a case falls through to at most one other case; this is the next one, and no third case falls through to it"},
		{Code: "SPV-Construct-Depth", Section: "SPIR-V 2.17", Words: "constructs nest at most as deep as the universal limit allows"},
		{Code: "SPV-Construct-Reconvergence", Section: "SPIR-V 2.11, SPV_KHR_maximal_reconvergence", Words: "if an entry point reconverges maximally, a block that is no header, merge block, continue target or switch target has one predecessor"},
	},
	after: []func(*checker){func(c *checker) {
		s := structure{callGraph: &c.callGraph, search: &c.memory.search}
		s.constructs()
	}},
}

// structure checks the structured control flow of a module. It runs after the walk
// and does not depend on it.
type structure struct {
	*callGraph
	search *flowSearch
}

// constructs checks each function with control flow.
func (c *structure) constructs() {
	if !c.capable(spirv.CapabilityShader) {
		return
	}
	s := c.search
	for k := range c.m.Functions {
		f := &c.m.Functions[k]
		if len(f.Blocks) == 0 || c.straight(f) {
			continue
		}
		c.merges(f, s)
		s.search(f)
		c.loops(f, s)
		c.selections(f, s)
		c.exits(f)
		c.nesting(f, s)
		c.cases(f)
		c.reconvergence(f)
	}
}

// straight reports whether a function is one block without successors and merge
// instruction; such a function satisfies every rule.
func (c *structure) straight(f *facts.Function) bool {
	b := &f.Blocks[0]
	return len(f.Blocks) == 1 && len(b.Succs) == 0 && b.Merge < 0 && (b.Term < 0 || c.code.OpAt(b.Term) != spirv.OpSwitch)
}

// flowSearch is a depth-first search of the structural control-flow graph of one
// function, and the scratch memory of its checks.
type flowSearch struct {
	of    []*facts.Block // by block: the header that names it as merge block
	depth []int          // by construct
	seen  []bool         // by block
	state []uint8        // by block: 0 not found, 1 on the stack, 2 done
	back  []edge         // back edges
	post  []*facts.Block
	backs []int32 // by block: number of back edges to it
	stack []searchFrame
}

type edge struct{ from, to *facts.Block }

type searchFrame struct {
	b    *facts.Block
	next int
}

// forget clears all references to a module. The memory that it retains is small, since it clears all of it.
func (s *flowSearch) forget() {
	if max(cap(s.of), cap(s.back), cap(s.post), cap(s.stack)) > maxRetained {
		*s = flowSearch{}
		return
	}
	clear(s.of[:cap(s.of)])
	clear(s.back[:cap(s.back)])
	clear(s.post[:cap(s.post)])
	clear(s.stack[:cap(s.stack)])
}

// search finds the back edges (edges to a block on the stack) and the post-order
// of a function.
func (s *flowSearch) search(f *facts.Function) {
	n := len(f.Blocks)
	s.state, s.backs = cleared(s.state, n), cleared(s.backs, n)
	s.back, s.post = s.back[:0], s.post[:0]
	s.stack = append(s.stack[:0], searchFrame{f.Entry(), 0})
	s.state[0] = 1
	for len(s.stack) > 0 {
		top := &s.stack[len(s.stack)-1]
		b := top.b
		t, more := structuralSuccessor(b, top.next)
		if !more {
			s.state[b.Number] = 2
			s.post = append(s.post, b)
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		real := top.next >= 2
		top.next++
		if t == nil {
			continue
		}
		switch s.state[t.Number] {
		case 0:
			s.state[t.Number] = 1
			s.stack = append(s.stack, searchFrame{t, 0})
		case 1:
			if real {
				s.back = append(s.back, edge{b, t})
				s.backs[t.Number]++
			}
		}
	}
}

// cleared returns a list of n zeros, in the memory of list if it suffices.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// structuralSuccessor returns successor n of a block: 0 the merge block, 1 the
// continue target (nil if there is none), from 2 on the targets of the
// terminator.
func structuralSuccessor(b *facts.Block, n int) (t *facts.Block, more bool) {
	switch {
	case n == 0:
		return b.MergeBlock, true
	case n == 1:
		return b.Continue, true
	case n-2 < len(b.Succs):
		return b.Succs[n-2], true
	}
	return nil, false
}

// merges checks merge blocks: each belongs to one header, which strictly structurally
// dominates it, and structurally dominates its continue target. A structurally
// unreachable header may have a reachable merge block: no path leads to its construct
// (docs/differences.md). A reachable continue target would begin a continue construct
// without a loop.
func (c *structure) merges(f *facts.Function, s *flowSearch) {
	s.of = cleared(s.of, len(f.Blocks))
	for n := range f.Blocks {
		b := &f.Blocks[n]
		m := b.MergeBlock
		if m == nil {
			continue
		}
		if old := s.of[m.Number]; old != nil {
			c.fail(b.Merge, "SPV-Construct-Merge", "%s is already the merge block of the header %s; must be of one header", c.name(m.ID), c.name(old.ID)).also(c, old.Merge, "the other merge instruction")
			continue
		}
		s.of[m.Number] = b
		switch {
		case !inTree(b):
		case m == b:
			if c.code.OpAt(b.Merge) == spirv.OpSelectionMerge { // OpLoopMerge has a rule of its own
				c.fail(b.Merge, "SPV-SelectionMerge-Block", "the merge block is the header; must be another block")
			}
		case !dominates(b, m):
			c.fail(b.Merge, "SPV-Construct-Dominance", "the header %s does not dominate its merge block %s; must dominate it", c.name(b.ID), c.name(m.ID))
		}
		if t := b.Continue; t != nil && !dominates(b, t) {
			c.fail(b.Merge, "SPV-Construct-Dominance", "the header %s does not dominate its continue target %s; must dominate it", c.name(b.ID), c.name(t.ID))
		}
	}
}

// dominates reports whether block a structurally dominates b. A block that no structured
// path reaches is dominated by every block.
func dominates(a, b *facts.Block) bool { return !inTree(b) || facts.StructurallyDominates(a, b) }

// inTree reports whether a block is reachable in the structural control-flow graph.
func inTree(b *facts.Block) bool {
	return b.Number == 0 || b.StructuralIdom() != nil
}

// loops checks back edges and continue constructs.
func (c *structure) loops(f *facts.Function, s *flowSearch) {
	for _, e := range s.back {
		if !isLoop(c, e.to) {
			c.fail(e.from.Term, "SPV-Construct-BackEdge", "a back edge to %s, which is no loop header; must go to a loop header", c.name(e.to.ID)).also(c, e.to.Index, "the block")
			continue
		}
		if t := e.to.Continue; t != nil {
			switch {
			case !facts.StructurallyDominates(t, e.from):
				c.fail(e.from.Term, "SPV-Construct-Continue", "the continue target %s does not dominate %s, which has the back edge; must dominate it", c.name(t.ID), c.name(e.from.ID)).also(c, e.to.Merge, "the loop")
			case t.Ends() && !facts.StructurallyPostDominates(e.from, t):
				c.fail(e.from.Term, "SPV-Construct-Continue", "%s, which has the back edge, does not post-dominate the continue target %s; must post-dominate it", c.name(e.from.ID), c.name(t.ID)).also(c, e.to.Merge, "the loop")
			default:
				c.backFromMerge(e)
			}
		}
	}
	for n := range f.Blocks {
		b := &f.Blocks[n]
		if isLoop(c, b) && s.state[n] != 0 && s.backs[n] != 1 {
			c.fail(b.Merge, "SPV-Construct-BackEdge", "%d back edges go to the loop header %s; must be one", s.backs[n], c.name(b.ID))
		}
	}
}

// backFromMerge checks the exits of a back-edge block that the merge block of its loop
// dominates. It is in the continue construct all the same; exits does not see it there.
func (c *structure) backFromMerge(e edge) {
	m := e.to.MergeBlock
	if m == nil || !facts.StructurallyDominates(m, e.from) {
		return
	}
	for _, t := range e.from.Succs {
		if t != e.to && t != m && !(facts.StructurallyDominates(e.to.Continue, t) && facts.StructurallyPostDominates(e.from, t)) {
			c.fail(e.from.Term, "SPV-Construct-Exit", "the branch from %s to %s leaves the continue construct of %s; must go to its merge block or its header", c.name(e.from.ID), c.name(t.ID), c.name(e.to.ID)).also(c, e.to.Merge, "the construct")
			return
		}
	}
}

// isLoop reports whether a block has an OpLoopMerge.
func isLoop(c *structure, b *facts.Block) bool {
	return b.Merge >= 0 && c.code.Inst(b.Merge).Op() == spirv.OpLoopMerge
}

// selections checks branches to two blocks without a merge instruction. Such a
// branch is valid if a target is already a merge block, continue target or branch
// target, such as a case, of an earlier block in reverse post-order, so that the branch is an exit.
func (c *structure) selections(f *facts.Function, s *flowSearch) {
	s.seen = cleared(s.seen, len(f.Blocks)) // merge blocks, continue targets and branch targets so far, in reverse post-order
	mark := func(b *facts.Block) bool {
		if b == nil || s.seen[b.Number] {
			return false
		}
		s.seen[b.Number] = true
		return true
	}
	for n := len(s.post) - 1; n >= 0; n-- {
		b := s.post[n]
		if b.Term < 0 {
			continue
		}
		mark(b.MergeBlock)
		mark(b.Continue)
		switch op := c.code.Inst(b.Term).Op(); {
		case op == spirv.OpSwitch:
			if b.Merge < 0 {
				c.fail(b.Term, "SPV-Construct-Switch", "OpSwitch without OpSelectionMerge; must have one before it")
			}
			for _, t := range b.Succs { // a branch from one case to another is an exit (SPIR-V 2.11.1)
				mark(t)
			}
		case op == spirv.OpBranchConditional && len(b.Succs) == 2:
			x, y := mark(b.Succs[0]), mark(b.Succs[1])
			if x && y && (b.Merge < 0 || isLoop(c, b)) {
				c.fail(b.Term, "SPV-Construct-Selection", "a branch to %s and %s, neither of which leaves a construct; must have OpSelectionMerge before it", c.name(b.Succs[0].ID), c.name(b.Succs[1].ID))
			}
		}
	}
}

// exits checks branches into and out of constructs.
func (c *structure) exits(f *facts.Function) {
	patience := 64*len(f.Blocks) + 4096 // step budget, as in facts/construct.go
	for n := range f.Blocks {
		b := &f.Blocks[n]
		if !inTree(b) {
			continue
		}
		for _, t := range b.Succs {
			c.enters(b, t, &patience)
			for k := b.Construct; k != nil && !k.Contains(t) && patience > 0; k = k.Parent {
				patience--
				if !c.mayExit(k, b, t, &patience) {
					c.fail(b.Term, "SPV-Construct-Exit", "the branch from %s to %s leaves the %s construct of %s; must go to its merge block, or to the merge block of an enclosing loop or switch, or to a continue target", c.name(b.ID), c.name(t.ID), k.Kind, c.name(k.Header.ID)).also(c, k.Header.Merge, "the construct")
					break
				}
			}
		}
	}
}

// enters checks a branch from b to t, if t is in constructs that do not contain b.
func (c *structure) enters(b, t *facts.Block, patience *int) {
	for k := t.Construct; k != nil && !k.Contains(b) && *patience > 0; k = k.Parent {
		*patience--
		if t != k.Entry && t != k.Header || k.Kind == facts.ContinuePart && t != k.Header && !inLoop(b, k.Header, patience) {
			c.fail(b.Term, "SPV-Construct-Entry", "the branch from %s to %s enters the %s construct of %s; must go to its header", c.name(b.ID), c.name(t.ID), k.Kind, c.name(k.Header.ID)).also(c, k.Header.Merge, "the construct")
			return
		}
	}
}

// inLoop reports whether a block is in the loop of a header. A branch to a continue
// target enters the continue construct, which only blocks of the loop may do.
func inLoop(b, header *facts.Block, patience *int) bool {
	for k := b.Construct; k != nil && *patience > 0; k = k.Parent {
		*patience--
		if k.Kind == facts.Loop && k.Header == header {
			return true
		}
	}
	return b == header || *patience <= 0
}

// mayExit reports whether a branch from block b of construct k to t outside of k is
// a valid exit: to its merge block, or to the merge block or continue target of
// the innermost enclosing loop, or to the merge block of the innermost enclosing
// switch.
func (c *structure) mayExit(k *facts.Construct, b, t *facts.Block, patience *int) bool {
	switch k.Kind {
	case facts.Loop:
		return t == k.Merge || t == k.Header.Continue
	case facts.ContinuePart:
		return t == k.Merge || t == k.Header
	}
	if t == k.Merge {
		return true
	}
	if k.Kind == facts.CasePart && slices.Contains(k.Header.Succs, t) {
		return true // fall-through, checked with the cases
	}
	inSwitch := k.Kind == facts.Selection && c.switches(k.Header)
	for o := k; o != nil && *patience > 0; o = o.Parent {
		*patience--
		switch o.Kind {
		case facts.Loop:
			return t == o.Merge || t == o.Header.Continue
		case facts.ContinuePart:
			return t == o.Merge || t == o.Header
		case facts.Selection:
			if o != k && !inSwitch && c.switches(o.Header) {
				inSwitch = true
				if t == o.Merge {
					return true
				}
			}
		}
	}
	return false
}

// switches reports whether a block ends in OpSwitch.
func (c *structure) switches(b *facts.Block) bool {
	return b.Term >= 0 && c.code.OpAt(b.Term) == spirv.OpSwitch
}

// nesting checks that a construct contains the merge blocks of the headers that it
// contains, and the nesting depth (SPIR-V §2.17).
func (c *structure) nesting(f *facts.Function, s *flowSearch) {
	s.depth = cleared(s.depth, len(f.Constructs))
	depth, told := s.depth, false
	for n := range f.Constructs {
		k := &f.Constructs[n]
		depth[n] = 1
		if k.Parent != nil { // a parent precedes its children
			depth[n] += depth[k.Parent.Number]
		}
		if limit := c.opts.Limits.ControlFlowDepth; depth[n] > limit && !told {
			told = true
			c.fail(k.Header.Merge, "SPV-Construct-Depth", "constructs nest deeper than %d; must nest at most as deep", limit)
		}
		if k.Kind != facts.Selection && k.Kind != facts.Loop || k.Parent == nil || k.Merge == nil {
			continue
		}
		if p := k.Parent; !p.Contains(k.Merge) {
			c.fail(k.Header.Merge, "SPV-Construct-Nesting", "the header %s is in the %s construct of %s, its merge block %s is not; must be in it", c.name(k.Header.ID), p.Kind, c.name(p.Header.ID), c.name(k.Merge.ID)).also(c, p.Header.Merge, "the construct around it")
		}
	}
}

// cases checks the fall-through of each switch.
func (c *structure) cases(f *facts.Function) {
	for n := range f.Blocks {
		b := &f.Blocks[n]
		if b.MergeBlock == nil || !c.switches(b) || !inTree(b) {
			continue
		}
		for _, t := range b.Succs {
			if t != b.MergeBlock && inTree(t) && !facts.StructurallyDominates(b, t) {
				c.fail(b.Term, "SPV-Construct-Target", "%s does not dominate %s, a target of its switch; must dominate it", c.name(b.ID), c.name(t.ID))
				break
			}
		}
		c.caseOrder(b)
	}
}

// fall is a fall-through from one case to another.
type fall struct{ from, to *facts.Block }

// caseOrder checks the cases of the switch with header b: each falls through to at
// most one other, which immediately follows it in the list, and at most one falls
// through to each.
func (c *structure) caseOrder(b *facts.Block) {
	deflt, list, _ := c.m.Switch(b)
	order := map[*facts.Block]int{} // first index of each target in the list
	for n, k := range list {
		if _, ok := order[k.Target]; !ok && k.Target != nil {
			order[k.Target] = n
		}
	}
	isTarget := func(t *facts.Block) bool { _, ok := order[t]; return ok || t == deflt }
	to := map[*facts.Block]*facts.Block{}
	from := map[*facts.Block]*facts.Block{}
	for _, f := range c.falls(b, isTarget) {
		if old := to[f.from]; old != nil && old != f.to {
			c.fail(b.Term, "SPV-Construct-Case", "the case %s falls through to %s and to %s; must fall through to at most one", c.name(f.from.ID), c.name(old.ID), c.name(f.to.ID))
			return
		}
		if old := from[f.to]; old != nil && old != f.from {
			c.fail(b.Term, "SPV-Construct-Case", "the cases %s and %s fall through to %s; must be at most one", c.name(old.ID), c.name(f.from.ID), c.name(f.to.ID))
			return
		}
		to[f.from], from[f.to] = f.to, f.from
	}
	for x, y := range to {
		if y == deflt {
			if _, listed := order[y]; !listed {
				if y = to[deflt]; y == nil {
					continue
				}
			}
		}
		a, ok := order[x]
		z, ok2 := order[y]
		if !ok || !ok2 || a > z || !c.follows(list, a, z) {
			if ok && ok2 {
				c.fail(b.Term, "SPV-Construct-Case", "the case %s falls through to %s, which is not the next case in the list of the switch; must be the next", c.name(x.ID), c.name(y.ID))
				return
			}
		}
	}
}

// follows reports whether the target at index z immediately follows the one at
// index a, not counting further literals of target a.
func (c *structure) follows(list []facts.Case, a, z int) bool {
	for n := a + 1; n < z; n++ {
		if list[n].Target != list[a].Target {
			return false
		}
	}
	return true
}

// falls returns the branches from one case of a switch to another, in order.
func (c *structure) falls(b *facts.Block, isTarget func(*facts.Block) bool) []fall {
	var out []fall
	for _, t := range b.Succs {
		if !isTarget(t) || t == b.MergeBlock {
			continue
		}
		for _, p := range t.Preds {
			if p == b || !inTree(p) || facts.StructurallyDominates(t, p) {
				continue
			}
			if x := caseOf(b, p, isTarget); x != nil && x != t {
				out = append(out, fall{x, t})
			}
		}
	}
	slices.SortFunc(out, func(x, y fall) int {
		return cmp.Or(cmp.Compare(x.from.Number, y.from.Number), cmp.Compare(x.to.Number, y.to.Number))
	})
	return slices.Compact(out)
}

// caseOf returns the target of the switch that begins the case of a block: its
// nearest structural dominator that is a target; nil if there is none.
func caseOf(header, b *facts.Block, isTarget func(*facts.Block) bool) *facts.Block {
	for steps := 0; b != nil && b != header && steps < 1<<10; steps++ {
		if isTarget(b) {
			return b
		}
		b = b.StructuralIdom()
	}
	return nil
}

// reconvergence checks the predecessors of blocks under maximal reconvergence
// (SPV_KHR_maximal_reconvergence): only headers of loops, merge blocks, continue
// targets and switch targets may have several.
func (c *structure) reconvergence(f *facts.Function) {
	if !c.m.Extension("SPV_KHR_maximal_reconvergence") || !slices.ContainsFunc(c.callersOf(f), func(e *facts.EntryPoint) bool {
		return e.HasMode(spirv.ExecutionModeMaximallyReconvergesKHR)
	}) {
		return
	}
	special := make([]bool, len(f.Blocks))
	for n := range f.Blocks {
		b := &f.Blocks[n]
		special[n] = special[n] || isLoop(c, b)
		for _, t := range [2]*facts.Block{b.MergeBlock, b.Continue} {
			if t != nil {
				special[t.Number] = true
			}
		}
		if b.Term >= 0 && c.code.Inst(b.Term).Op() == spirv.OpSwitch {
			for _, t := range b.Succs {
				special[t.Number] = true
			}
		}
	}
	for n := range f.Blocks {
		if b := &f.Blocks[n]; len(b.Preds) > 1 && !special[n] {
			c.fail(b.Index, "SPV-Construct-Reconvergence", "%s has %d predecessors; must have one if the entry point reconverges maximally", c.name(b.ID), len(b.Preds))
		}
	}
}
