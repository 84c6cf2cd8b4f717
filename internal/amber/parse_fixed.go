package amber

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// fixedKeys are the keys of a STATE block for several viewports, and for state that VkScript has and AmberScript lacks.
var fixedKeys = map[string]func(p *parser) setting{
	"CULL_MODE": func(p *parser) setting {
		faces := enum.CullMode(p.oneOf("faces", "none", "front", "back", "front_and_back"))
		return func(s *drawState) { s.Rasterization.Cull = faces }
	},
	"FRONT_FACE": func(p *parser) setting {
		clockwise := p.oneOf("an orientation", "counter_clockwise", "clockwise") == 1
		return func(s *drawState) { s.Rasterization.Clockwise = clockwise }
	},
	"PROVOKING_VERTEX": func(p *parser) setting {
		last := p.oneOf("a vertex", "first", "last") == 1
		return func(s *drawState) { s.Rasterization.LastVertex = last }
	},
	"PRIMITIVE_RESTART": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Assembly.Restart = on }
	},
	"DOMAIN_ORIGIN": func(p *parser) setting {
		lower := p.oneOf("a corner", "upper_left", "lower_left") == 1
		return func(s *drawState) { s.Assembly.LowerLeft = lower }
	},
	"RASTERIZER_DISCARD": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Rasterization.Discard = on }
	},
	"DEPTH_CLIP": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Rasterization.DepthClip, s.depthClip = on, &on }
	},
	"NEGATIVE_ONE_TO_ONE": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Rasterization.NegativeOneZ = on }
	},
	"BLEND_CONSTANTS": func(p *parser) setting {
		var c [4]float32
		for i := range c {
			c[i] = float32(p.float("a constant"))
		}
		return func(s *drawState) { s.Blend.Constants = c }
	},
	"LOGIC_OP": func(p *parser) setting {
		op := enum.LogicOp(p.oneOf("a logic operation", logicOps...))
		return func(s *drawState) { s.Blend.Logic, s.Blend.LogicOp = true, op }
	},
	"COLOR_WRITE_MASK": func(p *parser) setting {
		at, mask := int(p.integer("a color attachment", state.MaxColors-1)), uint8(p.integer("a mask of components", 15))
		return func(s *drawState) {
			if at < len(s.Blend.Attachments) {
				s.Blend.Attachments[at].WriteMask = mask
			}
		}
	},
	"EXTRA_VIEWPORT": func(p *parser) setting {
		v := state.Viewport{X: float32(p.float("a position in pixels")), Y: float32(p.float("a position in pixels")), MaxDepth: 1}
		p.keyword("SIZE")
		v.Width, v.Height = float32(p.float("a width")), float32(p.float("a height"))
		return func(s *drawState) {
			s.Viewports = append(s.Viewports, v)
			s.Scissors = append(s.Scissors, state.Rect{Width: math.MaxInt32, Height: math.MaxInt32})
		}
	},
	"SCISSOR": func(p *parser) setting {
		at, r := int(p.integer("the number of a viewport", state.MaxViewports-1)), p.rectangle()
		return func(s *drawState) {
			if at < len(s.Scissors) {
				s.Scissors[at] = r
			}
		}
	},
}
