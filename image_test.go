package chiaro_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// negative writes the negative of a sampled image at binding 0 to a storage image at binding 1, of any size.
const negative = `
OpCapability Shader
OpCapability ImageQuery
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID %to %from
OpExecutionModeId %main LocalSizeId %uint_8 %uint_8 %uint_1
OpDecorate %gl_GlobalInvocationID BuiltIn GlobalInvocationId
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 1
OpDecorate %to NonReadable
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
%void = OpTypeVoid
%3 = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint_8 = OpConstant %uint 8
%uint_1 = OpConstant %uint 1
%int = OpTypeInt 32 1
%v2int = OpTypeVector %int 2
%_ptr_Function_v2int = OpTypePointer Function %v2int
%v3uint = OpTypeVector %uint 3
%_ptr_Input_v3uint = OpTypePointer Input %v3uint
%gl_GlobalInvocationID = OpVariable %_ptr_Input_v3uint Input
%v2uint = OpTypeVector %uint 2
%float = OpTypeFloat 32
%22 = OpTypeImage %float 2D 0 0 0 2 Rgba8
%_ptr_UniformConstant_22 = OpTypePointer UniformConstant %22
%to = OpVariable %_ptr_UniformConstant_22 UniformConstant
%bool = OpTypeBool
%v2bool = OpTypeVector %bool 2
%v2float = OpTypeVector %float 2
%_ptr_Function_v2float = OpTypePointer Function %v2float
%float_0_5 = OpConstant %float 0.5
%float_1 = OpConstant %float 1
%50 = OpTypeImage %float 2D 0 0 0 1 Unknown
%51 = OpTypeSampledImage %50
%_ptr_UniformConstant_51 = OpTypePointer UniformConstant %51
%from = OpVariable %_ptr_UniformConstant_51 UniformConstant
%float_0 = OpConstant %float 0
%v4float = OpTypeVector %float 4
%v3float = OpTypeVector %float 3
%67 = OpConstantComposite %v3uint %uint_8 %uint_8 %uint_1
%main = OpFunction %void None %3
%5 = OpLabel
%at = OpVariable %_ptr_Function_v2int Function
%size = OpVariable %_ptr_Function_v2int Function
%p = OpVariable %_ptr_Function_v2float Function
%17 = OpLoad %v3uint %gl_GlobalInvocationID
%18 = OpVectorShuffle %v2uint %17 %17 0 1
%19 = OpBitcast %v2int %18
OpStore %at %19
%25 = OpLoad %22 %to
%26 = OpImageQuerySize %v2int %25
OpStore %size %26
%27 = OpLoad %v2int %at
%28 = OpLoad %v2int %size
%31 = OpSGreaterThanEqual %v2bool %27 %28
%32 = OpAny %bool %31
OpSelectionMerge %34 None
OpBranchConditional %32 %33 %34
%33 = OpLabel
OpReturn
%34 = OpLabel
%39 = OpLoad %v2int %at
%40 = OpConvertSToF %v2float %39
%42 = OpCompositeConstruct %v2float %float_0_5 %float_0_5
%43 = OpFAdd %v2float %40 %42
%44 = OpLoad %v2int %size
%45 = OpConvertSToF %v2float %44
%46 = OpFDiv %v2float %43 %45
OpStore %p %46
%47 = OpLoad %22 %to
%48 = OpLoad %v2int %at
%54 = OpLoad %51 %from
%55 = OpLoad %v2float %p
%58 = OpImageSampleExplicitLod %v4float %54 %55 Lod %float_0
%60 = OpVectorShuffle %v3float %58 %58 0 1 2
%61 = OpCompositeConstruct %v3float %float_1 %float_1 %float_1
%62 = OpFSub %v3float %61 %60
%63 = OpCompositeExtract %float %62 0
%64 = OpCompositeExtract %float %62 1
%65 = OpCompositeExtract %float %62 2
%66 = OpCompositeConstruct %v4float %63 %64 %65 %float_1
OpImageWrite %47 %48 %66
OpReturn
OpFunctionEnd
`

