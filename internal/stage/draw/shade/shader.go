package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// fragmentVar is what the code before a fragment program leaves for the program's
// functions and the code behind it.
type fragmentVar int

const (
	varPrimitive fragmentVar = iota // i32: where the primitive stands, in bytes
	varRecords                      // i32: where the records of its vertices do
	varX                            // i32: the pixel
	varY
	varDX // f32: the spot where inputs are interpolated, from the primitive's reference
	varDY
	varP1 // f32: the weights there in perspective
	varP2
	varL1 // and without
	varL2
	varCX // f32: the same at the centroid
	varCY
	varCP1
	varCP2
	varCL1
	varCL2
	varSet      // the samples that are covered (setType)
	varPassed   // those that have passed the tests
	varEarlySet // those that were covered before the tests
	varSizeX    // i32, of coarse fragments: the logarithms of the fragment's pixels along the axes
	varSizeY
	numFragmentVars
)

// shader writes a fragment program as a compute program: a workgroup is an
// item of raster's, an invocation a pixel of its block, or one after the other of each
// strip of the block. Behind the program's own code stands what becomes of its outputs.
type shader struct {
	*compose.Builder
	key  *Key
	rec  *layout.Record
	vars [numFragmentVars]int // their variables, from 1

	positionTable int  // number of the table of sample positions, from 1
	swizzled      bool // quads are lanes that follow each other
	helpers       bool // lanes that are not covered run
	strip         strip

	corner, inStrip [2]ir.V // in the entry point: of the strip's first pixel, and of the pixel from there
	below           ir.V    // how many blocks below the item's are like it
}

// hasInput reports whether the fragment program has an input of the semantic.
func (s *shader) hasInput(x ir.Semantic) bool { return HasInput(s.From, x) }

// hasOp reports whether the program has an operation.
func (s *shader) hasOp(op ir.Op) bool {
	for _, f := range s.From.Funcs {
		if slices.ContainsFunc(f.Code, func(v ir.V) bool { return f.Val(v).Op == op }) {
			return true
		}
	}
	return false
}

// interpolates reports whether it has an input that is made with the weights of the
// interpolation at the place.
func (s *shader) interpolates(i ir.Interpolation, p ir.Sampling) bool {
	return slices.ContainsFunc(s.From.In, func(in ir.Input) bool { return weightsOf(in) == i && s.placeOf(in) == p })
}

// weightsOf is the interpolation with whose weights an input is made, Flat where it is
// with none.
func weightsOf(in ir.Input) ir.Interpolation {
	switch in.Semantic {
	case ir.Location:
		return in.Interpolation
	case ir.BaryCoord:
		return ir.Perspective
	case ir.BaryCoordNoPersp, ir.PointCoord:
		return ir.Linear
	}
	return ir.Flat
}

// placeOf is where an input is interpolated: at the sample, or the middle of the pixel
// (Center), unless there are several samples and it is the centroid.
func (s *shader) placeOf(in ir.Input) ir.Sampling {
	if in.Sampling == ir.Centroid && s.multi() {
		return ir.Centroid
	}
	return ir.Center
}

// centroids reports whether it has an input at the centroid.
func (s *shader) centroids() bool {
	return s.interpolates(ir.Perspective, ir.Centroid) || s.interpolates(ir.Linear, ir.Centroid)
}

// get reads a variable of the fragment's.
func (s *shader) get(v fragmentVar) ir.V {
	return s.B.OpAux(ir.PLd, s.varType(v), s.variable(v), s.B.I32(0))
}

// set writes one.
func (s *shader) set(v fragmentVar, x ir.V) {
	s.B.Emit(ir.Val{Op: ir.PSt, Type: s.varType(v), Args: [4]ir.V{s.B.I32(0), x}, Aux: s.variable(v)})
}

func (s *shader) varType(v fragmentVar) ir.Type {
	switch v {
	case varPrimitive, varRecords, varX, varY, varSizeX, varSizeY:
		return ir.I32
	case varSet, varPassed, varEarlySet:
		return s.setType()
	}
	return ir.F32
}

func (s *shader) variable(v fragmentVar) uint64 {
	if s.vars[v] == 0 {
		s.Program.Vars = append(s.Program.Vars, ir.Var{Name: "fragment", Slots: s.varType(v).Slots(), Func: -1})
		s.vars[v] = len(s.Program.Vars)
	}
	return uint64(s.vars[v] - 1)
}

// toFloat makes a float of a number of pixels, which fits an integer with a sign:
// machines have an instruction for those.
func (s *shader) toFloat(pixels ir.V) ir.V { return s.B.Op(ir.SToF, ir.F32, pixels) }

// itemBytes is the size of an item in memory.
func (s *shader) itemBytes() uint64 {
	return 8 * uint64(raster.ItemWords(int(s.key.Samples), s.key.FullyCovered))
}

// hasOutput reports whether the program has an output of the semantic whose index is
// one of four from first on.
func (s *shader) hasOutput(x ir.Semantic, first uint32) bool {
	for _, o := range s.From.Out {
		if o.Semantic == x && o.Index >= first && o.Index < first+4 {
			return true
		}
	}
	return false
}

// toF32 makes 32 bits of a number of 16.
func (s *shader) toF32(v ir.V) ir.V {
	if s.B.Func.Type(v) == ir.F16 {
		return s.B.Op(ir.FCanon, ir.F32, s.B.Op(ir.FCvt, ir.F32, v))
	}
	return v
}

// coarse reports whether fragments may have several pixels.
func (s *shader) coarse() bool { return s.key.MaxPixels > 1 }

// multi reports whether a fragment has several samples, and an invocation stands for
// all that are covered.
func (s *shader) multi() bool {
	return s.key.Samples > 1 && !s.key.PerSample || s.coarse()
}

// setType is the type of sets of samples.
func (s *shader) setType() ir.Type {
	if s.key.Samples*s.key.MaxPixels > 32 {
		return ir.I64
	}
	return ir.I32
}

// sample is the sample that is shaded: 0 where the invocation stands for the pixel.
func (s *shader) sample() ir.V {
	if !s.key.PerSample {
		return s.B.I32(0)
	}
	return s.B.Op(ir.UMod, ir.I32, s.BuiltIn(ir.WorkgroupIdX), s.B.I32(s.key.Samples))
}

// itemNumber is the number of the item.
func (s *shader) itemNumber() ir.V {
	if !s.key.PerSample {
		return s.BuiltIn(ir.WorkgroupIdX)
	}
	return s.B.Op(ir.UDiv, ir.I32, s.BuiltIn(ir.WorkgroupIdX), s.B.I32(s.key.Samples))
}

// placeBits are those of a coordinate of an item's place.
func (s *shader) placeBits() uint32 {
	if s.coarse() {
		return 0xffff &^ (raster.Block - 1)
	}
	return 0xffff
}
