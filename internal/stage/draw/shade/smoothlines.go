package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// smoothness returns the share of the pixel that a smooth line covers, 0 to 1 (Vulkan §"Smooth
// Lines"), and 1 for other primitives. The flags have the level in inverse form, so that 0, the
// value of all other primitives, means full coverage.
func (s *shader) smoothness() ir.V {
	b := s.B
	left := b.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), b.I32(raster.SmoothShift))
	return s.FMul(s.toFloat(b.Op(ir.Sub, ir.I32, b.I32(raster.SmoothLevels), left)), s.Float(1.0/raster.SmoothLevels))
}
