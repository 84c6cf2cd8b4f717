package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// smoothness is how much of its pixels a smooth line covers, from 0 to 1 (Vulkan
// §"Smooth Lines"); it is 1 for all that is no line.
func (s *fragmentShader) smoothness() ir.V {
	b := s.b
	left := b.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), b.I32(raster.SmoothShift))
	return s.fmul(s.toFloat(b.Op(ir.Sub, ir.I32, b.I32(raster.SmoothLevels), left)), s.num(1.0/raster.SmoothLevels))
}
