package driver

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// TestPointsOfStages checks the bind points of commands that name stages, such as vkCmdBindDescriptorSets2: a subset of the stages
// of a bind point affects the whole bind point (Vulkan, VkBindDescriptorSetsInfo).
func TestPointsOfStages(t *testing.T) {
	compute := []vk.BindPoint{vk.Compute, vk.ExecutionGraph}
	for _, c := range []struct {
		name   string
		stages uint32
		want   []vk.BindPoint
	}{
		{"vertex", abi.ShaderStageVertexBit, []vk.BindPoint{vk.Graphics}},
		{"task", abi.ShaderStageTaskBitEXT, []vk.BindPoint{vk.Graphics}},
		{"mesh", abi.ShaderStageMeshBitEXT, []vk.BindPoint{vk.Graphics}},
		{"all graphics", abi.ShaderStageAllGraphics, []vk.BindPoint{vk.Graphics}},
		{"compute", abi.ShaderStageComputeBit, compute},
		{"ray generation", abi.ShaderStageRaygenBitKHR, []vk.BindPoint{vk.RayTracing}},
		{"any hit", abi.ShaderStageAnyHitBitKHR, []vk.BindPoint{vk.RayTracing}},
		{"closest hit", abi.ShaderStageClosestHitBitKHR, []vk.BindPoint{vk.RayTracing}},
		{"miss", abi.ShaderStageMissBitKHR, []vk.BindPoint{vk.RayTracing}},
		{"intersection", abi.ShaderStageIntersectionBitKHR, []vk.BindPoint{vk.RayTracing}},
		{"callable", abi.ShaderStageCallableBitKHR, []vk.BindPoint{vk.RayTracing}},
		{"subpass shading", abi.ShaderStageSubpassShadingBitHUAWEI, []vk.BindPoint{vk.SubpassShading}},
		{"cluster culling", abi.ShaderStageClusterCullingBitHUAWEI, []vk.BindPoint{vk.Graphics, vk.SubpassShading}},
		{"fragment and miss", abi.ShaderStageFragmentBit | abi.ShaderStageMissBitKHR, []vk.BindPoint{vk.Graphics, vk.RayTracing}},
		{"all", abi.ShaderStageAll, []vk.BindPoint{vk.Graphics, vk.Compute, vk.RayTracing, vk.SubpassShading, vk.ExecutionGraph}},
	} {
		if got := points(c.stages); !slices.Equal(got, c.want) {
			t.Errorf("%s: the bind points are %v; must be %v", c.name, got, c.want)
		}
	}
}

// TestStaleSets binds a set and then a stale handle: the second command is an error, which is left out, and binds no null set.
func TestStaleSets(t *testing.T) {
	p := newProgram(t)
	b, content := p.buffer(8)
	pipe, layout, set := p.kernel(numbers, b)
	stale, factor := abi.DescriptorSet(1<<40), uint32(3)
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
		for _, h := range []*abi.DescriptorSet{&set, &stale} {
			do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: h})
		}
		do(abi.CmdCmdPushConstants, &abi.CmdPushConstantsArgs{CommandBuffer: c, Layout: layout, StageFlags: abi.ShaderStageComputeBit, Size: 4, PValues: unsafe.Pointer(&factor)})
		do(abi.CmdCmdDispatch, &abi.CmdDispatchArgs{CommandBuffer: c, GroupCountX: 2, GroupCountY: 1, GroupCountZ: 1})
	})
	p.multiples(content, factor)
}
