package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Call is the other parameters of the call that creates the pipeline or the shader objects,
// and the state of the device at the call.
type Call struct {
	Cache    bool   `yaml:"cache"`    // there is a pipeline cache
	Binaries uint32 `yaml:"binaries"` // number of pipeline binaries (VkPipelineBinaryInfoKHR)
	Deferred bool   `yaml:"deferred"` // there is a deferred operation

	// CacheHit and Accelerated are the flags of the creation feedback of the pipeline.
	CacheHit    bool `yaml:"feedback_cache_hit"`
	Accelerated bool `yaml:"feedback_base_acceleration"`

	Index     uint32 `yaml:"index"`               // of this pipeline among the pipelines of the call
	BaseIndex *int64 `yaml:"base_pipeline_index"` // of the pipeline that it derives from, or −1; nil if it is not known

	// Samplers is the number of samplers on the device, EmbeddedSamplers the number of
	// different embedded samplers with those of this call; nil if they are not known.
	Samplers         *uint64 `yaml:"samplers"`
	EmbeddedSamplers *uint64 `yaml:"embedded_samplers"`
}

// callCode is the rules of a call that creates pipelines of one kind, or shader objects.
type callCode struct {
	cache, capture               string // no cache with binaries; and with the flag CaptureData
	hit, accelerated, mustReturn string // no such feedback or flag with binaries
	base                         string // the index of the base is less than the index of the pipeline
	samplers, embedded           string // limits of samplers with descriptor heaps
	compute                      string // a queue family for compute
}

var callCodes = map[Kind]callCode{
	Compute: {
		vuid.VkCreateComputePipelines_pNext_09616, vuid.VkCreateComputePipelines_pNext_09617,
		vuid.VkCreateComputePipelines_binaryCount_09620, vuid.VkCreateComputePipelines_binaryCount_09621, vuid.VkCreateComputePipelines_binaryCount_09622,
		vuid.VkCreateComputePipelines_flags_00695, vuid.VkCreateComputePipelines_pCreateInfos_11414, vuid.VkCreateComputePipelines_pCreateInfos_11429,
		vuid.VkCreateComputePipelines_device_09661,
	},
	RayTracing: {
		vuid.VkCreateRayTracingPipelinesKHR_pNext_09616, vuid.VkCreateRayTracingPipelinesKHR_pNext_09617,
		vuid.VkCreateRayTracingPipelinesKHR_binaryCount_09620, vuid.VkCreateRayTracingPipelinesKHR_binaryCount_09621, vuid.VkCreateRayTracingPipelinesKHR_binaryCount_09622,
		vuid.VkCreateRayTracingPipelinesKHR_flags_03415, vuid.VkCreateRayTracingPipelinesKHR_pCreateInfos_11414, vuid.VkCreateRayTracingPipelinesKHR_pCreateInfos_11429,
		vuid.VkCreateRayTracingPipelinesKHR_device_09677,
	},
	RayTracingNV: {
		vuid.VkCreateRayTracingPipelinesNV_pNext_09616, vuid.VkCreateRayTracingPipelinesNV_pNext_09617,
		vuid.VkCreateRayTracingPipelinesNV_binaryCount_09620, vuid.VkCreateRayTracingPipelinesNV_binaryCount_09621, vuid.VkCreateRayTracingPipelinesNV_binaryCount_09622,
		vuid.VkCreateRayTracingPipelinesNV_flags_03415, vuid.VkCreateRayTracingPipelinesNV_pCreateInfos_11414, vuid.VkCreateRayTracingPipelinesNV_pCreateInfos_11429,
		vuid.VkCreateRayTracingPipelinesNV_device_09677,
	},
	ExecutionGraph: {
		vuid.VkCreateExecutionGraphPipelinesAMDX_pNext_09616, vuid.VkCreateExecutionGraphPipelinesAMDX_pNext_09617,
		vuid.VkCreateExecutionGraphPipelinesAMDX_binaryCount_09620, vuid.VkCreateExecutionGraphPipelinesAMDX_binaryCount_09621, vuid.VkCreateExecutionGraphPipelinesAMDX_binaryCount_09622,
		vuid.VkCreateExecutionGraphPipelinesAMDX_flags_09125, vuid.VkCreateExecutionGraphPipelinesAMDX_pCreateInfos_11414, vuid.VkCreateExecutionGraphPipelinesAMDX_pCreateInfos_11429,
		"",
	},
	ShaderObjects: {
		samplers: vuid.VkCreateShadersEXT_pCreateInfos_11413, embedded: vuid.VkCreateShadersEXT_pCreateInfos_11428, compute: vuid.VkCreateShadersEXT_stage_09670,
	},
}

