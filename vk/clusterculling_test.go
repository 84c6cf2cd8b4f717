package vk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// evenClusters is a cluster culling shader: of the invocations of a workgroup of four, those with an even number emit a cluster. Cluster i
// draws 6 indices from 6 · i on.
const evenClusters = `OpCapability Shader
OpCapability ClusterCullingShadingHUAWEI
OpExtension "SPV_HUAWEI_cluster_culling_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint ClusterCullingHUAWEI %main "main" %id %count %first %instances %offset %cluster
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %count BuiltIn IndexCountHUAWEI
OpDecorate %first BuiltIn FirstIndexHUAWEI
OpDecorate %instances BuiltIn InstanceCountHUAWEI
OpDecorate %offset BuiltIn VertexOffsetHUAWEI
OpDecorate %cluster BuiltIn ClusterIDHUAWEI
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%v3 = OpTypeVector %uint 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u6 = OpConstant %uint 6
%i0 = OpConstant %int 0
%pv3 = OpTypePointer Input %v3
%puint = OpTypePointer Output %uint
%pint = OpTypePointer Output %int
%id = OpVariable %pv3 Input
%count = OpVariable %puint Output
%first = OpVariable %puint Output
%instances = OpVariable %puint Output
%offset = OpVariable %pint Output
%cluster = OpVariable %puint Output
%main = OpFunction %void None %fn
%l = OpLabel
%xyz = OpLoad %v3 %id
%i = OpCompositeExtract %uint %xyz 0
%odd = OpBitwiseAnd %uint %i %u1
%even = OpIEqual %bool %odd %u0
OpSelectionMerge %end None
OpBranchConditional %even %then %end
%then = OpLabel
OpStore %count %u6
%at = OpIMul %uint %i %u6
OpStore %first %at
OpStore %instances %u1
OpStore %offset %i0
OpStore %cluster %i
OpDispatchClusterHUAWEI
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`

// unindexed draws 4 vertices of a strip from 4 · i on instead: a pipeline of strips has the same picture.
var unindexed = strings.NewReplacer("IndexCountHUAWEI", "VertexCountHUAWEI", "FirstIndexHUAWEI", "FirstVertexHUAWEI", "OpDecorate %offset BuiltIn VertexOffsetHUAWEI", "OpDecorate %offset BuiltIn FirstInstanceHUAWEI",
	"%u6 = OpConstant %uint 6", "%u6 = OpConstant %uint 3", "OpConstant %int 0", "OpConstant %uint 0", "%pint = OpTypePointer Output %int\n", "", "OpVariable %pint Output", "OpVariable %puint Output").Replace(evenClusters)

// initialized is evenClusters with the number of instances as the initializer of the output.
var initialized = strings.NewReplacer("%instances = OpVariable %puint Output", "%instances = OpVariable %puint Output %u1", "OpStore %instances %u1\n", "").Replace(evenClusters)

// ownVertices is a vertex shader that moves a vertex out of the picture unless it is one of the three of the triangle DrawIndex.
const ownVertices = `OpCapability Shader
OpCapability DrawParameters
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out %vertex %draw
OpDecorate %in Location 0
OpDecorate %out BuiltIn Position
OpDecorate %vertex BuiltIn VertexIndex
OpDecorate %draw BuiltIn DrawIndex
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%int = OpTypeInt 32 1
%i3 = OpConstant %int 3
%f5 = OpConstant %float 5
%f1 = OpConstant %float 1
%away = OpConstantComposite %v4 %f5 %f5 %f1 %f1
%pin = OpTypePointer Input %v4
%pint = OpTypePointer Input %int
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%vertex = OpVariable %pint Input
%draw = OpVariable %pint Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v4 %in
%v = OpLoad %int %vertex
%d = OpLoad %int %draw
%n = OpSDiv %int %v %i3
%own = OpIEqual %bool %n %d
%p = OpSelect %v4 %own %at %away
OpStore %out %p
OpReturn
OpFunctionEnd
`

// ratedClusters gives clusters from 4 on a rate of 2×2 pixels (Vertical2Pixels, Horizontal2Pixels), and 0 to the others.
var ratedClusters = strings.NewReplacer("%instances %offset", "%instances %rate %offset", "OpDecorate %cluster", "OpDecorate %rate BuiltIn ClusterShadingRateHUAWEI\nOpDecorate %cluster",
	"%u6 = OpConstant", "%u4 = OpConstant %uint 4\n%u5 = OpConstant %uint 5\n%u6 = OpConstant", "%cluster = OpVariable", "%rate = OpVariable %puint Output\n%cluster = OpVariable",
	"OpDispatchClusterHUAWEI", "%near = OpULessThan %bool %i %u4\n%r = OpSelect %uint %near %u0 %u5\nOpStore %rate %r\nOpDispatchClusterHUAWEI").Replace(evenClusters)

