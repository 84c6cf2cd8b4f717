package ir

import (
	"fmt"
	"slices"
	"strings"
)

// TextureOp is the operation of a texture function on the texels of an image.
type TextureOp uint8

// The texture functions. Coordinates are integers of the view's first level
// for Read, Write, Texel, Fetch and the matches, and floats for the others. Vulkan's
// §"Weight Image Sampling" and the next two sections define Weighted, Box and the matches.
const (
	TextureRead        TextureOp = iota // a texel of a storage image, texel buffer or input attachment, as four components
	TextureWrite                        // replaces a texel by four components
	TextureTexel                        // the offset of a texel in the memory of the image, for atomics: 2³²−1 if there is no such texel
	TextureFetch                        // a texel of a sampled image, at an explicit level
	TextureSample                       // the image sampled at the level that the operands determine, level 0 without any
	TextureGather                       // one component of the four texels that a linear filter would read at the base level
	TextureQueryLod                     // the level of detail that a sample with these derivatives would use: clamped, then as computed
	TextureFootprint                    // the texels of one level that a sample would read (SPV_NV_shader_image_footprint)
	TextureBox                          // the mean of the texels in a box, weighted by coverage
	TextureWeighted                     // the sum of texels, weighted by the texels of another image
	TextureMatch                        // the difference of a block of texels from a block of another image
	TextureMatchWindow                  // the least or the greatest difference of the blocks in a window, and the block's position
	TextureMatchGather                  // TextureMatch of four adjacent blocks, first component only
	numTextureOps
)

var textureOpNames = [numTextureOps]string{"read", "write", "texel", "fetch", "sample", "gather", "querylod", "footprint",
	"box", "weighted", "match", "matchwindow", "matchgather"}

// String returns the printed form, such as "sample".
func (o TextureOp) String() string { return textureOpNames[o] }

// Dim is the dimensionality of an image.
type Dim uint8

// The dimensions. Views of input attachments are Dim2D.
const (
	Dim1D Dim = iota
	Dim2D
	Dim3D
	DimCube
	DimBuffer
	numDims
)

var dimNames = [numDims]string{"1d", "2d", "3d", "cube", "buffer"}

// String returns the printed form, such as "2d".
func (d Dim) String() string { return dimNames[d] }

// Axes returns the number of coordinates of a direction or a position: a cube's
// direction has three.
func (d Dim) Axes() int {
	switch d {
	case Dim2D:
		return 2
	case Dim3D, DimCube:
		return 3
	}
	return 1
}

// TextureOperands are the operands of a texture function besides the
// coordinates, in the order of its arguments.
type TextureOperands uint16

// The operands.
const (
	TextureDref        TextureOperands = 1 << iota // f32: the reference of a depth comparison; the result is one f32 for Sample, four for Gather
	TextureBias                                    // f32: added to the level of detail
	TextureLod                                     // the level of detail: f32; or the level as i32 if coordinates are integers
	TextureGrad                                    // f32 along each axis by x, then along each by y
	TextureOffset                                  // i32 for each axis, of a cube none: texels added to the coordinates
	TextureOffsets                                 // i32 for x and y of each of the four texels of a Gather
	TextureSampleI                                 // i32: the sample of a multisampled image
	TextureMinLod                                  // f32: the lower bound of the level of detail
	TextureSparse                                  // no argument: the first result is an i32, the residency code, 0 if all texels read are resident
	numTextureOperands = iota
)

var textureOperandNames = [numTextureOperands]string{"dref", "bias", "lod", "grad", "offset", "offsets", "samplei", "minlod", "sparse"}

