package vk

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// ShaderTable is a shader binding table: a range of memory with a device address (VkStridedDeviceAddressRegionKHR). Each record
// begins with the handle of a group; the rest is the data of its shader record. A table of size 0 has no records.
type ShaderTable struct {
	Address, Stride, Size uint64 // in bytes
}

// ShaderTables are the tables of a launch. RayGen is one record: its Stride is its Size.
type ShaderTables struct {
	RayGen, Miss, Hit, Callable ShaderTable
}

// each returns the tables with their names and the codes of their rules.
func (t *ShaderTables) each() [4]namedTable {
	return [4]namedTable{
		{"ray generation", &t.RayGen, vuid.VkCmdTraceRaysKHR_pRayGenShaderBindingTable_03681, vuid.VkCmdTraceRaysKHR_pRayGenShaderBindingTable_03682, "", ""},
		{"miss", &t.Miss, vuid.VkCmdTraceRaysKHR_pMissShaderBindingTable_03684, vuid.VkCmdTraceRaysKHR_pMissShaderBindingTable_03685, vuid.VkCmdTraceRaysKHR_stride_03686, vuid.VkCmdTraceRaysKHR_stride_04029},
		{"hit", &t.Hit, vuid.VkCmdTraceRaysKHR_pHitShaderBindingTable_03688, vuid.VkCmdTraceRaysKHR_pHitShaderBindingTable_03689, vuid.VkCmdTraceRaysKHR_stride_03690, vuid.VkCmdTraceRaysKHR_stride_04035},
		{"callable", &t.Callable, vuid.VkCmdTraceRaysKHR_pCallableShaderBindingTable_03692, vuid.VkCmdTraceRaysKHR_pCallableShaderBindingTable_03693, vuid.VkCmdTraceRaysKHR_stride_03694, vuid.VkCmdTraceRaysKHR_stride_04041},
	}
}

// namedTable is a table with the rules on its memory, its address and its stride.
type namedTable struct {
	name                                string
	table                               *ShaderTable
	inMemory, alignment, multiple, most string
}

// check checks the numbers of the tables.
func (t *ShaderTables) check() error {
	if r := &t.RayGen; r.Size != r.Stride {
		return usage(vuid.VkCmdTraceRaysKHR_size_04023, "the ray generation table has %d bytes and the stride %d; must be the same", r.Size, r.Stride)
	}
	for _, x := range t.each() {
		switch s := x.table; {
		case s.Address%GroupBaseAlignment != 0:
			return usage(x.alignment, "the %s table is at the address %#x; must be a multiple of %d", x.name, s.Address, GroupBaseAlignment)
		case x.multiple != "" && s.Stride%GroupHandleAlignment != 0:
			return usage(x.multiple, "the stride of the %s table is %d; must be a multiple of %d", x.name, s.Stride, GroupHandleAlignment)
		case x.most != "" && s.Stride > MaxGroupStride:
			return usage(x.most, "the stride of the %s table is %d; must be at most %d", x.name, s.Stride, MaxGroupStride)
		}
	}
	return nil
}

// checkLaunch checks the size of a launch.
func checkLaunch(size [3]uint32) error {
	limits := dispatchLimits()
	for i, code := range [...]string{vuid.VkCmdTraceRaysKHR_width_03638, vuid.VkCmdTraceRaysKHR_height_03639, vuid.VkCmdTraceRaysKHR_depth_03640} {
		if uint64(size[i]) > limits[i] {
			return usage(code, "the %s of the launch is %d; must be at most %d", [...]string{"width", "height", "depth"}[i], size[i], limits[i])
		}
	}
	// A product of two numbers of 32 bits has 64.
	if n := uint64(size[0]) * uint64(size[1]); size[2] > 0 && n > MaxTracedRays/uint64(size[2]) {
		return usage(vuid.VkCmdTraceRaysKHR_width_03641, "the launch has %d·%d·%d rays; must have at most %d", size[0], size[1], size[2], uint64(MaxTracedRays))
	}
	return nil
}

// tracing is the form of a command that traces rays.
type tracing uint8

const (
	traceDirect    tracing = iota
	traceIndirect          // the size is in memory
	traceIndirect2         // the tables and the size are in memory
)

// traceNames are the commands of Vulkan.
var traceNames = [...]string{traceDirect: "vkCmdTraceRaysKHR", traceIndirect: "vkCmdTraceRaysIndirectKHR", traceIndirect2: "vkCmdTraceRaysIndirect2KHR"}

// traceFeatures are the features of the indirect commands.
var traceFeatures = [...]string{traceIndirect: "rayTracingPipelineTraceRaysIndirect", traceIndirect2: "rayTracingPipelineTraceRaysIndirect2"}

