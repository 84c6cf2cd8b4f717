package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// tiles returns the code of a shader of the picture of tiles (testdata/tiles.*.spvasm).
func tiles(t testing.TB, stage string) []byte {
	t.Helper()
	return stageOfPicture(t, "tiles", stage)
}

// stageOfPicture returns the code of a shader of a picture in testdata.
func stageOfPicture(t testing.TB, picture, stage string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + picture + "." + stage + ".spvasm")
	if err != nil {
		t.Fatal(err)
	}
	return code(t, string(text))
}

// meshes makes a pipeline of the tiles.
func (s *scene) meshes(t testing.TB) *GraphicsPipeline {
	t.Helper()
	return s.meshesOf(t, "tiles")
}

// meshesOf makes a pipeline of a picture in testdata.
func (s *scene) meshesOf(t testing.TB, picture string) *GraphicsPipeline {
	t.Helper()
	info := GraphicsPipelineInfo{Layout: s.layout, State: s.fixed}
	info.State.Vertex, info.State.Assembly = nil, nil
	for name, to := range map[string]**StageInfo{"task": &info.Task, "mesh": &info.Mesh, "frag": &info.Fragment} {
		*to = &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), stageOfPicture(t, picture, name)))(t)}
	}
	return must(s.dev.NewGraphicsPipeline(context.Background(), info))(t)
}

// checkTiles compares the copied pixels with the tiles: each of 2×2 pixels, of which two are on the edge between its triangles.
func (s *scene) checkTiles(t *testing.T) {
	t.Helper()
	for y := range 8 {
		for x := range 8 {
			got := s.pixel(x, y)
			first := byte(x % 2 * (y % 2))
			want := [4]byte{byte(x / 2), byte(y / 2), first, 255}
			if x%2 != y%2 && got[2] == 1 {
				want[2] = 1
			}
			if got != want {
				t.Fatalf("pixel (%d, %d) is %v; want %v", x, y, got, want)
			}
		}
	}
}

// TestDrawMeshTasks draws tiles by task and mesh shaders: direct and indirect, with a count, with a pipeline and with shader
// objects, and counts invocations and primitives.
func TestDrawMeshTasks(t *testing.T) {
	for _, workers := range []int{1, 3} {
		s := newSceneOn(t, 1, DeviceInfo{Workers: workers})
		p := s.meshes(t)
		var infos []ShaderInfo
		for _, x := range []struct {
			stage ShaderStage
			name  string
			next  link.Stages
		}{{StageTask, "task", StageMesh.bit()}, {StageMesh, "mesh", StageFragment.bit()}, {StageFragment, "frag", 0}} {
			infos = append(infos, ShaderInfo{Stage: x.stage, Next: x.next, Code: tiles(t, x.name), Layout: s.layout})
		}
		objects := must(s.dev.NewShaders(context.Background(), infos))(t)
		statistics := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PipelineStatistics, Count: 1, Statistics: TaskInvocations | MeshInvocations | ClippingInvocations}))(t)
		generated := must(s.dev.NewQueryPool(QueryPoolInfo{Type: MeshPrimitivesGenerated, Count: 1}))(t)
		// Indirect structures 16 bytes apart, and a count of 2 of the 3.
		for i, n := range []uint32{1, 0, 1, 0, 2, 1, 1, 0, 9, 9, 9, 2} {
			binary.LittleEndian.PutUint32(s.memory.Bytes()[1024+128+4*i:], n)
		}
		indirect := IndirectInfo{Buffer: s.vertices, Offset: 128, Draws: 3, Stride: 16, Count: s.vertices, CountOffset: 128 + 44}
		for name, draw := range map[string]func(c *CommandBuffer){
			"direct": func(c *CommandBuffer) { c.DrawMeshTasks(2, 1, 1) },
			"indirect": func(c *CommandBuffer) {
				c.DrawMeshTasksIndirect(IndirectInfo{Buffer: s.vertices, Offset: 144, Draws: 1})
			},
			"count": func(c *CommandBuffer) { c.DrawMeshTasksIndirect(indirect) },
		} {
			for _, pipeline := range []bool{true, false} {
				clear(s.memory.Bytes()[2048:][:256])
				c := s.record(t, func(c *CommandBuffer) {
					c.BeginQuery(statistics, 0, 0)
					c.BeginQuery(generated, 0, 0)
					c.BeginRendering(s.rendering())
					if pipeline {
						c.BindGraphicsPipeline(p)
					} else {
						s.setAll(c)
						c.BindShaders([]ShaderStage{StageTask, StageMesh, StageFragment}, objects)
					}
					draw(c)
					c.EndRendering()
					c.EndQuery(generated, 0)
					c.EndQuery(statistics, 0)
					s.copyOut(c, s.color)
				})
				if err := s.submit(t, c); err != nil {
					t.Fatal(name, err)
				}
				s.checkTiles(t)
				out := make([]byte, 24)
				if err := statistics.Results(context.Background(), 0, 1, out, 24, Query64|QueryWait); err != nil {
					t.Fatal(err)
				}
				n, ok := generated.Result(0)
				// 2 workgroups of 4 invocations, 16 of 4, with 3 primitives each, of which one is culled
				got := []uint64{binary.LittleEndian.Uint64(out), binary.LittleEndian.Uint64(out[8:]), binary.LittleEndian.Uint64(out[16:]), n}
				if want := []uint64{32, 8, 64, 48}; !slices.Equal(got, want) || !ok {
					t.Errorf("%s: clipping, task and mesh invocations and primitives %v, want %v", name, got, want)
				}
			}
		}
	}
}

