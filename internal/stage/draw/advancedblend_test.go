package draw_test

import (
	"math"
	"math/rand"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// weighted is a row of the table of f/X/Y/Z operations (Vulkan §"Advanced Blend Operations").
type weighted struct {
	x, y, z float64
	f       func(s, d float64) float64
}

func source(s, _ float64) float64      { return s }
func destination(_, d float64) float64 { return d }
func nothing(_, _ float64) float64     { return 0 }
func hardLight(s, d float64) float64 {
	if s <= 0.5 {
		return 2 * s * d
	}
	return 1 - 2*(1-s)*(1-d)
}

var weightedOps = map[enum.BlendOp]weighted{
	enum.BlendOpZero:     {0, 0, 0, nothing},
	enum.BlendOpSrc:      {1, 1, 0, source},
	enum.BlendOpDst:      {1, 0, 1, destination},
	enum.BlendOpSrcOver:  {1, 1, 1, source},
	enum.BlendOpDstOver:  {1, 1, 1, destination},
	enum.BlendOpSrcIn:    {1, 0, 0, source},
	enum.BlendOpDstIn:    {1, 0, 0, destination},
	enum.BlendOpSrcOut:   {0, 1, 0, nothing},
	enum.BlendOpDstOut:   {0, 0, 1, nothing},
	enum.BlendOpSrcAtop:  {1, 0, 1, source},
	enum.BlendOpDstAtop:  {1, 1, 0, destination},
	enum.BlendOpXor:      {0, 1, 1, nothing},
	enum.BlendOpMultiply: {1, 1, 1, func(s, d float64) float64 { return s * d }},
	enum.BlendOpScreen:   {1, 1, 1, func(s, d float64) float64 { return s + d - s*d }},
	enum.BlendOpOverlay:  {1, 1, 1, func(s, d float64) float64 { return hardLight(d, s) }},
	enum.BlendOpDarken:   {1, 1, 1, func(s, d float64) float64 { return min(s, d) }},
	enum.BlendOpLighten:  {1, 1, 1, func(s, d float64) float64 { return max(s, d) }},
	enum.BlendOpColordodge: {1, 1, 1, func(s, d float64) float64 {
		switch {
		case d <= 0:
			return 0
		case s < 1:
			return min(1, d/(1-s))
		}
		return 1
	}},
	enum.BlendOpColorburn: {1, 1, 1, func(s, d float64) float64 {
		switch {
		case d >= 1:
			return 1
		case s > 0:
			return 1 - min(1, (1-d)/s)
		}
		return 0
	}},
	enum.BlendOpHardlight: {1, 1, 1, hardLight},
	enum.BlendOpSoftlight: {1, 1, 1, func(s, d float64) float64 {
		switch {
		case s <= 0.5:
			return d - (1-2*s)*d*(1-d)
		case d <= 0.25:
			return d + (2*s-1)*d*((16*d-12)*d+3)
		}
		return d + (2*s-1)*(math.Sqrt(d)-d)
	}},
	enum.BlendOpDifference: {1, 1, 1, func(s, d float64) float64 { return math.Abs(d - s) }},
	enum.BlendOpExclusion:  {1, 1, 1, func(s, d float64) float64 { return s + d - 2*s*d }},
	enum.BlendOpInvert:     {1, 0, 1, func(s, d float64) float64 { return 1 - d }},
	enum.BlendOpInvertRgb:  {1, 0, 1, func(s, d float64) float64 { return s * (1 - d) }},
	enum.BlendOpLineardodge: {1, 1, 1, func(s, d float64) float64 {
		if s+d <= 1 {
			return s + d
		}
		return 1
	}},
	enum.BlendOpLinearburn: {1, 1, 1, func(s, d float64) float64 {
		if s+d > 1 {
			return s + d - 1
		}
		return 0
	}},
	enum.BlendOpVividlight: {1, 1, 1, func(s, d float64) float64 {
		switch {
		case s <= 0:
			return 0
		case s < 0.5:
			return 1 - min(1, (1-d)/(2*s))
		case s < 1:
			return min(1, d/(2*(1-s)))
		}
		return 1
	}},
	enum.BlendOpLinearlight: {1, 1, 1, func(s, d float64) float64 {
		switch {
		case 2*s+d > 2:
			return 1
		case 2*s+d > 1:
			return 2*s + d - 1
		}
		return 0
	}},
	enum.BlendOpPinlight: {1, 1, 1, func(s, d float64) float64 {
		switch {
		case 2*s-1 > d && s < 0.5:
			return 0
		case 2*s-1 > d:
			return 2*s - 1
		case s < 0.5*d:
			return 2 * s
		}
		return d
	}},
	enum.BlendOpHardmix: {1, 1, 1, func(s, d float64) float64 {
		if s+d < 1 {
			return 0
		}
		return 1
	}},
}

// The pseudocode of the operations on hue, saturation and luminosity.
func minv3(c [3]float64) float64 { return min(c[0], c[1], c[2]) }
func maxv3(c [3]float64) float64 { return max(c[0], c[1], c[2]) }
func satv3(c [3]float64) float64 { return maxv3(c) - minv3(c) }
func lumv3(c [3]float64) float64 { return 0.30*c[0] + 0.59*c[1] + 0.11*c[2] }
func setLum(base, of [3]float64) [3]float64 {
	diff := lumv3(of) - lumv3(base)
	for i := range base {
		base[i] += diff
	}
	lum, low, high := lumv3(base), minv3(base), maxv3(base)
	for i := range base {
		if low < 0 && low != lum { // a gray is outside only by rounding
			base[i] = lum + (base[i]-lum)*lum/(lum-low)
		}
	}
	for i := range base {
		if high > 1 && high != lum {
			base[i] = lum + (base[i]-lum)*(1-lum)/(high-lum)
		}
	}
	return base
}
func setLumSat(base, sat, lum [3]float64) (color [3]float64) {
	if satv3(base) > 0 {
		for i := range color {
			color[i] = (base[i] - minv3(base)) * satv3(sat) / satv3(base)
		}
	}
	return setLum(color, lum)
}

var hslOps = map[enum.BlendOp]func(s, d [3]float64) [3]float64{
	enum.BlendOpHslHue:        func(s, d [3]float64) [3]float64 { return setLumSat(s, d, d) },
	enum.BlendOpHslSaturation: func(s, d [3]float64) [3]float64 { return setLumSat(d, s, d) },
	enum.BlendOpHslColor:      func(s, d [3]float64) [3]float64 { return setLum(s, d) },
	enum.BlendOpHslLuminosity: func(s, d [3]float64) [3]float64 { return setLum(d, s) },
}

// additionalOps are the operations of the table of additional RGB operations, of one component with both alphas; component 3 is
// alpha.
var additionalOps = map[enum.BlendOp]func(i int, s, d, sa, da float64) float64{
	enum.BlendOpPlus:        func(_ int, s, d, _, _ float64) float64 { return s + d },
	enum.BlendOpPlusClamped: func(_ int, s, d, _, _ float64) float64 { return min(1, s+d) },
	enum.BlendOpPlusClampedAlpha: func(_ int, s, d, sa, da float64) float64 {
		return min(min(1, sa+da), s+d)
	},
	enum.BlendOpPlusDarker: func(i int, s, d, sa, da float64) float64 {
		if i == 3 {
			return min(1, sa+da)
		}
		return max(0, min(1, sa+da)-((sa-s)+(da-d)))
	},
	enum.BlendOpMinus:        func(_ int, s, d, _, _ float64) float64 { return d - s },
	enum.BlendOpMinusClamped: func(_ int, s, d, _, _ float64) float64 { return max(0, d-s) },
	enum.BlendOpContrast: func(i int, s, d, sa, da float64) float64 {
		if i == 3 {
			return da
		}
		return da/2 + 2*(d-da/2)*(s-sa/2)
	},
	enum.BlendOpInvertOvgExt: func(i int, s, d, sa, da float64) float64 {
		if i == 3 {
			return sa + da - sa*da
		}
		return sa*(1-d) + (1-sa)*d
	},
	enum.BlendOpRed:   pick(0),
	enum.BlendOpGreen: pick(1),
	enum.BlendOpBlue:  pick(2),
}

func pick(n int) func(int, float64, float64, float64, float64) float64 {
	return func(i int, s, d, _, _ float64) float64 {
		if i == n {
			return s
		}
		return d
	}
}

// advancedBlend is the model of an operation.
func advancedBlend(b *state.BlendAttachment, s, d [4]float64) (out [4]float64) {
	sa, da, k := s[3], d[3], &b.Advanced
	if f, ok := additionalOps[b.ColorOp]; ok {
		for i := range 3 {
			if k.SrcStraight {
				s[i] *= sa
			}
			if k.DstStraight {
				d[i] *= da
			}
		}
		for i := range out {
			out[i] = f(i, s[i], d[i], sa, da)
		}
	} else {
		out = weightedBlend(b, s, d)
	}
	for i := range 3 {
		if k.DstStraight && out[3] != 0 {
			out[i] /= out[3]
		}
	}
	for i := range out {
		if k.Clamp {
			out[i] = min(max(out[i], 0), 1)
		}
	}
	return out
}

func weightedBlend(b *state.BlendAttachment, s, d [4]float64) (out [4]float64) {
	sa, da, k := s[3], d[3], &b.Advanced
	base := func(c [4]float64, straight bool) (out [3]float64) {
		for i := range out {
			switch {
			case straight:
				out[i] = c[i]
			case c[3] != 0:
				out[i] = c[i] / c[3]
			}
		}
		return out
	}
	bs, bd := base(s, k.SrcStraight), base(d, k.DstStraight)
	p0, p1, p2 := sa*da, sa*(1-da), da*(1-sa)
	switch k.Overlap {
	case state.OverlapConjoint:
		p0, p1, p2 = min(sa, da), max(sa-da, 0), max(da-sa, 0)
	case state.OverlapDisjoint:
		p0, p1, p2 = max(sa+da-1, 0), min(sa, 1-da), min(da, 1-sa)
	}
	w, of := weightedOps[b.ColorOp]
	f := [3]float64{}
	if of {
		for i := range f {
			f[i] = w.f(bs[i], bd[i])
		}
	} else {
		w.x, w.y, w.z = 1, 1, 1
		f = hslOps[b.ColorOp](bs, bd)
	}
	for i := range f {
		out[i] = f[i]*p0 + w.y*bs[i]*p1 + w.z*bd[i]*p2
	}
	out[3] = w.x*p0 + w.y*p1 + w.z*p2
	return out
}

// TestAdvancedBlend blends random colors by each advanced operation and compares with the specification's equations in float64.
// With CHIARO_LONG each operation has all parameters; without it one choice of them, and one operation all.
func TestAdvancedBlend(t *testing.T) {
	r := rand.New(rand.NewSource(9))
	for op := enum.BlendOpZero; op <= enum.BlendOpBlue; op++ {
		chosen := r.Intn(12)
		for n := range 12 {
			if n == chosen || op == enum.BlendOpColordodge || os.Getenv("CHIARO_LONG") != "" {
				b := state.BlendAttachment{Enable: true, ColorOp: op, AlphaOp: op, WriteMask: 15, Advanced: state.AdvancedBlend{
					SrcStraight: n&1 != 0, DstStraight: n&2 != 0, Overlap: state.Overlap(n / 4), Clamp: r.Intn(3) == 0}}
				name := []string{"R32G32B32A32_SFLOAT", "R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT", "R8G8B8A8_SRGB"}[r.Intn(4)]
				testAdvanced(t, r, name, b)
			}
		}
	}
}

// illFormed are components of colors that are ill-formed together.
var illFormed = []float64{math.Inf(1), math.Inf(-1), math.NaN(), -1, 0, math.Copysign(0, -1), 1, 2, 1e30, 1e-40}

// ill reports whether texel i has ill-formed colors.
func ill(i int) bool { return i%4 == 3 }

func testAdvanced(t *testing.T, r *rand.Rand, name string, b state.BlendAttachment) {
	f, _ := format.ByName(name)
	color := func(straight bool) (c [4]float64) {
		c[3] = float64(r.Intn(9)) / 8
		for i := range 3 {
			if c[i] = float64(r.Intn(17)) / 16; !straight {
				c[i] = float64(float32(c[i] * c[3]))
			}
		}
		return c
	}
	var colors []float32
	before := make([]byte, side*side*f.Bytes)
	for i := range side * side {
		src, dst := color(b.Advanced.SrcStraight), color(b.Advanced.DstStraight)
		if ill(i) { // the result is undefined, but that of all engines
			for k := range src {
				src[k], dst[k] = illFormed[r.Intn(len(illFormed))], illFormed[r.Intn(len(illFormed))]
			}
		}
		for _, x := range src {
			colors = append(colors, float32(x))
		}
		colors = append(colors, 0, 0, 0, 0)
		f.SetTexel(before[i*f.Bytes:][:f.Bytes], dst)
	}
	var first []byte
	for _, e := range engines() {
		c := blank(t, side, side, name)
		copy(c.bytes(0), before)
		s := full(c)
		s.Blend = state.Blend{Attachments: []state.BlendAttachment{b}}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, loadedText, 0)}, s, c, state.Args{Count: 3,
			Shader: compute.Args{Push: cover, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: floats(colors...)}}}}})
		if first == nil {
			first = append(first, c.bytes(0)...)
		}
		if string(first) != string(c.bytes(0)) {
			t.Errorf("%v %+v, %s: engines differ", b.ColorOp, b.Advanced, name)
		}
	}
	for i := range side * side {
		if ill(i) {
			continue
		}
		var src [4]float64
		for k := range src {
			src[k] = float64(colors[8*i+k])
		}
		dst := f.Texel(before[i*f.Bytes:][:f.Bytes])
		// Rounding in float32 can choose the other case of a function that jumps, or that has a great slope: the model
		// bounds the result by those of colors nearby.
		low, high := advancedBlend(&b, src, dst), advancedBlend(&b, src, dst)
		for n := range 4 {
			s, d := src, dst
			for k := range 3 {
				s[k] *= 1 + float64(n&1*2-1)*0x1p-20
				d[k] *= 1 + float64(n&2-1)*0x1p-20
			}
			for k, x := range advancedBlend(&b, s, d) {
				low[k], high[k] = min(low[k], x), max(high[k], x)
			}
		}
		var want, slack [4]float64
		for k := range want {
			want[k], slack[k] = (low[k]+high[k])/2, (high[k]-low[k])/2+0x1p-20
		}
		if fault := near(&f, first[i*f.Bytes:][:f.Bytes], want, slack); fault != "" {
			t.Fatalf("%v %+v, %s, texel %d, source %v, destination %v: %s", b.ColorOp, b.Advanced, name, i, src, dst, fault)
		}
	}
}
