package vk

import (
	"context"
	"crypto/sha256"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/link"
)

// The types of the shaders below.
const wayTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%i3 = OpConstant %int 3
%i4 = OpConstant %int 4
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f2 = OpConstant %float 2
%half = OpConstant %float 0.5
%pi4 = OpTypePointer Input %v4
%po4 = OpTypePointer Output %v4
%pof = OpTypePointer Output %float
%pif = OpTypePointer Input %float
%pi3 = OpTypePointer Input %v3
%pii = OpTypePointer Input %int
%four = OpConstantComposite %v4 %half %half %half %half
`

// colored writes attribute 0 as the position and, shrunk by the specialization constant 0, as the color.
const colored = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out %color
OpDecorate %in Location 0
OpDecorate %color Location 0
OpDecorate %out BuiltIn Position
OpDecorate %scale SpecId 0
` + wayTypes + `%scale = OpSpecConstant %float 0.25
%in = OpVariable %pi4 Input
%out = OpVariable %po4 Output
%color = OpVariable %po4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %in
OpStore %out %x
%y = OpVectorTimesScalar %v4 %x %scale
%z = OpFAdd %v4 %y %four
OpStore %color %z
OpReturn
OpFunctionEnd
`

// striped writes its interpolated input, darker where the red component is above the specialization constant 0.
const striped = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %out Location 0
OpDecorate %edge SpecId 0
` + wayTypes + `%edge = OpSpecConstant %float 0.5
%in = OpVariable %pi4 Input
%out = OpVariable %po4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %in
%r = OpCompositeExtract %float %x 0
%c = OpFOrdGreaterThan %bool %r %edge
OpSelectionMerge %end None
OpBranchConditional %c %dark %end
%dark = OpLabel
%y = OpVectorTimesScalar %v4 %x %half
OpBranch %end
%end = OpLabel
%z = OpPhi %v4 %x %l %y %dark
OpStore %out %z
OpReturn
OpFunctionEnd
`

// divided passes three positions on and divides the edges of the triangle.
const divided = `OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationControl %main "main" %in %out %id %outer %inner
OpExecutionMode %main OutputVertices 3
OpDecorate %block Block
OpMemberDecorate %block 0 BuiltIn Position
OpDecorate %id BuiltIn InvocationId
OpDecorate %outer BuiltIn TessLevelOuter
OpDecorate %outer Patch
OpDecorate %inner BuiltIn TessLevelInner
OpDecorate %inner Patch
` + wayTypes + `%block = OpTypeStruct %v4
%u32 = OpConstant %uint 32
%ins = OpTypeArray %block %u32
%outs = OpTypeArray %block %u3
%pins = OpTypePointer Input %ins
%pouts = OpTypePointer Output %outs
%a4 = OpTypeArray %float %u4
%a2 = OpTypeArray %float %u2
%pa4 = OpTypePointer Output %a4
%pa2 = OpTypePointer Output %a2
%in = OpVariable %pins Input
%out = OpVariable %pouts Output
%id = OpVariable %pii Input
%outer = OpVariable %pa4 Output
%inner = OpVariable %pa2 Output
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %int %id
%pi = OpAccessChain %pi4 %in %i %i0
%x = OpLoad %v4 %pi
%po = OpAccessChain %po4 %out %i %i0
OpStore %po %x
%o0 = OpAccessChain %pof %outer %i0
OpStore %o0 %f2
%o1 = OpAccessChain %pof %outer %i1
OpStore %o1 %f1
%o2 = OpAccessChain %pof %outer %i2
OpStore %o2 %f2
%n0 = OpAccessChain %pof %inner %i0
OpStore %n0 %f2
OpReturn
OpFunctionEnd
`

// placed interpolates the positions of a patch; the color is the coordinate in the patch.
const placed = `OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main "main" %in %out %at %color
OpExecutionMode %main Triangles
OpExecutionMode %main SpacingEqual
OpExecutionMode %main VertexOrderCcw
OpDecorate %block Block
OpMemberDecorate %block 0 BuiltIn Position
OpDecorate %oblock Block
OpMemberDecorate %oblock 0 BuiltIn Position
OpDecorate %at BuiltIn TessCoord
OpDecorate %color Location 0
` + wayTypes + `%block = OpTypeStruct %v4
%oblock = OpTypeStruct %v4
%u32 = OpConstant %uint 32
%ins = OpTypeArray %block %u32
%pins = OpTypePointer Input %ins
%pblock = OpTypePointer Output %oblock
%in = OpVariable %pins Input
%out = OpVariable %pblock Output
%at = OpVariable %pi3 Input
%color = OpVariable %po4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%t = OpLoad %v3 %at
%p0 = OpAccessChain %pi4 %in %i0 %i0
%p1 = OpAccessChain %pi4 %in %i1 %i0
%p2 = OpAccessChain %pi4 %in %i2 %i0
%x0 = OpLoad %v4 %p0
%x1 = OpLoad %v4 %p1
%x2 = OpLoad %v4 %p2
%t0 = OpCompositeExtract %float %t 0
%t1 = OpCompositeExtract %float %t 1
%t2 = OpCompositeExtract %float %t 2
%y0 = OpVectorTimesScalar %v4 %x0 %t0
%y1 = OpVectorTimesScalar %v4 %x1 %t1
%y2 = OpVectorTimesScalar %v4 %x2 %t2
%y = OpFAdd %v4 %y0 %y1
%z = OpFAdd %v4 %y %y2
%po = OpAccessChain %po4 %out %i0
OpStore %po %z
%c = OpCompositeConstruct %v4 %t0 %t1 %t2 %f1
OpStore %color %c
OpReturn
OpFunctionEnd
`

// TestPatchCoordinate decorates TessCoord as Patch, as compilers of HLSL do: it stays the coordinate in the patch.
func TestPatchCoordinate(t *testing.T) {
	s := newScene(t, 1)
	var pictures [][256]byte
	for _, evaluation := range []string{placed, strings.Replace(placed, "OpDecorate %at BuiltIn TessCoord", "OpDecorate %at BuiltIn TessCoord\nOpDecorate %at Patch", 1)} {
		w := s.way(t, wayCase{code: [StageCompute]string{StageVertex: positions, StageTessControl: divided, StageTessEvaluation: evaluation, StageFragment: striped}, topology: enum.TopologyPatchList})
		p := must(s.dev.NewGraphicsPipeline(context.Background(), w.info(s.fixed)))(t)
		pictures = append(pictures, s.picture(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(p) }))
	}
	if pictures[0] != pictures[1] {
		t.Error("TessCoord with Patch draws another picture")
	}
}

// halved emits each triangle with its vertices moved halfway to its first one, in a color of its vertices' numbers.
const halved = `OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main" %in %out %color
OpExecutionMode %main Triangles
OpExecutionMode %main Invocations 1
OpExecutionMode %main OutputTriangleStrip
OpExecutionMode %main OutputVertices 3
OpDecorate %block Block
OpMemberDecorate %block 0 BuiltIn Position
OpDecorate %oblock Block
OpMemberDecorate %oblock 0 BuiltIn Position
OpDecorate %color Location 0
` + wayTypes + `%block = OpTypeStruct %v4
%oblock = OpTypeStruct %v4
%ins = OpTypeArray %block %u3
%pins = OpTypePointer Input %ins
%pblock = OpTypePointer Output %oblock
%in = OpVariable %pins Input
%out = OpVariable %pblock Output
%color = OpVariable %po4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%p0 = OpAccessChain %pi4 %in %i0 %i0
%first = OpLoad %v4 %p0
OpBranch %loop
%loop = OpLabel
%i = OpPhi %int %i0 %l %next %body
OpLoopMerge %done %body None
OpBranch %test
%test = OpLabel
%c = OpSLessThan %bool %i %i3
OpBranchConditional %c %body %done
%body = OpLabel
%pi = OpAccessChain %pi4 %in %i %i0
%x = OpLoad %v4 %pi
%sum = OpFAdd %v4 %x %first
%mid = OpVectorTimesScalar %v4 %sum %half
%po = OpAccessChain %po4 %out %i0
OpStore %po %mid
%f = OpConvertSToF %float %i
%g = OpFMul %float %f %half
%col = OpCompositeConstruct %v4 %g %half %f1 %f1
OpStore %color %col
OpEmitVertex
%next = OpIAdd %int %i %i1
OpBranch %loop
%done = OpLabel
OpEndPrimitive
OpReturn
OpFunctionEnd
`

// wayCase is a set of shaders, by stage.
type wayCase struct {
	name     string
	code     [StageCompute]string
	spec     map[ShaderStage]facts.Spec
	topology enum.Topology
	state    func(*FixedState)
}

// wayCases are the sets of the test; with all, each under more states.
func wayCases(all bool) []wayCase {
	half := facts.Spec{0: 0x3f000000}
	list := []wayCase{
		{name: "flat", code: [StageCompute]string{StageVertex: positions, StageFragment: pushed}, topology: enum.TopologyTriangleList},
		{name: "colored", code: [StageCompute]string{StageVertex: colored, StageFragment: striped}, topology: enum.TopologyTriangleList},
		{name: "specialized", code: [StageCompute]string{StageVertex: colored, StageFragment: striped}, topology: enum.TopologyTriangleStrip, spec: map[ShaderStage]facts.Spec{StageVertex: half, StageFragment: {0: 0x3f400000}}},
		{name: "divided", code: [StageCompute]string{StageVertex: positions, StageTessControl: divided, StageTessEvaluation: placed, StageFragment: striped}, topology: enum.TopologyPatchList},
		{name: "halved", code: [StageCompute]string{StageVertex: positions, StageGeometry: halved, StageFragment: striped}, topology: enum.TopologyTriangleList},
	}
	if !all {
		return list
	}
	list = append(list, wayCase{name: "divided and halved", code: [StageCompute]string{StageVertex: positions, StageTessControl: divided, StageTessEvaluation: strings.ReplaceAll(placed, "Location 0", "Location 1"), StageGeometry: halved, StageFragment: striped}, topology: enum.TopologyPatchList})
	states := map[string]func(*FixedState){
		"additive": func(f *FixedState) {
			f.Blend = &link.ColorBlend{Attachments: []link.Blend{{Enable: true, SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorOne, SrcAlpha: enum.BlendFactorOne}}}
		},
		"masked": func(f *FixedState) {
			green := uint32(2)
			f.Blend = &link.ColorBlend{Attachments: []link.Blend{{Mask: &green}}}
		},
		"lines": func(f *FixedState) {
			f.Rasterization = &link.Rasterization{LineWidth: 1, Polygon: enum.PolygonModeLine}
		},
		"culled": func(f *FixedState) { f.Rasterization = &link.Rasterization{LineWidth: 1, Cull: enum.CullModeBack} },
		"behind": func(f *FixedState) {
			f.DepthStencil = &link.DepthStencil{DepthTest: true, DepthWrite: true, Compare: enum.CompareOpGreaterOrEqual}
		},
	}
	for _, c := range list {
		for name, change := range states {
			c.name, c.state = c.name+", "+name, change
			list = append(list, c)
		}
	}
	return list
}

// wayScene is a scene with the shaders of a case.
type wayScene struct {
	*scene
	wayCase
	modules [StageCompute]*ShaderModule
}

func (s *scene) way(t testing.TB, c wayCase) *wayScene {
	t.Helper()
	w := &wayScene{scene: s, wayCase: c}
	for i, text := range c.code {
		if text != "" {
			w.modules[i] = must(s.dev.NewShaderModule(context.Background(), code(t, text)))(t)
		}
	}
	return w
}

// info describes the pipeline of the case.
func (w *wayScene) info(f FixedState) GraphicsPipelineInfo {
	f.Assembly = &link.InputAssembly{Topology: w.topology}
	if w.topology == enum.TopologyPatchList {
		f.Tessellation = &link.Tessellation{PatchControlPoints: 3}
	}
	if w.state != nil {
		w.state(&f)
	}
	info := GraphicsPipelineInfo{Layout: w.layout, State: f}
	for i, p := range []**StageInfo{&info.Vertex, &info.TessControl, &info.TessEvaluation, &info.Geometry, &info.Task, &info.Mesh, &info.Fragment} {
		if w.modules[i] != nil {
			*p = &StageInfo{Module: w.modules[i], Specialization: w.spec[ShaderStage(i)]}
		}
	}
	return info
}

// libraries makes the pipeline of four libraries, one for each part.
func (w *wayScene) libraries(t testing.TB, library, linked enum.PipelineFlags) *GraphicsPipeline {
	t.Helper()
	whole := w.info(w.fixed)
	var list []*GraphicsPipeline
	for _, part := range []enum.Parts{inputPart, rasterPart, fragmentPart, outputPart} {
		info := whole
		info.Parts, info.Flags = part, enum.PipelineFlagsLibrary|library
		list = append(list, must(w.dev.NewGraphicsPipeline(context.Background(), info))(t))
	}
	p := must(w.dev.NewGraphicsPipeline(context.Background(), GraphicsPipelineInfo{Creation: Creation{Flags: linked}, Libraries: list, Layout: w.layout}))(t)
	for _, l := range list { // which the pipeline needs no more
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	return p
}

// binaries makes the pipeline of binaries that are written and read back on another device: no stage has its code.
func (w *wayScene) binaries(t testing.TB) *GraphicsPipeline {
	t.Helper()
	info := w.info(w.fixed)
	info.Flags = enum.PipelineFlagsCaptureData
	p := must(w.dev.NewGraphicsPipeline(context.Background(), info))(t)
	defer p.Close()
	var data []PipelineBinaryData
	for _, b := range must(w.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: p}))(t) {
		data = append(data, must(b.Data())(t))
	}
	info.Flags, info.Binaries = 0, must(w.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: data}))(t)
	for _, s := range []*StageInfo{info.Vertex, info.TessControl, info.TessEvaluation, info.Geometry, info.Fragment} {
		if s != nil {
			s.Module = nil
		}
	}
	return must(w.dev.NewGraphicsPipeline(context.Background(), info))(t)
}

// shaders makes the shader objects of the case; with their binary code a second time.
func (w *wayScene) shaders(t testing.TB, flags enum.ObjectFlags, binary bool) (stages []ShaderStage, objects []*Shader) {
	t.Helper()
	var infos []ShaderInfo
	for i, text := range w.code {
		if text == "" {
			continue
		}
		info := ShaderInfo{Stage: ShaderStage(i), Code: code(t, text), Layout: w.layout, Flags: flags, Specialization: w.spec[ShaderStage(i)]}
		for next := ShaderStage(i) + 1; next < StageCompute; next++ {
			if w.code[next] != "" {
				info.Next = 1 << link.StageOf(next.model())
				break
			}
		}
		stages, infos = append(stages, ShaderStage(i)), append(infos, info)
	}
	objects = must(w.dev.NewShaders(context.Background(), infos))(t)
	if !binary {
		return stages, objects
	}
	for i, o := range objects {
		infos[i].Code, infos[i].Binary = must(o.BinaryCode())(t), true
	}
	return stages, must(w.dev.NewShaders(context.Background(), infos))(t)
}

// setFixed sets all states of the case.
func (w *wayScene) setFixed(c *CommandBuffer) {
	f := w.info(w.fixed).State
	w.setAll(c)
	c.SetTopology(w.topology)
	c.SetPatchControlPoints(3)
	c.SetDomainOrigin(enum.DomainOriginUpperLeft)
	c.SetPolygonMode(f.Rasterization.Polygon)
	c.SetCullMode(f.Rasterization.Cull)
	c.SetLineWidth(1)
	c.SetDepthCompareOp(f.DepthStencil.Compare)
	b := f.Blend.Attachments[0]
	c.SetBlendEnable(0, b.Enable)
	c.SetBlendEquation(0, b)
	c.SetColorWriteMask(0, uint32(b.Writes()))
}

// TestWays draws each case as a pipeline, with shader objects (unlinked, linked, of binary code), with libraries (linked
// fast and optimized) and with pipeline binaries: the pictures are equal. CHIARO_LONG adds cases. It is rows E03, E04, F07.
func TestWays(t *testing.T) {
	s := newScene(t, 1)
	s.dev.checking = All
	const retain, optimize = enum.PipelineFlagsRetainLinkTimeOptimizationInfo, enum.PipelineFlagsLinkTimeOptimization
	digests := map[[32]byte]string{}
	for _, c := range wayCases(os.Getenv("CHIARO_LONG") != "") {
		w := s.way(t, c)
		p := must(s.dev.NewGraphicsPipeline(context.Background(), w.info(s.fixed)))(t)
		want := sum(s.picture(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(p) }))
		if other, ok := digests[want]; ok && c.state == nil {
			t.Errorf("%s has the picture of %s", c.name, other)
		}
		digests[want] = c.name
		ways := map[string]func(c *CommandBuffer){}
		for name, p := range map[string]*GraphicsPipeline{
			"libraries": w.libraries(t, 0, 0), "optimized libraries": w.libraries(t, retain, optimize), "binaries": w.binaries(t),
		} {
			ways[name] = func(c *CommandBuffer) { c.BindGraphicsPipeline(p) }
		}
		for name, how := range map[string]struct {
			flags  enum.ObjectFlags
			binary bool
		}{"objects": {0, false}, "linked objects": {enum.ObjectFlagsLinkStage, false}, "objects of binaries": {0, true}, "linked objects of binaries": {enum.ObjectFlagsLinkStage, true}} {
			stages, objects := w.shaders(t, how.flags, how.binary)
			ways[name] = func(c *CommandBuffer) { w.setFixed(c); c.BindShaders(stages, objects) }
		}
		for name, bind := range ways {
			if got := sum(s.picture(t, bind)); got != want {
				t.Errorf("%s: another picture by %s", c.name, name)
			}
		}
	}
}

func sum(picture [256]byte) [32]byte { return sha256.Sum256(picture[:]) }

// TestComputeWays runs a compute shader as a pipeline, from a cache and from binaries that another device wrote, and as
// shader objects: the sums are equal.
func TestComputeWays(t *testing.T) {
	ctx := context.Background()
	other := newRig(t, DeviceInfo{}, storage)
	cache := must(other.dev.NewPipelineCache(nil))(t)
	p := must(other.dev.NewComputePipeline(ctx, other.computeInfo(t, Creation{Cache: cache, Flags: enum.PipelineFlagsCaptureData})))(t)
	written := must(must(other.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: p}))(t)[0].Data())(t)
	for _, way := range []string{"pipeline", "cache", "binary", "object", "object of binary"} {
		t.Run(way, func(t *testing.T) {
			r := newRig(t, DeviceInfo{}, storage)
			info := r.computeInfo(t, Creation{})
			switch way {
			case "cache":
				info.Flags, info.Cache = failOnCompile, must(r.dev.NewPipelineCache(must(cache.Data())(t)))(t)
			case "binary":
				info.Stage.Code = nil
				info.Binaries = must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: []PipelineBinaryData{written}}))(t)
			case "object", "object of binary":
				object := ShaderInfo{Stage: StageCompute, Code: info.Stage.Code, Layout: r.pipeline}
				list := must(r.dev.NewShaders(ctx, []ShaderInfo{object}))(t)
				if way == "object of binary" {
					object.Code, object.Binary = must(list[0].BinaryCode())(t), true
					list = must(r.dev.NewShaders(ctx, []ShaderInfo{object}))(t)
				}
				c := r.record(t, func(c *CommandBuffer) {
					c.BindShaders([]ShaderStage{StageCompute}, list)
					c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
					c.PushConstants(r.pipeline, 0, push(3))
					c.Dispatch(2, 1, 1)
				})
				if err := r.submit(t, c); err != nil {
					t.Fatal(err)
				}
				if got := r.get(64, 5); got != 115 {
					t.Errorf("y[5] is %v, want 115", got)
				}
				return
			}
			if got := r.runSaxpy(t, must(r.dev.NewComputePipeline(ctx, info))(t)); got != 115 {
				t.Errorf("y[5] is %v, want 115", got)
			}
		})
	}
}