// rateColor writes a fifth of its shading rate as red.
const rateColor = `OpCapability Shader
OpCapability FragmentShadingRateKHR
OpExtension "SPV_KHR_fragment_shading_rate"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out %rate
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %rate BuiltIn ShadingRateKHR
OpDecorate %rate Flat
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f5 = OpConstant %float 5
%pint = OpTypePointer Input %int
%pout = OpTypePointer Output %v4
%rate = OpVariable %pint Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%r = OpLoad %int %rate
%f = OpConvertSToF %float %r
%red = OpFDiv %float %f %f5
%x = OpCompositeConstruct %v4 %red %f1 %f0 %f1
OpStore %out %x
OpReturn
OpFunctionEnd
`

// TestClusterShadingRate draws clusters with shading rates: ClusterShadingRateHUAWEI is the shading rate of the fragments of the cluster.
func TestClusterShadingRate(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		s := clusterScene(t, info, ratedClusters)
		s.stages.Fragment = &StageInfo{Code: code(t, rateColor)}
		s.build(t)
		got := s.shot(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BindIndexBuffer(s.vertices, 384, 4)
			c.DrawCluster(2, 1, 1)
		})
		for i, red := range map[int]byte{0: 0, 2: 0, 4: 255, 6: 255} {
			if want := [4]byte{red, 255, 0, 255}; got[9*i] != want {
				t.Errorf("pixel %d, %d is %v; must be %v", i, i, got[9*i], want)
			}
		}
	})
}

// clusterScene has 8 triangles on the diagonal: cluster i has the vertices 3 · i to 3 · i + 2, and indices of them twice.
func clusterScene(t *testing.T, info DeviceInfo, text string) *scene {
	t.Helper()
	s := newSceneOn(t, 1, info)
	for i := range 8 {
		at := float32(i)/4 - 1
		for k, v := range [][2]float32{{at, at}, {at + .5, at}, {at, at + .5}} {
			for c, x := range []float32{v[0], v[1], .5, 1} {
				s.put(1024, 4*(3*i+k)+c, x)
			}
		}
		for k := range 6 {
			s.putWord(1024+384, 6*i+k, uint32(3*i+k%3))
		}
	}
	s.stages.ClusterCulling = &StageInfo{Code: code(t, text)}
	s.build(t)
	return s
}

// TestDrawCluster compares clusters with draws of the same triangles: of indices and of vertices, direct and indirect. The identifier of a
// cluster is the DrawIndex of its vertices.
func TestDrawCluster(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		for name, text := range map[string]string{"indexed": evenClusters, "vertices": unindexed, "initialized": initialized} {
			for _, workers := range []int{1, 3} {
				info.Workers = workers
				s := clusterScene(t, info, text)
				for i, n := range []uint32{2, 1, 1} {
					s.putWord(1024+768, i, n)
				}
				plain := s.stages
				plain.ClusterCulling, plain.State = nil, s.fixed
				s.stages.Vertex = &StageInfo{Code: code(t, ownVertices)}
				s.build(t)
				without := must(s.dev.NewGraphicsPipeline(context.Background(), plain))(t)
				want := s.shot(t, func(c *CommandBuffer) {
					c.BindGraphicsPipeline(without)
					for i := range uint32(4) {
						c.Draw(3, 1, 6*i, 0)
					}
				})
				if white(want) == 0 {
					t.Fatal("nothing is drawn")
				}
				pool := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PipelineStatistics, Count: 1, Statistics: ClusterInvocations}))(t)
				for form, draw := range []func(c *CommandBuffer){
					func(c *CommandBuffer) { c.DrawCluster(2, 1, 1) },
					func(c *CommandBuffer) { c.DrawClusterIndirect(s.vertices, 768) },
				} {
					got := s.shot(t, func(c *CommandBuffer) {
						c.BindIndexBuffer(s.vertices, 384, 4)
						c.BeginQuery(pool, 0, 0)
						draw(c)
						c.EndQuery(pool, 0)
					})
					if got != want {
						t.Errorf("%s, form %d: %d white pixels; want %d", name, form, white(got), white(want))
					}
					if n, ok := pool.Result(0); n != 8 || !ok {
						t.Errorf("%s: %d invocations; want 8", name, n)
					}
				}
			}
		}
	})
}

