package amber

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// graphicsPipeline is a pipeline of the device for a state.
type graphicsPipeline struct {
	*vk.GraphicsPipeline
	state drawState
}

// graphicsPipeline returns a pipeline of the device for the state of a draw, made when it is first needed.
func (m *machine) graphicsPipeline(ctx context.Context, p *Pipeline, s *drawState) (*vk.GraphicsPipeline, error) {
	key := m.graphicsKey(p)
	for _, x := range m.drawn[key] {
		if reflect.DeepEqual(&x.state, s) {
			return x.GraphicsPipeline, nil
		}
	}
	x, err := m.newGraphicsPipeline(ctx, p, s)
	if err != nil {
		return nil, err
	}
	m.drawn[key] = append(m.drawn[key], graphicsPipeline{x, *s})
	for _, stage := range x.Stages() {
		if err := m.checkStage(p, stage); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (m *machine) newGraphicsPipeline(ctx context.Context, p *Pipeline, s *drawState) (*vk.GraphicsPipeline, error) {
	b, err := m.layout(ctx, p)
	if err != nil {
		return nil, err
	}
	return m.buildGraphicsPipeline(ctx, p, s, vk.GraphicsPipelineInfo{Creation: creationOf(p), Layout: b.layout}, nil)
}

// buildGraphicsPipeline makes a pipeline of the stages of p and a state. The node is the name of its mesh stage in an execution graph, or
// nil.
func (m *machine) buildGraphicsPipeline(ctx context.Context, p *Pipeline, s *drawState, info vk.GraphicsPipelineInfo, node *link.Node) (*vk.GraphicsPipeline, error) {
	info.State = s.FixedState
	mapInputs(&info.State.Rendering, s)
	if s.dither {
		info.Flags |= enum.PipelineFlagsEnableLegacyDithering
	}
	if p.stageOf(Mesh) != nil {
		info.State.Vertex, info.State.Assembly, info.State.Tessellation = nil, nil, nil
	}
	for i := range p.Stages {
		a := &p.Stages[i]
		into := map[Stage]**vk.StageInfo{
			Vertex: &info.Vertex, TessellationControl: &info.TessControl, TessellationEvaluation: &info.TessEvaluation, Geometry: &info.Geometry,
			Task: &info.Task, Mesh: &info.Mesh, ClusterCulling: &info.ClusterCulling, Fragment: &info.Fragment,
		}[a.Stage]
		if into == nil {
			return nil, m.unsupported(p.At, "shaders of the stage "+a.Stage.String())
		}
		stage, err := m.stage(ctx, p, a)
		if err != nil {
			return nil, err
		}
		defer stage.Module.Close()
		if a.Stage == Mesh && node != nil {
			stage.Node, stage.NodeIndex = node.Name, &node.Index
		}
		*into = stage
	}
	x, err := m.drawPipeline(ctx, info)
	var failed *vk.StageError
	if errors.As(err, &failed) {
		i := slices.IndexFunc(p.Stages, func(a Attachment) bool { return models[a.Stage] == failed.Model })
		return nil, m.stageError(&p.Stages[i], m.entryPoint(p, &p.Stages[i]), failed.Cause)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%s: pipeline %s: %w", m.script.File, p.At, p.Name, host.Cause(err))
	}
	return x, nil
}

// graphicsKey names the programs of a graphics pipeline.
type graphicsKey struct {
	pipeline    *Pipeline
	entryPoints [numGraphicsStages]string
}

// graphicsKey returns the key of the programs of a pipeline with the entry points that were set.
func (m *machine) graphicsKey(p *Pipeline) graphicsKey {
	key := graphicsKey{pipeline: p}
	for i := range p.Stages {
		if a := &p.Stages[i]; a.Stage < numGraphicsStages {
			key.entryPoints[a.Stage] = m.entryPoint(p, a)
		}
	}
	return key
}