// callRules are the rules on calls that create pipelines and shader objects.
var callRules = func() []Rule {
	out := []Rule{
		{vuid.VkCreateRayTracingPipelinesKHR_deferredOperation_03587, "a deferred call does not return early on a failure"},
		{vuid.VkCreateShadersEXT_stage_09671, "shader objects of graphics stages need a queue family for graphics"},
		{vuid.VkCreateExecutionGraphPipelinesAMDX_flags_09126, "an execution graph pipeline derives from one that allows it"},
	}
	for _, k := range []Kind{Compute, RayTracing, RayTracingNV, ExecutionGraph, ShaderObjects} {
		c, what := callCodes[k], article(kindNames[k])
		for _, r := range []Rule{
			{c.cache, "the call for " + what + " pipeline from binaries has no cache"},
			{c.capture, "the call for " + what + " pipeline that captures its data has no cache"},
			{c.hit, "the feedback for " + what + " pipeline from binaries reports no hit in the cache"},
			{c.accelerated, "the feedback for " + what + " pipeline from binaries reports no acceleration by the base pipeline"},
			{c.mustReturn, what + " pipeline from binaries has no flag " + enum.PipelineFlagsFailOnPipelineCompileRequired.String()},
			{c.base, what + " pipeline derives from a pipeline before it in the call"},
			{c.samplers, "with embedded samplers in " + what + ", the device has samplers left beside the reserved range of the heap"},
			{c.embedded, "with " + what + ", the device has at most maxDescriptorHeapEmbeddedSamplers different embedded samplers"},
			{c.compute, what + " needs a queue family for compute"},
		} {
			if r.Code != "" {
				out = append(out, r)
			}
		}
	}
	return out
}()

// call checks the parameters of the call.
func (l *linker) call() {
	kind := l.d.Kind
	if kind != RayTracingNV {
		kind = l.kind()
	}
	codes, ok := callCodes[kind]
	if !ok {
		return
	}
	side := []Side{{Stage: "call"}}
	l.queues(codes, []Side{{Stage: "call", path: "queues"}})
	c := l.d.Call
	if c == nil {
		return
	}
	if kind != ShaderObjects {
		l.binaries(c, codes, side)
		if c.BaseIndex != nil && *c.BaseIndex >= int64(c.Index) && l.d.Flags&enum.PipelineFlagsDerivative != 0 {
			l.fail(codes.base, side, "the pipeline %d of the call derives from pipeline %d; must derive from one before it", c.Index, *c.BaseIndex)
		}
	}
	if kind == RayTracing && c.Deferred && l.d.Flags&enum.PipelineFlagsEarlyReturnOnFailure != 0 {
		l.fail(vuid.VkCreateRayTracingPipelinesKHR_deferredOperation_03587, side, "the call is deferred and the pipeline has the flag %s; must not have both", enum.PipelineFlagsEarlyReturnOnFailure)
	}
	l.heapSamplers(c, codes, side)
}