// TestDrawClusterErrors draws clusters with too many workgroups, with a pipeline without the stage, with arguments at a wrong place and
// outside of a rendering, and draws vertices with a pipeline that has the stage.
func TestDrawClusterErrors(t *testing.T) {
	for rule, record := range map[string]func(s *scene, c *CommandBuffer){
		"VUID-vkCmdDrawClusterHUAWEI-groupCountX-07820":    func(_ *scene, c *CommandBuffer) { c.DrawCluster(MaxClusterGroups+1, 1, 1) },
		"VUID-vkCmdDrawClusterHUAWEI-groupCountY-07821":    func(s *scene, c *CommandBuffer) { c.DrawClusterIndirect(s.vertices, 768) },
		"VUID-vkCmdDrawClusterHUAWEI-groupCountZ-07822":    func(_ *scene, c *CommandBuffer) { c.DrawCluster(1, 1, 2) },
		"VUID-vkCmdDrawClusterIndirectHUAWEI-offset-07918": func(s *scene, c *CommandBuffer) { c.DrawClusterIndirect(s.vertices, 770) },
		"VUID-vkCmdDrawClusterHUAWEI-ClusterCullingHUAWEI-07823": func(s *scene, c *CommandBuffer) {
			plain := s.stages
			plain.ClusterCulling = nil
			c.BindGraphicsPipeline(must(s.dev.NewGraphicsPipeline(context.Background(), plain))(t))
			c.DrawCluster(1, 1, 1)
		},
		"VUID-vkCmdDrawClusterIndirectHUAWEI-ClusterCullingHUAWEI-07824": func(s *scene, c *CommandBuffer) {
			plain := s.stages
			plain.ClusterCulling = nil
			c.BindGraphicsPipeline(must(s.dev.NewGraphicsPipeline(context.Background(), plain))(t))
			s.putWord(1024+768, 1, 1)
			c.DrawClusterIndirect(s.vertices, 768)
		},
		"VUID-vkCmdDrawClusterHUAWEI-renderpass": func(_ *scene, c *CommandBuffer) {
			c.EndRendering()
			c.DrawCluster(1, 1, 1)
		},
		"VUID-vkCmdDrawClusterIndirectHUAWEI-renderpass": func(s *scene, c *CommandBuffer) {
			c.EndRendering()
			s.putWord(1024+768, 1, 1)
			c.DrawClusterIndirect(s.vertices, 768)
		},
	} {
		s := clusterScene(t, DeviceInfo{Checking: Pipelines}, evenClusters)
		for i, n := range []uint32{1, 2, 1} {
			s.putWord(1024+768, i, n)
		}
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BeginRendering(s.rendering())
		c.BindGraphicsPipeline(s.pipeline)
		record(s, c)
		if !strings.HasSuffix(rule, "-renderpass") {
			c.EndRendering()
		}
		err := c.End()
		if err == nil {
			err = s.submit(t, c)
		}
		var bad *UsageError
		if !errors.As(err, &bad) || bad.Rule != rule {
			t.Errorf("%v; want %s", err, rule)
		}
	}
	for name, draw := range map[string]func(s *scene, c *CommandBuffer){
		"vertices": func(_ *scene, c *CommandBuffer) { c.Draw(3, 1, 0, 0) },
		"indices":  func(s *scene, c *CommandBuffer) { c.BindIndexBuffer(s.vertices, 384, 4); c.DrawIndexed(3, 1, 0, 0, 0) },
		"indirect": func(s *scene, c *CommandBuffer) {
			c.DrawIndirect(IndirectInfo{Buffer: s.vertices, Offset: 768, Draws: 1, Stride: 16})
		},
	} {
		s := clusterScene(t, DeviceInfo{Checking: Pipelines}, evenClusters)
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BeginRendering(s.rendering())
		c.BindGraphicsPipeline(s.pipeline)
		draw(s, c)
		c.EndRendering()
		err := c.End()
		if err == nil {
			err = s.submit(t, c)
		}
		var bad *UsageError
		if !errors.As(err, &bad) {
			t.Errorf("a draw of %s with cluster culling: %v; want an error", name, err)
		}
	}
	off := device.Profile{Name: "off", Device: &valid.Device{Features: map[string]bool{"clustercullingShader": false}}}
	d := must(Play(off).NewDevice(DeviceInfo{Checking: Pipelines}))(t)
	defer d.Close()
	layout := must(d.NewPipelineLayout(PipelineLayoutInfo{}))(t)
	info := GraphicsPipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Parts: rasterPart, Layout: layout, Vertex: &StageInfo{Code: code(t, ownVertices)}, ClusterCulling: &StageInfo{Code: code(t, evenClusters)}}
	if _, err := d.NewGraphicsPipeline(context.Background(), info); !strings.Contains(fmt.Sprint(err), vuid.VkPipelineShaderStageCreateInfo_clustercullingShader_07813) {
		t.Error(err)
	}
}