// Texture is the head of a function whose body depends on the image views and
// samplers that are bound. It describes one kind of access of a shader to an image.
// Until the views are known, the body is the body for the null descriptor: it yields
// zeros, and offset 2³²−1.
//
// Arguments, in order: the index of the image's descriptor; with Sampler the index
// of the sampler's descriptor; the coordinates, one for each axis (three for a cube;
// for Read, Write and Texel of a cube the third combines face and layer); if Arrayed
// the layer (except for Read, Write and Texel of a cube); the operands; for Write
// four components of type Type; for Box the box's width and height in texels,
// as f32; for Footprint the granularity, as i32; for Weighted the index of the
// descriptor of Other; for the matches this index, the coordinates in Other, and
// the block's width and height.
//
// Results, in order: the residency code with TextureSparse; four components of type
// Type for Read, Fetch, Sample and Gather, one for a Sample with Dref; an i32 for
// Texel; two f32 for QueryLod; for Footprint i32: 1 if one level is read, the anchor,
// the offset, two words of the mask, the level of the view, and the granularity if it
// differs from the requested one, else 0.
type Texture struct {
	Op           TextureOp
	Dim          Dim
	Arrayed      bool
	Multisampled bool
	Type         Type // of components: f32, i32 or i64
	Operands     TextureOperands
	Component    uint8 // of Gather without Dref
	Image        int   // number of the resource that is the image's memory; its ImageShape is the next one
	Sampler      int   // number of the resource that is the sampler's state; −1 if the function has none
	Flags        Flags // Volatile and Coherent of the accesses
	Other        int   // of Weighted and the matches: number of the resource that is the memory of the weights or of the reference
	Squared      bool  // of the matches: differences are squared
	Coarse       bool  // of Footprint: the coarser level of two
	Subpass      bool  // of Read: of an input attachment, Arrayed: the view may be an array or not; if it is not, the layer is ignored
	Nearest      bool  // of Gather with four offsets: they are relative to the texel that contains the coordinates, not to the first texel of a linear filter
}

// Processes reports whether t belongs to Vulkan's image processing: views of Dim2D,
// of floats, with a sampler and without operands.
func (t *Texture) Processes() bool { return t.Op >= TextureBox }

// Matches reports whether t compares blocks.
func (t *Texture) Matches() bool { return t.Op >= TextureMatch }

// HasOther reports whether t reads a second image.
func (t *Texture) HasOther() bool { return t.Op >= TextureWeighted }

// Has reports whether t has all of the operands.
func (t *Texture) Has(o TextureOperands) bool { return t.Operands&o == o }

// Integral reports whether the coordinates are integers.
func (t *Texture) Integral() bool { return t.Op <= TextureFetch || t.Matches() }

// Coordinates returns the number of coordinates of t, the layer included.
func (t *Texture) Coordinates() int {
	if t.Arrayed && !(t.Dim == DimCube && t.Integral()) {
		return t.Dim.Axes() + 1
	}
	return t.Dim.Axes()
}

// Signature returns the types of t's arguments and results.
func (t *Texture) Signature() (args, results []Type) {
	add := func(list *[]Type, n int, x Type) {
		for range n {
			*list = append(*list, x)
		}
	}
	add(&args, 1, I32)
	if t.Sampler >= 0 {
		add(&args, 1, I32)
	}
	at := F32
	if t.Integral() {
		at = I32
	}
	add(&args, t.Coordinates(), at)
	for o := TextureDref; o < 1<<numTextureOperands; o <<= 1 {
		if t.Has(o) {
			n, x := t.operand(o)
			add(&args, n, x)
		}
	}
	if t.HasOther() {
		add(&args, 1, I32)
	}
	if t.Matches() {
		add(&args, 4, I32)
	}
	if t.Has(TextureSparse) {
		add(&results, 1, I32)
	}
	switch {
	case t.Op == TextureBox:
		add(&args, 2, F32)
		add(&results, 4, t.Type)
	case t.Op == TextureFootprint:
		add(&args, 1, I32)
		add(&results, 2*t.Dim.Axes()+5, I32)
	case t.Op == TextureWrite:
		add(&args, 4, t.Type)
	case t.Op == TextureTexel:
		add(&results, 1, I32)
	case t.Op == TextureQueryLod:
		add(&results, 2, F32)
	case t.Op == TextureSample && t.Has(TextureDref):
		add(&results, 1, t.Type)
	default:
		add(&results, 4, t.Type)
	}
	return args, results
}

// operand returns the number of arguments of one operand, and their type.
func (t *Texture) operand(o TextureOperands) (int, Type) {
	switch o {
	case TextureSparse:
		return 0, I32
	case TextureLod:
		if t.Integral() {
			return 1, I32
		}
	case TextureGrad:
		return 2 * t.Dim.Axes(), F32
	case TextureOffset:
		return t.Dim.Axes(), I32
	case TextureOffsets:
		return 8, I32
	case TextureSampleI:
		return 1, I32
	}
	return 1, F32
}

