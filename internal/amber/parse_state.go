package amber

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Extended is the state of a STATE block, an extension of AmberScript (docs/scripts.md).
type Extended struct {
	MinShading      float64 // with SampleShading
	SampleShading   bool
	AlphaToCoverage bool
	AlphaToOne      bool
	SampleMask      *[2]uint32 // nil: all samples
	LineMode        state.LineMode
	LineWidth       float64 // 0: the default
	Stipple         state.LineStipple
	Conservative    int8
	Extra           float64 // pixels of overestimation
	Discard         state.DiscardRectangles
	Rate            state.ShadingRate
}

// The words of a STATE block.
var (
	lineModes         = []string{"default", "rectangular", "bresenham", "smooth"}
	conservativeModes = []string{"underestimate", "off", "overestimate"}
	rateCombiners     = []string{"keep", "replace", "min", "max", "mul"}
	discardModes      = []string{"inclusive", "exclusive"}
)

// extendedState reads a STATE block up to END.
func (p *parser) extendedState(x *Extended) {
	for {
		w, ok := p.blockWord("STATE")
		if !ok {
			return
		}
		switch w.text {
		case "SAMPLE_SHADING":
			x.SampleShading, x.MinShading = true, p.float("a share of the samples")
		case "ALPHA_TO_COVERAGE":
			x.AlphaToCoverage = p.onOff("on or off")
		case "ALPHA_TO_ONE":
			x.AlphaToOne = p.onOff("on or off")
		case "SAMPLE_MASK":
			m := p.integer("a mask of samples", math.MaxUint64)
			x.SampleMask = &[2]uint32{uint32(m), uint32(m >> 32)}
		case "LINE_MODE":
			x.LineMode = state.LineMode(p.oneOf("a line mode", lineModes...))
		case "LINE_WIDTH":
			x.LineWidth = p.float("a width in pixels")
		case "LINE_STIPPLE":
			x.Stipple.Factor = uint32(p.integer("a factor", state.MaxStipple))
			x.Stipple.Pattern = uint16(p.integer("a pattern of 16 bits", math.MaxUint16))
		case "CONSERVATIVE":
			x.Conservative = int8(p.oneOf("a mode", conservativeModes...) - 1)
		case "EXTRA_OVERESTIMATION":
			x.Extra = p.float("a size in pixels")
		case "DISCARD_RECTANGLE":
			p.discardRectangle(&x.Discard)
		case "SHADING_RATE":
			x.Rate.Width, x.Rate.Height = p.uint32("a width in pixels"), p.uint32("a height in pixels")
		case "RATE_COMBINERS":
			for i := range x.Rate.Combiners {
				x.Rate.Combiners[i] = state.RateCombiner(p.oneOf("a combiner", rateCombiners...))
			}
		default:
			p.fail(CodeWord, w.pos, "%s is nothing that STATE has", w)
			return
		}
	}
}

func (p *parser) discardRectangle(d *state.DiscardRectangles) {
	d.Exclusive = p.oneOf("a mode", discardModes...) == 1
	var r state.Rect
	r.X, r.Y = int32(p.integer("a place in pixels", maxSide)), int32(p.integer("a place in pixels", maxSide))
	p.keyword("SIZE")
	r.Width, r.Height = uint32(p.integer("a width", maxSide)), uint32(p.integer("a height", maxSide))
	d.Rectangles = append(slices.Clone(d.Rectangles), r) // derived pipelines share the list
}

// apply sets the state of a draw. The sample count and VkScript's line width are set already.
func (x *Extended) apply(s *state.State) {
	m := &s.Multisample
	m.SampleShading, m.MinShading = x.SampleShading, float32(x.MinShading)
	m.AlphaToCoverage, m.AlphaToOne, m.Mask = x.AlphaToCoverage, x.AlphaToOne, x.SampleMask
	r := &s.Rasterization
	r.LineMode, r.Stipple, r.Conservative, r.ExtraOverestimate = x.LineMode, x.Stipple, x.Conservative, float32(x.Extra)
	if x.LineWidth > 0 {
		r.LineWidth = float32(x.LineWidth)
	}
	s.Discard, s.Rate = x.Discard, x.Rate
}