// adds adds the color in the middle of the left half of an image at binding 0, with the sampler at binding 1, to a storage image at
// binding 2 with the format R16f.
const adds = `
OpCapability Shader
OpCapability StorageImageExtendedFormats
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID %to %from %s
OpExecutionModeId %main LocalSizeId %uint_1 %uint_1 %uint_1
OpDecorate %gl_GlobalInvocationID BuiltIn GlobalInvocationId
OpDecorate %to DescriptorSet 0
OpDecorate %to Binding 2
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %s DescriptorSet 0
OpDecorate %s Binding 1
%void = OpTypeVoid
%3 = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uint_1 = OpConstant %uint 1
%int = OpTypeInt 32 1
%v2int = OpTypeVector %int 2
%_ptr_Function_v2int = OpTypePointer Function %v2int
%v3uint = OpTypeVector %uint 3
%_ptr_Input_v3uint = OpTypePointer Input %v3uint
%gl_GlobalInvocationID = OpVariable %_ptr_Input_v3uint Input
%v2uint = OpTypeVector %uint 2
%float = OpTypeFloat 32
%20 = OpTypeImage %float 2D 0 0 0 2 R16f
%_ptr_UniformConstant_20 = OpTypePointer UniformConstant %20
%to = OpVariable %_ptr_UniformConstant_20 UniformConstant
%v4float = OpTypeVector %float 4
%29 = OpTypeImage %float 2D 0 0 0 1 Unknown
%_ptr_UniformConstant_29 = OpTypePointer UniformConstant %29
%from = OpVariable %_ptr_UniformConstant_29 UniformConstant
%33 = OpTypeSampler
%_ptr_UniformConstant_33 = OpTypePointer UniformConstant %33
%s = OpVariable %_ptr_UniformConstant_33 UniformConstant
%37 = OpTypeSampledImage %29
%v2float = OpTypeVector %float 2
%float_0_25 = OpConstant %float 0.25
%float_0_5 = OpConstant %float 0.5
%42 = OpConstantComposite %v2float %float_0_25 %float_0_5
%float_0 = OpConstant %float 0
%main = OpFunction %void None %3
%5 = OpLabel
%at = OpVariable %_ptr_Function_v2int Function
%16 = OpLoad %v3uint %gl_GlobalInvocationID
%17 = OpVectorShuffle %v2uint %16 %16 0 1
%18 = OpBitcast %v2int %17
OpStore %at %18
%23 = OpLoad %20 %to
%24 = OpLoad %v2int %at
%25 = OpLoad %20 %to
%26 = OpLoad %v2int %at
%28 = OpImageRead %v4float %25 %26
%32 = OpLoad %29 %from
%36 = OpLoad %33 %s
%38 = OpSampledImage %37 %32 %36
%44 = OpImageSampleExplicitLod %v4float %38 %42 Lod %float_0
%45 = OpFAdd %v4float %28 %44
OpImageWrite %23 %24 %45
OpReturn
OpFunctionEnd
`

// A shader makes the negative of a picture.
func ExampleImage() {
	words, err := asm.Assemble([]byte(negative), asm.AssembleOptions{Version: spirv.Version16})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	shader, err := chiaro.Compile(ctx, asm.Bytes(words)) // or CompileFile
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shader.Close()
	from := image.NewGray(image.Rect(0, 0, 100, 50))
	from.SetGray(99, 49, color.Gray{Y: 55})
	to := image.NewRGBA(from.Bounds())
	if err := shader.Run(ctx, [3]uint32{13, 7, 1}, chiaro.Image(0, from), chiaro.Image(1, to)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(to.RGBAAt(0, 0), to.RGBAAt(99, 49))
	// Output: {255 255 255 255} {200 200 200 255}
}

// TestImage runs a shader on pictures with an offset, of several color models, and with a sampler without an argument.
func TestImage(t *testing.T) {
	s, err := compile(t, adds)
	if err != nil {
		t.Fatal(err)
	}
	from := image.NewNRGBA64(image.Rect(-3, 5, -1, 6))
	from.SetNRGBA64(-3, 5, color.NRGBA64{R: 0x4000, A: 0xffff})
	from.SetNRGBA64(-2, 5, color.NRGBA64{R: 0xffff, G: 0xffff, A: 0x8000})
	for _, to := range []draw.Image{image.NewNRGBA64(image.Rect(7, 7, 9, 8)), image.NewRGBA(image.Rect(7, 7, 9, 8))} {
		to.Set(8, 7, color.NRGBA64{R: 0x8000, A: 0xffff})
		if err := s.Run(t.Context(), [3]uint32{2, 1, 1}, chiaro.Image(0, from), chiaro.Image(2, to)); err != nil {
			t.Fatal(err)
		}
		for x, want := range map[int]uint32{7: 0x4000, 8: 0xc000} { // the format has red alone: the others are 0, and alpha 1
			const step = 256 // of 8 bits
			if r, g, b, a := to.At(x, 7).RGBA(); max(r, want)-min(r, want) > step || g != 0 || b != 0 || a != 0xffff {
				t.Errorf("%T, %d: %x %x %x %x, want red %x", to, x, r, g, b, a, want)
			}
		}
	}
	one := [3]uint32{1, 1, 1}
	picture := image.NewRGBA(image.Rect(0, 0, 2, 2))
	for name, args := range map[string][]chiaro.Argument{
		"missing":   {chiaro.Image(0, picture)},
		"buffer":    {chiaro.Buffer(0, []float32{1}), chiaro.Image(2, picture)},
		"sampler":   {chiaro.Image(0, picture), chiaro.Image(1, picture), chiaro.Image(2, picture)},
		"nil":       {chiaro.Image(0, nil), chiaro.Image(2, picture)},
		"empty":     {chiaro.Image(0, picture), chiaro.Image(2, image.NewRGBA(image.Rectangle{}))},
		"huge":      {chiaro.Image(0, image.NewUniform(color.White)), chiaro.Image(2, picture)},
		"read only": {chiaro.Image(0, picture), chiaro.Image(2, image.NewYCbCr(picture.Rect, image.YCbCrSubsampleRatio444))},
		"twice":     {chiaro.Image(0, picture), chiaro.Image(2, picture), chiaro.Image(2, picture)},
	} {
		if err := s.Run(t.Context(), one, args...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
