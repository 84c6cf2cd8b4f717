package driver

import (
	"slices"
	"testing"

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
