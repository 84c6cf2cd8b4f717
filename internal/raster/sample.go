package raster

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
)

// point is a position in sub-pixels.
type point struct{ x, y int32 }

// standardPositions are the standard sample locations (Vulkan, Multisampling, standardSampleLocations) by
// the number of samples, in sixteenths of a pixel. The specification has none for 32 and 64 samples: see
// hammersley.
var standardPositions = map[int][]point{
	1: {{8, 8}},
	2: {{12, 12}, {4, 4}},
	4: {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
	8: {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
	16: {{9, 9}, {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
		{6, 14}, {8, 1}, {4, 2}, {2, 12}, {0, 8}, {15, 4}, {14, 15}, {1, 0}},
}

// SamplePositions returns the sample locations of a pixel as (x, y) in pixels, each in [0, 1). samples must
// be 1, 2, 4, 8, 16, 32 or 64; it panics otherwise.
func SamplePositions(samples int) [][2]float32 {
	list := make([][2]float32, samples)
	for i, p := range samplePoints(samples) {
		list[i] = [2]float32{float32(p.x) / one, float32(p.y) / one}
	}
	return list
}

// MaxLocationGrid is the greatest width and height of a grid of custom sample locations, in pixels
// (maxSampleLocationGridSize). It divides Block, and blocks begin at multiples of it.
const MaxLocationGrid = 2

// LocationBits is the number of fraction bits of a custom sample location (sampleLocationSubPixelBits). Positions of vertices have more,
// so that a triangle can surround each location alone.
const LocationBits = 4

// MaxLocation is the greatest coordinate of a custom sample location, in pixels from the pixel's corner.
const MaxLocation = 1 - 1.0/(1<<LocationBits)

// SampleLocations are custom sample locations (VkSampleLocationsInfoEXT) in sub-pixels. Sample i of pixel
// (x, y) has location Points[(x mod Width + y mod Height · Width) · samples + i].
type SampleLocations struct {
	Width, Height int // 1 or MaxLocationGrid
	Points        [MaxLocationGrid * MaxLocationGrid * 64][2]uint8
}

// Location returns the sub-pixels of a coordinate of a sample, in pixels from the pixel's corner. It is clamped to the range 0 to
// MaxLocation (sampleLocationCoordinateRange), and rounded to the nearest multiple of 2^−LocationBits, ties to even. NaN becomes 0.
func Location(x float32) uint8 {
	if !(x > 0) {
		return 0
	}
	const steps = 1 << LocationBits
	return uint8(math.RoundToEven(float64(min(x, MaxLocation))*steps) * (one / steps))
}

// setSamples sets the sample locations of a pixel, or of all pixels of a grid.
func (r *Rasterizer) setSamples(s *State) {
	n, l := max(s.Samples, 1), s.Locations
	conservative := s.Conservative != enum.ConservativeModeDisabled
	if l != nil && !conservative {
		r.samples, r.located = r.samples[:0], true
		for _, p := range l.Points[:l.Width*l.Height*n] {
			r.samples = append(r.samples, point{int32(p[0]), int32(p[1])})
		}
		r.perPixel, r.columns, r.rows = n, l.Width, l.Height
		return
	}
	if r.perPixel == n && r.centred == conservative && !r.located {
		return
	}
	r.samples, r.centred, r.located = samplePoints(n), conservative, false
	r.perPixel, r.columns, r.rows = n, 1, 1
	if conservative { // conservative coverage does not depend on the sample
		for i := range r.samples {
			r.samples[i] = point{centre, centre}
		}
	}
}

// sampleMask returns the block's pixels that have sample i inside all edges. With a grid of locations, one mask
// per pixel of the grid selects the block's pixels with its location.
func (w *walker) sampleMask(x, y int32, i int) uint64 {
	if len(w.samples) == w.perPixel {
		return w.mask(x, y, i)
	}
	m := uint64(0)
	for row := range w.rows {
		for column := range w.columns {
			m |= w.mask(x, y, (row*w.columns+column)*w.perPixel+i) & w.pixelsAt(row, column)
		}
	}
	return m
}

// sidesMask returns the block's pixels that have sample i in the viewport.
func (w *walker) sidesMask(x, y int32, i int) uint64 {
	if len(w.samples) == w.perPixel {
		return w.sides[i].pixelsOf(x, y)
	}
	m := uint64(0)
	for row := range w.rows {
		for column := range w.columns {
			m |= w.sides[(row*w.columns+column)*w.perPixel+i].pixelsOf(x, y) & w.pixelsAt(row, column)
		}
	}
	return m
}

// pixelsAt returns the block's pixels that have the locations of a pixel of the grid.
func (w *walker) pixelsAt(row, column int) uint64 {
	pixels := ^uint64(0)
	if w.columns > 1 {
		pixels &= evenColumns << column
	}
	if w.rows > 1 {
		pixels &= evenRows << (Block * row)
	}
	return pixels
}

// The pixels of a block in even columns, and in even rows. A block begins at an even column and row.
const (
	evenColumns = 0x5555555555555555
	evenRows    = 0x00ff00ff00ff00ff
)

// samplePoints returns the sample locations in sub-pixels.
func samplePoints(samples int) []point {
	if list := standardPositions[samples]; list != nil {
		out := make([]point, len(list))
		for i, p := range list {
			out[i] = point{p.x * one / 16, p.y * one / 16}
		}
		return out
	}
	if samples != 32 && samples != 64 {
		panic("raster: a pixel of no such number of samples")
	}
	return hammersley(samples)
}

// hammersley returns the Hammersley point set: sample i has x = i/samples and y = the bit reversal of i, over
// samples (van der Corput), each moved to the middle of its cell. Every row and column of the grid has
// exactly one sample.
func hammersley(samples int) []point {
	out := make([]point, samples)
	step := int32(one / samples)
	for i := range out {
		r := 0
		for b := 1; b < samples; b <<= 1 {
			if i&b != 0 {
				r |= samples / 2 / b
			}
		}
		out[i] = point{int32(i)*step + step/2, int32(r)*step + step/2}
	}
	return out
}