// TestDrawMeshTasksErrors draws mesh tasks without a mesh stage, vertices with one, and too many workgroups.
func TestDrawMeshTasksErrors(t *testing.T) {
	for _, x := range []struct {
		rule   string
		mesh   bool
		record func(s *scene, c *CommandBuffer)
	}{
		{vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, false, func(_ *scene, c *CommandBuffer) { c.DrawMeshTasks(1, 1, 1) }},
		{"VUID-vkCmdDrawMeshTasksIndirectEXT-MeshEXT-07091", false, func(s *scene, c *CommandBuffer) {
			c.DrawMeshTasksIndirect(IndirectInfo{Buffer: s.vertices, Draws: 1})
		}},
		{"VUID-vkCmdDrawMeshTasksIndirectCountEXT-MeshEXT-07100", false, func(s *scene, c *CommandBuffer) {
			c.DrawMeshTasksIndirect(IndirectInfo{Buffer: s.vertices, Draws: 1, Count: s.vertices})
		}},
		{vuid.VkCmdDraw_stage_06481, true, func(_ *scene, c *CommandBuffer) { c.Draw(3, 1, 0, 0) }},
		{"VUID-vkCmdDrawIndirect-stage-06481", true, func(s *scene, c *CommandBuffer) { c.DrawIndirect(IndirectInfo{Buffer: s.vertices, Draws: 1}) }},
		{"", true, func(s *scene, c *CommandBuffer) { // of indirect draws too
			for i, n := range []uint32{1 << 16, 1, 1} {
				binary.LittleEndian.PutUint32(s.memory.Bytes()[1024+128+4*i:], n)
			}
			c.DrawMeshTasksIndirect(IndirectInfo{Buffer: s.vertices, Offset: 128, Draws: 1})
		}},
	} {
		s := newScene(t, 1)
		s.build(t)
		p := s.pipeline
		if x.mesh {
			p = s.meshes(t)
		}
		c := s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(s.rendering())
			c.BindGraphicsPipeline(p)
			x.record(s, c)
			c.EndRendering()
		})
		err := s.submit(t, c)
		var u *UsageError
		if err == nil || x.rule != "" && (!errors.As(err, &u) || u.Rule != x.rule) {
			t.Errorf("error %v; want one of %q", err, x.rule)
		}
	}
}

// TestHostileMeshCounts draws mesh tasks with counts that a hostile buffer has, on a device with and without checks: a count of draws is
// at most the greatest one of the command, a draw without workgroups draws nothing, and workgroups over a limit are an error.
func TestHostileMeshCounts(t *testing.T) {
	const most, none = math.MaxUint32, 0
	for _, checking := range []Checking{None, All} {
		for _, x := range []struct {
			words [12]uint32 // three draws 16 bytes apart; the last word is the count
			limit bool
		}{
			{[12]uint32{1, 1, 1, 0, none, 1, 1, 0, 2, 1, 1, most}, false},
			{[12]uint32{2, 1, 1, 0, none, none, none, 0, 1, 1, none, most - 1}, false},
			{[12]uint32{2, 1, 1, 0, most, 1, 1, 0, 1, 1, 1, 3}, true},
			{[12]uint32{2, 1, 1, 0, MaxMeshWorkgroups, MaxMeshWorkgroups, 1, 0, 1, 1, 1, 3}, true},
			{[12]uint32{2, 1, 1, 0, most, most, most, 0, 1, 1, 1, most}, true},
			{[12]uint32{2, 1, 1, 0, most, most, most, 0, 1, 1, 1, 1}, false},
		} {
			s := newSceneOn(t, 1, DeviceInfo{Checking: checking})
			p := s.meshes(t)
			for i, n := range x.words {
				s.putWord(1024+128, i, n)
			}
			err := s.submit(t, s.record(t, func(c *CommandBuffer) {
				c.BeginRendering(s.rendering())
				c.BindGraphicsPipeline(p)
				c.DrawMeshTasksIndirect(IndirectInfo{Buffer: s.vertices, Offset: 128, Draws: 3, Stride: 16, Count: s.vertices, CountOffset: 128 + 44})
				c.EndRendering()
				s.copyOut(c, s.color)
			}))
			if (err != nil) != x.limit {
				t.Errorf("checks %v: %d: %v; an error: %v", checking, x.words, err, x.limit)
			}
			if err == nil {
				s.checkTiles(t)
			}
		}
	}
}

