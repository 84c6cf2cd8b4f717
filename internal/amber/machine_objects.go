package amber

import (
	"context"
	"errors"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// objectStages are the stages of shader objects.
var objectStages = map[Stage]vk.ShaderStage{
	Compute: vk.StageCompute, Vertex: vk.StageVertex, TessellationControl: vk.StageTessControl, TessellationEvaluation: vk.StageTessEvaluation,
	Geometry: vk.StageGeometry, Task: vk.StageTask, Mesh: vk.StageMesh, Fragment: vk.StageFragment,
}

// graphicsStages are the stages that a draw binds, with or without an object, in the order of drawObjects.
var graphicsStages = []vk.ShaderStage{
	vk.StageVertex, vk.StageTessControl, vk.StageTessEvaluation, vk.StageGeometry, vk.StageTask, vk.StageMesh, vk.StageFragment,
}

// newObjects makes the shader objects of a pipeline, in the order of its stages. Linked are those of a graphics pipeline
// with several stages.
func (m *machine) newObjects(ctx context.Context, p *Pipeline) ([]*vk.Shader, error) {
	b, err := m.layout(ctx, p)
	if err != nil {
		return nil, err
	}
	var infos []vk.ShaderInfo
	for i := range p.Stages {
		info, err := m.object(ctx, p, &p.Stages[i])
		if err != nil {
			return nil, err
		}
		info.Layout = b.layout
		infos = append(infos, *info)
	}
	if m.options.Way == LinkedObjects && len(infos) > 1 {
		for i := range infos {
			infos[i].Flags |= enum.ObjectFlagsLinkStage
		}
	}
	list, err := m.device.NewShaders(ctx, infos)
	if err == nil {
		return list, nil
	}
	for _, s := range list {
		s.Close()
	}
	var failed *vk.ShaderError
	if errors.As(err, &failed) {
		a := &p.Stages[failed.Index]
		return nil, m.stageError(a, m.entryPoint(p, a), failed.Cause)
	}
	return nil, err
}

// object describes the shader object of a stage.
func (m *machine) object(ctx context.Context, p *Pipeline, a *Attachment) (*vk.ShaderInfo, error) {
	stage, ok := objectStages[a.Stage]
	if !ok {
		return nil, m.unsupported(p.At, "shader objects of the stage "+a.Stage.String())
	}
	if level := m.robustness(p, a); !host.DeviceRobustness(&level) {
		return nil, m.unsupported(p.At, "shader objects with a robustness of their own: they have the robustness of the device")
	}
	code, err := m.stageModule(ctx, p, a)
	if err != nil {
		return nil, err
	}
	info := &vk.ShaderInfo{
		Stage: stage, Next: nextStage(p, stage), Code: code, Entry: m.entryPoint(p, a), Specialization: a.specialization(),
		SubgroupSize: uint32(a.Subgroup.RequiredSize), Mappings: p.Mappings,
	}
	if p.mapped() {
		info.Flags |= enum.ObjectFlagsDescriptorHeap
	}
	if stage == vk.StageCompute {
		info.Flags |= enum.ObjectFlagsDispatchBase
	}
	if stage == vk.StageMesh && p.stageOf(Task) == nil {
		info.Flags |= enum.ObjectFlagsNoTaskShader
	}
	if p.Graphics.Rates != nil && stage == vk.StageFragment {
		info.Flags |= enum.ObjectFlagsFragmentShadingRateAttachment
	}
	return info, nil
}

// nextStage returns the stage of a pipeline that follows another one; 0 if it is the last.
func nextStage(p *Pipeline, stage vk.ShaderStage) (next link.Stages) {
	nearest := vk.StageCompute
	for i := range p.Stages {
		if s, ok := objectStages[p.Stages[i].Stage]; ok && s > stage && s < nearest {
			nearest = s
			next = 1 << link.StageOf(models[p.Stages[i].Stage])
		}
	}
	return next
}

// specialization returns the values of specialization constants; nil if there are none.
func (a *Attachment) specialization() facts.Spec {
	if len(a.Specialize) == 0 {
		return nil
	}
	spec := facts.Spec{}
	for _, c := range a.Specialize {
		spec[c.ID] = c.Bits
	}
	return spec
}

// drawObjects are the shader objects of a graphics pipeline by stage; nil for the stages that it lacks.
type drawObjects [vk.StageCompute]*vk.Shader

// drawObjects returns the shader objects of a graphics pipeline, made when they are first needed. The state must be one
// that commands can set.
func (m *machine) drawObjects(ctx context.Context, p *Pipeline, f *vk.FixedState) (*drawObjects, error) {
	switch {
	case f.Multisample.SampleShading:
		return nil, m.unsupported(p.At, "SAMPLE_SHADING with shader objects: no command sets it")
	case f.Rendering.ViewMask != 0:
		return nil, m.unsupported(p.At, "VIEW_MASK with shader objects ("+vuid.VkCmdDraw_None_10772+")")
	}
	key := m.graphicsKey(p)
	if x := m.objects[key]; x != nil {
		return x, nil
	}
	list, err := m.newObjects(ctx, p)
	if err != nil {
		return nil, err
	}
	x := &drawObjects{}
	for i, s := range list {
		x[objectStages[p.Stages[i].Stage]] = s
	}
	m.objects[key] = x
	for _, s := range list {
		if err := m.checkStage(p, s.Stage()); err != nil {
			return nil, err
		}
	}
	return x, nil
}
