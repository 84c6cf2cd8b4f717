package vk

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
)

// numbered is a compute shader whose workgroups have the shape of three specialization constants. Each invocation stores
// 100·(WorkgroupId.x + NumWorkgroups.x·(WorkgroupId.y + NumWorkgroups.y·WorkgroupId.z)) + LocalInvocationIndex + 1 to word x + 6·(y + 2·z) of binding 1
// at its GlobalInvocationId.
const numbered = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %group %groups %local %y
OpExecutionModeId %main LocalSizeId %sx %sy %sz
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %groups BuiltIn NumWorkgroups
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %sx SpecId 0
OpDecorate %sy SpecId 1
OpDecorate %sz SpecId 2
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pin = OpTypePointer Input %uvec3
%puint = OpTypePointer Input %uint
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%sx = OpSpecConstant %uint 1
%sy = OpSpecConstant %uint 1
%sz = OpSpecConstant %uint 1
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%six = OpConstant %uint 6
%hundred = OpConstant %uint 100
%id = OpVariable %pin Input
%group = OpVariable %pin Input
%groups = OpVariable %pin Input
%local = OpVariable %puint Input
%y = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uvec3 %id
%ix = OpCompositeExtract %uint %i 0
%iy = OpCompositeExtract %uint %i 1
%iz = OpCompositeExtract %uint %i 2
%z2 = OpIMul %uint %iz %two
%yz = OpIAdd %uint %iy %z2
%yz6 = OpIMul %uint %yz %six
%at = OpIAdd %uint %ix %yz6
%g = OpLoad %uvec3 %group
%gx = OpCompositeExtract %uint %g 0
%gy = OpCompositeExtract %uint %g 1
%gz = OpCompositeExtract %uint %g 2
%n = OpLoad %uvec3 %groups
%nx = OpCompositeExtract %uint %n 0
%ny = OpCompositeExtract %uint %n 1
%zy = OpIMul %uint %gz %ny
%row = OpIAdd %uint %gy %zy
%rows = OpIMul %uint %row %nx
%number = OpIAdd %uint %gx %rows
%numbers = OpIMul %uint %number %hundred
%k = OpLoad %uint %local
%sum = OpIAdd %uint %numbers %k
%value = OpIAdd %uint %sum %one
%p = OpAccessChain %pword %y %zero %at
OpStore %p %value
OpReturn
OpFunctionEnd
`

// TestWorkgroups dispatches workgroups of several shapes directly, indirectly and from a base (row H08). The numbers are those
// of Vulkan's section Compute Shaders and of the built-ins: GlobalInvocationId is WorkgroupId times the size plus LocalInvocationId,
// LocalInvocationIndex counts x first, and WorkgroupId, but not NumWorkgroups, includes the base.
func TestWorkgroups(t *testing.T) {
	all := [3]uint32{6, 2, 4} // invocations
	for _, size := range [][3]uint32{{6, 2, 4}, {1, 1, 1}, {3, 1, 2}, {2, 2, 1}, {1, 2, 4}, {6, 1, 1}} {
		groups := [3]uint32{all[0] / size[0], all[1] / size[1], all[2] / size[2]}
		for _, object := range []bool{false, true} {
			for _, way := range []string{"direct", "indirect", "base"} {
				r := newRig(t, DeviceInfo{}, storage)
				if err := r.set.Update(Write{Binding: 1, Buffers: []BufferDescriptor{{r.y, 0, 192}}}); err != nil {
					t.Fatal(err)
				}
				spec := facts.Spec{0: uint64(size[0]), 1: uint64(size[1]), 2: uint64(size[2])}
				info := r.computeInfo(t, Creation{Flags: enum.PipelineFlagsDispatchBase})
				info.Stage = StageInfo{Code: code(t, numbered), Specialization: spec}
				p := must(r.dev.NewComputePipeline(t.Context(), info))(t)
				list := must(r.dev.NewShaders(t.Context(), []ShaderInfo{{Stage: StageCompute, Code: code(t, numbered), Layout: r.pipeline, Specialization: spec, Flags: enum.ObjectFlagsDispatchBase}}))(t)
				base, last := [3]uint32{}, groups
				if way == "base" {
					base, last = [3]uint32{groups[0] - 1, 0, groups[2] - 1}, [3]uint32{1, groups[1], 1}
				}
				c := r.record(t, func(c *CommandBuffer) {
					c.FillBuffer(r.y, 0, 192, 0)
					for i, n := range last {
						c.FillBuffer(r.y, 192+uint64(4*i), 4, n)
					}
					if c.BindPipeline(p); object {
						c.BindShaders([]ShaderStage{StageCompute}, list)
					}
					c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
					switch way {
					case "direct":
						c.Dispatch(last[0], last[1], last[2])
					case "indirect":
						c.DispatchIndirect(r.y, 192)
					default:
						c.DispatchBase(base, last)
					}
				})
				if err := r.submit(t, c); err != nil {
					t.Fatal(err)
				}
				for n := range uint32(48) {
					i := [3]uint32{n % 6, n / 6 % 2, n / 12}
					want, inside := uint32(1), true
					var g, k [3]uint32
					for a := range i {
						g[a], k[a] = i[a]/size[a], i[a]%size[a]
						inside = inside && g[a] >= base[a] && g[a] < base[a]+last[a]
					}
					want += 100*(g[0]+last[0]*(g[1]+last[1]*g[2])) + k[0] + size[0]*(k[1]+size[1]*k[2])
					if !inside {
						want = 0
					}
					if got := math.Float32bits(r.get(64, int(n))); got != want {
						t.Errorf("size %v, %s, object %v: invocation %v has %d, want %d", size, way, object, i, got, want)
					}
				}
			}
		}
	}
}
