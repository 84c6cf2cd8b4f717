package vk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"reflect"

	"github.com/chiaro-gpu/chiaro/link"
)

// ShaderGroup is stages, vertex input and tessellation in place of the pipeline's
// (VkGraphicsShaderGroupCreateInfoNV).
type ShaderGroup struct {
	Vertex, TessControl, TessEvaluation, Geometry, Fragment *StageInfo
	ClusterCulling, Task, Mesh                              *StageInfo

	Input        *link.VertexInput
	Tessellation *link.Tessellation
}

// of returns the description of the pipeline of a group.
func (g *ShaderGroup) of(info *GraphicsPipelineInfo) GraphicsPipelineInfo {
	p := *info
	p.Groups, p.GroupPipelines, p.Cache, p.Binaries, p.Feedback = nil, nil, nil, nil, nil
	p.Vertex, p.TessControl, p.TessEvaluation, p.Geometry, p.Fragment = g.Vertex, g.TessControl, g.TessEvaluation, g.Geometry, g.Fragment
	p.ClusterCulling, p.Task, p.Mesh = g.ClusterCulling, g.Task, g.Mesh
	p.State.Vertex, p.State.Tessellation = g.Input, g.Tessellation
	return p
}

// stages returns the stages of the group, nil for those it lacks.
func (g *ShaderGroup) stages() [8]*StageInfo {
	return [...]*StageInfo{g.Vertex, g.TessControl, g.TessEvaluation, g.Geometry, g.Fragment, g.Mesh, g.Task, g.ClusterCulling}
}

// combination returns the stages that all groups of a pipeline must share: a bit for each. Some groups may lack a task stage.
func (g *ShaderGroup) combination() (bits uint8) {
	c := *g
	c.Task = nil
	for i, s := range c.stages() {
		bits |= uint8(flag(s != nil)) << i
	}
	return bits
}

// checkGroups compares the groups with each other, and the first one with the pipeline.
func (info *GraphicsPipelineInfo) checkGroups() error {
	const rule = "VUID-VkGraphicsPipelineShaderGroupsCreateInfoNV-pGroups-"
	parent := ShaderGroup{
		Vertex: info.Vertex, TessControl: info.TessControl, TessEvaluation: info.TessEvaluation, Geometry: info.Geometry, Fragment: info.Fragment,
		ClusterCulling: info.ClusterCulling, Task: info.Task, Mesh: info.Mesh, Input: info.State.Vertex, Tessellation: info.State.Tessellation,
	}
	for i := range info.Groups {
		g := &info.Groups[i]
		switch first := &info.Groups[0]; {
		case i == 0 && !g.equal(&parent):
			return usage(rule+"02881", "shader group 0 has another stage, vertex input or tessellation than the pipeline; must have the same")
		case (g.Mesh != nil) != (first.Mesh != nil):
			return usage(rule+"02885", "a mesh stage is in one of the shader groups 0 and %d; must be in both or none", i)
		case g.combination() != first.combination():
			return usage(rule+"02884", "shader group %d has other stages than shader group 0; must have the same ones", i)
		}
	}
	return nil
}

// equal reports whether two groups have the same state. Vertex input and tessellation count only with their stages.
func (g *ShaderGroup) equal(o *ShaderGroup) bool {
	b := o.stages()
	for i, s := range g.stages() {
		if !s.equal(b[i]) {
			return false
		}
	}
	return (g.Vertex == nil || reflect.DeepEqual(g.Input, o.Input)) && (g.TessControl == nil || reflect.DeepEqual(g.Tessellation, o.Tessellation))
}

// equal reports whether two stages have the same shader and the same constants.
func (s *StageInfo) equal(o *StageInfo) bool {
	if s == nil || o == nil {
		return s == o
	}
	return bytes.Equal(s.identifier(), o.identifier()) && cmp.Or(s.Entry, "main") == cmp.Or(o.Entry, "main") && maps.Equal(s.Specialization, o.Specialization)
}

// identifier returns the identifier of the module of a stage.
func (s *StageInfo) identifier() []byte {
	switch {
	case s.Module != nil:
		return s.Module.identifier[:]
	case s.Code != nil:
		id := sha256.Sum256(s.Code)
		return id[:]
	}
	return s.Identifier
}

// shaderGroups is the groups of a pipeline.
type shaderGroups struct {
	list []*GraphicsPipeline // a pipeline for each group
	own  int                 // at the begin the pipeline's own groups, then the groups of other pipelines
}

// shaderGroups makes the groups of a pipeline.
func (d *Device) shaderGroups(ctx context.Context, info *GraphicsPipelineInfo) (g shaderGroups, err error) {
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	n := len(info.Groups)
	for _, p := range info.GroupPipelines {
		if err := check(d, "the pipeline of shader groups", p); err != nil {
			return g, err
		}
		n += len(p.groups.list)
	}
	if n > MaxShaderGroups {
		return g, usage("VUID-VkGraphicsPipelineShaderGroupsCreateInfoNV-groupCount-02880", "%d shader groups; must be at most %d", n, MaxShaderGroups)
	}
	if d.checking > None {
		if err := info.checkGroups(); err != nil {
			return g, err
		}
	}
	for i := range info.Groups {
		p, err := d.NewGraphicsPipeline(ctx, info.Groups[i].of(info))
		if err != nil {
			return g, err
		}
		g.list, g.own = append(g.list, p), i+1
	}
	for _, other := range info.GroupPipelines {
		for _, p := range other.groups.list {
			if !p.acquire() {
				return g, usage("", "%v is closed; must be alive", &other.object)
			}
			g.list = append(g.list, p)
		}
	}
	return g, nil
}

// close ends the use of the groups.
func (g *shaderGroups) close() {
	for i, p := range g.list {
		if i < g.own {
			p.Close()
		} else {
			p.release()
		}
	}
}

// BindShaderGroup binds a group of a pipeline (vkCmdBindPipelineShaderGroupNV).
func (c *CommandBuffer) BindShaderGroup(p *GraphicsPipeline, group uint32) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the pipeline", p); err != nil {
		c.fail(err)
		return
	}
	if uint64(group) >= uint64(max(len(p.groups.list), 1)) {
		c.fail(usage("VUID-vkCmdBindPipelineShaderGroupNV-groupIndex-02893", "shader group %d of %v, which has %d; must be below that, or 0", group, &p.object, len(p.groups.list)))
		return
	}
	c.refer(&p.object)
	if len(p.groups.list) > 0 {
		p = p.groups.list[group]
	}
	c.BindGraphicsPipeline(p)
}
