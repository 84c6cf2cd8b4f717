package valid

import (
	"math"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// offsetCodes are the rules on the constant offset of InterpolateAtOffset: the least and the
// greatest offset, for each dimension.
var offsetCodes = [2][2]string{
	{vuid.RuntimeSpirv_Offset_06344, vuid.RuntimeSpirv_Offset_06345},
	{vuid.RuntimeSpirv_Offset_06346, vuid.RuntimeSpirv_Offset_06347},
}

// offsetRules are the rules of offsetCodes.
var offsetRules = []Rule{
	{Code: vuid.RuntimeSpirv_Offset_06344, Section: environment, Words: "the x offset of InterpolateAtOffset is at least minInterpolationOffset of the fragment's width", Need: NeedDevice},
	{Code: vuid.RuntimeSpirv_Offset_06345, Section: environment, Words: "the x offset of InterpolateAtOffset is at most maxInterpolationOffset of the fragment's width", Need: NeedDevice},
	{Code: vuid.RuntimeSpirv_Offset_06346, Section: environment, Words: "the y offset of InterpolateAtOffset is at least minInterpolationOffset of the fragment's height", Need: NeedDevice},
	{Code: vuid.RuntimeSpirv_Offset_06347, Section: environment, Words: "the y offset of InterpolateAtOffset is at most maxInterpolationOffset of the fragment's height", Need: NeedDevice},
}

// offset checks a constant offset of InterpolateAtOffset against the device. An offset that the largest
// fragment of the device permits is not reported: the rate of a draw decides.
func (g *glslCall) offset() {
	if !g.c.vulkan || len(g.args) < 2 {
		return
	}
	k := g.c.m.Const(g.args[1])
	for d, codes := range offsetCodes {
		e := k.Elem(d)
		if e == nil || !e.Known || e.Type == nil || e.Type.Width != 32 {
			continue
		}
		x := float64(math.Float32frombits(uint32(e.Bits)))
		size, known := g.c.fragmentSize(d)
		least, minKnown := g.c.env.Device.float("minInterpolationOffset")
		most, maxKnown := g.c.env.Device.float("maxInterpolationOffset")
		bits, bitsKnown := g.c.env.Device.limit("subPixelInterpolationOffsetBits")
		if !known || !minKnown {
			g.c.unknown(codes[0])
		} else if x < size*least {
			g.c.fail(g.i, codes[0], "the offset %g; must be at least %g", x, size*least)
		}
		if !known || !maxKnown || !bitsKnown {
			g.c.unknown(codes[1])
			continue
		}
		ulp := math.Ldexp(1, -int(min(bits, 64)))
		if limit := size*(most+ulp) - ulp; !(x <= limit) {
			g.c.fail(g.i, codes[1], "the offset %g; must be at most %g", x, limit)
		}
	}
}

// enlargingFeatures are the features that enlarge fragments, each with the limit of their size; "" if no limit bounds it.
var enlargingFeatures = [...]struct{ name, limit string }{
	{"pipelineFragmentShadingRate", "maxFragmentSize"}, {"primitiveFragmentShadingRate", "maxFragmentSize"}, {"attachmentFragmentShadingRate", "maxFragmentSize"},
	{"shadingRateImage", ""}, {"fragmentDensityMap", ""},
}

// fragmentSize returns the largest width or height of a fragment in pixels, and whether it is known. It is 1 on a device
// without the features that enlarge fragments.
func (c *checker) fragmentSize(dimension int) (size float64, known bool) {
	size, known = 1, c.env.Device != nil
	for _, f := range enlargingFeatures {
		switch on, ok := c.env.Device.feature(f.name); {
		case !ok || on && f.limit == "":
			known = false
		case on:
			most, ok := c.env.Device.limit(f.limit + "[" + itoa(uint64(dimension)) + "]")
			size, known = max(size, float64(most)), known && ok
		}
	}
	return size, known
}
