package vk

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// meshLeaf is the leaf of twoNodes as a mesh node: a workgroup draws a point at pixel (WorkgroupId.x, word of the payload).
const meshLeaf = `OpCapability ShaderEnqueueAMDX
OpCapability MeshShadingEXT
OpExtension "SPV_AMDX_shader_enqueue"
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshEXT %leaf "leaf" %lin %group %vertices %indices
OpExecutionMode %leaf LocalSize 1 1 1
OpExecutionMode %leaf OutputVertices 1
OpExecutionMode %leaf OutputPrimitivesEXT 1
OpExecutionMode %leaf OutputPoints
OpMemberDecorate %leafp 0 Offset 0
OpMemberDecorate %leafp 0 PayloadDispatchIndirectAMDX
OpMemberDecorate %leafp 1 Offset 4
OpDecorate %group BuiltIn WorkgroupId
OpMemberDecorate %vertex 0 BuiltIn Position
OpMemberDecorate %vertex 1 BuiltIn PointSize
OpDecorate %vertex Block
OpDecorate %indices BuiltIn PrimitivePointIndicesEXT
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f4 = OpConstant %float 4
%half = OpConstant %float 0.5
%leafp = OpTypeStruct %uint %uint
%leaves = OpTypeNodePayloadArrayAMDX %leafp
%pleaves = OpTypePointer NodePayloadAMDX %leaves
%pword = OpTypePointer NodePayloadAMDX %uint
%lin = OpVariable %pleaves NodePayloadAMDX
%pin3 = OpTypePointer Input %v3
%group = OpVariable %pin3 Input
%vertex = OpTypeStruct %v4 %float
%list = OpTypeArray %vertex %u1
%plist = OpTypePointer Output %list
%vertices = OpVariable %plist Output
%pv4 = OpTypePointer Output %v4
%pfloat = OpTypePointer Output %float
%words = OpTypeArray %uint %u1
%pwords = OpTypePointer Output %words
%indices = OpVariable %pwords Output
%puint = OpTypePointer Output %uint
%leaf = OpFunction %void None %fn
%l = OpLabel
OpSetMeshOutputsEXT %u1 %u1
%lp = OpAccessChain %pword %lin %u0 %u1
%row = OpLoad %uint %lp
%wg = OpLoad %v3 %group
%column = OpCompositeExtract %uint %wg 0
%cx = OpConvertUToF %float %column
%cy = OpConvertUToF %float %row
%mx = OpFAdd %float %cx %half
%my = OpFAdd %float %cy %half
%qx = OpFDiv %float %mx %f4
%qy = OpFDiv %float %my %f4
%x = OpFSub %float %qx %f1
%y = OpFSub %float %qy %f1
%at = OpCompositeConstruct %v4 %x %y %f0 %f1
%p = OpAccessChain %pv4 %vertices %u0 %u0
OpStore %p %at
%s = OpAccessChain %pfloat %vertices %u0 %u1
OpStore %s %f1
%i = OpAccessChain %puint %indices %u0
OpStore %i %u0
OpReturn
OpFunctionEnd
`

// meshNode describes a library with a mesh node.
func (s *scene) meshNode(t testing.TB, text string) GraphicsPipelineInfo {
	t.Helper()
	info := s.stages
	info.State, info.Flags = s.fixed, enum.PipelineFlagsLibrary|enum.PipelineFlagsExecutionGraph
	info.State.Vertex, info.State.Assembly, info.Vertex = nil, nil, nil
	info.Mesh = &StageInfo{Code: code(t, text), Entry: "leaf"}
	return info
}

// graphScratch returns scratch memory that is initialized for a graph.
func (s *scene) graphScratch(t testing.TB, p *GraphPipeline) GraphScratch {
	t.Helper()
	r := &graphRig{dev: s.dev}
	r.scratchOf(t, p.ScratchSize().Max)
	if err := s.submit(t, s.record(t, func(c *CommandBuffer) { c.InitializeGraphScratch(p, r.scratch) })); err != nil {
		t.Fatal(err)
	}
	return r.scratch
}

