package valid

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// controlFlowFamily checks branches, merge instructions and phis one by one
// (SPIR-V §3.3.17), and the order of blocks (§2.16.1). The constructs that they
// form are checked by construct.go; that terminators and merge instructions are
// at the end of a block by layout.go.
var controlFlowFamily = family{
	rules: []Rule{
		{Code: "SPV-Branch-Target", Section: "SPIR-V 3.3.17", Words: "a branch goes to a label of its own function"},
		{Code: "SPV-Branch-Entry", Section: "SPIR-V 2.16.1", Words: "no branch goes to the first block of a function"},
		{Code: "SPV-Branch-Condition", Section: "SPIR-V 3.3.17", Words: "the condition of OpBranchConditional is a Boolean scalar"},
		{Code: "SPV-Branch-Weights", Section: "SPIR-V 3.3.17", Words: "OpBranchConditional has no weights, or two that are not both 0 and have a sum of 32 bits"},
		{Code: "SPV-Branch-Same", Section: "SPIR-V 3.3.17", Words: "from SPIR-V 1.6 on, and in entry points that reconverge maximally, the two labels of OpBranchConditional differ"},
		{Code: "SPV-Switch-Selector", Section: "SPIR-V 3.3.17", Words: "the selector of OpSwitch is an integer scalar"},
		{Code: "SPV-Switch-Literal", Section: "SPIR-V 3.3.17", Words: "no two literals of OpSwitch are equal; a warning if both have the same label, because the branch is then the same"},
		{Code: "SPV-Switch-Branches", Section: "SPIR-V 2.17", Words: "OpSwitch has at most as many cases as the universal limit allows"},
		{Code: "SPV-Phi-Type", Section: "SPIR-V 3.3.17", Words: "OpPhi has a type of values, and one that can be selected"},
		{Code: "SPV-Phi-Value", Section: "SPIR-V 3.3.17", Words: "each value of OpPhi has the result type"},
		{Code: "SPV-Phi-Parent", Section: "SPIR-V 3.3.17", Words: "OpPhi names each predecessor of its block once, and no other block"},
		{Code: "SPV-Phi-Pointer", Section: "SPIR-V 2.16.1", Words: "in the logical addressing model, OpPhi is no pointer outside of shaders; SPV-LogicalPointer-Use has the rule for shaders"},
		{Code: "SPV-Merge-Target", Section: "SPIR-V 3.3.17", Words: "a merge instruction names labels of its own function"},
		{Code: "SPV-LoopMerge-Blocks", Section: "SPIR-V 3.3.17", Words: "the merge block of a loop is neither its continue target nor its header"},
		{Code: "SPV-LoopMerge-Control", Section: "SPIR-V 3.2.23", Words: "the loop controls do not contradict one another"},
		{Code: "SPV-Block-Order", Section: "SPIR-V 2.16.1", Words: "a block is after all blocks that dominate it"},
		{Code: "SPV-Lifetime-Size", Section: "SPIR-V 3.3.17", Words: "the size of OpLifetimeStart and OpLifetimeStop is 0 unless the pointer is to void, or to bytes as compilers write it"},
		{Code: "SPV-Lifetime-Pointer", Section: "SPIR-V 3.3.17", Words: "the operand of OpLifetimeStart and OpLifetimeStop is a pointer to Function"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpBranch:            (*checker).branch,
		spirv.OpBranchConditional: (*checker).branchConditional,
		spirv.OpSwitch:            (*checker).switchBranch,
		spirv.OpPhi:               (*checker).phi,
		spirv.OpLoopMerge:         (*checker).loopMerge,
		spirv.OpSelectionMerge:    (*checker).selectionMerge,
		spirv.OpLifetimeStart:     (*checker).lifetime,
		spirv.OpLifetimeStop:      (*checker).lifetime,
	},
	after: []func(*checker){(*checker).blockOrder},
}

// blockOrder checks that each block appears after its immediate dominator.
func (c *checker) blockOrder() {
	for k := range c.m.Functions {
		f := &c.m.Functions[k]
		for n := range f.Blocks {
			b := &f.Blocks[n]
			if up := b.Idom(); up != nil && up.Index > b.Index {
				c.fail(b.Index, "SPV-Block-Order", "the block %s is before %s, which dominates it; must be after it", c.name(b.ID), c.name(up.ID)).also(c, up.Index, "the block that dominates it")
			}
		}
	}
}

// label checks that an id is a label of the current function.
func (c *checker) label(i int, id spirv.ID, code string) {
	d := c.code.DefInst(id)
	if d == nil || c.fn == nil {
		return
	}
	b := c.m.Block(id)
	switch {
	case d.Op() != spirv.OpLabel:
		c.fail(i, code, "%s is the result of %s; must be a label", c.name(id), d.Op())
	case b == nil || b.Func != c.fn:
		c.fail(i, code, "%s is a label of another function; must be a label of this function", c.name(id))
	case code == "SPV-Branch-Target" && b.Number == 0:
		c.fail(i, "SPV-Branch-Entry", "%s is the first block of the function; must have no branch to it", c.name(id))
	}
}

func (c *checker) branch(i int, in spirv.Inst) {
	c.label(i, inst.Branch(in).TargetLabel(), "SPV-Branch-Target")
}

func (c *checker) branchConditional(i int, in spirv.Inst) {
	v := inst.BranchConditional(in)
	if t := c.m.TypeOf(v.Condition()); t != nil && !t.IsBool() {
		c.fail(i, "SPV-Branch-Condition", "the condition is %s; must be a Boolean", c.typeName(t))
	}
	c.label(i, v.TrueLabel(), "SPV-Branch-Target")
	c.label(i, v.FalseLabel(), "SPV-Branch-Target")
	switch w := in[4:]; {
	case len(w) != 0 && len(w) != 2:
		c.fail(i, "SPV-Branch-Weights", "%d weights; must be none or two", len(w))
	case len(w) == 2 && w[0] == 0 && w[1] == 0:
		c.fail(i, "SPV-Branch-Weights", "both weights are 0; must not both be 0")
	case len(w) == 2 && w[0]+w[1] < w[0]:
		c.fail(i, "SPV-Branch-Weights", "the sum of the weights %d and %d has more than 32 bits; must fit", w[0], w[1])
	}
	if v.TrueLabel() == v.FalseLabel() && (c.since(spirv.Version16) || c.reconverges()) {
		c.fail(i, "SPV-Branch-Same", "both labels are %s; must differ", c.name(v.TrueLabel()))
	}
}

// reconverges reports whether an entry point that calls the current function has
// the mode MaximallyReconvergesKHR.
func (c *checker) reconverges() bool {
	if c.fn == nil {
		return false
	}
	for _, e := range c.callersOf(c.fn) {
		if e.HasMode(spirv.ExecutionModeMaximallyReconvergesKHR) {
			return true
		}
	}
	return false
}

// switchBranch checks OpSwitch. It sorts the literals to find duplicates.
func (c *checker) switchBranch(i int, in spirv.Inst) {
	v := inst.Switch(in)
	t := c.m.TypeOf(v.Selector())
	if t != nil && !t.IsInt() {
		c.fail(i, "SPV-Switch-Selector", "the selector is %s; must be an integer", c.typeName(t))
		return
	}
	c.label(i, v.Default(), "SPV-Branch-Target")
	words := 1
	if t != nil && t.Width > 32 {
		words = 2
	}
	n := 0
	c.cases = c.cases[:0]
	for literal, label := range v.Cases(words) {
		c.label(i, label, "SPV-Branch-Target")
		if t != nil {
			c.highBits(i, t, literal)
		}
		n++
		x := uint64(literal[0])
		if words == 2 {
			x |= uint64(literal[1]) << 32
		}
		c.cases = append(c.cases, switchCase{x, label})
	}
	c.switchLiterals(i)
	if n > c.opts.Limits.SwitchBranches {
		c.fail(i, "SPV-Switch-Branches", "a switch of %d cases; must have at most %d", n, c.opts.Limits.SwitchBranches)
	}
}

// switchCase is a literal of an OpSwitch and its label.
type switchCase struct {
	literal uint64
	label   spirv.ID
}

// switchLiterals reports the first literal that is in two cases, if possible one whose cases differ in the
// label: then the text does not say which of them a driver takes.
func (c *checker) switchLiterals(i int) {
	slices.SortFunc(c.cases, func(a, b switchCase) int {
		return cmp.Or(cmp.Compare(a.literal, b.literal), cmp.Compare(a.label, b.label))
	})
	same := -1
	for k := 1; k < len(c.cases); k++ {
		if c.cases[k].literal != c.cases[k-1].literal {
			continue
		}
		if c.cases[k].label != c.cases[k-1].label {
			c.fail(i, "SPV-Switch-Literal", "the literal %d has two labels; must have one", c.cases[k].literal)
			return
		}
		same = k
	}
	if same >= 0 {
		c.fail(i, "SPV-Switch-Literal", "the literal %d is in two cases; must be in one", c.cases[same].literal).warn()
	}
}

// phi checks OpPhi: its type, its values, and one pair for each predecessor.
func (c *checker) phi(i int, in spirv.Inst) {
	t := c.m.Type(in.Type())
	if t != nil {
		c.phiType(i, t)
	}
	if c.block == nil {
		return
	}
	if len(in) == 3 && c.fn != nil && c.block == c.fn.Entry() {
		c.fail(i, "SPV-Phi-Parent", "OpPhi in the first block of a function; must be in a block with predecessors")
	}
	pairs := in[3:] // (value, label) pairs; the decoder has rejected an odd number of words
	for n := 0; n < len(pairs); n += 2 {
		if got := c.m.TypeOf(spirv.ID(pairs[n])); t != nil && got != nil && got != t {
			c.fail(i, "SPV-Phi-Value", "the value %s is %s; must be %s", c.name(spirv.ID(pairs[n])), c.typeName(got), c.typeName(t))
		}
	}
	c.phiParents(i, pairs)
}

// phiType checks the type of a phi.
func (c *checker) phiType(i int, t *facts.Type) {
	switch t.Op {
	case spirv.OpTypeVoid, spirv.OpTypeFunction:
		c.fail(i, "SPV-Phi-Type", "OpPhi is %s; must be of a type of values", c.typeName(t))
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage:
		if c.capable(spirv.CapabilityShader) && !c.env.BeforeLegalization && !c.capable(spirv.CapabilityBindlessTextureNV) {
			c.fail(i, "SPV-Phi-Type", "OpPhi is %s; must be of a type that can be selected", c.typeName(t))
		}
	case spirv.OpTypePointer, spirv.OpTypeUntypedPointerKHR:
		if !c.capable(spirv.CapabilityShader) && c.m.Addressing == spirv.AddressingModelLogical {
			c.fail(i, "SPV-Phi-Pointer", "OpPhi is a pointer into %s; must be no pointer in the logical addressing model", t.Storage)
		}
	default:
		if c.capable(spirv.CapabilityShader) && c.limitedWithin(t) {
			c.fail(i, "SPV-Constant-Small", "OpPhi of %s; must have capabilities for arithmetic on its contents, not only for storage", c.typeName(t))
		}
	}
}

// phiParents checks the labels of a phi: each predecessor once and no other block.
// It marks the predecessors in checker.marks, so the cost is linear in the pairs.
func (c *checker) phiParents(i int, pairs []uint32) {
	mark := int32(2*i + 1)
	for _, p := range c.block.Preds {
		c.marks[p.Index] = mark
	}
	for n := 1; n < len(pairs); n += 2 {
		id := spirv.ID(pairs[n])
		b := c.m.Block(id)
		switch {
		case c.code.Def(id) < 0:
		case b == nil:
			c.fail(i, "SPV-Phi-Parent", "%s is no label of a block; must be a predecessor", c.name(id))
		case c.marks[b.Index] == mark+1:
			c.fail(i, "SPV-Phi-Parent", "the predecessor %s is named twice; must be named once", c.name(id))
		case c.marks[b.Index] != mark:
			c.fail(i, "SPV-Phi-Parent", "%s is no predecessor of the block; must be a predecessor", c.name(id))
		default:
			c.marks[b.Index] = mark + 1
		}
	}
	for _, p := range c.block.Preds {
		if c.marks[p.Index] == mark {
			c.fail(i, "SPV-Phi-Parent", "the predecessor %s is missing; must be named", c.name(p.ID)).also(c, p.Index, "the predecessor")
			return
		}
	}
}

// loopMerge checks OpLoopMerge and its loop control mask (SPIR-V §3.2.23).
func (c *checker) loopMerge(i int, in spirv.Inst) {
	v := inst.LoopMerge(in)
	c.label(i, v.MergeBlock(), "SPV-Merge-Target")
	c.label(i, v.ContinueTarget(), "SPV-Merge-Target")
	if v.MergeBlock() == v.ContinueTarget() {
		c.fail(i, "SPV-LoopMerge-Blocks", "the merge block and the continue target are both %s; must differ", c.name(v.MergeBlock()))
	}
	if c.block != nil && v.MergeBlock() == c.block.ID {
		c.fail(i, "SPV-LoopMerge-Blocks", "the merge block is the header; must be another block")
	}
	control := spirv.LoopControl(in[3])
	has := func(m spirv.LoopControl) bool { return control&m != 0 }
	if has(spirv.LoopControlUnrollMask) && has(spirv.LoopControlDontUnrollMask) {
		c.fail(i, "SPV-LoopMerge-Control", "Unroll and DontUnroll together; must be at most one of them")
	}
	if has(spirv.LoopControlDontUnrollMask) && has(spirv.LoopControlPeelCountMask|spirv.LoopControlPartialCountMask) {
		c.fail(i, "SPV-LoopMerge-Control", "PeelCount or PartialCount with DontUnroll; must not be together")
	}
	if w := spirv.KindLoopControl.MaskParameters(in[3], uint32(spirv.LoopControlIterationMultipleMask), in[4:]); len(w) > 0 && w[0] == 0 {
		c.fail(i, "SPV-LoopMerge-Control", "IterationMultiple is 0; must be above 0")
	}
}

func (c *checker) selectionMerge(i int, in spirv.Inst) {
	c.label(i, inst.SelectionMerge(in).MergeBlock(), "SPV-Merge-Target")
}

func (c *checker) lifetime(i int, in spirv.Inst) {
	if t := c.m.TypeOf(spirv.ID(in[1])); t != nil && (!t.IsPointer() || t.Storage != spirv.StorageClassFunction) {
		c.fail(i, "SPV-Lifetime-Pointer", "the operand of %s is %s; must be a pointer into Function", in.Op(), c.typeName(t))
	} else if n := in[2]; n != 0 && t != nil && t.Elem != nil && !t.Elem.IsVoid() && t.Elem.Width != 8 {
		c.fail(i, "SPV-Lifetime-Size", "the size of %s is %d with a pointer to %s; must be 0", in.Op(), n, c.typeName(t.Elem))
	}
}
