package valid

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// clspvFamily checks the set NonSemantic.ClspvReflection, for extInst.
var clspvFamily = family{
	rules: []Rule{
		{Code: "SPV-Clspv-Version", Section: "NonSemantic.ClspvReflection", Words: "the import names an existing version that includes the instruction"},
		{Code: "SPV-Clspv-Kernel", Section: "NonSemantic.ClspvReflection", Words: "Kernel names a GLCompute entry point by its function and its name"},
		{Code: "SPV-Clspv-Declaration", Section: "NonSemantic.ClspvReflection", Words: "an argument refers to the Kernel, and to its ArgumentInfo, of the same import"},
		{Code: "SPV-Clspv-Variable", Section: "NonSemantic.ClspvReflection", Words: "the variable of WorkgroupVariableSize is in Workgroup"},
		{Code: "SPV-Clspv-Constant", Section: "NonSemantic.ClspvReflection", Words: "a number is a 32-bit unsigned OpConstant"},
		{Code: "SPV-Clspv-String", Section: "NonSemantic.ClspvReflection", Words: "a name or data operand is an OpString"},
	},
}

// clspvVersions is the newest version of the set.
const clspvVersions = 7

// clspvNumber returns the version that an import names.
func clspvNumber(name string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(name, "NonSemantic.ClspvReflection."), 10, 32)
	return n, err == nil
}

func (c *checker) clspvVersion(i int, name string) {
	if n, ok := clspvNumber(name); !ok || n < 1 || n > clspvVersions {
		c.fail(i, "SPV-Clspv-Version", "the import %q has no version; must have 1 to %d", name, clspvVersions)
	}
}

// clspvSince returns the version that brought an instruction of the set.
func clspvSince(op spirv.NonSemanticClspvReflectionOp) uint64 {
	switch {
	case op >= spirv.NonSemanticClspvReflectionWorkgroupVariableSize:
		return 7
	case op >= spirv.NonSemanticClspvReflectionNormalizedSamplerMaskPushConstant:
		return 6
	case op >= spirv.NonSemanticClspvReflectionConstantDataPointerPushConstant:
		return 5
	case op >= spirv.NonSemanticClspvReflectionArgumentStorageTexelBuffer:
		return 4
	case op >= spirv.NonSemanticClspvReflectionArgumentPointerPushConstant:
		return 3
	case op >= spirv.NonSemanticClspvReflectionSpecConstantSubgroupMaxSize:
		return 2
	}
	return 1
}

// clspv checks an instruction of the set. The names of the operands in the
// grammar determine their required kinds.
func (c *checker) clspv(i int, in spirv.Inst) {
	v := inst.ExtInst(in)
	op := spirv.NonSemanticClspvReflectionOp(v.Instruction())
	if d := c.code.DefInst(v.Set()); d != nil {
		if n, ok := clspvNumber(spirv.String(d[2:])); ok && n < clspvSince(op) {
			c.fail(i, "SPV-Clspv-Version", "%s is of version %d of the set, the import of %d; must be of %[2]d or later", op, clspvSince(op), n)
			return
		} else if ok && n < 5 && op == spirv.NonSemanticClspvReflectionKernel && len(in) > 7 {
			c.fail(i, "SPV-Clspv-Version", "Kernel has %d operands after the name, the import is of version %d; must be of 5 or later", len(in)-7, n)
			return
		}
	}
	for w := c.code.Walk(i); w.Next(); {
		if w.Pos < 5 || w.Operand == nil || w.Kind != spirv.KindIdRef {
			continue
		}
		id := spirv.ID(w.Words[0])
		switch name := w.Operand.Name(); name {
		case "": // beyond those of the instruction: a consumer ignores it
		case "Kernel", "Decl":
			if op == spirv.NonSemanticClspvReflectionKernel {
				c.clspvKernel(i, in, id)
				continue
			}
			c.clspvNames(i, in, id, spirv.NonSemanticClspvReflectionKernel)
		case "ArgInfo":
			c.clspvNames(i, in, id, spirv.NonSemanticClspvReflectionArgumentInfo)
		case "Name", "TypeName", "Data", "FormatString", "Attributes":
			if d := c.code.DefInst(id); d != nil && d.Op() != spirv.OpString {
				c.fail(i, "SPV-Clspv-String", "%s is the result of %s; must be an OpString", name, d.Op())
			}
		case "Variable":
			if v := c.m.Variable(id); v == nil && c.code.DefInst(id) != nil || v != nil && v.Storage != spirv.StorageClassWorkgroup {
				c.fail(i, "SPV-Clspv-Variable", "%s is %s; must be an OpVariable in Workgroup", c.name(id), c.code.DefInst(id).Op())
			}
		default:
			k := c.m.Const(id)
			if k == nil && c.code.DefInst(id) == nil {
				continue
			}
			if k == nil || k.Op != spirv.OpConstant || k.Type == nil || !k.Type.IsInt() || k.Type.Width != 32 || k.Type.Signed {
				c.fail(i, "SPV-Clspv-Constant", "%s is the result of %s; must be an unsigned OpConstant of 32 bits", name, c.code.DefInst(id).Op())
			}
		}
	}
}

// clspvKernel checks the function and the name of a Kernel.
func (c *checker) clspvKernel(i int, in spirv.Inst, id spirv.ID) {
	d := c.code.DefInst(id)
	list := c.entriesAt(id)
	switch {
	case d == nil:
		return
	case d.Op() != spirv.OpFunction:
		c.fail(i, "SPV-Clspv-Kernel", "the kernel is the result of %s; must be a function", d.Op())
		return
	case len(list) == 0:
		c.fail(i, "SPV-Clspv-Kernel", "%s is no entry point; must be an entry point", c.name(id))
		return
	}
	name, named := c.m.String(spirv.ID(in[6]))
	match := false
	for _, k := range list {
		e := &c.m.EntryPoints[k]
		if e.Model != spirv.ExecutionModelGLCompute {
			c.fail(i, "SPV-Clspv-Kernel", "%s is a %s entry point; must be GLCompute", c.name(id), e.Model).also(c, e.Index, "the entry point")
			return
		}
		match = match || e.Name == name
	}
	if named && !match {
		c.fail(i, "SPV-Clspv-Kernel", "the name is %q; must be the name of the entry point", name).also(c, c.m.EntryPoints[list[0]].Index, "the entry point")
	}
}

// clspvNames checks that an operand is an instruction of the same import.
func (c *checker) clspvNames(i int, in spirv.Inst, id spirv.ID, want spirv.NonSemanticClspvReflectionOp) {
	d := c.code.DefInst(id)
	switch {
	case d == nil:
	case d.Op() != spirv.OpExtInst || c.m.ExtSet(inst.ExtInst(d).Set()) != spirv.ExtSetNonSemanticClspvReflection:
		c.fail(i, "SPV-Clspv-Declaration", "%s is the result of %s; must be a %s", c.name(id), d.Op(), want)
	case inst.ExtInst(d).Set() != inst.ExtInst(in).Set():
		c.fail(i, "SPV-Clspv-Declaration", "%s is of another import; must be of the same import", c.name(id))
	case spirv.NonSemanticClspvReflectionOp(inst.ExtInst(d).Instruction()) != want:
		c.fail(i, "SPV-Clspv-Declaration", "%s is a %s; must be a %s", c.name(id), spirv.NonSemanticClspvReflectionOp(inst.ExtInst(d).Instruction()), want)
	}
}
