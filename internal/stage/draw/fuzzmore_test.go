package draw_test

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
)

// more chooses what few draws have: fragments of several pixels, discard rectangles,
// attachments that are read, tests on both sides of the program.
func (f *fuzzed) more(c *choices) {
	s := &f.state
	if c.below(4) == 1 {
		s.Rate = draw.ShadingRate{Width: 1 << c.below(3), Height: 1 << c.below(3), Combiners: [2]draw.RateCombiner{draw.RateCombiner(c.below(5)), draw.RateCombiner(c.below(5))}}
		for range c.below(3) * 2 {
			f.rates = append(f.rates, c.byte())
		}
		if c.flag() && !strings.Contains(f.vertex, ", #7") {
			f.vertex = with(f.vertex, "out primitiveshadingrate i32 0", "out.i32 v9, #7")
		}
	}
	if c.below(6) == 1 {
		s.Discard.Exclusive = c.flag()
		for range c.below(4) {
			s.Discard.Rectangles = append(s.Discard.Rectangles, draw.Rect{X: int32(c.below(30)), Y: int32(c.below(20)), Width: uint32(c.below(20)), Height: uint32(c.byte()) << c.below(25)})
		}
	}
	if n := c.below(32); n < len(moreTexts) {
		f.fragment = moreTexts[n]
	}
	if c.below(6) == 1 {
		f.modes |= ir.EarlyAndLateTests | ir.DepthReplacing | []ir.Modes{0, ir.DepthUnchanged, ir.DepthGreater, ir.DepthLess}[c.below(4)]
		f.modes |= ir.StencilReplacing | []ir.Modes{0, ir.StencilUnchangedFront | ir.StencilLessBack, ir.StencilGreaterFront, ir.StencilUnchangedBack | ir.StencilLessFront}[c.below(4)]
	}
	if c.below(4) == 1 {
		f.modes |= ir.PostDepthCoverage
	}
	s.Assembly.LowerLeft = c.flag()
}

// moreTexts are fragment programs of these.
var moreTexts = []string{
	giveText("shadingrate i32 0", "i32"), giveText("fullycovered i32 0", "i32"), giveText("framebufferlayer i32 0", "i32"),
	with(shownText, "in tilecolor f32 1", "v20 = inat.f32 1:i32, #3\nv21 = inat.f32 0:i32, #3\nv22 = fadd.f32 v20, v21\nout.f32 v22, #0"),
	with(shownText, "in tilecolor f32 2", "v20 = inat.f32 0:i32, #3\nv21 = quadswap.f32 v20, #1\nv22 = fadd.f32 v20, v21\nout.f32 v22, #1"),
	with(shownText, "in tiledepth f32 0\nin tilestencil i32 0", "v20 = inat.f32 0:i32, #3\nout.f32 v20, #0\nv21 = inat.i32 0:i32, #4\nv22 = utof.f32.i32 v21\nout.f32 v22, #1"),
}
