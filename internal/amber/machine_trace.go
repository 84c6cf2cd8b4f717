package amber

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// traceProgram is a ray tracing pipeline and its shader binding tables.
type traceProgram struct {
	pipeline *vk.RayTracingPipeline
	tables   map[string]vk.ShaderTable
}

// attachGroups attaches the shaders of groups that ATTACH has not attached.
func (p *Pipeline) attachGroups() {
	for _, g := range p.RayTracing.Groups {
		for _, s := range g.Shaders {
			if s != nil && p.stage(s.Name) == nil {
				p.Stages = append(p.Stages, Attachment{Shader: s, Stage: s.Stage, EntryPoint: "main"})
			}
		}
	}
}

// linkGroup returns the group with the numbers of its shaders among the stages of the pipeline.
func (p *Pipeline) linkGroup(g *ShaderGroup) (out link.Group) {
	for _, s := range g.Shaders {
		i := slices.IndexFunc(p.Stages, func(a Attachment) bool { return a.Shader == s })
		if i < 0 {
			continue
		}
		n := link.Ref(i)
		switch p.Stages[i].Stage {
		case ClosestHit:
			out.ClosestHit = &n
		case AnyHit:
			out.AnyHit = &n
		case Intersection:
			out.Intersection = &n
		default:
			out.General = &n
		}
	}
	switch {
	case out.General != nil:
		out.Type = enum.GroupTypeGeneral
	case out.Intersection != nil:
		out.Type = enum.GroupTypeProceduralHitGroup
	default:
		out.Type = enum.GroupTypeTrianglesHitGroup
	}
	return out
}

// linkRays returns the groups and the libraries of a ray tracing pipeline. The depth of the recursion is 1 if the script sets none.
func (p *Pipeline) linkRays() *link.Rays {
	r := &link.Rays{Depth: uint32(max(p.RayTracing.MaxRecurse, 1))}
	for i := range p.RayTracing.Groups {
		r.Groups = append(r.Groups, p.linkGroup(&p.RayTracing.Groups[i]))
	}
	if p.RayTracing.Library || p.RayTracing.Libraries != nil {
		r.Interface = &link.RayInterface{Payload: uint32(p.RayTracing.MaxPayload), HitAttribute: uint32(p.RayTracing.MaxHitAttribute)}
	}
	for _, l := range p.RayTracing.Libraries {
		of := l.linkRays()
		r.Libraries = append(r.Libraries, link.RayLibrary{Flags: enum.PipelineFlagsLibrary, Depth: &of.Depth, Interface: of.Interface, Stages: l.linkStages()})
	}
	return r
}

// linkStages returns the stages of a ray tracing pipeline and of its libraries.
func (p *Pipeline) linkStages() (list []link.Stages) {
	for i := range p.Stages {
		list = append(list, 1<<link.StageOf(models[p.Stages[i].Stage]))
	}
	for _, l := range p.RayTracing.Libraries {
		list = append(list, l.linkStages()...)
	}
	return list
}

// groupNames returns the names of the groups of a pipeline: its own, then those of its libraries.
func (p *Pipeline) groupNames() (list []string) {
	for _, g := range p.RayTracing.Groups {
		list = append(list, g.Name)
	}
	for _, l := range p.RayTracing.Libraries {
		list = append(list, l.groupNames()...)
	}
	return list
}

