package vk

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Sizes and limits of ray tracing pipelines (VkPhysicalDeviceRayTracingPipelinePropertiesKHR).
const (
	GroupHandleSize      = trace.HandleSize // bytes of the handle of a shader group
	GroupHandleAlignment = 32               // of the records of a table, in bytes
	GroupBaseAlignment   = 64               // of a table, in bytes
	MaxGroupStride       = 1 << 14          // bytes of a record of a table
	MaxRecursionDepth    = trace.MaxDepth
	MaxTracedRays        = 1 << 30 // invocations of the ray generation shader of a launch
	MaxHitAttributeBytes = 4 * ir.MaxAttributeSlots
	ReplayHandleSize     = 64 // bytes of the handle of a shader group for a replay
)

// RayStageInfo describes a stage of a ray tracing pipeline.
type RayStageInfo struct {
	Model spirv.ExecutionModel
	StageInfo
}

// RayTracingPipelineInfo describes a ray tracing pipeline.
type RayTracingPipelineInfo struct {
	Creation
	Stages []RayStageInfo

	// Groups are the shader groups. Their stages are numbers in Stages. After the groups come those of the libraries, in order.
	Groups    []link.Group
	Depth     uint32             // of the recursion of rays, at most MaxRecursionDepth
	Interface *link.RayInterface // of a library, or with libraries
	Libraries []*RayTracingPipeline
	Layout    *PipelineLayout // nil with the flag DescriptorHeap

	// DynamicStackSize is VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR. Without it callable shaders can execute
	// callable shaders, and these none, as the default size of the stack has it.
	DynamicStackSize bool

	// ReplayHandles are the results of ReplayHandles of an earlier pipeline for its own groups, which this one gets again. A nil one
	// does not count. The groups must be those of the earlier pipeline: else the error is ErrOpaqueAddress.
	ReplayHandles [][]byte
}

// RayTracingPipeline is a ray tracing pipeline, or a library for others.
type RayTracingPipeline struct {
	object
	built
	layout  *PipelineLayout
	info    RayTracingPipelineInfo // without stages
	stages  []*rayStage            // those of the libraries at the end
	groups  []trace.Group          // likewise
	handles []groupHandle          // of groups
	serial  uint32                 // of a library
	serials []uint32               // of the libraries of a pipeline that has a program
	rays    *trace.Pipeline        // nil of a library
	program *compute.Pipeline

	robustness compute.Robustness
	parts      []trace.Part    // for a debugger: of the functions of the program
	composed   *shader.Stage   // the program of all stages
	located    []*shader.Stage // the stages in the order in which origins are looked up: the last one first
}

// groupHandle is the handle of a group: the number of the group in its library plus 1, and the serial of the library; 0 is no
// library.
type groupHandle struct{ number, serial uint32 }

// rayStage is a stage of a ray tracing pipeline.
type rayStage struct {
	source     *stageCreation
	stage      *shader.Stage
	robustness compute.Robustness
	mappings   []compute.Mapping // with descriptor heaps
	uses       uses
	group      uint32 // the first one with the stage: it has one stage of a kind, and so tells those of the same kind apart
}

// callableDepth is the depth of callable shaders: with the default size of the stack (Vulkan, Ray Tracing Pipeline Stack), and with
// a size that commands set.
const (
	callableDepth     = 2
	deepCallableDepth = trace.MaxDepth
)

