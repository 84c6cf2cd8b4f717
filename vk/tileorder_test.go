package vk

import (
	"context"
	"testing"
)

// TestTileRaces: between the commands of a part that runs for each tile, race follows barriers with the accesses of tile attachments
// (VK_ACCESS_2_SHADER_TILE_ATTACHMENT_READ_BIT_QCOM and WRITE), also between a draw and a later dispatch.
func TestTileRaces(t *testing.T) {
	const fragmentShader, tileRead, tileWrite = 0x80, 1 << 51, 1 << 52
	between := func(source, sourceAccess, target, targetAccess uint64) []MemoryDependency {
		return []MemoryDependency{{SourceStages: source, SourceAccess: sourceAccess, TargetStages: target, TargetAccess: targetAccess}}
	}
	for _, k := range []struct {
		name    string
		first   string // a draw or a dispatch
		barrier []MemoryDependency
		second  string
		races   bool
	}{
		{"dispatches", "dispatch", nil, "dispatch", true},
		{"dispatches in order", "dispatch", between(computeShader, tileWrite, computeShader, tileRead|tileWrite), "dispatch", false},
		{"dispatches by accesses of shaders", "dispatch", between(computeShader, shaderWrite, computeShader, shaderRead|shaderWrite), "dispatch", false},
		{"dispatches by the reads alone", "dispatch", between(computeShader, tileRead, computeShader, tileRead|tileWrite), "dispatch", true},
		{"a draw and a dispatch", "draw", nil, "dispatch", true},
		{"a draw and a dispatch in order", "draw", between(fragmentShader, tileRead, computeShader, tileRead|tileWrite), "dispatch", false},
		{"a draw and a dispatch by another stage", "draw", between(copying, tileRead, computeShader, tileRead|tileWrite), "dispatch", true},
		{"a dispatch and a draw", "dispatch", nil, "draw", true},
		{"a dispatch and a draw in order", "dispatch", between(computeShader, tileWrite, fragmentShader, tileRead), "draw", false},
	} {
		reports := 0
		h := newTileScene(t, DeviceInfo{Sanitize: SanitizeRace, Reports: func(Report) { reports++ }})
		draw, b := h.drawn(t, "0", 20)
		groups := h.shader(t, "LocalSize 4 4 1", "4", "4")
		err := h.run(t, TileShading{Enable: true}, func(c *CommandBuffer) {
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: b}})
			c.BindGraphicsPipeline(draw)
			c.BindPipeline(groups)
			c.BeginPerTile()
			for i, s := range []string{k.first, k.second} {
				if i > 0 && k.barrier != nil {
					c.Barrier(k.barrier...)
				}
				if s == "draw" {
					c.Draw(3, 1, 0, 0)
				} else {
					c.Dispatch(2, 1, 1)
				}
			}
			c.EndPerTile()
		})
		if err != nil {
			t.Fatal(k.name, err)
		}
		if is := reports > 0; is != k.races {
			t.Errorf("%s: %d reports; must be a race: %v", k.name, reports, k.races)
		}
	}
}

// TestSubpassShadingRaces: the shader of a subpass shading runs in the stage SUBPASS_SHADER (VK_HUAWEI_subpass_shading).
func TestSubpassShadingRaces(t *testing.T) {
	const subpassShader = 1 << 39
	for source, races := range map[uint64]bool{subpassShader: false, computeShader: true, allCommands: false} {
		reports := 0
		h := newSceneOn(t, 1, DeviceInfo{Sanitize: SanitizeRace, Reports: func(Report) { reports++ }}).shading(t, 1, 0)
		p := must(h.shader(t, "8 8 1", 1))(t)
		shade := h.commands(t, nothing, func(c *CommandBuffer) { c.BindPipeline(p); c.SubpassShading() })
		fill := h.record(t, func(c *CommandBuffer) {
			c.Barrier(MemoryDependency{SourceStages: source, SourceAccess: shaderWrite, TargetStages: clearing, TargetAccess: transferWrite})
			c.FillBuffer(h.out, 0, 256, 0)
		})
		err := h.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{shade, fill}})
		if err == nil {
			err = h.dev.WaitIdle(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		if is := reports > 0; is != races {
			t.Errorf("from stage %#x: %d reports; must be a race: %v", source, reports, races)
		}
	}
}
