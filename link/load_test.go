package link_test

import (
	"fmt"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestLoad demands that a pipeline with nothing rare in it is checked by its entry
// points alone: the modules of an archive are many, and are not kept.
func TestLoad(t *testing.T) {
	const text = `
kind: graphics
dynamic: [viewport, scissor]
stages: {vertex: v.spvasm, fragment: f.spvasm}
layout:
  sets: {0: {0: {type: uniform_buffer}, 1: {type: combined_image_sampler, count: 4}}}
  push_constants: [{offset: 0, size: 16}]
vertex_input: {bindings: [{binding: 0, stride: 16}], attributes: [{location: 0, binding: 0, format: R32G32B32A32_SFLOAT}]}
input_assembly: {topology: triangle_list}
rasterization: {line_width: 1}
multisample: {samples: 4, sample_shading: true, min_sample_shading: 0.5}
depth_stencil: {depth_test: true, depth_write: true}
color_blend: {attachments: [{enable: true}]}
render_pass: {attachments: [{format: R8G8B8A8_UNORM, samples: 4}], subpasses: [{color: [0]}]}
`
	const stage = `OpCapability Shader
OpMemoryModel Logical GLSL450
%s
OpDecorate %%i Location 0
OpDecorate %%o Location 0
OpDecorate %%u DescriptorSet 0
OpDecorate %%u Binding 0
OpDecorate %%s Block
OpMemberDecorate %%s 0 Offset 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%float = OpTypeFloat 32
%%v4 = OpTypeVector %%float 4
%%s = OpTypeStruct %%v4
%%ps = OpTypePointer Uniform %%s
%%pi = OpTypePointer Input %%v4
%%po = OpTypePointer Output %%v4
%%u = OpVariable %%ps Uniform
%%i = OpVariable %%pi Input
%%o = OpVariable %%po Output
%%main = OpFunction %%void None %%fn
%%l = OpLabel
%%x = OpLoad %%v4 %%i
%%y = OpLoad %%s %%u
OpStore %%o %%x
OpReturn
OpFunctionEnd
`
	a := &txtar.Archive{Files: []txtar.File{
		{Name: "v.spvasm", Data: fmt.Appendf(nil, stage, `OpEntryPoint Vertex %main "main" %i %o %u`)},
		{Name: "f.spvasm", Data: fmt.Appendf(nil, stage, "OpEntryPoint Fragment %main \"main\" %i %o %u\nOpExecutionMode %main OriginUpperLeft")},
	}}
	env, ok := valid.ParseEnv("vulkan1.4")
	if !ok {
		t.Fatal("no environment")
	}
	d, err := describe.Read([]byte(text), "x.yaml", func(s describe.Stage) (*link.Shader, error) {
		k, err := caseShader(a, s, env)
		if err != nil {
			return nil, err
		}
		k.Module, k.Load = nil, func() *valid.Module {
			t.Errorf("the module of the %s stage is read", s.Stage)
			return nil
		}
		return k, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range valid.DeviceNames() {
		d.Env = env
		d.Device, _ = valid.BuiltinDevice(name, valid.Vulkan14)
		link.Link(d)
	}
}
