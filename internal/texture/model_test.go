package texture_test

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// model samples images in float64 by the formulas of Vulkan's chapter "Image
// Operations", one texel after another.
type model struct {
	m      *texture.Image
	d      texture.ViewDesc
	s      texture.SamplerDesc
	border [4]float64
}

// texel returns the numbers of a texel of the view; those outside are the border's.
func (o *model) texel(level, layer int, at [3]int) [4]float64 {
	w, h, depth := o.m.LevelExtent(o.d.BaseLevel + level)
	if at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= w || at[1] >= h || at[2] >= depth {
		return o.border
	}
	v := o.m.Load(texture.Coord{X: at[0], Y: at[1], Z: at[2], Layer: o.d.BaseLayer + layer, Level: o.d.BaseLevel + level, Aspect: o.d.Aspect})
	var out [4]float64
	for i, x := range v {
		out[i] = float64(math.Float32frombits(uint32(x)))
	}
	return out
}

// wrap is "Wrapping Operation".
func wrap(mode enum.AddressMode, i, size int) int {
	mod := func(x, n int) int { return ((x % n) + n) % n }
	switch mode {
	case enum.AddressModeRepeat:
		return mod(i, size)
	case enum.AddressModeMirroredRepeat:
		m := mod(i, 2*size) - size
		if m < 0 {
			m = -(1 + m)
		}
		return size - 1 - m
	case enum.AddressModeClampToEdge:
		return min(max(i, 0), size-1)
	case enum.AddressModeMirrorClampToEdge:
		if i < 0 {
			i = -(1 + i)
		}
		return min(i, size-1)
	}
	return min(max(i, -1), size)
}

// level samples one level at normalized coordinates. Weights are rounded to 8 bits
// as the sampler's are, so that results can be compared closely.
func (o *model) level(level, layer int, at []float64, offset []int, filter enum.Filter, dref float64) [4]float64 {
	w, h, depth := o.m.LevelExtent(o.d.BaseLevel + level)
	size := [3]int{w, h, depth}
	var lo [3]int
	var part [3]float64
	address, half := o.s.Address, 0.5
	if o.m.Corner { // nearest texels are shifted by half a texel, linear ones are not
		address, half = [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}, 0
	}
	for i, u := range at {
		switch {
		case !o.s.Unnormalized && o.m.Corner:
			u *= float64(size[i] - 1)
		case !o.s.Unnormalized:
			u *= float64(size[i])
		}
		off := 0
		if offset != nil {
			off = offset[i]
		}
		if filter == enum.FilterNearest {
			lo[i] = int(math.Floor(u+0.5-half)) + off
			continue
		}
		x := math.RoundToEven((u - half) * 256)
		lo[i] = int(math.Floor(x/256)) + off
		part[i] = x/256 - math.Floor(x/256)
	}
	var sum [4]float64
	first := true
	for corner := range 1 << len(at) {
		weight, place := 1.0, [3]int{}
		for i := range at {
			n := lo[i]
			if corner>>i&1 != 0 {
				n++
				weight *= part[i]
			} else {
				weight *= 1 - part[i]
			}
			place[i] = wrap(address[i], n, size[i])
		}
		if weight == 0 {
			continue
		}
		t := o.texel(level, layer, place)
		if o.s.Compare {
			t = [4]float64{0: passes(o.s.CompareOp, dref, t[0])}
		}
		for k := range sum {
			switch {
			case o.s.Reduction == enum.ReductionMin:
				if first || t[k] < sum[k] {
					sum[k] = t[k]
				}
			case o.s.Reduction == enum.ReductionMax:
				if first || t[k] > sum[k] {
					sum[k] = t[k]
				}
			default:
				sum[k] += weight * t[k]
			}
		}
		first = false
	}
	return sum
}

func passes(op enum.CompareOp, ref, depth float64) float64 {
	ok := false
	switch op {
	case enum.CompareOpLess:
		ok = ref < depth
	case enum.CompareOpEqual:
		ok = ref == depth
	case enum.CompareOpLessOrEqual:
		ok = ref <= depth
	case enum.CompareOpGreater:
		ok = ref > depth
	case enum.CompareOpNotEqual:
		ok = ref != depth
	case enum.CompareOpGreaterOrEqual:
		ok = ref >= depth
	case enum.CompareOpAlways:
		ok = true
	}
	if ok {
		return 1
	}
	return 0
}

// sample is a sample at a level of detail, before it is clamped.
func (o *model) sample(at []float64, offset []int, layer float64, lambda, dref float64) [4]float64 {
	l := int(math.RoundToEven(min(max(layer, 0), float64(max(o.d.Layers, 1)-1))))
	lambda = min(max(lambda+float64(o.s.LodBias), float64(o.s.MinLod)), float64(o.s.MaxLod))
	filter := o.s.Min
	if lambda <= 0 {
		filter = o.s.Mag
	}
	d := min(max(lambda, 0), float64(max(o.d.Levels, 1)-1))
	d = math.RoundToEven(d*256) / 256
	if !o.s.MipLinear {
		return o.level(max(int(math.Ceil(d+0.5)-1), 0), l, at, offset, filter, dref)
	}
	hi := int(math.Floor(d))
	a := o.level(hi, l, at, offset, filter, dref)
	if d == float64(hi) {
		return a
	}
	b := o.level(hi+1, l, at, offset, filter, dref)
	for k := range a {
		switch o.s.Reduction {
		case enum.ReductionMin:
			a[k] = min(a[k], b[k])
		case enum.ReductionMax:
			a[k] = max(a[k], b[k])
		default:
			a[k] += (d - float64(hi)) * (b[k] - a[k])
		}
	}
	return a
}