// String returns the printed form, such as
// "texture sample 2d arrayed f32 image 0 sampler 2 lod offset".
func (t *Texture) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "texture %s %s%s%s %s image %d", t.Op, t.Dim, word(t.Arrayed, " arrayed"), word(t.Multisampled, " multisampled"), t.Type, t.Image)
	if t.Sampler >= 0 {
		fmt.Fprintf(&w, " sampler %d", t.Sampler)
	}
	if t.HasOther() {
		fmt.Fprintf(&w, " other %d%s", t.Other, word(t.Squared, " squared"))
	}
	if t.Component > 0 {
		fmt.Fprintf(&w, " component %d", t.Component)
	}
	w.WriteString(word(t.Coarse, " coarse") + word(t.Nearest, " nearest") + word(t.Subpass, " subpass"))
	for i, name := range textureOperandNames {
		if t.Has(1 << i) {
			w.WriteString(" " + name)
		}
	}
	return w.String() + t.Flags.String()
}

// NewTexture returns a complete function with the head t and the body for the null
// descriptor.
func NewTexture(name string, t Texture) *Func {
	args, results := t.Signature()
	b := NewFunc(name, args, results)
	list := make([]V, len(results))
	for i, x := range results {
		if list[i] = b.Const(x, 0); t.Op == TextureTexel {
			list[i] = b.I32(1<<32 - 1)
		}
	}
	b.Return(list...)
	b.End()
	b.Func.Texture = &t
	return b.Func
}

// An image's shape (ImageShape) consists of words of 32 bits. Missing words read as 0,
// so the null descriptor has no extent. The two words at ShapeKey identify the code that
// samples the view; only internal/texture, which also builds the bodies of texture
// functions, interprets them. At ShapeLevels there are three tables with a word for
// each of MaxLevels levels: the offset of the view's first layer in the image's memory,
// the bytes from row to row, and the bytes from layer to layer or slice to slice.
const (
	ShapeKey     = 0
	ShapeWidth   = 2 // texels of the view's first level; elements of a texel buffer
	ShapeHeight  = 3
	ShapeDepth   = 4
	ShapeLayers  = 5 // of the view; six for each cube
	ShapeLevelsN = 6 // mip levels of the view
	ShapeSamples = 7
	ShapeMinLod  = 8  // f32: the least level that may be read, relative to the view
	ShapeFormat  = 9  // the result of OpImageQueryFormat
	ShapeOrder   = 10 // the result of OpImageQueryOrder
	ShapeWeights = 11 // of a view of weights: 6 bits each of the center's x and y and the size's less 1, and 3 of the log2 of phases along an axis
	ShapeCorner  = 12 // 1 if texels are on corners and levels are rounded up to at least 2 texels (VK_NV_corner_sampled_image), else 0
	ShapeFresh   = 13 // with the sanitizer uninit: 1 as long as nothing has written the texels of the view, else 0
	ShapeTexel   = 14 // the bytes of a texel in memory
	ShapeLevels  = 15
	MaxLevels    = 16
	ShapeWords   = ShapeLevels + 3*MaxLevels
)

// Parts of the second word of a shape's key, for queries: the Dim from bit ShapeDim on, and whether the view is arrayed.
const (
	ShapeDim, ShapeDimBits = 0, 4
	ShapeArrayed           = 8
)

// A sampler's state (SamplerState) consists of words of 32 bits too: its key, and
// numeric parameters, which do not affect the choice of code.
const (
	SamplerKey    = 0  // its low word has the address modes of the axes, of SamplerAddressBits each, from bit SamplerAddress on
	SamplerBias   = 2  // f32, added to the level of detail
	SamplerMinLod = 3  // f32
	SamplerMaxLod = 4  // f32
	SamplerAniso  = 5  // f32: the greatest ratio of anisotropy
	SamplerBorder = 6  // four components: f32 or i32
	SamplerWindow = 10 // width and height of the window of a match
	SamplerWords  = 12

	SamplerAddress, SamplerAddressBits = 12, 3

	SamplerMagnify      = 0  // bit of the low word of the key: 1 if the magnification filter is linear
	SamplerUnnormalized = 27 // bit: 1 if coordinates are in texels
)

// Types of channels (ShapeFormat).
const (
	ChannelSignedInt8    = 7
	ChannelSignedInt32   = 9
	ChannelUnsignedInt8  = 10
	ChannelUnsignedInt32 = 12
)