// NewRayTracingPipeline makes a ray tracing pipeline; errors are those of NewComputePipeline. The libraries may be closed
// afterwards.
func (d *Device) NewRayTracingPipeline(ctx context.Context, info RayTracingPipelineInfo) (_ *RayTracingPipeline, err error) {
	defer recovered(&err)
	if err := d.ready(ctx); err != nil {
		return nil, err
	}
	layout, err := layoutOf(d, info.Layout, info.heaps(), vuid.VkRayTracingPipelineCreateInfoKHR_flags_11311)
	if err != nil {
		return nil, err
	}
	if err := checkLibraries(d, info.Libraries); err != nil {
		return nil, err
	}
	defer info.Cache.unuse()
	if err := info.Cache.use(vuid.VkCreateRayTracingPipelinesKHR_pipelineCache_02903); err != nil {
		return nil, err
	}
	c, err := d.newCreation(&info.Creation)
	if err != nil {
		return nil, err
	}
	c.debugged = d.debugger != nil
	end, err := d.replays.begin(d, info.ReplayHandles)
	if err != nil {
		return nil, err
	}
	defer end()
	for i := range info.Stages {
		s := &info.Stages[i]
		if link.StageOf(s.Model) < 0 {
			return nil, usage(vuid.VkRayTracingPipelineCreateInfoKHR_stage_06899, "stage %d has the execution model %v; must have one of ray tracing", i, s.Model)
		}
		if err := c.add(ctx, &s.StageInfo, s.Model); err != nil {
			return nil, err
		}
	}
	if d.checking > None {
		if err := linked(info.describe(c)); err != nil {
			return nil, err
		}
	}
	if err := c.compile(ctx); err != nil {
		return nil, err
	}
	p := &RayTracingPipeline{layout: layout, info: info}
	if info.Flags&enum.PipelineFlagsLibrary != 0 {
		p.serial = d.libraries.Add(1)
	}
	if err := p.replay(d, info.ReplayHandles); err != nil {
		return nil, err
	}
	if err := p.assemble(d, c); err != nil {
		return nil, err
	}
	if info.Flags&enum.PipelineFlagsLibrary == 0 {
		if err := p.compose(ctx, d); err != nil {
			return nil, err
		}
	}
	p.info.Stages, p.info.Libraries, p.info.ReplayHandles, p.info.Groups = nil, nil, nil, slices.Clone(info.Groups)
	p.built = c.finish()
	d.adopt(&p.object, "ray tracing pipeline", func() {
		if p.program != nil {
			p.program.Close()
		}
	})
	return p, nil
}

// NewRayTracingPipelines makes pipelines, as NewComputePipelines does.
func (d *Device) NewRayTracingPipelines(ctx context.Context, infos []RayTracingPipelineInfo) ([]*RayTracingPipeline, error) {
	return batch(infos, func(i *RayTracingPipelineInfo) *Creation { return &i.Creation }, func(i *RayTracingPipelineInfo) (*RayTracingPipeline, error) {
		return d.NewRayTracingPipeline(ctx, *i)
	})
}

// describe returns the description of the pipeline for the rules of package link.
func (info *RayTracingPipelineInfo) describe(c *creation) *link.Description {
	d := &link.Description{NoLayout: info.heaps(), HasDynamic: true, Rays: &link.Rays{Groups: info.Groups, Depth: info.Depth, Interface: info.Interface}}
	if info.DynamicStackSize {
		d.Dynamic = append(d.Dynamic, enum.DynamicStateRayTracingPipelineStackSize)
	}
	for _, p := range info.Libraries {
		l := link.RayLibrary{Flags: p.flags, Depth: &p.info.Depth, Interface: p.info.Interface}
		for _, s := range p.stages {
			l.Stages = append(l.Stages, 1<<link.StageOf(s.source.model))
		}
		d.Rays.Libraries = append(d.Rays.Libraries, l)
	}
	return c.description(d, link.RayTracing, info.Layout)
}

