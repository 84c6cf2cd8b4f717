package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// checkTasks compares the copied pixels with the tiles of tasks, rows of testdata/tasks.*.spvasm: row r has r + 1 tiles of 2×2
// pixels. The pixels at the corners of a tile are inside of its triangles.
func (s *scene) checkTasks(t *testing.T, name string, rows ...int) {
	t.Helper()
	background := [4]byte{0, 0, 0, 255}
	for y := range 4 {
		for x := range 4 {
			first, last := background, background
			if slices.Contains(rows, y) && x <= y {
				tile := byte(4*y + x)
				first = [4]byte{tile, 7, 9, 1}
				if last = [4]byte{tile, 7, 10, 3}; tile == 5 {
					last = background
				}
			}
			if a, b := s.pixel(2*x, 2*y), s.pixel(2*x+1, 2*y+1); a != first || b != last {
				t.Fatalf("%s: tile (%d, %d) has %v and %v; want %v and %v", name, x, y, a, b, first, last)
			}
		}
	}
}

// TestDrawTaskRange draws rows by shaders of VK_NV_mesh_shader: directly, indirectly and with a count, and counts invocations and
// primitives.
func TestDrawTaskRange(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s := newSceneOn(t, 1, DeviceInfo{Workers: workers})
		p := s.meshesOf(t, "tasks")
		statistics := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PipelineStatistics, Count: 1, Statistics: TaskInvocations | MeshInvocations}))(t)
		generated := must(s.dev.NewQueryPool(QueryPoolInfo{Type: MeshPrimitivesGenerated, Count: 1}))(t)
		// Structures 12 bytes apart, and a count of 2 of the 3.
		for i, n := range []uint32{2, 0, 9, 0, 7, 9, 1, 3, 2} {
			binary.LittleEndian.PutUint32(s.memory.Bytes()[1024+128+4*i:], n)
		}
		indirect := IndirectInfo{Buffer: s.vertices, Offset: 128, Draws: 3, Stride: 12}
		count := indirect
		count.Count, count.CountOffset = s.vertices, 128+32
		for _, x := range []struct {
			name string
			draw func(c *CommandBuffer)
			rows []int
			want []uint64 // invocations of tasks, which have 4, of meshes, which have 4, and primitives
		}{
			{"direct", func(c *CommandBuffer) { c.DrawTaskRange(3, 1) }, []int{1, 2, 3}, []uint64{12, 36, 17}},
			{"none", func(c *CommandBuffer) { c.DrawTaskRange(0, 1) }, nil, []uint64{0, 0, 0}},
			{"indirect", func(c *CommandBuffer) { c.DrawTaskRangeIndirect(indirect) }, []int{0, 1, 3}, []uint64{12, 28, 13}},
			{"count", func(c *CommandBuffer) { c.DrawTaskRangeIndirect(count) }, []int{0, 1}, []uint64{8, 12, 5}},
		} {
			clear(s.memory.Bytes()[2048:][:256])
			c := s.record(t, func(c *CommandBuffer) {
				c.BeginQuery(statistics, 0, 0)
				c.BeginQuery(generated, 0, 0)
				c.BeginRendering(s.rendering())
				c.BindGraphicsPipeline(p)
				x.draw(c)
				c.EndRendering()
				c.EndQuery(generated, 0)
				c.EndQuery(statistics, 0)
				s.copyOut(c, s.color)
			})
			if err := s.submit(t, c); err != nil {
				t.Fatal(x.name, err)
			}
			s.checkTasks(t, x.name, x.rows...)
			out := make([]byte, 16)
			if err := statistics.Results(context.Background(), 0, 1, out, 16, Query64|QueryWait); err != nil {
				t.Fatal(err)
			}
			n, _ := generated.Result(0)
			if got := []uint64{binary.LittleEndian.Uint64(out), binary.LittleEndian.Uint64(out[8:]), n}; !slices.Equal(got, x.want) {
				t.Errorf("%s: task and mesh invocations and primitives %v, want %v", x.name, got, x.want)
			}
		}
	}
}

// TestDrawTaskRangeErrors draws with a pipeline of the other kind and too many tasks: an error, or without checks nothing.
func TestDrawTaskRangeErrors(t *testing.T) {
	for _, x := range []struct {
		rule, picture string
		draw          func(s *scene, c *CommandBuffer)
	}{
		{vuid.VkCmdDrawMeshTasksNV_MeshNV_07080, "tiles", func(_ *scene, c *CommandBuffer) { c.DrawTaskRange(1, 0) }},
		{"VUID-vkCmdDrawMeshTasksIndirectNV-MeshNV-07081", "tiles", func(s *scene, c *CommandBuffer) {
			c.DrawTaskRangeIndirect(IndirectInfo{Buffer: s.vertices, Draws: 1})
		}},
		{"VUID-vkCmdDrawMeshTasksIndirectCountNV-MeshNV-07082", "tiles", func(s *scene, c *CommandBuffer) {
			c.DrawTaskRangeIndirect(IndirectInfo{Buffer: s.vertices, Draws: 1, Count: s.vertices})
		}},
		{vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, "tasks", func(_ *scene, c *CommandBuffer) { c.DrawMeshTasks(1, 1, 1) }},
		{vuid.VkCmdDraw_stage_06481, "tasks", func(_ *scene, c *CommandBuffer) { c.Draw(3, 1, 0, 0) }},
		{"", "tasks", func(s *scene, c *CommandBuffer) {
			for i, n := range []uint32{1 << 16, 0} {
				binary.LittleEndian.PutUint32(s.memory.Bytes()[1024+128+4*i:], n)
			}
			c.DrawTaskRangeIndirect(IndirectInfo{Buffer: s.vertices, Offset: 128, Draws: 1})
		}},
	} {
		for _, checked := range []bool{true, false} {
			if x.rule == "" && !checked { // the limit holds without checks, too
				continue
			}
			s := newScene(t, 1)
			p := s.meshesOf(t, x.picture)
			if !checked {
				s.dev.checking = None
			}
			c := s.record(t, func(c *CommandBuffer) {
				c.BeginRendering(s.rendering())
				c.BindGraphicsPipeline(p)
				x.draw(s, c)
				c.EndRendering()
				s.copyOut(c, s.color)
			})
			err := s.submit(t, c)
			var u *UsageError
			switch {
			case !checked && err == nil:
				if !bytes.Equal(s.memory.Bytes()[2048:][:256], bytes.Repeat([]byte{0, 0, 0, 255}, 64)) {
					t.Errorf("%s: a draw of the wrong kind draws", x.rule)
				}
			case !checked || err == nil || x.rule != "" && (!errors.As(err, &u) || u.Rule != x.rule):
				t.Errorf("error %v; want one of %q", err, x.rule)
			}
		}
	}
	s := newScene(t, 1)
	c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.DrawTaskRange(MaxMeshWorkgroups+1, 0)
	var u *UsageError
	if err := c.End(); !errors.As(err, &u) || u.Rule != vuid.VkCmdDrawMeshTasksNV_taskCount_02119 {
		t.Errorf("%v; want %s", err, vuid.VkCmdDrawMeshTasksNV_taskCount_02119)
	}
}
