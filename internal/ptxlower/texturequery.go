package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// The queries of txq and suq, and the first numbers of OpenCL's enumerations, from which the ISA takes the types and orders of channels.
const (
	imageQueries   = ".width .height .depth .channel_data_type .channel_order .array_size .num_mipmap_levels .num_samples .memory_layout"
	levelQueries   = ".width .height .depth"
	samplerQueries = ".normalized_coords .force_unnormalized_coords .filter_mode .addr_mode_0 .addr_mode_1 .addr_mode_2"

	firstChannelOrder = 0x10b0
	firstChannelType  = 0x10d0
)

// shapeWords are the words of a shape that queries ask for.
var shapeWords = map[string]int{
	".width": ir.ShapeWidth, ".height": ir.ShapeHeight, ".depth": ir.ShapeDepth, ".array_size": ir.ShapeLayers,
	".num_mipmap_levels": ir.ShapeLevelsN, ".num_samples": ir.ShapeSamples, ".channel_data_type": ir.ShapeFormat, ".channel_order": ir.ShapeOrder,
}

// shapeWord returns a word of the shape of a view.
func (e *emitter) shapeWord(binding uint32, view ir.V, n int) ir.V {
	shape := e.b.OpAux(ir.Res, ir.H, uint64(e.imageResource(binding)+1), view)
	return e.b.OpAux(ir.Ld, ir.I32, uint64(4*n), shape, e.b.I32(0))
}

// textureQuery emits txq. Only extents are those of a level.
func (e *emitter) textureQuery() {
	list, operands, level := imageQueries+" "+samplerQueries, 2, e.in.Has(".level")
	if level {
		list, operands = levelQueries, 3
	}
	name := e.query(list)
	if len(e.in.Operands) != operands {
		malformed(e.in.Pos, "%s has %d operands; must have %d", e.in.Name(), len(e.in.Operands), operands)
	}
	handle := e.queried()
	if _, ok := shapeWords[name]; !ok {
		e.result(e.samplerQuery(name, handle))
		return
	}
	v := e.imageQuery(TextureBinding, name, e.viewOf(handle))
	if level {
		lod := e.read(e.operand(2), ir.I32)
		has := e.b.Cmp(ir.ULt, lod, e.shapeWord(TextureBinding, e.viewOf(handle), ir.ShapeLevelsN))
		v = e.b.Op(ir.UMax, ir.I32, e.b.Op(ir.LShr, ir.I32, v, lod), e.b.I32(1))
		v = e.b.Select(has, v, e.b.I32(0))
	}
	e.result(v)
}

// queried returns the handle of a query.
func (e *emitter) queried() ir.V {
	o := e.operand(1)
	if o.Kind != ptx.Address || len(o.Elems) != 1 {
		malformed(o.Pos, "this operand of %s is no texture, sampler or surface in brackets; must be one", e.in.Name())
	}
	return e.handle(o.Elems[0])
}

// surfaceQuery emits suq. No surface has a linear layout in memory.
func (e *emitter) surfaceQuery() {
	name := e.query(imageQueries)
	view := e.viewOf(e.queried())
	if name == ".memory_layout" {
		e.result(e.b.I32(0))
		return
	}
	e.result(e.imageQuery(SurfaceBinding, name, view))
}

// imageQuery returns a property of a view.
func (e *emitter) imageQuery(binding uint32, name string, view ir.V) ir.V {
	v := e.shapeWord(binding, view, shapeWords[name])
	switch name {
	case ".channel_data_type":
		v = e.b.Op(ir.Add, ir.I32, v, e.b.I32(firstChannelType))
	case ".channel_order":
		v = e.b.Op(ir.Add, ir.I32, v, e.b.I32(firstChannelOrder))
	case ".array_size":
		v = e.arraySize(binding, view, v)
	case ".num_mipmap_levels", ".num_samples": // 0 of a texture that is not mipmapped or multisampled
		v = e.b.Select(e.b.Cmp(ir.ULt, e.b.I32(1), v), v, e.b.I32(0))
	}
	return v
}

// arraySize returns the elements of an arrayed view of so many layers, cubes of a view of cubes; 0 of another one.
func (e *emitter) arraySize(binding uint32, view, layers ir.V) ir.V {
	b := e.b
	key := e.shapeWord(binding, view, ir.ShapeKey+1)
	bits := func(first, n uint32) ir.V { return b.Op(ir.BitFieldU, ir.I32, key, b.I32(first), b.I32(n)) }
	cubes := b.Cmp(ir.Eq, bits(ir.ShapeDim, ir.ShapeDimBits), b.I32(uint32(ir.DimCube)))
	n := b.Select(cubes, b.Op(ir.UDiv, ir.I32, layers, b.I32(6)), layers)
	return b.Select(b.Cmp(ir.Eq, bits(ir.ShapeArrayed, 1), b.I32(1)), n, b.I32(0))
}

// samplerQuery returns a property of a sampler.
func (e *emitter) samplerQuery(name string, handle ir.V) ir.V {
	b := e.b
	state := b.OpAux(ir.Res, ir.H, uint64(e.imageResource(SamplerBinding)), e.samplerOf(handle))
	key := b.OpAux(ir.Ld, ir.I32, 4*ir.SamplerKey, state, b.I32(0))
	bits := func(first, n int) ir.V {
		return b.Op(ir.BitFieldU, ir.I32, key, b.I32(uint32(first)), b.I32(uint32(n)))
	}
	switch name {
	case ".force_unnormalized_coords":
		return bits(ir.SamplerUnnormalized, 1)
	case ".normalized_coords":
		return b.Op(ir.Xor, ir.I32, bits(ir.SamplerUnnormalized, 1), b.I32(1))
	case ".filter_mode":
		return bits(ir.SamplerMagnify, 1)
	}
	// Vulkan's modes are repeat, mirrored repeat, clamp to edge, clamp to border; the ISA has clamp_ogl after the first two.
	mode := bits(ir.SamplerAddress+ir.SamplerAddressBits*int(name[len(name)-1]-'0'), ir.SamplerAddressBits)
	return b.Select(b.Cmp(ir.ULt, mode, b.I32(2)), mode, b.Op(ir.Add, ir.I32, mode, b.I32(1)))
}
