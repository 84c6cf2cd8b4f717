package raster

// point is a place in sub-pixels.
type point struct{ x, y int32 }

// positions are the standard sample locations in sixteenths of a pixel (Vulkan,
// Multisampling, standardSampleLocations), by how many samples a pixel has. For 32
// and 64 samples there is no standard: those are the columns of a net whose rows
// and columns all have the same number of samples.
var positions = map[int][]point{
	1: {{8, 8}},
	2: {{12, 12}, {4, 4}},
	4: {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
	8: {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
	16: {{9, 9}, {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
		{6, 14}, {8, 1}, {4, 2}, {2, 12}, {0, 8}, {15, 4}, {14, 15}, {1, 0}},
}

// SamplePositions returns where in a pixel its samples are, in pixels: pairs of x
// and y. It panics for a number of samples that no pixel can have.
func SamplePositions(samples int) [][2]float32 {
	list := make([][2]float32, samples)
	for i, p := range samplePoints(samples) {
		list[i] = [2]float32{float32(p.x) / one, float32(p.y) / one}
	}
	return list
}

// samplePoints returns the same in sub-pixels.
func samplePoints(samples int) []point {
	if list := positions[samples]; list != nil {
		out := make([]point, len(list))
		for i, p := range list {
			out[i] = point{p.x * one / 16, p.y * one / 16}
		}
		return out
	}
	if samples != 32 && samples != 64 {
		panic("raster: a pixel of no such number of samples")
	}
	return net(samples)
}

// net spreads samples over a pixel: sample i stands in column i, and in the row
// that the bits of i make, read from the other end (the Hammersley set), shifted to
// the middles.
func net(samples int) []point {
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
