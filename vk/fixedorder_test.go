package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestFixedRaces: fixed functions read the indices and the arguments of draws, each in a stage of its own (Vulkan, "Pipeline Stages",
// "Access Types").
func TestFixedRaces(t *testing.T) {
	const indexInput, indexRead, drawIndirect, indirectRead, vertexInput = 1 << 36, 0x2, 0x2, 0x1, 0x4
	indexed := func(s *scene, b *Buffer, c *CommandBuffer) { c.BindIndexBuffer(b, 0, 2); c.DrawIndexed(3, 1, 0, 0, 0) }
	indirect := func(s *scene, b *Buffer, c *CommandBuffer) {
		c.DrawIndirect(IndirectInfo{Buffer: b, Draws: 1, Stride: 16})
	}
	none := func(s *scene, b *Buffer, c *CommandBuffer) { c.Draw(3, 1, 0, 0) }
	for _, k := range []struct {
		name           string
		draw           func(s *scene, b *Buffer, c *CommandBuffer)
		target, access uint64 // 0: no barrier
		races          bool
	}{
		{"no draw of the bytes", none, 0, 0, false},
		{"indices", indexed, 0, 0, true},
		{"indices in order", indexed, indexInput, indexRead, false},
		{"indices by the stage of vertex input", indexed, vertexInput, indexRead, false},
		{"indices by all memory", indexed, allCommands, memoryRead, false},
		{"indices by another stage", indexed, drawIndirect, indexRead, true},
		{"indices by another access", indexed, indexInput, shaderRead, true},
		{"arguments", indirect, 0, 0, true},
		{"arguments in order", indirect, drawIndirect, indirectRead, false},
		{"arguments by another access", indirect, drawIndirect, indexRead, true},
		{"arguments by another stage", indirect, indexInput, indirectRead, true},
	} {
		reports := 0
		s := newSceneOn(t, 1, DeviceInfo{Sanitize: SanitizeRace, Reports: func(Report) { reports++ }})
		s.build(t)
		b := s.buffer(t, 3072, 64, TransferTarget|IndexBuffer|IndirectBuffer)
		err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			c.FillBuffer(b, 0, 16, 0)
			if k.target != 0 {
				c.Barrier(MemoryDependency{SourceStages: clearing, SourceAccess: transferWrite, TargetStages: k.target, TargetAccess: k.access})
			}
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BeginRendering(s.rendering())
			s.paint(c, 1, 1, 1, 1)
			k.draw(s, b, c)
			c.EndRendering()
		}))
		if err != nil {
			t.Fatal(k.name, err)
		}
		if is := reports > 0; is != k.races {
			t.Errorf("%s: %d reports; must be a race: %v", k.name, reports, k.races)
		}
	}
}

// TestVertexRaces fills 16 bytes of a vertex buffer of which the draw reads some elements (Vulkan, "Vertex Input Address Calculation"):
// VERTEX_ATTRIBUTE_READ in the stage VERTEX_ATTRIBUTE_INPUT. An element that no index names is not read.
func TestVertexRaces(t *testing.T) {
	const attributeInput, attributeRead, vertexInput, indexInput = 1 << 37, 0x4, 0x4, 1 << 36
	plain := func(first uint32) func(s *scene, c *CommandBuffer) {
		return func(s *scene, c *CommandBuffer) { c.Draw(3, 1, first, 0) }
	}
	indexed := func(s *scene, c *CommandBuffer) { // the indices 0, 0, 2
		c.BindIndexBuffer(s.indices(t), 0, 2)
		c.DrawIndexed(3, 1, 0, 1, 0)
	}
	indirect := func(s *scene, c *CommandBuffer) {
		c.DrawIndirect(IndirectInfo{Buffer: s.arguments(t), Draws: 1, Stride: 16})
	}
	for _, k := range []struct {
		name           string
		draw           func(s *scene, c *CommandBuffer)
		element        uint64 // that is filled
		stride         uint32
		instance       bool
		target, access uint64 // 0: no barrier
		races          bool
	}{
		{"the first vertex", plain(0), 0, 16, false, 0, 0, true},
		{"the last vertex", plain(0), 2, 16, false, 0, 0, true},
		{"past the last vertex", plain(0), 3, 16, false, 0, 0, false},
		{"before the first vertex", plain(1), 0, 16, false, 0, 0, false},
		{"between the attributes", plain(0), 1, 32, false, 0, 0, false},
		{"of an instance", plain(0), 0, 16, true, 0, 0, true},
		{"of another instance", plain(0), 1, 16, true, 0, 0, false},
		{"an index with the base vertex", indexed, 3, 16, false, 0, 0, true},
		{"no index", indexed, 2, 16, false, 0, 0, false},
		{"an indirect draw", indirect, 2, 16, false, 0, 0, true},
		{"past an indirect draw", indirect, 3, 16, false, 0, 0, false},
		{"in order", plain(0), 0, 16, false, attributeInput, attributeRead, false},
		{"by the stage of vertex input", plain(0), 0, 16, false, vertexInput, attributeRead, false},
		{"by all memory", plain(0), 0, 16, false, allCommands, memoryRead, false},
		{"by the stage of indices", plain(0), 0, 16, false, indexInput, attributeRead, true},
		{"by another access", plain(0), 0, 16, false, attributeInput, shaderRead, true},
	} {
		var reports []Report
		s := newSceneOn(t, 1, DeviceInfo{Sanitize: SanitizeRace, Reports: func(r Report) { reports = append(reports, r) }})
		s.fixed.Vertex.Bindings[0].Stride = k.stride
		if k.instance {
			s.fixed.Vertex.Bindings[0].Rate = enum.InputRateInstance
		}
		s.build(t)
		b := s.buffer(t, 3072, 256, TransferTarget|VertexBufferUsage)
		err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			c.FillBuffer(b, 16*k.element, 16, 0)
			if k.target != 0 {
				c.Barrier(MemoryDependency{SourceStages: clearing, SourceAccess: transferWrite, TargetStages: k.target, TargetAccess: k.access})
			}
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: b}})
			c.BeginRendering(s.rendering())
			s.paint(c, 1, 1, 1, 1)
			k.draw(s, c)
			c.EndRendering()
		}))
		if err != nil {
			t.Fatal(k.name, err)
		}
		if is := len(reports) > 0; is != k.races {
			t.Errorf("%s: the reports %+v; must be a race: %v", k.name, reports, k.races)
		}
	}
}

// indices returns a buffer with the 16-bit indices 0, 0, 2.
func (s *scene) indices(t *testing.T) *Buffer {
	t.Helper()
	copy(s.memory.Bytes()[3584:], []byte{0, 0, 0, 0, 2, 0})
	return s.buffer(t, 3584, 64, IndexBuffer)
}

// arguments returns a buffer with the arguments of a draw of 3 vertices.
func (s *scene) arguments(t *testing.T) *Buffer {
	t.Helper()
	copy(s.memory.Bytes()[3584:], []byte{0: 3, 4: 1, 15: 0})
	return s.buffer(t, 3584, 64, IndirectBuffer)
}
