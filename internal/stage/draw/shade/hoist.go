package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// strip is how a block is gone over. Where a workgroup is as many rows of its block as
// a subgroup has, the entry point goes from one to the next of those strips that have
// pixels that are covered. What is the same for all of them is read before.
type strip struct {
	rows uint32 // of a workgroup; a block has raster.Block

	loop    int    // where the loop over strips begins in the code of the entry point
	hoisted []ir.V // the code that shall stand before it
	inLoop  bool   // code in the loop is written
	first   ir.V   // the strip's first row, from that of the item's block
	dy      ir.V   // the middle of the pixel, from the primitive's reference
}

// walksStrips reports whether the entry point goes over strips.
func (s *shader) walksStrips() bool { return s.strip.rows < raster.Block }

// inStrips reports whether what is written stands in the loop over strips.
func (s *shader) inStrips() bool { return s.strip.inLoop && s.B.Func == s.Program.Funcs[0] }

// perItem writes code that depends on nothing but the item: in the loop over its strips
// it comes to stand before the loop.
func (s *shader) perItem(code func() ir.V) ir.V {
	f := s.B.Func
	if !s.inStrips() {
		return code()
	}
	from := len(f.Code)
	s.strip.inLoop = false
	v := code()
	s.strip.inLoop = true
	s.strip.hoisted = append(s.strip.hoisted, f.Code[from:]...)
	f.Code = f.Code[:from]
	return v
}

// param reads word n of the parameters.
func (s *shader) param(t ir.Type, n uint32) ir.V {
	return s.perItem(func() ir.V { return s.Builder.Param(t, n) })
}
