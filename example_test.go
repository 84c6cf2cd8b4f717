package chiaro_test

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// A compute shader writes the square of each invocation's index to a buffer.
const squares = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %data
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%block_ptr = OpTypePointer StorageBuffer %block
%uint_ptr = OpTypePointer StorageBuffer %uint
%in_ptr = OpTypePointer Input %uint
%id = OpVariable %in_ptr Input
%data = OpVariable %block_ptr StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%square = OpIMul %uint %i %i
%element = OpAccessChain %uint_ptr %data %zero %i
OpStore %element %square
OpReturn
OpFunctionEnd`

// The path of a compute shader from its words to the bytes that it writes.
func Example() {
	ctx := context.Background()
	words, err := asm.Assemble([]byte(squares), asm.AssembleOptions{Version: spirv.Version14})
	if err != nil {
		fmt.Println(err)
		return
	}
	module, err := spirv.FromWords(words)
	if err != nil {
		fmt.Println(err)
		return
	}
	known := facts.Gather(module, nil)

	env, _ := valid.ParseEnv("vulkan1.3")
	report, err := valid.Check(ctx, known, env, valid.Options{})
	if err != nil || !report.Clean() {
		fmt.Println(err, report.Findings)
		return
	}

	entry := known.EntryPoint("main", spirv.ExecutionModelGLCompute)
	program, err := lower.Stage(report.Module, entry, lower.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pass.Run(program)

	code, err := interp.Engine{}.Compile(program, exec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	buffer := make([]byte, 32)
	err = compute.Dispatch(ctx, code, compute.Args{
		Groups:   [3]uint32{1, 1, 1},
		Bindings: map[compute.Binding][]exec.Buffer{{Set: 0, Binding: 3}: {{Bytes: buffer}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := 0; i < len(buffer); i += 4 {
		fmt.Print(binary.LittleEndian.Uint32(buffer[i:]), " ")
	}
	// Output: 0 1 4 9 16 25 36 49
}