// assemble sets the stages and the groups of the pipeline, with those of its libraries.
func (p *RayTracingPipeline) assemble(d *Device, c *creation) error {
	for _, s := range c.stages {
		x := &rayStage{source: s.kept(), stage: s.stage()}
		if r := c.robustnessOf(s.info); r != nil {
			x.robustness = *r.inside()
		}
		if p.info.heaps() {
			var err error
			if x.mappings, err = d.mappings(s.info.Mappings, x.stage.Program); err != nil {
				return err
			}
		}
		p.stages = append(p.stages, x)
	}
	number := func(r *link.Ref) int {
		if r == nil || *r == link.Unused {
			return trace.Unused
		}
		return int(*r)
	}
	for i := range p.info.Groups {
		g := &p.info.Groups[i]
		x := trace.Group{General: trace.Unused, ClosestHit: trace.Unused, AnyHit: trace.Unused, Intersection: trace.Unused}
		switch g.Type {
		case enum.GroupTypeGeneral:
			x.General = number(g.General)
		case enum.GroupTypeProceduralHitGroup:
			x.Intersection = number(g.Intersection)
			fallthrough
		default:
			x.ClosestHit, x.AnyHit = number(g.ClosestHit), number(g.AnyHit)
		}
		p.groups = append(p.groups, x)
		p.handles = append(p.handles, groupHandle{uint32(i) + 1, p.serial})
	}
	for _, l := range p.info.Libraries {
		first := len(p.stages)
		p.handles = append(p.handles, l.handles...)
		for _, s := range l.stages {
			p.stages = append(p.stages, &rayStage{source: s.source, stage: s.stage, robustness: s.robustness, mappings: s.mappings})
		}
		for _, g := range l.groups {
			for _, n := range []*int{&g.General, &g.ClosestHit, &g.AnyHit, &g.Intersection} {
				if *n != trace.Unused {
					*n += first
				}
			}
			p.groups = append(p.groups, g)
		}
	}
	return nil
}

// compose makes the program of all stages.
func (p *RayTracingPipeline) compose(ctx context.Context, d *Device) (err error) {
	r := &trace.Pipeline{Groups: p.groups, Depth: p.info.Depth, CallableDepth: callableDepth}
	if p.info.DynamicStackSize {
		r.CallableDepth = deepCallableDepth
	}
	if p.info.Flags&enum.PipelineFlagsRayTracingSkipTriangles != 0 {
		r.Skips |= trace.SkipTriangles
	}
	if p.info.Flags&enum.PipelineFlagsRayTracingSkipAabbs != 0 {
		r.Skips |= trace.SkipBoxes
	}
	if d.checking >= All {
		r.Checks = p.recordChecks()
	}
	for _, s := range p.stages {
		r.Shaders = append(r.Shaders, s.stage.Program)
	}
	p.rays = r
	for i := range p.groups {
		g := &p.groups[len(p.groups)-1-i]
		for _, n := range []int{g.General, g.ClosestHit, g.AnyHit, g.Intersection} {
			if n != trace.Unused {
				p.stages[n].group = uint32(len(p.groups) - 1 - i)
			}
		}
	}
	for i, h := range p.handles {
		if h.serial != 0 && h.number == 1 {
			r.Parts, p.serials = append(r.Parts, uint32(i)), append(p.serials, h.serial)
		}
	}
	p.separate(d.lowering.Profile || slices.ContainsFunc(p.stages, func(s *rayStage) bool { return instrumented(s.stage.Program) }))
	options := trace.Options{MaxValues: d.lowering.MaxValues, Stop: ctx.Err}
	if d.debugger != nil {
		options.Parts = &p.parts
	}
	composed, err := trace.Compose(r, options)
	if err == nil {
		p.composed, err = shader.Composed(ctx, composed)
	}
	if err != nil {
		return compileError(err)
	}
	for i, origin := range r.Origins() {
		s := *p.stages[i].stage
		s.Origin = origin
		p.located = append(p.located, &s)
	}
	slices.Reverse(p.located)
	create := compute.NewPipeline
	if p.info.Flags&enum.PipelineFlagsFailOnPipelineCompileRequired != 0 {
		create = compute.NewDeferred // no machine code before the first launch
	}
	if p.program, err = create(composed, d.engine, exec.Options{Stop: ctx.Err}); err != nil {
		return compileError(err)
	}
	return nil
}

// recordChecks are the rules on the records of tables that launches of the pipeline check.
func (p *RayTracingPipeline) recordChecks() trace.Checks {
	checks := trace.HitTypes
	for flag, check := range map[enum.PipelineFlags]trace.Checks{
		enum.PipelineFlagsRayTracingNoNullMissShaders: trace.MissNotNull, enum.PipelineFlagsRayTracingNoNullAnyHitShaders: trace.AnyHitNotNull,
		enum.PipelineFlagsRayTracingNoNullClosestHitShaders: trace.ClosestHitNotNull, enum.PipelineFlagsRayTracingNoNullIntersectionShaders: trace.IntersectionNotNull,
	} {
		if p.info.Flags&flag != 0 {
			checks |= check
		}
	}
	return checks
}

