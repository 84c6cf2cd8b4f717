package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var imageQueryRules = rules{
	spirv.OpImageQueryLevels:  imageQuery(ir.ShapeLevelsN),
	spirv.OpImageQuerySamples: imageQuery(ir.ShapeSamples),
	spirv.OpImageQuerySize:    imageQuerySize,
	spirv.OpImageQuerySizeLod: imageQuerySize,
}

// imageQuerySize lowers OpImageQuerySize and OpImageQuerySizeLod: the texels of a
// level along each axis, and the layers of an array, for cubes in units of six. The
// null descriptor, and a level that the view does not have, have no texels.
func imageQuerySize(f *function, in spirv.Inst) {
	v := inst.ImageQuerySize(in)
	x := f.image(v.Image())
	shape := f.part(x, 1)
	var lod ir.V
	if in.Op() == spirv.OpImageQuerySizeLod {
		lod = f.ints32(inst.ImageQuerySizeLod(in).LevelOfDetail(), 1)[0]
	}
	axes := 1
	switch x.typ.Image.Dim {
	case spirv.Dim2D, spirv.DimCube, spirv.DimRect, spirv.DimSubpassData:
		axes = 2
	case spirv.Dim3D:
		axes = 3
	}
	var parts []ir.V
	for i := range axes {
		parts = append(parts, f.extentAt(shape, f.shapeWordOf(shape, ir.ShapeWidth+i), lod))
	}
	if x.typ.Image.Arrayed {
		n := f.shapeWordOf(shape, ir.ShapeLayers)
		if x.typ.Image.Dim == spirv.DimCube {
			n = f.b.Op(ir.UDiv, ir.I32, n, f.b.I32(6))
		}
		if lod != 0 {
			n = f.b.Select(f.hasLevel(shape, lod), n, f.b.I32(0))
		}
		parts = append(parts, n)
	}
	f.defineInts(in, parts...)
}

// extentAt returns the texels of a level along an axis if the first level
// has n (Vulkan §"Image Mip Level Sizing").
func (f *function) extentAt(shape, n, lod ir.V) ir.V {
	if lod == 0 {
		return n
	}
	b := f.b
	corner := f.shapeWordOf(shape, ir.ShapeCorner)
	less := b.Op(ir.LShr, ir.I32, b.Op(ir.Sub, ir.I32, n, corner), b.Op(ir.And, ir.I32, lod, b.I32(31)))
	less = b.Op(ir.UMax, ir.I32, b.Op(ir.Add, ir.I32, less, corner), b.Op(ir.Add, ir.I32, corner, b.I32(1)))
	return b.Select(f.hasLevel(shape, lod), less, b.I32(0))
}

// hasLevel reports whether a view has a level.
func (f *function) hasLevel(shape, lod ir.V) ir.V {
	return f.b.Cmp(ir.ULt, lod, f.shapeWordOf(shape, ir.ShapeLevelsN))
}

// imageQuery lowers the queries that are one word of the shape.
func imageQuery(word int) rule {
	return func(f *function, in spirv.Inst) {
		x := f.image(spirv.ID(in[3]))
		f.defineInts(in, f.shapeWordOf(f.part(x, 1), word))
	}
}

// defineInts defines a result of integers, of any width.
func (f *function) defineInts(in spirv.Inst, parts ...ir.V) {
	for i, t := range f.flat(f.facts.Type(in.Type())) {
		if i < len(parts) {
			parts[i] = f.toInt(parts[i], t)
		}
	}
	f.define(in, parts...)
}
