package valid_test

import (
	"context"
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// A module is decoded, its facts are gathered, and Check returns all findings.
func ExampleCheck() {
	words, err := asm.Assemble([]byte(`
		OpCapability Shader
		OpMemoryModel Logical GLSL450
		OpEntryPoint GLCompute %main "main"
		OpExecutionMode %main LocalSize 1 1 1
		OpName %sum "sum"
		%void = OpTypeVoid
		%fn = OpTypeFunction %void
		%uint = OpTypeInt 32 0
		%float = OpTypeFloat 32
		%one = OpConstant %uint 1
		%half = OpConstant %float 0.5
		%main = OpFunction %void None %fn
		%start = OpLabel
		%sum = OpIAdd %uint %one %half
		OpReturn
		OpFunctionEnd`), asm.AssembleOptions{})
	if err != nil {
		panic(err)
	}
	module, err := spirv.FromWords(words)
	if err != nil {
		panic(err) // a *diag.Finding: it is no module
	}
	env, _ := valid.ParseEnv("vulkan1.3")
	report, err := valid.Check(context.Background(), facts.Gather(module, nil), env, valid.Options{})
	if err != nil {
		panic(err) // the context has ended
	}
	for _, f := range report.Findings {
		fmt.Println("instruction", f.Pos.Instruction, f.Code)
	}
	// Output: instruction 14 SPV-Arithmetic-Type
}

// Without a device, rules that need to know it stay silent and are counted.
// With one, they are checked.
func ExampleCheck_device() {
	words, err := asm.Assemble([]byte(`
		OpCapability Shader
		OpCapability Float64
		OpMemoryModel Logical GLSL450
		OpEntryPoint GLCompute %main "main"
		OpExecutionMode %main LocalSize 1 1 1
		%void = OpTypeVoid
		%fn = OpTypeFunction %void
		%main = OpFunction %void None %fn
		%start = OpLabel
		OpReturn
		OpFunctionEnd`), asm.AssembleOptions{})
	if err != nil {
		panic(err)
	}
	module, err := spirv.FromWords(words)
	if err != nil {
		panic(err)
	}
	m := facts.Gather(module, nil)
	env, _ := valid.ParseEnv("vulkan1.3")
	const needsFeature = "VUID-VkShaderModuleCreateInfo-pCode-08740"
	for _, name := range []string{"", "min", "max"} {
		env.Device, _ = valid.BuiltinDevice(name, env.Version) // nil for ""
		report, err := valid.Check(context.Background(), m, env, valid.Options{})
		if err != nil {
			panic(err)
		}
		fmt.Printf("device %q: clean %t, not checkable %t\n", name, report.Clean(), report.Unchecked[needsFeature] > 0)
		for _, f := range report.Findings {
			fmt.Println(f.Code)
		}
	}
	// Output:
	// device "": clean true, not checkable true
	// device "min": clean false, not checkable false
	// VUID-VkShaderModuleCreateInfo-pCode-08740
	// device "max": clean true, not checkable false
}

// Rules yields every rule that Check can report.
func ExampleRules() {
	for r := range valid.Rules() {
		if r.Code == "SPV-Id-Dominance" {
			fmt.Println(r.Words)
		}
	}
	// Output: the definition of an id dominates every use in a reachable block
}
