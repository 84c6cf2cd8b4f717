package amber

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vk"
)

// fixedKeys are the keys of a STATE block for several viewports, and for state that VkScript has and AmberScript lacks.
var fixedKeys = map[string]func(p *parser) setting{
	"CULL_MODE": func(p *parser) setting {
		faces := enum.CullMode(p.oneOf("faces", "none", "front", "back", "front_and_back"))
		return func(s *drawState) { s.Rasterization.Cull = faces }
	},
	"FRONT_FACE": func(p *parser) setting {
		front := enum.FrontFace(p.oneOf("an orientation", "counter_clockwise", "clockwise"))
		return func(s *drawState) { s.Rasterization.Front = front }
	},
	"PROVOKING_VERTEX": func(p *parser) setting {
		vertex := enum.ProvokingVertex(p.oneOf("a vertex", "first", "last"))
		return func(s *drawState) { s.Rasterization.Provoking = vertex }
	},
	"PRIMITIVE_RESTART": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Assembly.PrimitiveRestart = on }
	},
	"DOMAIN_ORIGIN": func(p *parser) setting {
		origin := enum.DomainOrigin(p.oneOf("a corner", "upper_left", "lower_left"))
		return func(s *drawState) { s.Tessellation.Origin = origin }
	},
	"RASTERIZER_DISCARD": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Rasterization.Discard = on }
	},
	"DEPTH_CLIP": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Rasterization.DepthClip = &on }
	},
	"NEGATIVE_ONE_TO_ONE": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.NegativeOneToOne = on }
	},
	"BLEND_CONSTANTS": func(p *parser) setting {
		var c [4]float32
		for i := range c {
			c[i] = float32(p.float("a constant"))
		}
		return func(s *drawState) { s.BlendConstants = c }
	},
	"LOGIC_OP": func(p *parser) setting {
		op := enum.LogicOp(p.oneOf("a logic operation", logicOps...))
		return func(s *drawState) { s.Blend.Logic, s.Blend.LogicOp = true, op }
	},
	"COLOR_WRITE_MASK": func(p *parser) setting {
		at, mask := int(p.integer("a color attachment", vk.MaxColorAttachments-1)), uint32(p.integer("a mask of components", 15))
		return func(s *drawState) {
			if at < len(s.Blend.Attachments) {
				s.Blend.Attachments[at].Mask = &mask
			}
		}
	},
	"EXTRA_VIEWPORT": func(p *parser) setting {
		v := vk.Viewport{X: float32(p.float("a position in pixels")), Y: float32(p.float("a position in pixels")), MaxDepth: 1}
		p.keyword("SIZE")
		v.Width, v.Height = float32(p.float("a width")), float32(p.float("a height"))
		return func(s *drawState) {
			s.Viewports = append(s.Viewports, v)
			s.Scissors = append(s.Scissors, vk.Rect{Width: math.MaxInt32, Height: math.MaxInt32})
		}
	},
	"SCISSOR": func(p *parser) setting {
		at, r := int(p.integer("the number of a viewport", vk.MaxViewports-1)), p.rectangle()
		return func(s *drawState) {
			if at < len(s.Scissors) {
				s.Scissors[at] = r
			}
		}
	},
}
