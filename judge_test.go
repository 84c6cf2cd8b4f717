package chiaro_test

import (
	"context"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// texels stores a texel, a filtered value and the width of a picture of 8 by 8 texels at binding 0 for each of 64 invocations.
const texels = `
OpCapability Shader
OpCapability ImageQuery
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %from DescriptorSet 0
OpDecorate %from Binding 0
OpDecorate %array ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%v2int = OpTypeVector %int 2
%v2uint = OpTypeVector %uint 2
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%v4float = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%pimage = OpTypePointer UniformConstant %sampled
%array = OpTypeRuntimeArray %float
%block = OpTypeStruct %array
%pblock = OpTypePointer Uniform %block
%pfloat = OpTypePointer Uniform %float
%pin = OpTypePointer Input %uint
%from = OpVariable %pimage UniformConstant
%out = OpVariable %pblock Uniform
%index = OpVariable %pin Input
%c0 = OpConstant %uint 0
%c3 = OpConstant %uint 3
%c7 = OpConstant %uint 7
%c64 = OpConstant %uint 64
%c128 = OpConstant %uint 128
%zero = OpConstant %int 0
%lod = OpConstant %float 0
%step = OpConstant %float 0.0171
%more = OpConstant %float 0.143
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %index
%x = OpBitwiseAnd %uint %i %c7
%y = OpShiftRightLogical %uint %i %c3
%at = OpCompositeConstruct %v2uint %x %y
%object = OpLoad %sampled %from
%plain = OpImage %image %object
%texel = OpImageFetch %v4float %plain %at Lod %zero
%green = OpCompositeExtract %float %texel 1
%p0 = OpAccessChain %pfloat %out %c0 %i
OpStore %p0 %green
%fi = OpConvertUToF %float %i
%fy = OpConvertUToF %float %y
%u = OpFMul %float %fi %step
%v = OpFMul %float %fy %more
%uv = OpCompositeConstruct %v2float %u %v
%filtered = OpImageSampleExplicitLod %v4float %object %uv Lod %lod
%blue = OpCompositeExtract %float %filtered 2
%i1 = OpIAdd %uint %i %c64
%p1 = OpAccessChain %pfloat %out %c0 %i1
OpStore %p1 %blue
%size = OpImageQuerySizeLod %v2int %plain %zero
%width = OpCompositeExtract %int %size 0
%f = OpConvertSToF %float %width
%i2 = OpIAdd %uint %i %c128
%p2 = OpAccessChain %pfloat %out %c0 %i2
OpStore %p2 %f
OpReturn
OpFunctionEnd
`

// TestJudgeTexels judges the texels of a picture: those of both engines are permitted, and other values are not.
func TestJudgeTexels(t *testing.T) {
	ctx := context.Background()
	words, err := asm.Assemble([]byte(texels), asm.AssembleOptions{Version: spirv.Version10})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2, 3))
	picture := image.NewNRGBA64(image.Rect(3, 2, 11, 10))
	for y := 2; y < 10; y++ {
		for x := 3; x < 11; x++ {
			picture.Set(x, y, color.NRGBA64{uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32()), 0xffff})
		}
	}
	for _, interp := range []bool{false, true} {
		s, err := chiaro.Options{Interpreter: interp}.Compile(ctx, asm.Bytes(words))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out := make([]float32, 192)
		args := []chiaro.Argument{chiaro.Image(0, picture), chiaro.Buffer(1, make([]float32, 192))}
		if err := s.Run(ctx, [3]uint32{1, 1, 1}, chiaro.Image(0, picture), chiaro.Buffer(1, out)); err != nil {
			t.Fatal(err)
		}
		judge := func(want int) {
			t.Helper()
			list, err := s.Judge(ctx, [3]uint32{1, 1, 1}, args, []chiaro.Argument{chiaro.Buffer(1, out)})
			if err != nil || len(list) != want {
				t.Errorf("%d numbers are not permitted; must be %d: %v, %v", len(list), want, list, err)
			}
		}
		judge(0)
		for _, k := range []int{5, 64 + 9, 128} {
			old := out[k]
			out[k] += 0.5
			judge(1)
			out[k] = old
		}
		out[7] += 0x1p-16 // the conversion of a texel may have an error of one part in 10⁵
		judge(1)
	}
}