// TestMeshNodes links a root, a compute pipeline, with a mesh node that it sends payloads to. The command has payloads for both of them:
// the picture has the rows and the numbers of workgroups of all payloads.
func TestMeshNodes(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		for _, workers := range []int{1, 3} {
			info.Workers, info.Checking = workers, All
			s := newSceneOn(t, 1, info)
			ctx := context.Background()
			root := must(s.dev.NewComputePipeline(ctx, ComputePipelineInfo{
				Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Stage: StageInfo{Code: code(t, twoNodes), Entry: "root"}, Layout: must(s.dev.NewPipelineLayout(PipelineLayoutInfo{}))(t),
			}))(t)
			leaf := must(s.dev.NewGraphicsPipeline(ctx, s.meshNode(t, meshLeaf)))(t)
			p := must(s.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: s.layout, Computes: []*ComputePipeline{root}, Meshes: []*GraphicsPipeline{leaf}}))(t)
			for _, l := range []interface{ Close() error }{root, leaf} {
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
			}
			scratch := s.graphScratch(t, p)
			first, _ := p.NodeIndex("root", 0)
			second, ok := p.NodeIndex("leaf", 0)
			if !ok || p.PayloadSize(second) != 8 {
				t.Fatalf("payloads of the leaf have %d bytes; must have 8", p.PayloadSize(second))
			}
			s.build(t)
			got := s.shot(t, func(c *CommandBuffer) {
				c.BindGraph(p)
				c.DispatchGraph(scratch, []GraphStart{
					{Node: first, Count: 1, Payloads: payloadWords(0), Stride: 4},
					{Node: second, Count: 5, Payloads: payloadWords(3, 5, 3, 6, 0, 4, 2, 7, 8, 3), Stride: 8},
				})
			})
			wide := [8]int{0: 1, 1: 2, 3: 8, 5: 3, 6: 3, 7: 2} // pixels of each row, from the left
			for i := range 64 {
				want := [4]byte{3: 255}
				if i%8 < wide[i/8] {
					want = [4]byte{255, 255, 255, 255}
				}
				if got[i] != want {
					t.Fatalf("%d workers: pixel %d, %d is %v; must be %v", workers, i%8, i/8, got[i], want)
				}
			}
		}
	})
}

// TestMeshNodeSharing links two mesh nodes that share payloads: of all workgroups that have a payload, the last one to finish draws, in
// column 0. The nodes have the same number of workgroups, and the twin runs last: of each payload one pixel is drawn.
func TestMeshNodeSharing(t *testing.T) {
	last := strings.NewReplacer("OpMemberDecorate %leafp 0 Offset 0\n", "OpDecorate %leafp TrackFinishWritingAMDX\nOpMemberDecorate %leafp 0 Offset 0\n",
		"%f4 = OpConstant", "%f9 = OpConstant %float 9\n%f4 = OpConstant",
		"%cx = OpConvertUToF %float %column\n", "%finished = OpFinishWritingNodePayloadAMDX %bool %lin\n%cx = OpSelect %float %finished %f0 %f9\n").Replace(meshLeaf)
	twin := strings.NewReplacer("OpExecutionMode %leaf LocalSize", "OpExecutionModeId %leaf SharesInputWithAMDX %leafname %u0\nOpExecutionMode %leaf LocalSize",
		"%void = OpTypeVoid", "%leafname = OpConstantStringAMDX \"leaf\"\n%void = OpTypeVoid").Replace(last)
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		info.Checking = All
		s := newSceneOn(t, 1, info)
		ctx := context.Background()
		var list []*GraphicsPipeline
		for i, text := range []string{last, twin} {
			x := s.meshNode(t, text)
			if i == 1 {
				x.Mesh.Node = "twin"
			}
			list = append(list, must(s.dev.NewGraphicsPipeline(ctx, x))(t))
		}
		p := must(s.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: s.layout, Meshes: list}))(t)
		scratch := s.graphScratch(t, p)
		leaf, _ := p.NodeIndex("leaf", 0)
		s.build(t)
		got := s.shot(t, func(c *CommandBuffer) {
			c.BindGraph(p)
			c.DispatchGraph(scratch, []GraphStart{{Node: leaf, Count: 3, Payloads: payloadWords(3, 1, 3, 2, 5, 6), Stride: 8}})
		})
		for i := range 64 {
			want := [4]byte{3: 255}
			if i == 8 || i == 16 || i == 48 {
				want = [4]byte{255, 255, 255, 255}
			}
			if got[i] != want {
				t.Fatalf("pixel %d, %d is %v; must be %v", i%8, i/8, got[i], want)
			}
		}
	})
}

