package draw_test

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// more chooses what few draws have: fragments of several pixels, discard rectangles,
// attachments that are read, tests on both sides of the program.
func (f *fuzzed) more(c *choices) {
	s := &f.state
	if c.below(4) == 1 {
		s.Rate = state.ShadingRate{Width: 1 << c.below(3), Height: 1 << c.below(3), Combiners: [2]enum.RateCombiner{enum.RateCombiner(c.below(5)), enum.RateCombiner(c.below(5))}}
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
			s.Discard.Rectangles = append(s.Discard.Rectangles, state.Rect{X: int32(c.below(30)), Y: int32(c.below(20)), Width: uint32(c.below(20)), Height: uint32(c.byte()) << c.below(25)})
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
	f.most(c)
}

// most chooses what fewer draws have: masks of viewports, outputs of views, masks that
// override coverage, weights at the places of a fragment.
func (f *fuzzed) most(c *choices) {
	if n := c.below(24); n > 0 && n <= len(mostExtras) && !strings.Contains(f.vertex, ", #7") {
		f.vertex = with(f.vertex, mostExtras[n-1][0], mostExtras[n-1][1])
		f.relative = c.flag()
	}
	if n := c.below(24); n > 0 && n <= len(mostTexts) {
		f.fragment = mostTexts[n-1]
		if c.flag() {
			f.modes |= ir.OverrideCoverage
		}
	}
}

// mostExtras are what givenText may give of these.
var mostExtras = [][2]string{
	{"out viewportmask i32 0", "out.i32 v9, #7"},
	{"out viewportmask i32 0\nout layer i32 0", "v10 = add.i32 v9, 3:i32\nout.i32 v10, #7\nout.i32 v8, #8"},
	{"out viewportindex i32 0\nout layer i32 0", "out.i32 v9, #7\nout.i32 v8, #8"},
	{"out viewportmaskperview i32 0\nout viewportmaskperview i32 1", "out.i32 v9, #7\nout.i32 7:i32, #8"},
	{"out positionperview f32 1\nout positionperview f32 4", "out.f32 v5, #7\nout.f32 v6, #8"},
}

// mostTexts are fragment programs of these.
var mostTexts = []string{
	giveText("barycoord f32 1 centroid", "f32"),
	weightsText("barycoord", "centroid", "in.f32"),
	weightsText("barycoord", "", "interp.f32 0.0:f32, 0.0:f32,"),
	weightsText("barycoordnopersp", "", "interp.f32 0.25:f32, -0.5:f32,"),
	with(whiteText, "out samplemask i32 0", "out.i32 10:i32, #1"),
	with(shownText, "in samplemask i32 0\nout samplemask i32 0", "v30 = in.i32 #3\nv31 = xor.i32 v30, 11:i32\nout.i32 v31, #4"),
}

// moreTexts are fragment programs of these.
var moreTexts = []string{
	giveText("shadingrate i32 0", "i32"), giveText("fullycovered i32 0", "i32"), giveText("framebufferlayer i32 0", "i32"),
	with(shownText, "in tilecolor f32 1", "v20 = inat.f32 1:i32, #3\nv21 = inat.f32 0:i32, #3\nv22 = fadd.f32 v20, v21\nout.f32 v22, #0"),
	with(shownText, "in tilecolor f32 2", "v20 = inat.f32 0:i32, #3\nv21 = quadswap.f32 v20, #1\nv22 = fadd.f32 v20, v21\nout.f32 v22, #1"),
	with(shownText, "in tiledepth f32 0\nin tilestencil i32 0", "v20 = inat.f32 0:i32, #3\nout.f32 v20, #0\nv21 = inat.i32 0:i32, #4\nv22 = utof.f32.i32 v21\nout.f32 v22, #1"),
}
