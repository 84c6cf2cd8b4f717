package vk

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestRebind draws patches in a random order of binds: of two pipelines, of sets and of vertex buffers, of which many are bound
// already. The picture equals that of the same draws with all of them bound before each draw.
func TestRebind(t *testing.T) {
	const draws, textures = 300, 20
	g := newGallery(t, 200, textures, 8, false)
	fragment := texturedWith(1)
	pipelines := []*GraphicsPipeline{g.pipeline, g.newPipeline(t, g.layout, fragment), g.newPipeline(t, g.layout, ownColor)}
	frame := func(c *CommandBuffer, all bool) {
		random := rand.New(rand.NewPCG(1, 2))
		var pipeline, set, offset int
		c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: g.view, Load: ClearOnLoad}}})
		for n := range draws {
			has := uint(0)
			for i := range 3 {
				if n == 0 || random.IntN(3) == 0 {
					has |= 1 << i
				}
			}
			if has&1 != 0 && random.IntN(3) == 0 {
				pipeline = random.IntN(len(pipelines))
			}
			if has&2 != 0 {
				set = random.IntN(textures)
			}
			if has&4 != 0 {
				offset = 96 * random.IntN(4)
			}
			if all || has&1 != 0 {
				c.BindGraphicsPipeline(pipelines[pipeline])
			}
			if all || has&2 != 0 {
				c.BindSets(Graphics, g.layout, 0, g.sets[set:set+1], nil)
			}
			if all || has&4 != 0 {
				c.BindVertexBuffers(0, []VertexBuffer{{Buffer: g.vertices, Offset: uint64(offset)}})
			}
			g.place(c, n, set)
			c.Draw(24, 1, 0, 0)
		}
		c.EndRendering()
	}
	var pictures [2][]byte
	for i := range pictures {
		c := g.record(t, func(c *CommandBuffer) { frame(c, i == 1) })
		if err := g.submit(t, c); err != nil {
			t.Fatal(err)
		}
		c.Close()
		pictures[i] = g.picture(t)
	}
	if !bytes.Equal(pictures[0], pictures[1]) {
		t.Error("the pictures differ")
	}
}

// ownColor writes the texture coordinates.
const ownColor = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %uv %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %uv Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%pin = OpTypePointer Input %v2
%pout = OpTypePointer Output %v4
%uv = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v2 %uv
%c = OpVectorShuffle %v4 %x %x 0 1 0 1
OpStore %out %c
OpReturn
OpFunctionEnd
`
