package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// sceneVertex places vertices by a hash of their numbers and the salt.
const sceneVertex = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %index %position %color
OpDecorate %index BuiltIn VertexIndex
OpDecorate %position BuiltIn Position
OpDecorate %color Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%f = OpTypeFloat 32
%v4 = OpTypeVector %f 4
%block = OpTypeStruct %u %f
%pi = OpTypePointer Input %u
%po = OpTypePointer Output %v4
%pb = OpTypePointer PushConstant %block
%pu = OpTypePointer PushConstant %u
%pf = OpTypePointer PushConstant %f
%index = OpVariable %pi Input
%position = OpVariable %po Output
%color = OpVariable %po Output
%push = OpVariable %pb PushConstant
%zero = OpConstant %u 0
%one = OpConstant %u 1
%n8 = OpConstant %u 8
%n20 = OpConstant %u 20
%m = OpConstant %u 4095
%k = OpConstant %u 2654435761
%s = OpConstant %f 0.00048828125
%f1 = OpConstant %f 1
%half = OpConstant %f 0.00024414
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %u %index
%ps = OpAccessChain %pu %push %zero
%salt = OpLoad %u %ps
%pz = OpAccessChain %pf %push %one
%size = OpLoad %f %pz
%i1 = OpIAdd %u %i %salt
%h = OpIMul %u %i1 %k
%a0 = OpShiftRightLogical %u %h %n20
%a1 = OpShiftRightLogical %u %h %n8
%a2 = OpBitwiseAnd %u %a1 %m
%a3 = OpBitwiseAnd %u %h %m
%x0 = OpConvertUToF %f %a0
%y0 = OpConvertUToF %f %a2
%z0 = OpConvertUToF %f %a3
%x1 = OpFMul %f %x0 %s
%y1 = OpFMul %f %y0 %s
%z = OpFMul %f %z0 %half
%x = OpFSub %f %x1 %f1
%y = OpFSub %f %y1 %f1
%p = OpCompositeConstruct %v4 %x %y %z %f1
OpStore %position %p
%c = OpCompositeConstruct %v4 %x1 %y1 %z %size
OpStore %color %c
OpReturn
OpFunctionEnd`

// sceneFragment writes the color, or its sum with a texel at its first components.
const sceneFragment = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %out Location 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%v2 = OpTypeVector %f 2
%v4 = OpTypeVector %f 4
%image = OpTypeImage %f 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%pt = OpTypePointer UniformConstant %sampled
%pi = OpTypePointer Input %v4
%po = OpTypePointer Output %v4
%tex = OpVariable %pt UniformConstant
%in = OpVariable %pi Input
%out = OpVariable %po Output
%main = OpFunction %void None %fn
%l = OpLabel
%c = OpLoad %v4 %in
READ
OpStore %out %o
OpReturn
OpFunctionEnd`

// TestScenes draws a small frame of each scene: all engines draw the same picture, which is not empty, and no two scenes draw the same.
func TestScenes(t *testing.T) {
	dir := t.TempDir()
	read := map[bool]string{
		false: "%o = OpCopyObject %v4 %c",
		true:  "%t = OpLoad %sampled %tex\n%uv = OpVectorShuffle %v2 %c %c 0 1\n%texel = OpImageSampleImplicitLod %v4 %t %uv\n%o = OpFAdd %v4 %texel %c",
	}
	for _, s := range scenes {
		for file, text := range map[string]string{s.vertex: sceneVertex, s.fragment: strings.Replace(sceneFragment, "READ", read[s.texture > 0], 1)} {
			words, err := asm.Assemble([]byte(text), asm.AssembleOptions{})
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, file+".spv"), asm.Bytes(words), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var seen [][]byte
	for name, s := range scenes {
		d := s.drawFlags
		d.size, d.vertices, d.draws, d.texture = "80x56", min(d.vertices, 60), min(d.draws, 5), min(d.texture, 32)
		files := []string{filepath.Join(dir, s.vertex+".spv"), filepath.Join(dir, s.fragment+".spv")}
		engines := []exec.Engine{interp.Engine{}}
		for _, l := range jit.Levels() {
			engines = append(engines, jit.Engine{Level: l})
		}
		var first []byte
		for _, e := range engines {
			f := benchFlags{push: "7,f0.5", threads: 2}
			var errs bytes.Buffer
			c := console{strings.NewReader(""), &errs, &errs, new(lastInput), nil}
			drawn, err := f.scene(context.Background(), c, d, e, lower.Options{}, files)
			if err != nil {
				t.Fatalf("%s, %s: %v %s", name, e.Name(), err, errs.String())
			}
			err = drawn.bench.run(drawn.commands)
			var texels []byte
			if err == nil {
				texels, err = drawn.bench.texels(drawn.color)
			}
			drawn.bench.device.Close()
			switch {
			case err != nil:
				t.Fatalf("%s, %s: %v", name, e.Name(), err)
			case first == nil:
				first = texels
			case !bytes.Equal(texels, first):
				t.Errorf("%s: %s draws another picture than %s", name, e.Name(), engines[0].Name())
			}
		}
		if bytes.Count(first, first[:4]) == len(first)/4 {
			t.Errorf("%s: all pixels are %x", name, first[:4])
		}
		// Scenes that differ in shaders, vertices or textures alone draw the same with these shaders and sizes.
		same := slices.Contains([]string{"cheap", "heavy", "tris", "small", "overdraw", "tex", "aniso"}, name)
		if slices.ContainsFunc(seen, func(p []byte) bool { return bytes.Equal(p, first) }) && !same {
			t.Errorf("%s draws the picture of another scene", name)
		}
		if !same {
			seen = append(seen, first)
		}
		if len(strings.Split(sceneNames, name)) != 2 {
			t.Errorf("%q does not name the scene %s once", sceneNames, name)
		}
	}
}

// TestSceneSizes checks the sizes of triangles: those of small are smaller than the default, those of others larger.
func TestSceneSizes(t *testing.T) {
	for name, want := range map[string]string{"small": "12345,f0.002", "tris": "12345,f0.006", "overdraw": "12345,f0.5"} {
		kind := scenes[name].kind
		if got := kind.push(); got != want {
			t.Errorf("%s: --push is %s by default; want %s", name, got, want)
		}
	}
}
