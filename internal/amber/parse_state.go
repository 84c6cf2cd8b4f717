package amber

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// setting sets a part of a draw's state.
type setting func(s *drawState)

// drawState is the state of a draw with the mapping of its attachments: commands set the mapping too.
type drawState struct {
	vk.FixedState
	locations []uint32 // of color attachments; nil for their numbers
	inputs    shader.InputIndices
	dither    bool
}

// newDrawState returns a state with all parts.
func newDrawState() *drawState {
	return &drawState{FixedState: vk.FixedState{
		Vertex: &link.VertexInput{}, Assembly: &link.InputAssembly{}, Tessellation: &link.Tessellation{}, Rasterization: &link.Rasterization{HasStream: true},
		Multisample: &link.Multisample{}, DepthStencil: &link.DepthStencil{}, Blend: &link.ColorBlend{},
	}}
}

// rate returns the shading rate, at first one pixel.
func (s *drawState) rate() *link.ShadingRate {
	if s.ShadingRate == nil {
		s.ShadingRate = &link.ShadingRate{Width: 1, Height: 1}
	}
	return s.ShadingRate
}

// stateKeys are the keys of a STATE block, an extension of AmberScript (docs/scripts.md), with the parsers of
// their operands. The sample count and VkScript's line width are set before.
var stateKeys = map[string]func(p *parser) setting{
	"SAMPLE_SHADING": func(p *parser) setting { // VUID-VkPipelineMultisampleStateCreateInfo-minSampleShading-00786
		share := p.within("a share of the samples", 0, 1)
		return func(s *drawState) { s.Multisample.SampleShading, s.Multisample.MinShading = true, share }
	},
	"ALPHA_TO_COVERAGE": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Multisample.AlphaToCoverage = on }
	},
	"ALPHA_TO_ONE": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.Multisample.AlphaToOne = on }
	},
	"SAMPLE_MASK": func(p *parser) setting {
		m := p.integer("a mask of samples", math.MaxUint64)
		return func(s *drawState) { s.SampleMask = &[2]uint32{uint32(m), uint32(m >> 32)} }
	},
	"LINE_MODE": func(p *parser) setting {
		mode := enum.LineMode(p.oneOf("a line mode", "default", "rectangular", "bresenham", "smooth"))
		return func(s *drawState) { s.Rasterization.Lines = mode }
	},
	"LINE_WIDTH": func(p *parser) setting {
		width := p.within("a width in pixels", 1, vk.MaxLineWidth)
		return func(s *drawState) { s.Rasterization.LineWidth = width }
	},
	"LINE_STIPPLE": func(p *parser) setting {
		factor, pattern := uint32(p.integer("a factor", vk.MaxLineStippleFactor)), uint16(p.integer("a pattern of 16 bits", math.MaxUint16))
		return func(s *drawState) {
			s.LineStipple, s.LinePattern, s.Rasterization.Stippled = factor, pattern, factor != 0
		}
	},
	"CONSERVATIVE": func(p *parser) setting {
		mode := [...]enum.ConservativeMode{enum.ConservativeModeUnderestimate, enum.ConservativeModeDisabled, enum.ConservativeModeOverestimate}[p.oneOf("a mode", "underestimate", "off", "overestimate")]
		return func(s *drawState) { s.Rasterization.Conservative = mode }
	},
	"EXTRA_OVERESTIMATION": func(p *parser) setting {
		size := p.within("a size in pixels", 0, vk.MaxExtraPrimitiveOverestimation)
		return func(s *drawState) { s.ExtraOverestimate = size }
	},
	"DISCARD_RECTANGLE": func(p *parser) setting {
		exclusive := p.oneOf("a mode", "inclusive", "exclusive") == 1
		r := p.rectangle()
		return func(s *drawState) {
			s.DiscardExclusive, s.DiscardRectangles = exclusive, append(s.DiscardRectangles, r)
		}
	},
	"SHADING_RATE": func(p *parser) setting {
		side := func(what string) uint32 { return 1 << p.oneOf(what, "1", "2", "4") }
		width, height := side("a width in pixels"), side("a height in pixels")
		return func(s *drawState) { s.rate().Width, s.rate().Height = width, height }
	},
	"RATE_COMBINERS": func(p *parser) setting {
		var list [2]enum.RateCombiner
		for i := range list {
			list[i] = enum.RateCombiner(p.oneOf("a combiner", "keep", "replace", "min", "max", "mul"))
		}
		return func(s *drawState) { s.rate().Combiners = list }
	},
	"VIEW_MASK": func(p *parser) setting {
		mask := p.uint32("a mask of views")
		return func(s *drawState) { s.Rendering.ViewMask = mask }
	},
	"RASTERIZATION_STREAM": func(p *parser) setting {
		stream := uint32(p.integer("a stream", vk.MaxTransformFeedbackStreams-1))
		return func(s *drawState) { s.Rasterization.Stream = stream }
	},
	"LEGACY_DITHERING": func(p *parser) setting {
		on := p.onOff("on or off")
		return func(s *drawState) { s.dither = on }
	},
	"COLOR_LOCATIONS": func(p *parser) setting { // VUID-VkRenderingAttachmentLocationInfo-pColorAttachmentLocations-09513, -09515
		at := p.lex.peek()
		list := p.attachmentNumbers("a location", vk.MaxColorAttachments-1)
		p.unique(at, "location", list)
		return func(s *drawState) { s.locations = list }
	},
	"COLOR_INPUTS": func(p *parser) setting { // VUID-VkRenderingInputAttachmentIndexInfo-pColorAttachmentInputIndices-09522
		at := p.lex.peek()
		list := p.attachmentNumbers("an index", maxNumber)
		p.unique(at, "index", list)
		return func(s *drawState) { s.inputs.Colors = list }
	},
	"DEPTH_INPUT": func(p *parser) setting {
		n := p.attachmentNumber("an index", maxNumber)
		return func(s *drawState) { s.inputs.Depth = &n }
	},
	"STENCIL_INPUT": func(p *parser) setting {
		n := p.attachmentNumber("an index", maxNumber)
		return func(s *drawState) { s.inputs.Stencil = &n }
	},
}

// extendedState reads a STATE block up to END and adds its settings.
func (p *parser) extendedState(list *[]setting) {
	*list = slices.Clip(*list) // derived pipelines share the beginning
	for {
		w, ok := p.blockWord("STATE")
		if !ok {
			return
		}
		read := stateKeys[w.text]
		if read == nil {
			read = fixedKeys[w.text]
		}
		if read == nil {
			p.fail(CodeWord, w.pos, "%s is nothing that STATE has", w)
			return
		}
		*list = append(*list, read(p))
	}
}