// tracer returns the program of a ray tracing pipeline, made when it is first needed.
func (m *machine) tracer(ctx context.Context, p *Pipeline) (*traceProgram, error) {
	if x := m.tracers[p]; x != nil {
		return x, nil
	}
	r := p.linkRays()
	info := vk.RayTracingPipelineInfo{Creation: creationOf(p), Groups: r.Groups, Depth: r.Depth, Interface: r.Interface}
	if p.RayTracing.Library {
		info.Flags |= enum.PipelineFlagsLibrary
	}
	for i := range p.Stages {
		a := &p.Stages[i]
		s, err := m.stage(ctx, p, a)
		if err != nil {
			return nil, err
		}
		defer s.Module.Close()
		info.Stages = append(info.Stages, vk.RayStageInfo{Model: models[a.Stage], StageInfo: *s})
	}
	for _, l := range p.RayTracing.Libraries {
		x, err := m.tracer(ctx, l)
		if err != nil {
			return nil, err
		}
		info.Libraries = append(info.Libraries, x.pipeline)
	}
	b, err := m.layout(ctx, p)
	if err != nil {
		return nil, err
	}
	info.Layout = b.layout
	x := &traceProgram{}
	if x.pipeline, err = m.device.NewRayTracingPipeline(ctx, info); err != nil {
		return nil, m.tracerError(p, &info, err)
	}
	if !p.RayTracing.Library {
		err = x.fill(m, p)
	}
	m.tracers[p] = x
	return x, err
}

// tracerError adds the name of a shader, or of the pipeline, to an error.
func (m *machine) tracerError(p *Pipeline, info *vk.RayTracingPipelineInfo, err error) error {
	if failed := (*vk.StageError)(nil); errors.As(err, &failed) {
		for i := range info.Stages {
			if info.Stages[i].Model == failed.Model {
				return m.stageError(&p.Stages[i], info.Stages[i].Entry, err)
			}
		}
	}
	return fmt.Errorf("%s:%s: pipeline %s: %w", m.script.File, p.At, p.Name, host.CompileCause(err))
}

// fill makes the shader binding tables: records of a handle each, at multiples of the alignment of tables.
func (x *traceProgram) fill(m *machine, p *Pipeline) error {
	x.tables = map[string]vk.ShaderTable{}
	names := p.groupNames()
	var data []byte
	for _, t := range p.RayTracing.Tables {
		at := len(data)
		for _, name := range t.Groups {
			n := slices.Index(names, name)
			if n < 0 {
				return m.fault(CodeName, p.At, "%s in binding table %s is no group of pipeline %s and of its libraries", name, t.Name, p.Name)
			}
			handle, err := x.pipeline.GroupHandles(n, 1)
			if err != nil {
				return err
			}
			data = append(data, handle...)
		}
		x.tables[t.Name] = vk.ShaderTable{Address: uint64(at), Stride: vk.GroupHandleSize, Size: uint64(len(data) - at)}
		for len(data)%vk.GroupBaseAlignment != 0 {
			data = append(data, 0)
		}
	}
	if data == nil {
		return nil
	}
	buffer, memory, err := host.NewBuffer(m.device, uint64(len(data)), vk.DeviceAddress)
	if err != nil {
		return err
	}
	copy(memory.Bytes(), data)
	for name, t := range x.tables {
		t.Address += buffer.Address()
		x.tables[name] = t
	}
	return nil
}

// trace runs a ray tracing pipeline.
func (m *machine) trace(ctx context.Context, c *Trace) error {
	p := c.Pipeline
	if p.RayTracing.Library {
		return m.fault(CodeRun, c.At, "pipeline %s is a library and cannot run", p.Name)
	}
	x, err := m.tracer(ctx, p)
	if err != nil {
		return err
	}
	b, err := m.bind(ctx, p)
	if err != nil {
		return err
	}
	for i := range p.Stages {
		if entry := x.pipeline.Stage(i).Entry; entry != nil {
			if err := host.CheckPush(entry, m.pushBytes(p)); err != nil {
				return fmt.Errorf("%s:%s: pipeline %s: %w", m.script.File, c.At, p.Name, err)
			}
		}
	}
	tables := vk.ShaderTables{RayGen: x.tables[c.Raygen], Miss: x.tables[c.Miss], Hit: x.tables[c.Hit], Callable: x.tables[c.Call]}
	tables.RayGen.Size = tables.RayGen.Stride // the first record
	if err := m.commands.Begin(vk.BeginInfo{OneTime: true}); err != nil {
		return err
	}
	m.commands.BindRayTracingPipeline(x.pipeline)
	b.record(m, p, vk.RayTracing)
	m.commands.TraceRays(tables, c.Size[0], c.Size[1], c.Size[2])
	return m.submitted(ctx, p, c.At)
}
