package raster

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
