package draw_test

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// floats returns numbers as bytes.
func floats(list ...float32) []byte {
	b := make([]byte, 0, 4*len(list))
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// floatBits is a number's bits.
func floatBits(x float32) uint32 { return math.Float32bits(x) }

// sampleAt is a sample of a pixel.
func sampleAt(x, y, n int) texture.Coord { return texture.Coord{X: x, Y: y, Sample: n} }
