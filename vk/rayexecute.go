package vk

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/trace"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// boundRays is the state of commands that trace rays.
type boundRays struct {
	pipeline *RayTracingPipeline
	stack    bool // the size of the stack is set
}

// dispatchLimits returns the largest size of a launch: the workgroups of a dispatch times the invocations of a workgroup
// (maxComputeWorkGroupCount, maxComputeWorkGroupSize).
func dispatchLimits() (n [3]uint64) {
	const size = 1024
	for i, most := range compute.MaxGroups() {
		n[i] = uint64(most) * size
	}
	return n
}

// indirectBytes is the size of VkTraceRaysIndirectCommand2KHR.
const indirectBytes = 104

// read reads the arguments in memory.
func (w *traceRays) read(d *Device) (tables ShaderTables, size [3]uint32, err error) {
	tables, size = w.tables, w.size
	if w.form == traceDirect {
		return tables, size, nil
	}
	n, at := uint64(12), 0
	if w.form == traceIndirect2 {
		n = indirectBytes
	}
	b, release, ok := d.heap.at(w.address, n)
	if !ok {
		return tables, size, usage("VUID-"+traceNames[w.form]+"-indirectDeviceAddress-03632", "%d bytes at the address %#x are not in memory; must be", n, w.address)
	}
	defer release()
	next := func() uint64 {
		at += 8
		return binary.LittleEndian.Uint64(b[at-8:])
	}
	if w.form == traceIndirect2 {
		tables.RayGen.Address, tables.RayGen.Size = next(), next()
		tables.RayGen.Stride = tables.RayGen.Size
		for _, t := range []*ShaderTable{&tables.Miss, &tables.Hit, &tables.Callable} {
			t.Address, t.Size, t.Stride = next(), next(), next()
		}
		if err := tables.check(); err != nil {
			return tables, size, err
		}
	}
	for i := range size {
		size[i] = binary.LittleEndian.Uint32(b[at+4*i:])
	}
	return tables, size, checkLaunch(size)
}

// checkMotion checks that an indirect trace of a pipeline with motion has its feature.
func (w *traceRays) checkMotion(d *Device, p *RayTracingPipeline) error {
	const feature = "rayTracingMotionBlurPipelineTraceRaysIndirect"
	if w.form == traceDirect || p.flags&enum.PipelineFlagsRayTracingAllowMotion == 0 {
		return nil
	}
	return d.needs(feature, "VUID-"+traceNames[w.form]+"-"+feature+"-04951")
}

// run launches the bound pipeline.
func (w *traceRays) run(x *executor) error {
	p := x.rays.pipeline
	if p == nil {
		x.find(vuid.VkCmdDraw_None_08606, "no ray tracing pipeline is bound; must be")
		return x.found()
	}
	tables, size, err := w.read(x.dev)
	if err != nil {
		return err
	}
	if err := w.checkMotion(x.dev, p); err != nil {
		return err
	}
	sets, err := x.resolve(RayTracing, p.layout)
	if err == nil && x.dev.checking >= All {
		err = x.checkTrace(p, &tables)
	}
	if err != nil {
		return err
	}
	args := compute.Args{Push: x.push[:], Robustness: p.robustness, Workers: x.dev.workers, Budget: x.dev.budget, Schedule: x.dev.schedule, Lenient: x.dev.tolerant, Sets: sets}
	args.Log = x.dev.printer.log(p.composed)
	regions := x.dev.heap.regions()
	defer x.dev.heap.release(regions)
	args.Regions, args.Rays = regions.all(), x.dev.heap.structures.rays()
	x.bindHeaps(&args)
	if err := x.separateSets(p, &args); err != nil {
		return err
	}
	x.dev.heap.defined.begin(&args, p.composed)
	table := func(t ShaderTable) trace.Table {
		return trace.Table{Address: t.Address, Size: t.Size, Stride: t.Stride}
	}
	launch := trace.Launch{Size: size, RayGen: table(tables.RayGen), Miss: table(tables.Miss), Hit: table(tables.Hit), Callable: table(tables.Callable), Serials: p.serials}
	w.order(x, &tables, size)
	x.watch()
	defer x.unwatch()
	if d := x.dev.debugger; d != nil {
		err = x.debugLaunch(d, p, args, &launch)
	} else {
		err = p.rays.Run(x.ctx, p.program, args, &launch)
	}
	x.dev.printer.flush(args.Log, p.composed)
	x.order.shaders(&x.dev.printer, args.Log, RayTracing, x.order.now(), 0)
	return launchError(err)
}

