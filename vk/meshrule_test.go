package vk

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestMeshObjectRules breaks the rules of draws on task and mesh shader objects, and on queries of mesh primitives.
func TestMeshObjectRules(t *testing.T) {
	r := newRuled(t)
	open := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Flags: enum.LayoutFlagsIndependentSets | enum.LayoutFlagsNoTaskShader, Push: r.layout.link.Push}))(t)
	build := func(stage ShaderStage, code []byte, l *PipelineLayout, flags enum.ObjectFlags) *Shader {
		info := ShaderInfo{Stage: stage, Code: code, Layout: l, Next: ^link.Stages(0), Flags: flags}
		return must(r.dev.NewShaders(context.Background(), []ShaderInfo{info}))(t)[0]
	}
	const independent, alone = enum.ObjectFlagsIndependentSets, enum.ObjectFlagsNoTaskShader
	vertex, geometry := build(StageVertex, code(t, positions), r.layout, 0), build(StageGeometry, code(t, throughGeometry), r.layout, 0)
	pixel := build(StageFragment, code(t, pushed), r.layout, 0)
	task, fragment := build(StageTask, tiles(t, "task"), r.layout, 0), build(StageFragment, tiles(t, "frag"), r.layout, 0)
	mesh, lone := build(StageMesh, tiles(t, "mesh"), r.layout, 0), build(StageMesh, tiles(t, "mesh"), r.layout, alone)
	openTask, openFragment := build(StageTask, tiles(t, "task"), open, independent), build(StageFragment, tiles(t, "frag"), open, independent)
	openMesh, openLone := build(StageMesh, tiles(t, "mesh"), open, independent), build(StageMesh, tiles(t, "mesh"), open, independent|alone)
	draw := func(c *CommandBuffer, tasks bool, objects []*Shader) {
		c.BeginRendering(r.rendering())
		r.setAll(c)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: r.vertices}})
		c.PushConstants(objects[len(objects)-1].info.Layout, 0, sixteen)
		c.BindShaders([]ShaderStage{StageVertex, StageTask, StageMesh, StageFragment}, nil)
		for _, s := range objects {
			c.BindShaders([]ShaderStage{s.info.Stage}, []*Shader{s})
		}
		if tasks {
			c.DrawMeshTasks(2, 1, 1)
		} else {
			c.Draw(3, 1, 0, 0)
		}
		c.EndRendering()
	}
	row := func(tasks bool, bad, good []*Shader, rules ...string) ruleRow {
		return ruleRow{rules, features(true, "taskShader", "meshShader"), func(c *CommandBuffer, isBad bool) {
			if isBad {
				draw(c, tasks, bad)
			} else {
				draw(c, tasks, good)
			}
		}}
	}
	vertices, meshes := []*Shader{vertex, pixel}, []*Shader{task, mesh, fragment}
	r.check(t, []ruleRow{
		row(false, []*Shader{vertex, task, mesh, fragment}, vertices, "vkCmdDraw-None-08693", "vkCmdDraw-None-08696", "vkCmdDraw-None-08885"),
		row(false, []*Shader{fragment}, vertices, "vkCmdDraw-None-08693"),
		row(false, []*Shader{vertex, task, pixel}, vertices, "vkCmdDraw-None-08696", "vkCmdDraw-None-08885"),
		row(false, meshes, vertices, "vkCmdDraw-None-08885"),
		row(true, []*Shader{vertex, task, mesh, fragment}, meshes, "vkCmdDrawMeshTasksEXT-None-08693", "vkCmdDrawMeshTasksEXT-None-08696", "vkCmdDrawMeshTasksEXT-pStages-10680"),
		row(true, []*Shader{geometry, task, mesh, fragment}, meshes, "vkCmdDrawMeshTasksEXT-pStages-10680"),
		row(true, []*Shader{mesh, fragment}, meshes, "vkCmdDrawMeshTasksEXT-None-08694"),
		row(true, []*Shader{task, lone, fragment}, meshes, "vkCmdDrawMeshTasksEXT-None-08695"),
		row(true, []*Shader{openTask, openLone, openFragment}, []*Shader{openTask, openMesh, openFragment}, "vkCmdDrawMeshTasksEXT-flags-13365"),
	})
	// Without the feature of one of the stages, its objects may be absent.
	for _, list := range [][]*Shader{{mesh, fragment}, {lone, fragment}} {
		r.on(features(true, "meshShader"))
		got, _ := r.findings(t, func(c *CommandBuffer) { draw(c, true, list) })
		if text := strings.Join(got, " "); strings.Contains(text, "-0869") || strings.Contains(text, "-10680") {
			t.Errorf("a mesh shader object without a task stage has the findings %q", got)
		}
	}
	plain, tiled := r.pipe(t, nil), r.meshes(t)
	pool := must(r.dev.NewQueryPool(QueryPoolInfo{Type: MeshPrimitivesGenerated, Count: 1}))(t)
	r.check(t, []ruleRow{{[]string{"vkCmdDraw-stage-07073"}, nil, func(c *CommandBuffer, bad bool) {
		c.ResetQueries(pool, 0, 1)
		c.BeginQuery(pool, 0, 0)
		if bad {
			r.paints(c, r.rendering(), plain, nil)
		} else {
			c.BeginRendering(r.rendering())
			c.BindGraphicsPipeline(tiled)
			c.DrawMeshTasks(2, 1, 1)
			c.EndRendering()
		}
		c.EndQuery(pool, 0)
	}}})
}