// apart is the number of sets of a stage that has its own: those of a layout, and the set of counters.
const apart = counterSet + 1

// separate gives the stages sets of their own if they have mappings or counters, or if their robustness differs. The robustness of the
// pipeline has the robustness of each resource then. For images it is the strictest one, which satisfies all.
func (p *RayTracingPipeline) separate(counts bool) {
	same := !counts
	for i, s := range p.stages {
		if i == 0 {
			p.robustness = s.robustness
		}
		same = same && s.mappings == nil && s.robustness.Equal(&p.stages[0].robustness)
		p.robustness.Images = min(p.robustness.Images, s.robustness.Images)
	}
	if same {
		return
	}
	p.rays.Apart = apart
	p.robustness.Bindings = map[compute.Binding]exec.Robustness{}
	for i, s := range p.stages {
		for _, r := range s.stage.Program.Res {
			at := compute.Binding{Set: r.Set, Binding: r.Binding}
			p.robustness.Bindings[compute.Binding{Set: r.Set + uint32(i)*apart, Binding: r.Binding}] = s.robustness.Of(at, r.Kind)
		}
	}
}

// Stage returns the specialized module and the interface of a stage; zero values if there is none, or if its module is not known. The
// stages of the libraries come after those of the pipeline.
func (p *RayTracingPipeline) Stage(i int) link.Shader {
	if p == nil || p.dev == nil || i < 0 || i >= len(p.stages) {
		return link.Shader{}
	}
	return p.dev.describe(p.stages[i].source)
}

// Groups returns the number of shader groups, with those of the libraries.
func (p *RayTracingPipeline) Groups() int {
	if p == nil {
		return 0
	}
	return len(p.groups)
}

