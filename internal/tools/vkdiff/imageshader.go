package main

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// imageShader is a module that samples at one place in each invocation; the words in
// capitals differ between cases.
const imageShader = `OpCapability Shader
OpCapability Sampled1D
OpCapability SampledCubeArray
OpCapability ImageGatherExtended
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %in_array ArrayStride 16
OpDecorate %out_array ArrayStride 16
OpDecorate %In Block
OpDecorate %Out Block
OpMemberDecorate %In 0 Offset 0
OpMemberDecorate %Out 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %img DescriptorSet 0
OpDecorate %img Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%v3float = OpTypeVector %float 3
%v4float = OpTypeVector %float 4
%v2int = OpTypeVector %int 2
%v3int = OpTypeVector %int 3
%v4int = OpTypeVector %int 4
%v4uint = OpTypeVector %uint 4
%v3uint = OpTypeVector %uint 3
%in_array = OpTypeRuntimeArray %v4float
%out_array = OpTypeRuntimeArray %v4uint
%In = OpTypeStruct %in_array
%Out = OpTypeStruct %out_array
%p_In = OpTypePointer StorageBuffer %In
%p_Out = OpTypePointer StorageBuffer %Out
%p_in4 = OpTypePointer StorageBuffer %v4float
%p_out4 = OpTypePointer StorageBuffer %v4uint
%p_id = OpTypePointer Input %v3uint
%id = OpVariable %p_id Input
%in = OpVariable %p_In StorageBuffer
%out = OpVariable %p_Out StorageBuffer
%image = OpTypeImage %KIND DIM DEPTH ARRAYED 0 1 Unknown
%sampled = OpTypeSampledImage %image
%p_img = OpTypePointer UniformConstant %sampled
%img = OpVariable %p_img UniformConstant
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%n2 = OpConstant %int -2
%p3 = OpConstant %int 3
%f0 = OpConstant %float 0
%offset2 = OpConstantComposite %v2int %p3 %n2
%offset3 = OpConstantComposite %v3int %p3 %n2 %p3
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %v3uint %id
%i = OpCompositeExtract %uint %ids 0
%i0 = OpIMul %uint %i %u4
%i1 = OpIAdd %uint %i0 %u1
%i2 = OpIAdd %uint %i0 %u2
%i3 = OpIAdd %uint %i0 %u3
%q0 = OpAccessChain %p_in4 %in %u0 %i0
%q1 = OpAccessChain %p_in4 %in %u0 %i1
%q2 = OpAccessChain %p_in4 %in %u0 %i2
%q3 = OpAccessChain %p_in4 %in %u0 %i3
%r0 = OpLoad %v4float %q0
%r1 = OpLoad %v4float %q1
%r2 = OpLoad %v4float %q2
%r3 = OpLoad %v4float %q3
%lod = OpCompositeExtract %float %r1 0
%dref = OpCompositeExtract %float %r1 1
%x = OpLoad %sampled %img
BODY%to = OpAccessChain %p_out4 %out %u0 %i
OpStore %to %bits
OpReturn
OpFunctionEnd
`

// shader returns the case's module.
func (c *imageCase) shader() ([]uint32, error) {
	info := format.InfoByName(c.image.Format)
	kind := "float"
	switch {
	case info.Sampled == format.Float:
	case strings.HasSuffix(info.Name, "SINT"):
		kind = "int"
	default:
		kind = "uint"
	}
	axes := c.view.Dim.Axes()
	coordinates := axes
	if c.view.Arrayed || c.op == "proj" {
		coordinates++
	}
	var b strings.Builder
	cut := func(to, from, scalar string, n int) {
		switch n {
		case 1:
			fmt.Fprintf(&b, "%%%s = OpCompositeExtract %%%s %%%s 0\n", to, scalar, from)
		case 4:
			fmt.Fprintf(&b, "%%%s = OpCopyObject %%v4%s %%%s\n", to, scalar, from)
		default:
			fmt.Fprintf(&b, "%%%s = OpVectorShuffle %%v%d%s %%%s %%%s%s\n", to, n, scalar, from, from, " 0 1 2"[:2*n])
		}
	}
	if c.op == "fetch" {
		b.WriteString("%r0i = OpBitcast %v4int %r0\n%lodi = OpBitcast %int %lod\n%plain = OpImage %image %x\n")
		cut("at", "r0i", "int", coordinates)
	} else {
		cut("at", "r0", "float", coordinates)
		cut("dx", "r2", "float", axes)
		cut("dy", "r3", "float", axes)
	}
	operands := map[string]string{"lod": "Lod", "proj": "Lod", "dref": "Lod", "fetch": "Lod", "grad": "Grad", "aniso": "Grad", "chroma": "Lod"}[c.op]
	values := map[string]string{"lod": " %lod", "proj": " %lod", "dref": " %lod", "fetch": " %lodi", "grad": " %dx %dy", "aniso": " %dx %dy", "chroma": " %lod"}[c.op]
	if c.offset {
		operands = strings.TrimPrefix(operands+"|ConstOffset", "|")
		values += []string{" %p3", " %offset2", " %offset3"}[axes-1]
	}
	operands = " " + operands + values
	if operands == " " {
		operands = ""
	}
	depth := 0
	switch c.op {
	case "lod", "grad", "aniso", "chroma":
		fmt.Fprintf(&b, "%%t = OpImageSampleExplicitLod %%v4%s %%x %%at%s\n", kind, operands)
	case "proj":
		fmt.Fprintf(&b, "%%t = OpImageSampleProjExplicitLod %%v4%s %%x %%at%s\n", kind, operands)
	case "fetch":
		fmt.Fprintf(&b, "%%t = OpImageFetch %%v4%s %%plain %%at%s\n", kind, operands)
	case "gather":
		fmt.Fprintf(&b, "%%t = OpImageGather %%v4%s %%x %%at %%u%d%s\n", kind, c.image.Width%4, operands)
	case "dref":
		depth = 1
		fmt.Fprintf(&b, "%%s = OpImageSampleDrefExplicitLod %%float %%x %%at %%dref%s\n%%t = OpCompositeConstruct %%v4float %%s %%f0 %%f0 %%f0\n", operands)
	case "drefgather":
		depth = 1
		fmt.Fprintf(&b, "%%t = OpImageDrefGather %%v4float %%x %%at %%dref%s\n", operands)
	}
	if kind == "uint" {
		b.WriteString("%bits = OpCopyObject %v4uint %t\n")
	} else {
		b.WriteString("%bits = OpBitcast %v4uint %t\n")
	}
	dim := map[ir.Dim]string{ir.Dim1D: "1D", ir.Dim2D: "2D", ir.Dim3D: "3D", ir.DimCube: "Cube"}[c.view.Dim]
	text := strings.NewReplacer("KIND", kind, "DIM", dim, "DEPTH", fmt.Sprint(depth), "ARRAYED", fmt.Sprint(word(c.view.Arrayed)), "BODY", b.String()).Replace(imageShader)
	return asm.Assemble([]byte(text), asm.AssembleOptions{Version: spirv.Version(0x00010300)})
}
