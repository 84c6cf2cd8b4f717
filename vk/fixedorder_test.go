package vk

import "testing"

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
