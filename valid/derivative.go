package valid

import "github.com/chiaro-gpu/chiaro/spirv"

// derivativeFamily checks the execution models and the widths of derivatives (SPIR-V
// §3.3.16). Other properties of the types are checked by the typing table, the derivative groups of other
// models than Fragment by model.go.
var derivativeFamily = family{
	rules: []Rule{
		{Code: "SPV-Derivative-Model", Section: "SPIR-V 3.3.16", Words: "a derivative is in a fragment shader, or in a workgroup with a derivative group mode"},
		{Code: "SPV-Derivative-Width", Section: "SPIR-V 3.3.16", Words: "a derivative is of floats of 32 bits, or of 16 bits with SPV_AMD_gpu_shader_half_float"},
	},
	ops: []group{{(*checker).derivative, []spirv.Op{
		spirv.OpDPdx, spirv.OpDPdy, spirv.OpFwidth, spirv.OpDPdxFine, spirv.OpDPdyFine, spirv.OpFwidthFine,
		spirv.OpDPdxCoarse, spirv.OpDPdyCoarse, spirv.OpFwidthCoarse,
	}}},
}

func (c *checker) derivative(i int, in spirv.Inst) {
	c.derivativeModel(i, in.Op(), inDerivatives, "SPV-Derivative-Model")
	t := c.m.Type(in.Type())
	if s := t.Scalar(); s != nil && s.IsFloat() && s.Width != 32 && (s.Width != 16 || !c.m.Extension("SPV_AMD_gpu_shader_half_float")) {
		c.fail(i, "SPV-Derivative-Width", "%s of %s; must be of floats of 32 bits", in.Op(), c.typeName(t))
	}
}