// TestIndirectRules records mesh tasks over the limits, and draws with arguments or counts that begin after the end of their buffers: an
// error with the rule of the command, for each form of it.
func TestIndirectRules(t *testing.T) {
	s := newScene(t, 1)
	after := func(draws uint32, count bool) IndirectInfo {
		info := IndirectInfo{Buffer: s.vertices, Offset: s.vertices.size + 4, Draws: draws, Stride: 20}
		if count {
			info.Count = s.vertices
		}
		return info
	}
	indexed := func(info IndirectInfo) IndirectInfo {
		info.Indexed = true
		return info
	}
	countAfter := IndirectInfo{Buffer: s.vertices, Draws: 1, Count: s.vertices, CountOffset: s.vertices.size + 4}
	const n = MaxMeshWorkgroups
	for rule, record := range map[string]func(c *CommandBuffer){
		"VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07322":                        func(c *CommandBuffer) { c.DrawMeshTasks(n+1, 1, 1) },
		"VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07323":                        func(c *CommandBuffer) { c.DrawMeshTasks(1, n+1, 1) },
		"VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07324":                        func(c *CommandBuffer) { c.DrawMeshTasks(1, 1, n+1) },
		"VUID-vkCmdDrawMeshTasksEXT-TaskEXT-07325":                        func(c *CommandBuffer) { c.DrawMeshTasks(n, n, 1) },
		"VUID-vkCmdDrawMeshTasksNV-taskCount-02119":                       func(c *CommandBuffer) { c.DrawTaskRange(n+1, 0) },
		"VUID-vkCmdDrawIndirect-drawCount-00487":                          func(c *CommandBuffer) { c.DrawIndirect(after(1, false)) },
		"VUID-vkCmdDrawIndirect-drawCount-00488":                          func(c *CommandBuffer) { c.DrawIndirect(after(2, false)) },
		"VUID-vkCmdDrawIndirectCount-maxDrawCount-03111":                  func(c *CommandBuffer) { c.DrawIndirect(after(1, true)) },
		"VUID-vkCmdDrawIndirectCount-countBufferOffset-04129":             func(c *CommandBuffer) { c.DrawIndirect(countAfter) },
		"VUID-vkCmdDrawIndexedIndirect-drawCount-00539":                   func(c *CommandBuffer) { c.DrawIndirect(indexed(after(1, false))) },
		"VUID-vkCmdDrawIndexedIndirect-drawCount-00540":                   func(c *CommandBuffer) { c.DrawIndirect(indexed(after(2, false))) },
		"VUID-vkCmdDrawIndexedIndirectCount-maxDrawCount-03143":           func(c *CommandBuffer) { c.DrawIndirect(indexed(after(1, true))) },
		"VUID-vkCmdDrawIndexedIndirectCount-countBufferOffset-04129":      func(c *CommandBuffer) { c.DrawIndirect(indexed(countAfter)) },
		"VUID-vkCmdDrawMeshTasksIndirectEXT-drawCount-07089":              func(c *CommandBuffer) { c.DrawMeshTasksIndirect(after(1, false)) },
		"VUID-vkCmdDrawMeshTasksIndirectEXT-drawCount-07090":              func(c *CommandBuffer) { c.DrawMeshTasksIndirect(after(2, false)) },
		"VUID-vkCmdDrawMeshTasksIndirectCountEXT-maxDrawCount-07097":      func(c *CommandBuffer) { c.DrawMeshTasksIndirect(after(1, true)) },
		"VUID-vkCmdDrawMeshTasksIndirectCountEXT-countBufferOffset-04129": func(c *CommandBuffer) { c.DrawMeshTasksIndirect(countAfter) },
		"VUID-vkCmdDrawMeshTasksIndirectNV-drawCount-02156":               func(c *CommandBuffer) { c.DrawTaskRangeIndirect(after(1, false)) },
		"VUID-vkCmdDrawMeshTasksIndirectNV-drawCount-02157":               func(c *CommandBuffer) { c.DrawTaskRangeIndirect(after(2, false)) },
		"VUID-vkCmdDrawMeshTasksIndirectCountNV-maxDrawCount-02183":       func(c *CommandBuffer) { c.DrawTaskRangeIndirect(after(1, true)) },
		"VUID-vkCmdDrawMeshTasksIndirectCountNV-countBufferOffset-04129":  func(c *CommandBuffer) { c.DrawTaskRangeIndirect(countAfter) },
	} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		record(c)
		broke(t, "a recording", c.End(), rule)
	}
}

// TestMeshChecksNothing draws with the wrong kind of pipeline on a device without checks: nothing is drawn.
func TestMeshChecksNothing(t *testing.T) {
	s := newScene(t, 1)
	s.dev.checking = None
	s.build(t)
	p := s.meshes(t)
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(s.rendering())
		c.BindGraphicsPipeline(p)
		c.Draw(3, 1, 0, 0)
		c.BindGraphicsPipeline(s.pipeline)
		c.DrawMeshTasks(2, 1, 1)
		c.EndRendering()
		s.copyOut(c, s.color)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(s.memory.Bytes()[2048:][:256], bytes.Repeat([]byte{0, 0, 0, 255}, 64)) {
		t.Error("a draw of the wrong kind draws")
	}
}
