package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// fragmentVar is a private variable that connects the prologue with the functions of the program and
// with the epilogue. Variables, not SSA values, because functions of the program read them too.
// In the entry point mem2reg promotes them to SSA values.
type fragmentVar int

const (
	varPrimitive fragmentVar = iota // i32: byte offset of the primitive
	varRecords                      // i32: byte offset of its vertex records
	varX                            // i32: the pixel
	varY
	varDX // f32: the interpolation point, relative to the primitive's reference point
	varDY
	varP1 // f32: perspective weights there
	varP2
	varL1 // f32: linear weights there
	varL2
	varCX // f32: the same at the centroid
	varCY
	varCP1
	varCP2
	varCL1
	varCL2
	varSet      // covered samples (setType)
	varPassed   // samples that passed the tests
	varEarlySet // covered samples before the early tests
	varSizeX    // i32, coarse fragments: logarithms of the size in pixels
	varSizeY
	numFragmentVars
)

// shader builds the compute program of a fragment program. A workgroup is an item of the rasterizer,
// an invocation is a pixel of its block, or one pixel in each strip of the block. With a packed key
// a workgroup is a pack, and an invocation is a pixel of one of its quads (pack.go).
type shader struct {
	*compose.Builder
	key  *Key
	rec  *layout.Record
	kept []uint32             // layout.Record.Kept, for triangles in place
	vars [numFragmentVars]int // index of the variable plus 1; 0 if it does not exist yet

	positionTable int  // index of the table of sample positions plus 1
	swizzled      bool // a quad is four consecutive lanes
	helpers       bool // lanes without coverage run too, for derivatives
	stripLoop     stripLoop

	corner, inStrip [2]ir.V  // entry point: first pixel of the strip, and the lane's offset from it
	below           ir.V     // number of identical blocks below the item's block
	packed          ir.V     // in a pack: the lane's pixel is covered
	covers          []ir.V   // entry point: whether each of few samples is covered (separate); else nil
	ready           [][]ir.V // epilogue: packed colors of attachments, the same for all samples; nil if they are not
	stack           stack
}

// hasInput reports whether the program has an input of the semantic.
func (s *shader) hasInput(x ir.Semantic) bool { return HasInput(s.From, x) }

// hasOp reports whether the program has an operation.
func (s *shader) hasOp(op ir.Op) bool { return hasOp(s.From, op) }

// interpolates reports whether an input needs the weights of an interpolation mode at a point.
func (s *shader) interpolates(i ir.Interpolation, p ir.Sampling) bool {
	return slices.ContainsFunc(s.From.In, func(in ir.Input) bool { return weightsOf(in) == i && s.samplingOf(in) == p })
}

// weightsOf returns the interpolation mode of the weights that an input needs, Flat if it needs none.
func weightsOf(in ir.Input) ir.Interpolation {
	switch in.Semantic {
	case ir.Location, ir.Stored:
		return in.Interpolation
	case ir.BaryCoord:
		return ir.Perspective
	case ir.BaryCoordNoPersp, ir.PointCoord:
		return ir.Linear
	}
	return ir.Flat
}

// Linear reports whether a program has an input that is interpolated linearly in the framebuffer.
func Linear(p *ir.Program) bool {
	return slices.ContainsFunc(p.In, func(in ir.Input) bool { return weightsOf(in) == ir.Linear })
}

// samplingOf returns the interpolation point of an input: Centroid if the input demands it and a pixel
// has several samples, Center otherwise (the shaded sample with sample shading).
func (s *shader) samplingOf(in ir.Input) ir.Sampling {
	if in.Sampling == ir.Centroid && s.multi() {
		return ir.Centroid
	}
	return ir.Center
}

// centroids reports whether any input is interpolated at the centroid.
func (s *shader) centroids() bool {
	return s.interpolates(ir.Perspective, ir.Centroid) || s.interpolates(ir.Linear, ir.Centroid)
}

