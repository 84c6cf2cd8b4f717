package valid

import "github.com/chiaro-gpu/chiaro/spirv"

// derivativeFamily checks the execution models of derivatives (SPIR-V §3.3.16).
// Operand types are checked by the typing table, the derivative groups of other
// models than Fragment by model.go.
var derivativeFamily = family{
	rules: []Rule{
		{Code: "SPV-Derivative-Model", Section: "SPIR-V 3.3.16", Words: "a derivative is in a fragment shader, or in a workgroup with a derivative group mode"},
	},
	ops: []group{{(*checker).derivative, []spirv.Op{
		spirv.OpDPdx, spirv.OpDPdy, spirv.OpFwidth, spirv.OpDPdxFine, spirv.OpDPdyFine, spirv.OpFwidthFine,
		spirv.OpDPdxCoarse, spirv.OpDPdyCoarse, spirv.OpFwidthCoarse,
	}}},
}

func (c *checker) derivative(i int, in spirv.Inst) {
	c.derivativeModel(i, in.Op(), inDerivatives, "SPV-Derivative-Model")
}
