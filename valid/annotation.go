package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// annotationFamily checks the annotation and debug instructions themselves
// (SPIR-V §3.3.2, §3.3.3): their targets, and the instruction that each kind of
// decoration needs (OpDecorate, OpDecorateId, OpDecorateString).
//
// The requirements of a decoration on its target are in decoration.go, called
// from here for each target; the combinations of decorations on one target are
// in decorated.go.
var annotationFamily = family{
	rules: []Rule{
		{Code: "SPV-Decorate-Ids", Section: "SPIR-V 3.3.3", Words: "decorations with id operands use OpDecorateId, all others OpDecorate"},
		{Code: "SPV-Decorate-Earlier", Section: "SPIR-V 3.3.3", Words: "the operands of OpDecorateId are defined before the target"},
		{Code: "SPV-Decorate-Constant", Section: "SPIR-V 3.3.3", Words: "the operands of OpDecorateId are constants, variables or strings, as the decoration requires"},
		{Code: "SPV-Decorate-Group", Section: "SPIR-V 3.3.3", Words: "the target of OpDecorateId and OpDecorateString is no OpDecorationGroup"},
		{Code: "SPV-Decorate-String", Section: "SPIR-V 3.3.3", Words: "OpDecorateString is for decorations with a string operand"},
		{Code: "SPV-Decorate-Member", Section: "SPIR-V 3.3.3", Words: "OpMemberDecorate names an existing member of a struct"},
		{Code: "SPV-Group-Target", Section: "SPIR-V 3.3.3", Words: "OpGroupDecorate applies an OpDecorationGroup; its targets are no groups and occur once"},
		{Code: "SPV-Group-Order", Section: "SPIR-V 3.3.3", Words: "the decorations of an OpDecorationGroup precede it"},
		{Code: "SPV-Group-Use", Section: "SPIR-V 3.3.3", Words: "only decorations and names refer to an OpDecorationGroup"},
		{Code: "SPV-Name-Member", Section: "SPIR-V 3.3.2", Words: "OpMemberName names an existing member of a struct"},
		{Code: "SPV-Source-Continued", Section: "SPIR-V 3.3.2", Words: "OpSourceContinued directly follows an OpSource or another OpSourceContinued"},
		{Code: "SPV-Line-File", Section: "SPIR-V 3.3.2", Words: "the file of OpLine and OpSource is an OpString"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpDecorate:             (*checker).decorate,
		spirv.OpDecorateString:       (*checker).decorate,
		spirv.OpDecorateId:           (*checker).decorate,
		spirv.OpMemberDecorate:       (*checker).memberDecorate,
		spirv.OpMemberDecorateString: (*checker).memberDecorate,
		spirv.OpMemberDecorateIdEXT:  (*checker).memberDecorate,
		spirv.OpGroupDecorate:        (*checker).groupDecorate,
		spirv.OpGroupMemberDecorate:  (*checker).groupDecorate,
		spirv.OpMemberName:           (*checker).memberName,
		spirv.OpLine:                 (*checker).line,
		spirv.OpSource:               (*checker).source,
		spirv.OpSourceContinued:      (*checker).sourceContinued,
	},
}

// decorate checks a decoration of an id.
func (c *checker) decorate(i int, in spirv.Inst) {
	v := inst.Decorate(in)
	c.idsFit(i, in.Op() == spirv.OpDecorateId, v.Decoration(), v.Target(), v.DecorationWords())
	c.vulkanDecoration(i, v.Decoration(), v.DecorationWords())
	if c.isGroup(v.Target()) {
		if g := c.code.Def(v.Target()); g < i {
			c.fail(i, "SPV-Group-Order", "%s decorates an OpDecorationGroup; must precede it", in.Op()).also(c, g, "the group").warn() // the decorations apply all the same
		}
		return // checked with the targets of the group
	}
	c.target(i, v.Target(), v.Decoration(), v.DecorationWords())
}

// isGroup reports whether an id is the result of an OpDecorationGroup.
func (c *checker) isGroup(id spirv.ID) bool {
	d := c.code.DefInst(id)
	return d != nil && d.Op() == spirv.OpDecorationGroup
}

// idsFit checks that a decoration uses the right instruction, and the operands of
// an OpDecorateId: constants, variables or strings defined before the target.
func (c *checker) idsFit(i int, byID bool, kind spirv.Decoration, target spirv.ID, words []uint32) {
	r := spirv.KindDecoration.Enumerant(uint32(kind))
	if r == nil {
		return
	}
	takes := false
	for _, o := range r.Operands() {
		takes = takes || o.Kind.Category() == spirv.CategoryID
	}
	if op := c.code.Inst(i).Op(); op == spirv.OpDecorateString || op == spirv.OpMemberDecorateString {
		text := false
		for _, o := range r.Operands() {
			text = text || o.Kind == spirv.KindLiteralString
		}
		if !text {
			c.fail(i, "SPV-Decorate-String", "%s by %s; must use OpDecorate or OpMemberDecorate, because it has no string operand", kind, op)
			return
		}
	}
	if op := c.code.Inst(i).Op(); op == spirv.OpDecorateString && c.isGroup(target) {
		c.fail(i, "SPV-Decorate-Group", "%s decorates an OpDecorationGroup with %s; must decorate a target that is no group", op, kind)
	}
	if takes != byID {
		word := "OpDecorate"
		if takes {
			word = "OpDecorateId"
		}
		c.fail(i, "SPV-Decorate-Ids", "%s by %s; must use %s", kind, c.code.Inst(i).Op(), word)
		return
	}
	if !byID {
		return
	}
	if c.isGroup(target) {
		c.fail(i, "SPV-Decorate-Group", "%s decorates an OpDecorationGroup with %s; must decorate a target that is no group", c.code.Inst(i).Op(), kind)
	}
	if kind == spirv.DecorationUniformId && len(words) > 0 {
		if t := c.m.TypeOf(spirv.ID(words[0])); t != nil && (!t.IsInt() || t.Width != 32) {
			c.fail(i, "SPV-Decorate-Constant", "the scope of UniformId is %s; must be an integer of 32 bits", c.typeName(t))
		}
		c.executionScopeIn(i, spirv.ID(words[0]), c.modelsAt(c.code.Def(target)))
	}
	t := c.code.Def(target)
	for _, id := range spirv.IDs(words) {
		d := c.code.Def(id)
		switch {
		case kind == spirv.DecorationAliasScopeINTEL || kind == spirv.DecorationNoAliasINTEL:
			c.aliasList(i, id)
		case d < 0:
		case c.isGroup(id):
			c.fail(i, "SPV-Decorate-Constant", "the operand %s is an OpDecorationGroup; must not be", c.name(id))
		case isType(c.code.Inst(d).Op()) && kind != spirv.DecorationNodeSharesPayloadLimitsWithAMDX || slices.Contains([]spirv.Op{spirv.OpLabel, spirv.OpFunction, spirv.OpExtInstImport}, c.code.Inst(d).Op()):
			c.fail(i, "SPV-Decorate-Constant", "the operand %s is the result of %s; must be a constant, a variable or a string", c.name(id), c.code.Inst(d).Op())
		case t >= 0 && d >= t && !c.isGroup(target) && kind != spirv.DecorationCounterBuffer:
			c.fail(i, "SPV-Decorate-Earlier", "the operand %s is not defined before the target %s; must be before it", c.name(id), c.name(target)).also(c, d, "the operand")
		case t >= 0 && d >= t && kind == spirv.DecorationCounterBuffer:
			c.fail(i, "SPV-Decorate-Earlier", "the counter buffer %s is not defined before %s; must be before it", c.name(id), c.name(target)).also(c, d, "the counter buffer")
		}
	}
}

// memberDecorate checks a decoration of a struct member.
func (c *checker) memberDecorate(i int, in spirv.Inst) {
	v := inst.MemberDecorate(in)
	if !c.hasMember(i, "SPV-Decorate-Member", v.StructureType(), v.Member()) {
		return
	}
	c.idsFit(i, in.Op() == spirv.OpMemberDecorateIdEXT, v.Decoration(), v.StructureType(), v.DecorationWords())
	c.vulkanDecoration(i, v.Decoration(), v.DecorationWords())
	c.memberTarget(i, v.StructureType(), v.Member(), v.Decoration(), v.DecorationWords())
}

// hasMember checks that an id is a struct type with a member of this number.
func (c *checker) hasMember(i int, code string, id spirv.ID, member uint32) bool {
	d := c.code.DefInst(id)
	switch {
	case d == nil:
	case d.Op() != spirv.OpTypeStruct:
		c.fail(i, code, "%s is the result of %s; must be a struct type", c.name(id), d.Op())
	case uint64(member) >= uint64(len(d)-2):
		c.fail(i, code, "member %d of a struct of %d; must be an existing member", member, len(d)-2).also(c, c.code.Def(id), "the struct")
	default:
		return true
	}
	return false
}

// maxGroup bounds the number of (target, decoration) pairs that are checked
// through groups. A group's n decorations on m targets make n·m pairs, quadratic
// in the module's size.
const maxGroup = 1 << 16

// groupDecorate checks the targets of a group, and each of the group's
// decorations on each target.
func (c *checker) groupDecorate(i int, in spirv.Inst) {
	group := spirv.ID(in[1])
	if d := c.code.DefInst(group); d != nil && d.Op() != spirv.OpDecorationGroup {
		c.fail(i, "SPV-Group-Target", "%s is the result of %s; must be an OpDecorationGroup", c.name(group), d.Op())
		return
	}
	step := 1
	if in.Op() == spirv.OpGroupMemberDecorate {
		step = 2
	} else if id := repeated(spirv.IDs(in[2:])); id != 0 {
		c.fail(i, "SPV-Group-Target", "the target %s occurs twice; must occur once", c.name(id))
	}
	for w := in[2:]; len(w) >= step; w = w[step:] {
		id := spirv.ID(w[0])
		if c.isGroup(id) {
			c.fail(i, "SPV-Group-Target", "the target %s is an OpDecorationGroup; must not be", c.name(id))
			continue
		}
		if step == 2 && !c.hasMember(i, "SPV-Decorate-Member", id, w[1]) {
			continue
		}
		for d := range c.m.Decorations(group) {
			if c.grouped++; c.grouped > maxGroup {
				return
			}
			if step == 1 {
				switch d.Kind { // through a group these may decorate types as well
				case spirv.DecorationRowMajor, spirv.DecorationColMajor, spirv.DecorationMatrixStride:
					continue
				}
				c.target(i, id, d.Kind, d.Operands)
			} else {
				c.memberTarget(i, id, w[1], d.Kind, d.Operands)
			}
		}
	}
}

// repeated returns an id that a list has twice, 0 if it has none.
func repeated(list []spirv.ID) spirv.ID {
	list = slices.Sorted(slices.Values(list))
	for n := 1; n < len(list); n++ {
		if list[n] == list[n-1] {
			return list[n]
		}
	}
	return 0
}

// memberName checks that OpMemberName names a member that exists.
func (c *checker) memberName(i int, in spirv.Inst) {
	v := inst.MemberName(in)
	c.hasMember(i, "SPV-Name-Member", v.TypeOperand(), v.Member())
}

// file checks that an id is the result of an OpString.
func (c *checker) file(i int, id spirv.ID) {
	if d := c.code.DefInst(id); d != nil && d.Op() != spirv.OpString {
		c.fail(i, "SPV-Line-File", "the file is %s, the result of %s; must be an OpString", c.name(id), d.Op())
	}
}

func (c *checker) line(i int, in spirv.Inst) { c.file(i, inst.Line(in).File()) }

func (c *checker) source(i int, in spirv.Inst) {
	if id, ok := inst.Source(in).File(); ok {
		c.file(i, id)
	}
}

// sourceContinued checks that OpSourceContinued has a text to continue.
func (c *checker) sourceContinued(i int, _ spirv.Inst) {
	if i > 0 {
		if op := c.code.OpAt(i - 1); op == spirv.OpSource || op == spirv.OpSourceContinued {
			return
		}
	}
	c.fail(i, "SPV-Source-Continued", "OpSourceContinued follows another instruction; must follow OpSource or OpSourceContinued")
}