// TestMeshNodeErrors breaks rules on mesh nodes.
func TestMeshNodeErrors(t *testing.T) {
	s := newSceneOn(t, 1, DeviceInfo{Checking: All})
	ctx := context.Background()
	plain := s.meshNode(t, meshLeaf)
	plain.Flags = 0
	if _, err := s.dev.NewGraphicsPipeline(ctx, plain); err == nil || !strings.Contains(err.Error(), "VUID-VkGraphicsPipelineCreateInfo-pStages-10189") {
		t.Error(err)
	}
	leaf := must(s.dev.NewGraphicsPipeline(ctx, s.meshNode(t, meshLeaf)))(t)
	p := must(s.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: s.layout, Meshes: []*GraphicsPipeline{leaf}}))(t)
	scratch := s.graphScratch(t, p)
	run := func(inside bool, payloads []byte) error {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BindGraph(p)
		if inside {
			c.BeginRendering(s.rendering())
		}
		c.DispatchGraph(scratch, []GraphStart{{Count: 1, Payloads: payloads, Stride: 8}})
		if inside {
			c.EndRendering()
		}
		if err := c.End(); err != nil {
			return err
		}
		return s.submit(t, c)
	}
	if err := run(true, payloadWords(0, 0)); err != nil {
		t.Error(err)
	}
	if err := run(false, payloadWords(1, 0)); ruleOf(err) != "VUID-vkCmdDispatchGraphAMDX-None-10195" {
		t.Error(err)
	}
}

// meshSender is meshLeaf as a node that also sends payloads: workgroup x of a payload with the row y sends one to the leaf, with x + 1
// workgroups and the row y + 4, and one to the root of twoNodes, with the word 0.
var meshSender = strings.NewReplacer("%void = OpTypeVoid", `OpMemberDecorate %rootp 0 Offset 0
OpDecorateId %leaves PayloadNodeNameAMDX %leafname
OpDecorateId %leaves NodeMaxPayloadsAMDX %u1
OpDecorateId %leaves PayloadNodeArraySizeAMDX %u1
OpDecorateId %roots PayloadNodeNameAMDX %rootname
OpDecorateId %roots NodeMaxPayloadsAMDX %u1
OpDecorateId %roots PayloadNodeArraySizeAMDX %u1
%void = OpTypeVoid`, "%leafp = OpTypeStruct", `%u2 = OpConstant %uint 2
%u4 = OpConstant %uint 4
%leafname = OpConstantStringAMDX "leaf"
%rootname = OpConstantStringAMDX "root"
%rootp = OpTypeStruct %uint
%roots = OpTypeNodePayloadArrayAMDX %rootp
%proots = OpTypePointer NodePayloadAMDX %roots
%leafp = OpTypeStruct`, "OpReturn", `%a = OpAllocateNodePayloadsAMDX %pleaves %u2 %u1 %u0
%ag = OpAccessChain %pword %a %u0 %u0
%wide = OpIAdd %uint %column %u1
OpStore %ag %wide
%ar = OpAccessChain %pword %a %u0 %u1
%below = OpIAdd %uint %row %u4
OpStore %ar %below
OpEnqueueNodePayloadsAMDX %a
%r = OpAllocateNodePayloadsAMDX %proots %u2 %u1 %u0
%rw = OpAccessChain %pword %r %u0 %u0
OpStore %rw %u0
OpEnqueueNodePayloadsAMDX %r
OpReturn`).Replace(meshLeaf)

// sends makes a graph of a mesh node that sends payloads to a compute node and to a mesh node. The primitives of the former may be discarded.
func (s *scene) sends(t testing.TB, discards bool) *GraphPipeline {
	t.Helper()
	ctx := context.Background()
	root := must(s.dev.NewComputePipeline(ctx, ComputePipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Stage: StageInfo{Code: code(t, twoNodes), Entry: "root"}, Layout: must(s.dev.NewPipelineLayout(PipelineLayoutInfo{}))(t),
	}))(t)
	sender := s.meshNode(t, meshSender)
	sender.Mesh.Node = "sender"
	if discards {
		sender.State.Rasterization = &link.Rasterization{Discard: true}
	}
	meshes := []*GraphicsPipeline{must(s.dev.NewGraphicsPipeline(ctx, sender))(t), must(s.dev.NewGraphicsPipeline(ctx, s.meshNode(t, meshLeaf)))(t)}
	return must(s.dev.NewGraphPipeline(ctx, GraphPipelineInfo{Layout: s.layout, Computes: []*ComputePipeline{root}, Meshes: meshes}))(t)
}

