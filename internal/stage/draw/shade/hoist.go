package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// stripLoop is the loop over the strips of a block. A strip is the SIMD batch of one workgroup: two or
// more pixel rows of the block, for one subgroup or for two (stripPixelRows). The loop skips strips without
// covered pixels. Loads that are the same for all strips are hoisted out of the loop.
type stripLoop struct {
	pixelRows uint32 // pixel rows of a strip; a block has raster.Block

	loop    int    // index in the entry point's code at which the loop begins
	hoisted []ir.V // code that is moved before the loop
	inLoop  bool   // the builder is inside of the loop
	first   ir.V   // first pixel row of the strip, relative to the item's block
	dy      ir.V   // center of the pixel, relative to the primitive's reference point; in a stack, in the framebuffer
}

// walksStrips reports whether the entry point loops over strips.
func (s *shader) walksStrips() bool { return s.stripLoop.pixelRows < raster.Block }

// inStrips reports whether the builder is inside of the strip loop.
func (s *shader) inStrips() bool { return s.stripLoop.inLoop && s.B.Func == s.Program.Funcs[0] }

// perItem emits code that depends on nothing but the item. Inside of the strip loop the code is
// hoisted: without it every strip would reload the primitive. The values are in the order of
// emission before the loop, so an operand is always earlier than its use. code must not depend on a
// variable that the loop writes.
func (s *shader) perItem(code func() ir.V) ir.V {
	f := s.B.Func
	if !s.inStrips() {
		return code()
	}
	from := len(f.Code)
	s.stripLoop.inLoop = false
	v := code()
	s.stripLoop.inLoop = true
	s.stripLoop.hoisted = append(s.stripLoop.hoisted, f.Code[from:]...)
	f.Code = f.Code[:from]
	return v
}

// param reads word n of the parameters.
func (s *shader) param(t ir.Type, n uint32) ir.V {
	return s.perItem(func() ir.V { return s.Builder.Param(t, n) })
}
