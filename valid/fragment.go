package valid

import "github.com/chiaro-gpu/chiaro/spirv"

// fragmentFamily checks the instructions that only a fragment shader has
// (SPIR-V §3.3.17 and §3.3.20).
var fragmentFamily = family{
	rules: []Rule{
		{Code: "SPV-Fragment-Model", Section: "SPIR-V 3.3.17", Words: "demotion, termination and interlocks of invocations are only in fragment shaders"},
		{Code: "SPV-Fragment-Interlock", Section: "SPIR-V, SPV_EXT_fragment_shader_interlock", Words: "an entry point that begins or ends an interlock has an interlock execution mode"},
		{Code: "SPV-Fragment-Helper", Section: "SPIR-V, SPV_EXT_demote_to_helper_invocation", Words: "OpIsHelperInvocationEXT yields a Boolean scalar"},
	},
	ops: []group{
		{(*checker).fragmentOnly, []spirv.Op{
			spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpDemoteToHelperInvocation, spirv.OpIsHelperInvocationEXT,
			spirv.OpBeginInvocationInterlockEXT, spirv.OpEndInvocationInterlockEXT,
		}},
		{(*checker).helperType, []spirv.Op{spirv.OpIsHelperInvocationEXT}},
		{(*checker).interlock, []spirv.Op{spirv.OpBeginInvocationInterlockEXT, spirv.OpEndInvocationInterlockEXT}},
	},
}

func (c *checker) fragmentOnly(i int, _ spirv.Inst) { c.onlyIn(i, inFragment, "SPV-Fragment-Model") }

// helperType checks the result of OpIsHelperInvocationEXT.
func (c *checker) helperType(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t != nil && !t.IsBool() {
		c.fail(i, "SPV-Fragment-Helper", "OpIsHelperInvocationEXT yields %s; must yield a Boolean", c.typeName(t))
	}
}

// interlockModes are the execution modes of which one goes with an interlock.
var interlockModes = [...]spirv.ExecutionMode{
	spirv.ExecutionModePixelInterlockOrderedEXT, spirv.ExecutionModePixelInterlockUnorderedEXT,
	spirv.ExecutionModeSampleInterlockOrderedEXT, spirv.ExecutionModeSampleInterlockUnorderedEXT,
	spirv.ExecutionModeShadingRateInterlockOrderedEXT, spirv.ExecutionModeShadingRateInterlockUnorderedEXT,
}

// interlock checks that the entry points that reach an interlock instruction
// declare the kind of the interlock.
func (c *checker) interlock(i int, in spirv.Inst) {
	if c.callerModels()&inFragment == 0 {
		return
	}
entries:
	for _, e := range c.callersOf(c.fn) {
		if e.Model != spirv.ExecutionModelFragment {
			continue
		}
		for _, m := range interlockModes {
			if e.HasMode(m) {
				continue entries
			}
		}
		c.fail(i, "SPV-Fragment-Interlock", "%s in a function that the entry point %q calls, which has no interlock execution mode; must have one", in.Op(), e.Name).also(c, e.Index, "the entry point")
		return
	}
}
