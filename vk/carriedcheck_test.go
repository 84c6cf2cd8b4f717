package vk

import "testing"

// TestCarriedChecks: a device that checks all commands finds nothing wrong in draws whose state is that of the command buffer before, which has
// it from secondary ones within each other. It misses state that no command buffer has set, and shaders that have ended.
func TestCarriedChecks(t *testing.T) {
	info := inheriting
	var found []string
	info.Checking, info.Messages = All, func(m Message) { found = append(found, m.Finding.Rule) }
	info.Enabled = map[string]bool{"commandBufferInheritance": true, "shaderObject": true, "nestedCommandBuffer": true}
	for _, x := range []struct {
		name              string
		nothing, shutting bool // in front of the last draw
	}{{"state", false, false}, {"no state", true, false}, {"state that has ended", false, true}} {
		s := newSceneOn(t, 1, info)
		objects := s.objects(t, 0)
		second := func(record func(c *CommandBuffer)) *CommandBuffer {
			c := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
			must(0, c.Begin(BeginInfo{}))(t)
			record(c)
			must(0, c.End())(t)
			return c
		}
		inner := second(func(c *CommandBuffer) {
			s.setAll(c)
			c.BindShaders([]ShaderStage{StageVertex, StageFragment}, objects)
		})
		outer := second(func(c *CommandBuffer) {
			c.Execute(inner)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		})
		if !x.nothing {
			must(0, s.submit(t, s.record(t, func(c *CommandBuffer) { c.Execute(outer) })))(t)
		}
		if found = nil; x.shutting {
			for _, o := range objects {
				must(0, o.Close())(t)
			}
		}
		draw := s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(s.rendering())
			s.drawAll(c)
			c.EndRendering()
			s.copyOut(c, s.color)
		})
		var err error
		for range 3 {
			if err == nil {
				err = s.submit(t, draw)
			}
		}
		if fails := x.nothing || x.shutting; fails != (err != nil) || fails != (len(found) > 0) {
			t.Errorf("%s: %v, the findings %q", x.name, err, found)
		}
	}
}
