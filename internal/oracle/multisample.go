package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Several samples for each pixel (Vulkan, "Multisampling"). The fragment shader runs once for a pixel, or with an input that belongs to a sample
// once for each sample that the primitive covers, as the tests and the blending do. With minSampleShading alone it runs for some of the
// samples together. Its inputs are those of any place in the pixel.

// sampleLocations are the standard locations of the samples in a pixel, by their number (Vulkan, "Standard sample locations").
var sampleLocations = map[uint32][][2]float64{
	1: {{0.5, 0.5}},
	2: {{0.75, 0.75}, {0.25, 0.25}},
	4: {{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}},
	8: {
		{0.5625, 0.3125}, {0.4375, 0.6875}, {0.8125, 0.5625}, {0.3125, 0.1875},
		{0.1875, 0.8125}, {0.0625, 0.4375}, {0.6875, 0.9375}, {0.9375, 0.0625},
	},
}

// locations returns the locations of the samples of the draw.
func (d *drawing) locations() [][2]float64 { return sampleLocations[uint32(len(d.samples))] }

// perSample reports whether the fragment shader runs for each sample: an input of it belongs to a sample.
func (j *Job) perSample() bool {
	for _, id := range j.Entry.Interface {
		v := j.Module.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassInput {
			continue
		}
		found := j.Module.Has(id, spirv.DecorationSample)
		eachSlot(j.Module, v, func(_ slot, b spirv.BuiltIn, builtIn bool, _ int, _ *facts.Type, _ interpolation) {
			found = found || builtIn && (b == spirv.BuiltInSampleId || b == spirv.BuiltInSamplePosition)
		})
		if v.Type != nil && v.Type.IsStruct() {
			for i := range v.Type.Members {
				found = found || j.Module.HasMember(v.Type.ID, i, spirv.DecorationSample)
			}
		}
		if found {
			return true
		}
	}
	return false
}

// place returns the coordinate of a fragment: the center of the pixel, or with sample shading the location of the sample, or of any one.
func (d *drawing) place(x, y int) (column, row Number) {
	column, row = point(float64(x)+0.5), point(float64(y)+0.5)
	for n, at := range d.locations() {
		if d.perSample && n == d.sample || !d.perSample && len(d.samples) > 1 && d.State.Multisample.SampleShading {
			column, row = hullOf(column, point(float64(x)+at[0])), hullOf(row, point(float64(y)+at[1]))
		}
	}
	return column, row
}

// sampleQuad shades and stores the samples of four pixels.
func (d *drawing) sampleQuad(s *surface, x, y int, q *quad) {
	defer func() { d.sample = 0 }()
	for lane := range 4 {
		for n, c := range q.cover[lane] {
			if q.covered[lane] == outside1 || c == outside1 {
				continue
			}
			if d.shaded++; d.shaded > maxFragments {
				panic(stop{why: "more fragments than are judged"})
			}
			d.sample = n
			list, why := d.shade(d.fragment, false, []*shading{d.fragmentInput(s, x+lane&1, y+lane>>1, true)})
			var m *machine
			if why == "" {
				m = list[0]
			} else if d.Pixels++; d.Why == "" {
				d.Why = why
			}
			d.merge(s, x+lane&1, y+lane>>1, c, q.edges[lane][n], m)
		}
	}
}

// interpolate returns a number of the fragment of a pixel. With several samples it may belong to any place in the pixel, which is a range
// between its corners: each number that is interpolated is monotonic along a line.
func (d *drawing) interpolate(s *surface, x, y int, v [3]Number, perspective [][3]float64) Number {
	px, py := float64(x), float64(y)
	if len(d.samples) == 1 {
		return s.interpolate(px+0.5, py+0.5, v, perspective)
	}
	n := s.interpolate(px, py, v, perspective)
	for _, corner := range [...][2]float64{{1, 0}, {0, 1}, {1, 1}} {
		next := s.interpolate(px+corner[0], py+corner[1], v, perspective)
		if n.Any || next.Any {
			return Number{Any: true, At: byInterpolation}
		}
		n.Low, n.High = min(n.Low, next.Low), max(n.High, next.High)
	}
	return n
}

// Resolve stores the resolved samples of a target: of floats and normalized integers their mean, of integers the value of one sample
// (Vulkan, "Resolving Multisample Images"). Both have one format, and the smaller of their extents.
func (t *Target) Resolve(from *Target) {
	all := append([]*Target{from}, from.Samples...)
	for y := range min(t.Height, from.Height) {
		for x := range min(t.Width, from.Width) {
			t.forget(x, y)
			for k, c := range t.components {
				t.texel(x, y)[k] = resolved(c, all, func(s *Target) Number { return s.texel(x, y)[k] })
			}
		}
	}
}

// resolved returns the resolved value of a component.
func resolved(c format.Component, samples []*Target, of func(*Target) Number) Number {
	first := of(samples[0])
	sum, low, high := Number{At: first.At}, math.Inf(1), math.Inf(-1)
	for _, s := range samples {
		n := of(s)
		switch {
		case n.Any, isInteger(c) && n.Bits != first.Bits:
			return Number{Any: true, At: n.At}
		case sum.At == 0:
			sum.At = n.At
		}
		sum.Blended = sum.Blended || n.Blended
		sum.Low, sum.High = sum.Low+n.Low, sum.High+n.High
		low, high = min(low, n.Low), max(high, n.High)
	}
	if isInteger(c) {
		return first
	}
	if low == high { // equal samples have this mean
		sum.Low, sum.High = low, high
		return sum
	}
	count := float64(len(samples))
	sum.Low, sum.High = sum.Low/count, sum.High/count
	most, ok := fixed(c)
	switch {
	case c.Numeric == format.SRGB: // the mean of the encoded or of the decoded values
		sum.Low, sum.High = low, high
	case ok:
		sum.Low, sum.High = max(math.Floor(sum.Low-0.5), -most), min(math.Ceil(sum.High+0.5), most)
	default:
		e := float64(max(math.Abs(low), math.Abs(high)) * operationError)
		out := stored(c, Number{Low: sum.Low - e, High: sum.High + e})
		sum.Low, sum.High, sum.Any = out.Low, out.High, out.Any
	}
	return sum
}