// binaries checks a call that creates the pipeline from binaries or captures its data.
func (l *linker) binaries(c *Call, codes callCode, side []Side) {
	if c.Cache && l.d.Flags&enum.PipelineFlagsCaptureData != 0 {
		l.fail(codes.capture, side, "the pipeline captures its data and the call has a cache; must have none")
	}
	if c.Binaries == 0 {
		return
	}
	for _, k := range []struct {
		wrong      bool
		code, what string
	}{
		{c.Cache, codes.cache, "the call has a cache"},
		{c.CacheHit, codes.hit, "its feedback reports a hit in the cache"},
		{c.Accelerated, codes.accelerated, "its feedback reports an acceleration by the base pipeline"},
		{l.d.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired != 0, codes.mustReturn, fmt.Sprintf("it has the flag %s", enum.PipelineFlagsFailOnPipelineCompileRequired)},
	} {
		if k.wrong {
			l.fail(k.code, side, "the pipeline is from %d binaries and %s; must not", c.Binaries, k.what)
		}
	}
}

// heapSamplers checks the numbers of samplers if the pipeline or a shader object has
// embedded samplers for descriptor heaps.
func (l *linker) heapSamplers(c *Call, codes callCode, side []Side) {
	if !slices.ContainsFunc(l.stages, func(s *Shader) bool {
		heap := l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0 || s.Object&enum.ObjectFlagsDescriptorHeap != 0
		return heap && s.Mappings != nil && slices.ContainsFunc(*s.Mappings, func(m Mapping) bool { return m.Sampler != nil })
	}) {
		return
	}
	all, known := l.d.limit("maxSamplerAllocationCount")
	reserved, r := l.d.limit("minSamplerHeapReservedRangeWithEmbedded")
	size, s := l.d.limit("samplerDescriptorSize")
	if c.Samplers != nil && known && r && s && size > 0 && *c.Samplers+reserved/size >= all {
		l.fail(codes.samplers, side, "the device has %d samplers, and the heap reserves %d of at most %d; must be less than the others", *c.Samplers, reserved/size, all)
	}
	if most, known := l.d.limit("maxDescriptorHeapEmbeddedSamplers"); known && c.EmbeddedSamplers != nil && *c.EmbeddedSamplers > most {
		l.fail(codes.embedded, side, "there are %d different embedded samplers; must be at most %d", *c.EmbeddedSamplers, most)
	}
}

// queues checks that the device has a queue family for the stages.
func (l *linker) queues(codes callCode, side []Side) {
	if l.d.Queues == nil {
		return
	}
	graphics, computes := false, l.d.Kind != ShaderObjects
	for _, s := range l.stages {
		graphics = graphics || StageOf(s.Entry.Model) <= fragment
		computes = computes || StageOf(s.Entry.Model) == compute
	}
	if codes.compute != "" && computes && !slices.Contains(*l.d.Queues, QueueCompute) {
		l.fail(codes.compute, side, "no queue family of the device is for compute; must be one")
	}
	if l.d.Kind == ShaderObjects && graphics && !slices.Contains(*l.d.Queues, QueueGraphics) {
		l.fail(vuid.VkCreateShadersEXT_stage_09671, side, "no queue family of the device is for graphics; must be one")
	}
}

// Queue is an ability of a queue family: "graphics" or "compute".
type Queue string

// The abilities that pipelines and shader objects need.
const (
	QueueGraphics Queue = "graphics"
	QueueCompute  Queue = "compute"
)

// Names returns the names that a description may have.
func (Queue) Names() []string { return []string{string(QueueGraphics), string(QueueCompute)} }

// UnmarshalText reads a name.
func (q *Queue) UnmarshalText(text []byte) error {
	if !slices.Contains(q.Names(), string(text)) {
		return &enum.ValueError{Text: string(text), Want: "graphics, compute"}
	}
	*q = Queue(text)
	return nil
}

// UnmarshalYAML reads a name.
func (q *Queue) UnmarshalYAML(read func(any) error) error { return enum.ReadName(read, q) }