// traceRule returns the rule of a command that traces rays, for that of vkCmdTraceRaysKHR. What the command reads from memory has the
// rule of its struct.
func traceRule(command, rest string) string {
	subject, _, _ := strings.Cut(rest, "-")
	size := subject == "width" || subject == "height" || subject == "depth"
	table := subject == "stride" || strings.HasSuffix(subject, "ShaderBindingTable")
	switch command {
	case traceNames[traceDirect]:
	case traceNames[traceIndirect]:
		if size {
			command = "VkTraceRaysIndirectCommandKHR"
		}
	default: // generated commands have the form of the second indirect command
		if command = traceNames[traceIndirect2]; size || table {
			command = "VkTraceRaysIndirectCommand2KHR"
		}
	}
	return "VUID-" + command + "-" + rest
}

// traceRays is a recorded command that traces rays.
type traceRays struct {
	form    tracing
	tables  ShaderTables
	size    [3]uint32
	address uint64 // of the arguments in memory
}

func (*traceRays) flags() QueueFlags { return QueueCompute }

// TraceRays runs the ray generation shader of the bound pipeline for each point of a grid (vkCmdTraceRaysKHR).
func (c *CommandBuffer) TraceRays(t ShaderTables, width, height, depth uint32) {
	c.trace(traceRays{tables: t, size: [3]uint32{width, height, depth}})
}

// TraceRaysIndirect is TraceRays with the size at a device address: three 32-bit numbers (vkCmdTraceRaysIndirectKHR).
func (c *CommandBuffer) TraceRaysIndirect(t ShaderTables, address uint64) {
	c.trace(traceRays{form: traceIndirect, tables: t, address: address})
}

// TraceRaysIndirect2 is TraceRays with the tables and the size at a device address: VkTraceRaysIndirectCommand2KHR
// (vkCmdTraceRaysIndirect2KHR).
func (c *CommandBuffer) TraceRaysIndirect2(address uint64) {
	c.trace(traceRays{form: traceIndirect2, address: address})
}

func (c *CommandBuffer) trace(w traceRays) {
	command := traceNames[w.form]
	if !c.structureCommand(command) {
		return
	}
	var err error
	if f := traceFeatures[w.form]; f != "" {
		err = c.dev.needs(f, "VUID-"+command+"-"+f+"-03637")
	}
	switch {
	case err != nil:
	case w.form != traceDirect && w.address%4 != 0:
		err = usage("VUID-"+command+"-indirectDeviceAddress-03634", "the arguments are at the address %#x; must be a multiple of 4", w.address)
	case w.form != traceIndirect2:
		err = w.tables.check()
	}
	if err == nil {
		err = checkLaunch(w.size)
	}
	if bad, ok := err.(*UsageError); ok {
		c.fail(ofCommand(bad, command))
		return
	}
	c.action()
	x := take[traceRays](c)
	*x = w
	c.deferred("trace rays", x)
}

// BindRayTracingPipeline binds a ray tracing pipeline for the following launches.
func (c *CommandBuffer) BindRayTracingPipeline(p *RayTracingPipeline) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the pipeline", p); err != nil {
		c.fail(err)
		return
	}
	if p.rays == nil {
		c.fail(usage("VUID-vkCmdBindPipeline-pipeline-03382", "%v is a library; must not be", &p.object))
		return
	}
	c.refer(&p.object)
	w := take[bindRays](c)
	w.pipeline = p
	c.deferred("bind pipeline", w)
}

// bindRays is a recorded bind of a ray tracing pipeline.
type bindRays struct{ pipeline *RayTracingPipeline }

func (*bindRays) flags() QueueFlags { return QueueCompute }

func (w *bindRays) run(x *executor) error {
	x.rays.pipeline, x.rays.stack = w.pipeline, x.rays.stack && w.pipeline.info.DynamicStackSize
	return nil
}

// SetRayTracingPipelineStackSize sets the size in bytes of the stack of pipelines with a dynamic size
// (vkCmdSetRayTracingPipelineStackSizeKHR). Calls are not on a stack: any size is large enough.
func (c *CommandBuffer) SetRayTracingPipelineStackSize(uint32) {
	if c.structureCommand("vkCmdSetRayTracingPipelineStackSizeKHR") {
		c.deferred("set ray tracing pipeline stack size", take[setStackSize](c))
	}
}

// setStackSize is a recorded size of the stack.
type setStackSize struct{ _ byte }

func (*setStackSize) flags() QueueFlags { return QueueCompute }

func (*setStackSize) run(x *executor) error {
	x.rays.stack = true
	return nil
}
