package main

import "math/rand/v2"

// state breaks the states of a graphics pipeline.
func state(name string, f func(s *states, p *pipeline) bool) fault {
	return fault{name, func(_ *rand.Rand, p *pipeline) bool { return !p.Compute && f(p.State, p) }}
}

// stateBreaks break the states around the stages.
var stateBreaks = []fault{
	state("patches without tessellation", func(s *states, p *pipeline) bool {
		s.Assembly.Topology, s.Assembly.Restart = 10, 0
		return s.Tess == nil && p.shader(geometryBit) == nil
	}),
	state("tessellation without patches", func(s *states, _ *pipeline) bool { s.Assembly.Topology = 3; return s.Tess != nil }),
	state("no vertex input state", func(s *states, _ *pipeline) bool { s.Vertex = nil; return true }),
}

// stateAloneBreaks break rules that involve no stage, which Chiaro leaves to other tools
// (docs/differences.md): they run only on request.
var stateAloneBreaks = []fault{
	state("restart of a list", func(s *states, _ *pipeline) bool { s.Assembly.Restart = 1; return s.Assembly.Topology == 3 }),
	state("too many blend attachments", func(s *states, _ *pipeline) bool {
		s.Blend.Attachments = append(s.Blend.Attachments, blend{Mask: 15})
		return len(s.Blend.Attachments) == 1
	}),
	state("too few blend attachments", func(s *states, _ *pipeline) bool {
		n := len(s.Blend.Attachments)
		s.Blend.Attachments = s.Blend.Attachments[:max(n-1, 0)]
		return n > 0
	}),
	state("blending is not independent", func(s *states, _ *pipeline) bool {
		if len(s.Blend.Attachments) > 1 {
			s.Blend.Attachments[1].Mask ^= 8
		}
		return len(s.Blend.Attachments) > 1
	}),
	state("blending of two sources", func(s *states, _ *pipeline) bool {
		if len(s.Blend.Attachments) != 1 {
			return false
		}
		s.Blend.Attachments[0].SrcColor = 15
		return true
	}),
	state("logic operation", func(s *states, _ *pipeline) bool { s.Blend.Logic = 1; return true }),
	state("depth bounds", func(s *states, p *pipeline) bool { s.Depth.Bounds = 1; return true }),
	state("wide line", func(s *states, p *pipeline) bool { s.Raster.LineWidth = 2; return true }),
	state("polygons as lines", func(s *states, _ *pipeline) bool { s.Raster.Polygon = 1; return true }),
	state("depth bias is clamped", func(s *states, _ *pipeline) bool { s.Raster.Bias, s.Raster.BiasClamp = 1, 0.5; return true }),
	state("alpha to one", func(s *states, _ *pipeline) bool { s.Samples.AlphaOnes = 1; return true }),
	state("least shading above one", func(s *states, _ *pipeline) bool { s.Samples.Shading, s.Samples.Least = 1, 2; return true }),
	state("no viewport", func(s *states, _ *pipeline) bool { s.Viewport = &viewport{0, 0}; return true }),
	state("two viewports", func(s *states, _ *pipeline) bool { s.Viewport = &viewport{2, 2}; return true }),
	state("scissors without viewports", func(s *states, _ *pipeline) bool { s.Viewport.Scissors = 2; return true }),
	state("other samples than the attachments", func(s *states, p *pipeline) bool {
		s.Samples.Samples = 5 - s.Samples.Samples // 1 for 4, 4 for 1
		return p.Pass != nil
	}),
	state("no such subpass", func(s *states, p *pipeline) bool { s.Subpass = 3; return p.Pass != nil }),
	state("a state twice dynamic", func(s *states, _ *pipeline) bool { s.Dynamic.States = []uint32{0, 1, 0}; return true }),
	state("no viewport state", func(s *states, _ *pipeline) bool { s.Viewport = nil; return true }),
	state("no multisample state", func(s *states, _ *pipeline) bool { s.Samples = nil; return true }),
	state("no blend state", func(s *states, _ *pipeline) bool {
		some := len(s.Blend.Attachments) > 0
		s.Blend = nil
		return some
	}),
	state("no depth state", func(s *states, p *pipeline) bool {
		some := p.Pass != nil && p.Pass.Subpasses[0].Depth != nil
		s.Depth = nil
		return some
	}),
	state("no assembly state", func(s *states, _ *pipeline) bool { s.Assembly = nil; return true }),
}
