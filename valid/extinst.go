package valid

import (
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// extInstFamily checks OpExtInst (SPIR-V §3.3.4), and calls the check of its set.
var extInstFamily = family{
	rules: []Rule{
		{Code: "SPV-ExtInst-Forward", Section: "SPIR-V, SPV_KHR_relaxed_extended_instruction", Words: "OpExtInstWithForwardRefsKHR is of a non-semantic set and has a forward reference"},
		{Code: "SPV-ExtInst-Version", Section: "Arm.ExperimentalMLOperations, NonSemantic.Graph.DebugInfo", Words: "the import names an existing version"},
		{Code: "SPV-ExtInst-Void", Section: "SPIR-V, SPV_KHR_non_semantic_info", Words: "a non-semantic instruction has the type void"},
		{Code: "SPV-ExtInst-Extension", Section: "SPIR-V, SPV_KHR_non_semantic_info", Words: "a non-semantic set needs SPIR-V 1.6 or the extension SPV_KHR_non_semantic_info; the set for graphs needs SPV_ARM_graph"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpExtInst:                   (*checker).extInst,
		spirv.OpExtInstWithForwardRefsKHR: (*checker).extInst,
		spirv.OpExtInstImport:             (*checker).extInstImport,
	},
}

func (c *checker) extInst(i int, in spirv.Inst) {
	v := inst.ExtInst(in)
	set := c.m.ExtSet(v.Set())
	if in.Op() == spirv.OpExtInstWithForwardRefsKHR {
		c.forwardRefs(i, in, set)
	}
	if set.NonSemantic() {
		if t := c.m.Type(in.Type()); t != nil && !t.IsVoid() {
			c.fail(i, "SPV-ExtInst-Void", "the instruction is %s; must be void", c.typeName(t))
		}
	}
	switch set {
	case spirv.ExtSetGLSL:
		c.glsl(i, in)
	case spirv.ExtSetOpenCL:
		c.openCLSet(i, in)
	case spirv.ExtSetAMDGcnShader, spirv.ExtSetAMDShaderBallot, spirv.ExtSetAMDShaderExplicitVertexParameter, spirv.ExtSetAMDShaderTrinaryMinmax:
		c.amd(i, in, set)
	case spirv.ExtSetNonSemanticClspvReflection:
		c.clspv(i, in)
	case spirv.ExtSetNonSemanticDebugPrintf:
		c.debugPrintf(i, in)
	case spirv.ExtSetNonSemanticGraphDebugInfo:
		c.graph.graphDebug(i, in)
	case spirv.ExtSetDebugInfo:
		if t := c.m.Type(in.Type()); t != nil && !t.IsVoid() {
			c.fail(i, "SPV-DebugInfo-Result", "the instruction is %s; must be void", c.typeName(t))
		}
	case spirv.ExtSetNonSemanticShaderDebugInfo, spirv.ExtSetOpenCLDebugInfo100:
		c.debugInfo.debug(i, in, set, c.fn, c.block)
	}
}

// forwardRefs checks OpExtInstWithForwardRefsKHR.
func (c *checker) forwardRefs(i int, in spirv.Inst, set spirv.ExtSet) {
	if !set.NonSemantic() {
		c.fail(i, "SPV-ExtInst-Forward", "OpExtInstWithForwardRefsKHR of the set %s, which is semantic; must be of a non-semantic set", set)
		return
	}
	for _, w := range in[5:] {
		if c.code.Def(spirv.ID(w)) >= i {
			return
		}
	}
	c.fail(i, "SPV-ExtInst-Forward", "OpExtInstWithForwardRefsKHR has no forward reference; must be OpExtInst")
}

func (c *checker) extInstImport(i int, in spirv.Inst) {
	set := c.m.ExtSet(in.Result())
	if set.NonSemantic() && !c.since(spirv.Version16) && !c.m.Extension("SPV_KHR_non_semantic_info") {
		c.fail(i, "SPV-ExtInst-Extension", "the import of %q in SPIR-V %s; must have the extension SPV_KHR_non_semantic_info", spirv.String(in[2:]), c.version)
	}
	first := set == spirv.ExtSetArmExperimentalMLOperations || set == spirv.ExtSetNonSemanticGraphDebugInfo // sets with one version
	if name := spirv.String(in[2:]); first && name != set.String()+"1" {
		c.fail(i, "SPV-ExtInst-Version", "the import %q; must be of version 1", name)
	}
	if set == spirv.ExtSetNonSemanticGraphDebugInfo && !c.m.Extension("SPV_ARM_graph") {
		c.fail(i, "SPV-ExtInst-Extension", "the import of %q; must have the extension SPV_ARM_graph", spirv.String(in[2:]))
	}
	if set == spirv.ExtSetNonSemanticClspvReflection {
		c.clspvVersion(i, spirv.String(in[2:]))
	}
	if name := spirv.String(in[2:]); set == spirv.ExtSetNonSemanticShaderDebugInfo {
		if n, err := strconv.ParseUint(strings.TrimPrefix(name, "NonSemantic.Shader.DebugInfo."), 10, 32); err != nil || n < 100 {
			c.fail(i, "SPV-DebugInfo-Version", "the import %q has no version, or one below 100; must have a version of at least 100, the first", name)
		}
	}
}