// TestMeshNodeSends draws a mesh node that sends payloads. The picture does not depend on the scratch memory, which bounds the
// workgroups with payloads in memory at a time. A node that discards its primitives sends its payloads too.
func TestMeshNodeSends(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		for _, x := range []struct {
			discards bool
			wide     [8]int // pixels of each row, from the left
		}{{false, [8]int{0: 1, 1: 2, 2: 3, 3: 5, 6: 3, 7: 5}}, {true, [8]int{0: 1, 1: 2, 6: 3, 7: 5}}} {
			s := newSceneOn(t, 1, info)
			s.dev.checking = All
			p := s.sends(t, x.discards)
			scratch := s.graphScratch(t, p)
			sender, _ := p.NodeIndex("sender", 0)
			s.build(t)
			for _, size := range []uint64{scratch.Size, p.ScratchSize().Min} {
				scratch.Size = size
				got := s.shot(t, func(c *CommandBuffer) {
					c.BindGraph(p)
					c.DispatchGraph(scratch, []GraphStart{{Node: sender, Count: 2, Payloads: payloadWords(3, 2, 5, 3), Stride: 8}})
				})
				for i := range 64 {
					want := [4]byte{3: 255}
					if i%8 < x.wide[i/8] {
						want = [4]byte{255, 255, 255, 255}
					}
					if got[i] != want {
						t.Fatalf("discards %v, %d bytes of scratch: pixel %d, %d is %v; must be %v", x.discards, size, i%8, i/8, got[i], want)
					}
				}
			}
		}
	})
}

// TestMeshNodePlain draws a mesh node without the capability ShaderEnqueueAMDX, which has no payload: of each of three payloads a workgroup
// draws a point at pixel (0, WorkgroupId.z), and all of them have the number 0.
func TestMeshNodePlain(t *testing.T) {
	payload := strings.Index(meshLeaf, "OpMemberDecorate %leafp")
	names := strings.Index(meshLeaf, "OpDecorate %group")
	types, inputs := strings.Index(meshLeaf, "%leafp = OpTypeStruct"), strings.Index(meshLeaf, "%pin3 =")
	text := strings.NewReplacer("OpCapability ShaderEnqueueAMDX\n", "", "OpExtension \"SPV_AMDX_shader_enqueue\"\n", "", "%leaf \"leaf\" %lin", "%leaf \"leaf\"",
		"%lp = OpAccessChain %pword %lin %u0 %u1\n%row = OpLoad %uint %lp\n", "", "%cx = OpConvertUToF", "%row = OpCompositeExtract %uint %wg 2\n%cx = OpConvertUToF",
	).Replace(meshLeaf[:payload] + meshLeaf[names:types] + meshLeaf[inputs:])
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		info.Checking = All
		s := newSceneOn(t, 1, info)
		leaf := must(s.dev.NewGraphicsPipeline(t.Context(), s.meshNode(t, text)))(t)
		p := must(s.dev.NewGraphPipeline(t.Context(), GraphPipelineInfo{Layout: s.layout, Meshes: []*GraphicsPipeline{leaf}}))(t)
		scratch := s.graphScratch(t, p)
		s.build(t)
		got := s.shot(t, func(c *CommandBuffer) {
			c.BindGraph(p)
			c.DispatchGraph(scratch, []GraphStart{{Count: 3}})
		})
		if n := white(got); n != 1 || got[0] != [4]byte{255, 255, 255, 255} {
			t.Errorf("%d pixels are drawn; must be pixel 0, 0 alone", n)
		}
	})
}

// TestGraphCommandRules checks that the draws of mesh nodes have the rules of the dispatch, if it has them.
func TestGraphCommandRules(t *testing.T) {
	for rule, want := range map[string]string{
		"VUID-vkCmdDraw-None-08600": "VUID-vkCmdDispatchGraphAMDX-None-08600",
		"VUID-vkCmdDraw-None-08644": "VUID-vkCmdDraw-None-08644", // on draws only
	} {
		if got := commandRule(rule, "vkCmdDispatchGraphAMDX"); got != want {
			t.Errorf("%s is %s; must be %s", rule, got, want)
		}
	}
}