// TestDrawClusterFindings draws clusters without a dynamic state. The rules of all draws have identifiers for both commands.
func TestDrawClusterFindings(t *testing.T) {
	for command, draw := range map[string]func(s *scene, c *CommandBuffer){
		"vkCmdDrawClusterHUAWEI":         func(_ *scene, c *CommandBuffer) { c.DrawCluster(1, 1, 1) },
		"vkCmdDrawClusterIndirectHUAWEI": func(s *scene, c *CommandBuffer) { c.DrawClusterIndirect(s.vertices, 768) },
	} {
		s := clusterScene(t, DeviceInfo{Checking: All}, unindexed)
		for i, n := range []uint32{1, 1, 1} {
			s.putWord(1024+768, i, n)
		}
		info := s.stages
		info.State = s.fixed
		info.State.Dynamic = append(slices.Clone(info.State.Dynamic), enum.DynamicStateCullMode)
		p := must(s.dev.NewGraphicsPipeline(t.Context(), info))(t)
		wantRule(t, s.submit(t, s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(s.rendering())
			c.BindGraphicsPipeline(p)
			draw(s, c)
			c.EndRendering()
		})), "VUID-"+command+"-None-07840")
	}
}

// TestClusterCullingLayout makes a pipeline with a storage buffer in its cluster culling stage, and a layout without the buffer.
func TestClusterCullingLayout(t *testing.T) {
	s := clusterScene(t, DeviceInfo{Checking: Pipelines}, evenClusters)
	counted := strings.NewReplacer("%offset %cluster\n", "%offset %cluster %counts\n", "%void = OpTypeVoid", `OpDecorate %counts DescriptorSet 3
OpDecorate %counts Binding 1
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
%void = OpTypeVoid`, "%main = OpFunction", `%block = OpTypeStruct %uint
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%counts = OpVariable %pblock StorageBuffer
%main = OpFunction`, "OpStore %count %u6", `%place = OpAccessChain %pword %counts %i0
%n = OpLoad %uint %place
OpStore %count %n`).Replace(evenClusters)
	info := s.stages
	info.State, info.ClusterCulling = s.fixed, &StageInfo{Code: code(t, counted)}
	if _, err := s.dev.NewGraphicsPipeline(context.Background(), info); !strings.Contains(fmt.Sprint(err), vuid.VkGraphicsPipelineCreateInfo_layout_07988) {
		t.Error(err)
	}
}

// TestClusterViews draws clusters to the views 0 and 2: their layers have the picture of one view, and layer 1 has none.
func TestClusterViews(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		info.Checking = All
		s := clusterScene(t, info, evenClusters)
		clusters := func(c *CommandBuffer) {
			c.BindIndexBuffer(s.vertices, 384, 4)
			c.DrawCluster(2, 1, 1)
		}
		want := s.shot(t, clusters)
		m, view := s.target(t, 1, 3)
		s.fixed.Rendering = link.Rendering{Color: s.fixed.Rendering.Color, ViewMask: 0b101}
		s.build(t)
		c := s.record(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, ViewMask: 0b101, Colors: []AttachmentInfo{{View: view, Load: ClearOnLoad, Clear: opaque.Color}}})
			s.paint(c, 1, 1, 1, 1)
			clusters(c)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		for layer, pixels := range map[int]int{0: white(want), 1: 0, 2: white(want)} {
			if got := s.shots(t, m, layer); white(got) != pixels || pixels > 0 && got != want {
				t.Errorf("layer %d has %d white pixels; must have %d", layer, white(got), pixels)
			}
		}
	})
}

// TestClusterCullingWays makes the pipeline from libraries, one of each part, and from binaries. The pictures are equal.
func TestClusterCullingWays(t *testing.T) {
	s := clusterScene(t, DeviceInfo{Checking: Pipelines}, evenClusters)
	draw := func(c *CommandBuffer) {
		c.BindIndexBuffer(s.vertices, 384, 4)
		c.DrawCluster(2, 1, 1)
	}
	want := s.shot(t, draw)
	if white(want) == 0 {
		t.Fatal("nothing is drawn")
	}
	info := s.stages
	info.State = s.fixed
	var libraries []*GraphicsPipeline
	for part := inputPart; part <= outputPart; part <<= 1 {
		l := info
		l.Parts, l.Flags = part, enum.PipelineFlagsLibrary
		libraries = append(libraries, must(s.dev.NewGraphicsPipeline(context.Background(), l))(t))
	}
	captured := info
	captured.Flags |= enum.PipelineFlagsCaptureData
	binaries := info
	binaries.Binaries = must(s.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: must(s.dev.NewGraphicsPipeline(context.Background(), captured))(t)}))(t)
	for name, x := range map[string]GraphicsPipelineInfo{"libraries": {Libraries: libraries, Layout: info.Layout}, "binaries": binaries} {
		p := must(s.dev.NewGraphicsPipeline(context.Background(), x))(t)
		got := s.shot(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(p)
			draw(c)
		})
		if got != want {
			t.Errorf("%s: %d white pixels; want %d", name, white(got), white(want))
		}
	}
}
