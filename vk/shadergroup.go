package vk

import (
	"context"

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