// textureHead parses the output of Texture.String.
func (r *parser) textureHead() {
	t := &Texture{
		Op:      TextureOp(r.index("texture function", int(numTextureOps), func(i int) string { return textureOpNames[i] })),
		Dim:     Dim(r.index("dimension", int(numDims), func(i int) string { return dimNames[i] })),
		Sampler: -1,
	}
	t.Arrayed = r.accept("arrayed")
	t.Multisampled = r.accept("multisampled")
	t.Type = r.typ()
	r.want("image")
	t.Image = int(r.uint(31))
	if r.accept("sampler") {
		t.Sampler = int(r.uint(31))
	}
	if r.accept("other") {
		t.Other = int(r.uint(31))
		t.Squared = r.accept("squared")
	}
	if r.accept("component") {
		t.Component = uint8(r.uint(2))
	}
	t.Coarse = r.accept("coarse")
	t.Nearest = r.accept("nearest")
	t.Subpass = r.accept("subpass")
	for i, name := range textureOperandNames {
		if r.accept(name) {
			t.Operands |= 1 << i
		}
	}
	for len(r.toks) > 0 {
		t.Flags |= flagNames[r.index("flag", len(flagNames), func(i int) string { return "!" + flagNames[i].name })].flag
	}
	r.texture = t
}

// verifyTexture checks the head of a texture function against its resources and
// its arguments and results.
func (p *Program) verifyTexture(f *Func) string {
	t := f.Texture
	switch {
	case t.Op >= numTextureOps || t.Dim >= numDims || t.Type >= numTypes || t.Component > 3 || t.Operands >= 1<<numTextureOperands:
		return "a texture function that does not exist"
	case (t.Coarse || t.Op == TextureFootprint) && (t.Op != TextureFootprint || t.Dim != Dim2D && t.Dim != Dim3D || t.Arrayed || t.Multisampled || t.Sampler < 0):
		return "a footprint of a view that is not a plain 2d or 3d view with a sampler"
	case t.Op == TextureFootprint && t.Operands&^(TextureBias|TextureLod|TextureGrad|TextureMinLod) != 0:
		return "a footprint with an operand that it does not have"
	case t.Nearest && (t.Op != TextureGather || !t.Has(TextureOffsets)):
		return "a nearest texel of a function that is no gather with four offsets"
	case t.Subpass && (t.Op != TextureRead || t.Dim != Dim2D || !t.Arrayed):
		return "an input attachment of a function that is no read of an arrayed 2d view"
	case t.Type != F32 && t.Type != I32 && t.Type != I64:
		return "components of " + t.Type.String() + "; want f32, i32 or i64"
	case t.Image < 0 || t.Image+1 >= len(p.Res) || p.Res[t.Image].Kind != Texels || p.Res[t.Image+1].Kind != ImageShape:
		return fmt.Sprintf("resource %d is not an image's memory with its shape after it", t.Image)
	case t.Sampler >= len(p.Res) || t.Sampler >= 0 && p.Res[t.Sampler].Kind != SamplerState:
		return fmt.Sprintf("resource %d is no sampler", t.Sampler)
	}
	if fault := p.verifyProcessing(t); fault != "" {
		return fault
	}
	args, results := t.Signature()
	if !slices.EqualFunc(f.Args, args, func(v V, x Type) bool { return f.Type(v) == x }) ||
		!slices.EqualFunc(f.Results(), results, func(v V, x Type) bool { return f.Type(v) == x }) {
		return "its arguments or results differ from the signature of its head"
	}
	return ""
}

// verifyProcessing checks the requirements of the functions of image processing.
func (p *Program) verifyProcessing(t *Texture) string {
	switch {
	case !t.HasOther() && (t.Other != 0 || t.Squared) || t.Squared && !t.Matches():
		return "a second image, or squares, of a texture function that has none"
	case !t.Processes():
	case t.Dim != Dim2D || t.Arrayed || t.Multisampled || t.Type != F32 || t.Sampler < 0 || t.Operands != 0:
		return "image processing of a view that is not a plain 2d view of f32 with a sampler"
	case t.HasOther() && (t.Other < 0 || t.Other+1 >= len(p.Res) || p.Res[t.Other].Kind != Texels || p.Res[t.Other+1].Kind != ImageShape):
		return fmt.Sprintf("resource %d is not an image's memory with its shape after it", t.Other)
	}
	return ""
}