// get reads a variable of the fragment.
func (s *shader) get(v fragmentVar) ir.V {
	return s.B.OpAux(ir.PLd, s.varType(v), s.variable(v), s.B.I32(0))
}

// set writes a variable of the fragment.
func (s *shader) set(v fragmentVar, x ir.V) {
	s.B.Emit(ir.Val{Op: ir.PSt, Type: s.varType(v), Args: [4]ir.V{s.B.I32(0), x}, Aux: s.variable(v)})
}

// varType returns the type of a variable of the fragment: places and the primitive are integers, sets of samples have their own type,
// the others are floats.
func (s *shader) varType(v fragmentVar) ir.Type {
	switch v {
	case varPrimitive, varRecords, varX, varY, varSizeX, varSizeY:
		return ir.I32
	case varSet, varPassed, varEarlySet:
		return s.setType()
	}
	return ir.F32
}

// variable returns the number of the variable that holds a value of the fragment, which it declares at the first use.
func (s *shader) variable(v fragmentVar) uint64 {
	if s.vars[v] == 0 {
		s.Program.Vars = append(s.Program.Vars, ir.Var{Name: "fragment", Slots: s.varType(v).Slots(), Func: -1})
		s.vars[v] = len(s.Program.Vars)
	}
	return uint64(s.vars[v] - 1)
}

// toFloat converts a pixel coordinate to a float. The value fits a signed integer, which machines
// convert with one instruction.
func (s *shader) toFloat(pixels ir.V) ir.V { return s.B.Op(ir.SToF, ir.F32, pixels) }

// itemBytes returns the size of an item in bytes.
func (s *shader) itemBytes() uint64 {
	return 8 * uint64(raster.ItemWords(int(s.key.Samples), s.key.FullyCovered))
}

// hasOutput reports whether the program has an output of the semantic with one of the four indices
// from first on.
func (s *shader) hasOutput(x ir.Semantic, first uint32) bool {
	for _, o := range s.From.Out {
		if o.Semantic == x && o.Index >= first && o.Index < first+4 {
			return true
		}
	}
	return false
}

// toF32 converts a 16-bit float to 32 bits.
func (s *shader) toF32(v ir.V) ir.V {
	if s.B.Func.Type(v) == ir.F16 {
		return s.B.Op(ir.FCanon, ir.F32, s.B.Op(ir.FCvt, ir.F32, v))
	}
	return v
}

// coarse reports whether fragments can have several pixels.
func (s *shader) coarse() bool { return s.key.MaxPixels > 1 }

// multi reports whether an invocation represents a set of samples.
func (s *shader) multi() bool {
	return s.key.Samples > 1 && !s.key.PerSample || s.coarse()
}

// setType returns the type of sample sets.
func (s *shader) setType() ir.Type {
	if s.key.Samples*s.key.MaxPixels > 32 {
		return ir.I64
	}
	return ir.I32
}

// sample returns the shaded sample, 0 if the invocation represents the pixel. With sample shading
// workgroup n·samples + i shades sample i of item n, so that the invocations of one item are
// adjacent.
func (s *shader) sample() ir.V {
	if !s.key.PerSample {
		return s.B.I32(0)
	}
	return s.B.Op(ir.UMod, ir.I32, s.BuiltIn(ir.WorkgroupIdX), s.B.I32(s.key.Samples))
}

// itemNumber returns the number of the item.
func (s *shader) itemNumber() ir.V {
	if !s.key.PerSample {
		return s.BuiltIn(ir.WorkgroupIdX)
	}
	return s.B.Op(ir.UDiv, ir.I32, s.BuiltIn(ir.WorkgroupIdX), s.B.I32(s.key.Samples))
}

// coordinateMask returns the mask of a block coordinate in an item: for coarse fragments the low bits hold
// the fragment size.
func (s *shader) coordinateMask() uint32 {
	if s.coarse() {
		return 0xffff &^ (raster.Block - 1)
	}
	return 0xffff
}
