package valid

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// severalTimes reports whether a target may have a decoration more than once.
func severalTimes(kind spirv.Decoration) bool {
	switch kind {
	case spirv.DecorationFuncParamAttr, spirv.DecorationUserSemantic, spirv.DecorationUserTypeGOOGLE,
		spirv.DecorationMergeINTEL, spirv.DecorationMemoryINTEL, spirv.DecorationCacheControlLoadINTEL, spirv.DecorationCacheControlStoreINTEL:
		return true
	}
	return false
}

// exclusive are pairs of decorations that exclude each other on one target.
var exclusive = [...][2]spirv.Decoration{
	{spirv.DecorationBlock, spirv.DecorationBufferBlock},
	{spirv.DecorationRestrict, spirv.DecorationAliased},
	{spirv.DecorationRestrictPointer, spirv.DecorationAliasedPointer},
	{spirv.DecorationRowMajor, spirv.DecorationColMajor},
	{spirv.DecorationFPFastMathMode, spirv.DecorationNoContraction},
	{spirv.DecorationOffset, spirv.DecorationOffsetIdEXT},
	{spirv.DecorationArrayStride, spirv.DecorationArrayStrideIdEXT},
}

// decorationsDiffer checks the combination of decorations on each target, nested
// blocks, and the uses of values decorated FPRoundingMode.
func (c *checker) decorationsDiffer() {
	for id, member := range c.m.DecoratedOften() {
		c.decorationsOf(id, member)
	}
	c.nestedBlocks()
	c.storedRoundings()
}

// decorationsOf checks the decorations of one target: a member, or −1 for the id
// itself. A group that repeats a decoration with the same operands is a warning:
// the conformance suite and its drivers apply a group twice.
func (c *checker) decorationsOf(id spirv.ID, member int) {
	c.sortedDecorations = slices.AppendSeq(c.sortedDecorations[:0], c.m.BriefDecorations(id, member))
	list := c.sortedDecorations
	slices.SortStableFunc(list, func(a, b facts.Decoration) int { return cmp.Compare(a.Kind, b.Kind) })
	var told [2]bool // an error, a warning
	has := [len(exclusive)][2]int{}
	for n, d := range list {
		if n > 0 && d.Kind == list[n-1].Kind && !severalTimes(d.Kind) {
			c.repeated(id, list[n-1], d, &told)
		}
		for n := range exclusive {
			for k := range exclusive[n] {
				if exclusive[n][k] == d.Kind {
					has[n][k] = d.Index + 1
				}
			}
		}
	}
	for n, h := range has {
		if h[0] > 0 && h[1] > 0 {
			c.fail(max(h[0], h[1])-1, "SPV-Decoration-Exclusive", "%s has %s and %s; must have at most one of them", c.name(id), exclusive[n][0], exclusive[n][1]).also(c, min(h[0], h[1])-1, "the other")
		}
	}
}

// repeated reports a decoration that a target has twice: once as an error, once as a warning.
func (c *checker) repeated(id spirv.ID, last, d facts.Decoration, told *[2]bool) {
	again := slices.Equal(d.Operands, last.Operands) && (c.byGroup(id, d) || c.byGroup(id, last))
	n := 0
	if again {
		n = 1
	}
	if told[n] {
		return
	}
	told[n] = true
	f := c.fail(max(d.Index, last.Index), "SPV-Decoration-Twice", "%s has %s twice; must have it once", c.name(id), d.Kind).also(c, min(d.Index, last.Index), "the first")
	if again {
		f.warn()
	}
}

// byGroup reports whether a decoration of an id comes from a group.
func (c *checker) byGroup(id spirv.ID, d facts.Decoration) bool {
	return spirv.ID(c.code.Inst(d.Index)[1]) != id
}

// nestedBlocks checks that no block contains another.
func (c *checker) nestedBlocks() {
	holds := c.memory.numbers.Alloc(len(c.m.Types)) // by struct: a block in it, its instruction + 1
	for n := range c.m.Types {
		t := &c.m.Types[n]
		if !t.IsStruct() {
			continue
		}
		in := int32(0)
		for k := range t.Members {
			m := t.Members[k].Type
			for m.IsArray() {
				m = m.Elem
			}
			if !m.IsStruct() || m.Index >= t.Index {
				continue
			}
			if c.isBlock(m) {
				in = int32(m.Index) + 1
			} else if holds[m.Number] != 0 {
				in = holds[m.Number]
			}
		}
		if holds[n] = in; in != 0 && c.isBlock(t) {
			c.fail(t.Index, "SPV-Decoration-BlockNested", "the block %s contains another block; must contain none", c.name(t.ID)).also(c, int(in)-1, "the other")
		}
	}
}

// storedRoundings checks that values decorated FPRoundingMode are only stored.
func (c *checker) storedRoundings() {
	if len(c.rounded) == 0 {
		return
	}
	of := map[spirv.ID]int{}
	for _, r := range c.rounded {
		of[r.id] = r.at
	}
	for i, in := range c.code.All() {
		switch in.Op().Class() {
		case spirv.ClassAnnotation, spirv.ClassDebug:
			continue
		}
		c.idPositions = c.code.IDs(i, c.idPositions[:0])
		for _, w := range c.idPositions {
			at, ok := of[spirv.ID(in[w])]
			if !ok || in.Op() == spirv.OpStore && w == 2 && c.storesSmall(in) {
				continue
			}
			c.fail(at, "SPV-Decoration-Rounding", "%s is an operand of %s; must only be stored, as a 16-bit float, into Input, Output, Uniform, StorageBuffer, PushConstant or PhysicalStorageBuffer", c.name(spirv.ID(in[w])), in.Op()).also(c, i, "the use")
			delete(of, spirv.ID(in[w]))
		}
	}
}

// storesSmall reports whether an OpStore stores 16-bit floats into interface or
// buffer memory.
func (c *checker) storesSmall(in spirv.Inst) bool {
	p := c.m.TypeOf(spirv.ID(in[1]))
	if p == nil {
		return true
	}
	e := p.Elem
	if p.Op == spirv.OpTypeUntypedPointerKHR {
		e = c.m.TypeOf(spirv.ID(in[2]))
	}
	s := e.Scalar()
	if s == nil || !s.IsFloat() || s.Width != 16 {
		return e == nil
	}
	return slices.Contains([]spirv.StorageClass{spirv.StorageClassInput, spirv.StorageClassOutput, spirv.StorageClassUniform,
		spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer}, p.Storage)
}
