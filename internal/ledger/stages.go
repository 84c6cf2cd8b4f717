package ledger

import "github.com/chiaro-gpu/chiaro/spirv"

// otherStages are the instructions that SPIR-V has in shaders of stages only that do
// not run: the execution models that each is valid in are said with it, or in the
// extension that it is of.
var otherStages = map[spirv.Op]bool{
	// Graphs, which are no shaders.
	spirv.OpTypeGraphARM:       true,
	spirv.OpGraphConstantARM:   true,
	spirv.OpGraphEntryPointARM: true,
	spirv.OpGraphARM:           true,
	spirv.OpGraphInputARM:      true,
	spirv.OpGraphSetOutputARM:  true,
	spirv.OpGraphEndARM:        true,
}

// otherCapabilities are the capabilities that only stages without an engine have.
var otherCapabilities = map[spirv.Capability]bool{
	spirv.CapabilityGraphARM: true,
}

// otherExtensions is otherCapabilities for the extensions of SPIR-V.
var otherExtensions = map[string]bool{
	"SPV_ARM_graph": true,
}