// replay gives the pipeline the serial of the handles of an earlier one, and checks their numbers.
func (p *RayTracingPipeline) replay(d *Device, handles [][]byte) error {
	library, given := p.serial != 0, false
	for i, b := range handles {
		if b == nil {
			continue
		}
		if len(b) < 8 {
			return ErrOpaqueAddress
		}
		h := groupHandle{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
		if h.number != uint32(i)+1 || (h.serial != 0) != library || given && h.serial != p.serial {
			return ErrOpaqueAddress
		}
		p.serial, given = h.serial, true
	}
	if library && given {
		d.reserveSerial(p.serial)
	}
	return nil
}

// reserveSerial keeps a serial from the libraries that are made later.
func (d *Device) reserveSerial(n uint32) {
	for last := d.libraries.Load(); last < n && !d.libraries.CompareAndSwap(last, n); {
		last = d.libraries.Load()
	}
}

// ReplayHandles returns handles as GroupHandles does, for the creation of the pipeline in a replay: ReplayHandleSize bytes each
// (vkGetRayTracingCaptureReplayShaderGroupHandlesKHR).
func (p *RayTracingPipeline) ReplayHandles(first, n int) ([]byte, error) {
	if err := check(nil, "the pipeline", p); err != nil {
		return nil, err
	}
	switch {
	case !p.dev.mayHave("rayTracingPipelineShaderGroupHandleCaptureReplay"):
		return nil, usage(vuid.VkGetRayTracingCaptureReplayShaderGroupHandlesKHR_rayTracingPipelineShaderGroupHandleCaptureReplay_03606, "the feature rayTracingPipelineShaderGroupHandleCaptureReplay is off; must be enabled")
	case p.flags&enum.PipelineFlagsRayTracingShaderGroupHandleCaptureReplay == 0:
		return nil, usage(vuid.VkGetRayTracingCaptureReplayShaderGroupHandlesKHR_pipeline_03607, "%v lacks the flag %v; must have it", &p.object, enum.PipelineFlagsRayTracingShaderGroupHandleCaptureReplay)
	}
	return p.put(first, n, ReplayHandleSize, &handleRules{
		library: vuid.VkGetRayTracingCaptureReplayShaderGroupHandlesKHR_pipeline_07829, first: vuid.VkGetRayTracingCaptureReplayShaderGroupHandlesKHR_firstGroup_04051,
		count: vuid.VkGetRayTracingCaptureReplayShaderGroupHandlesKHR_firstGroup_03483,
	})
}

// handleRules are the rules of a query for handles: on libraries, the first group and the number of groups.
type handleRules struct{ library, first, count string }

// put returns the handles of n groups, size bytes each.
func (p *RayTracingPipeline) put(first, n, size int, rules *handleRules) ([]byte, error) {
	switch all := len(p.groups); {
	case p.rays == nil && !p.dev.mayHave("pipelineLibraryGroupHandles"):
		return nil, usage(rules.library, "%v is a library; must be none without the feature pipelineLibraryGroupHandles", &p.object)
	case first < 0 || first >= all:
		return nil, usage(rules.first, "the first group is %d; must be less than the %d groups of the pipeline", first, all)
	case n < 0 || n > all-first:
		return nil, usage(rules.count, "%d groups from group %d on are asked for; must be at most the %d of the pipeline", n, first, all)
	}
	b := make([]byte, n*size)
	for i := range n {
		h := p.handles[first+i]
		binary.LittleEndian.PutUint32(b[i*size:], h.number)
		binary.LittleEndian.PutUint32(b[i*size+4:], h.serial)
	}
	return b, nil
}

// GroupHandles returns the handles of n shader groups from the group first on, GroupHandleSize bytes each
// (vkGetRayTracingShaderGroupHandlesKHR). A handle of zeros in a table is no group. The handles of a library are valid for the pipelines
// that it is linked into.
func (p *RayTracingPipeline) GroupHandles(first, n int) ([]byte, error) {
	if err := check(nil, "the pipeline", p); err != nil {
		return nil, err
	}
	return p.put(first, n, GroupHandleSize, &handleRules{
		library: vuid.VkGetRayTracingShaderGroupHandlesKHR_pipeline_07828, first: vuid.VkGetRayTracingShaderGroupHandlesKHR_firstGroup_04050,
		count: vuid.VkGetRayTracingShaderGroupHandlesKHR_firstGroup_02419,
	})
}

// mayHave reports whether a feature of the device is enabled, or not known.
func (d *Device) mayHave(feature string) bool {
	return d.physical.supports(feature) && (d.enabled == nil || d.enabled[feature])
}

// GroupShader is a shader of a group (VkShaderGroupShaderKHR).
type GroupShader uint8

// The shaders of a group.
const (
	GeneralShader GroupShader = iota
	ClosestHitShader
	AnyHitShader
	IntersectionShader
)

// GroupStackSize returns the size in bytes that a shader of a group adds to the stack of a pipeline
// (vkGetRayTracingShaderGroupStackSizeKHR).
func (p *RayTracingPipeline) GroupStackSize(group int, which GroupShader) (uint64, error) {
	if err := check(nil, "the pipeline", p); err != nil {
		return 0, err
	}
	if group < 0 || group >= len(p.groups) {
		return 0, usage(vuid.VkGetRayTracingShaderGroupStackSizeKHR_group_03608, "the group is %d; must be less than the %d groups of the pipeline", group, len(p.groups))
	}
	g := &p.groups[group]
	if which > IntersectionShader {
		return 0, usage("", "the shader of the group is %d; must be at most %d", which, IntersectionShader)
	}
	n := [...]int{GeneralShader: g.General, ClosestHitShader: g.ClosestHit, AnyHitShader: g.AnyHit, IntersectionShader: g.Intersection}[which]
	if n < 0 || n >= len(p.stages) {
		return 0, usage(vuid.VkGetRayTracingShaderGroupStackSizeKHR_groupShader_03609, "group %d has no such shader; must have it", group)
	}
	return 16 + 4*uint64(p.stages[n].stage.Program.PrivateSlots()), nil
}