// debugLaunch lets the debugger run a launch.
func (x *executor) debugLaunch(d Debugger, p *RayTracingPipeline, args compute.Args, launch *trace.Launch) error {
	c := DebugCommand{Kind: DebugLaunch, Parts: p.parts}
	for _, s := range p.stages {
		c.Stages = append(c.Stages, s.stage)
	}
	return d.Run(x.ctx, c, func(h exec.Hook) error {
		args.Hook = h
		return p.rays.Run(x.ctx, p.program, args, launch)
	})
}

// recordRules are the rules on records; boxRule is the one of HitTypes on boxes.
var recordRules = map[trace.Checks]string{
	trace.MissNotNull: vuid.VkCmdTraceRaysKHR_flags_03511, trace.AnyHitNotNull: vuid.VkCmdTraceRaysKHR_flags_03512,
	trace.ClosestHitNotNull: vuid.VkCmdTraceRaysKHR_flags_03513, trace.IntersectionNotNull: vuid.VkCmdTraceRaysKHR_flags_03514,
	trace.HitTypes: vuid.VkCmdTraceRaysKHR_pHitShaderBindingTable_04735,
}

const boxRule = vuid.VkCmdTraceRaysKHR_pHitShaderBindingTable_04736

// launchError returns the error of a launch with the rule that the launch has broken.
func launchError(err error) error {
	if deep := (*trace.DepthError)(nil); errors.As(err, &deep) && deep.Rays {
		return &UsageError{Rule: vuid.VkCmdTraceRaysKHR_maxPipelineRayRecursionDepth_03679, Message: err.Error(), Cause: err}
	}
	if record := (*trace.RecordError)(nil); errors.As(err, &record) {
		rule := recordRules[record.Check]
		if record.Boxes {
			rule = boxRule
		}
		return &UsageError{Rule: rule, Message: err.Error(), Cause: err}
	}
	return err
}

// separateSets sets the sets of the stages that have their own.
func (x *executor) separateSets(p *RayTracingPipeline, a *compute.Args) (err error) {
	if p.rays.Apart == 0 {
		return nil
	}
	all := make([]compute.Set, len(p.stages)*apart)
	for i, s := range p.stages {
		sets := a.Sets
		if s.mappings != nil {
			sets = a.MappedSets(s.stage.Program, s.mappings)
		}
		own := all[i*apart : (i+1)*apart]
		copy(own, sets)
		if own[counterSet], err = x.counters(s.group, s.stage); err != nil {
			return err
		}
	}
	a.Sets = all
	return nil
}

// checkTrace returns the first finding on a launch of full checking.
func (x *executor) checkTrace(p *RayTracingPipeline, t *ShaderTables) error {
	if p.info.DynamicStackSize && !x.rays.stack {
		x.find(vuid.VkCmdTraceRaysKHR_None_09458, "the size of the stack is dynamic, and no command has set it; must be set")
	}
	for i, n := range t.each() {
		s := n.table
		if s.Size == 0 && i > 0 {
			continue
		}
		b, release, ok := x.dev.heap.at(s.Address, s.Size)
		if !ok {
			x.find(n.inMemory, "the %s table has %d bytes at the address %#x, which are not in memory; must be", n.name, s.Size, s.Address)
			continue
		}
		if i == 0 {
			x.checkRayGen(p, b)
		}
		release()
	}
	positions := p.readsPositions()
	for _, s := range p.stages {
		mappings := map[ir.Stage][]compute.Mapping{s.stage.Program.Stage: s.mappings}
		(&descriptorCheck{
			executor: x, point: RayTracing, unmixed: unmixed(p.flags), idle: true, layout: p.layout, buffers: p.flags&enum.PipelineFlagsDescriptorBuffer != 0, mappings: mappings, positions: positions,
			motion: p.flags&enum.PipelineFlagsRayTracingAllowMotion != 0, unmapped: p.flags&enum.PipelineFlagsRayTracingOpacityMicromap == 0,
		}).uses(s.uses.of(s.stage))
	}
	return x.found()
}

// checkRayGen checks the handle of the ray generation record.
func (x *executor) checkRayGen(p *RayTracingPipeline, record []byte) {
	var h groupHandle
	if len(record) >= GroupHandleSize {
		h = groupHandle{binary.LittleEndian.Uint32(record), binary.LittleEndian.Uint32(record[4:])}
	}
	if !slices.Contains(p.handles, h) {
		x.find(vuid.VkCmdTraceRaysKHR_None_03429, "the ray generation record has no handle of a group of %v; must have one", &p.object)
	}
}
