package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// The resources of textures and surfaces: arrays in descriptor set 0, with elements 0 that are null. A handle has the numbers of the elements:
//
//	bits 0–19   the view, of a texture or of a surface
//	bits 20–31  the sampler
//	bits 32–33  HandleTexture, HandleSampler or HandleSurface, for istypep
//
// A variable of type .texref, .samplerref or .surfref is a handle in memory. In the unified mode the handle of a texture has a sampler, in
// the independent mode another handle has the sampler.
const (
	TextureBinding = 0
	SamplerBinding = 1
	SurfaceBinding = 2

	HandleViews    = 1 << 20 // views that a handle can name
	HandleSamplers = 1 << 12

	handleSampler = 20
	handleKind    = 32
)

// The kinds of handles.
const (
	HandleTexture = 1 + iota
	HandleSampler
	HandleSurface
)

// Handle returns the handle of a view and a sampler; 0 is none.
func Handle(kind, view, sampler uint32) uint64 {
	return uint64(kind)<<handleKind | uint64(sampler)<<handleSampler | uint64(view)
}

// WithSampler returns a handle with the sampler of another one.
func WithSampler(handle, sampler uint64) uint64 {
	const mask = (HandleSamplers - 1) << handleSampler
	return handle&^mask | sampler&mask
}

// handleKinds are the kinds of the types of variables.
var handleKinds = map[string]uint32{".texref": HandleTexture, ".samplerref": HandleSampler, ".surfref": HandleSurface}

// opaqueType returns the type of a variable that holds a handle; "" of another one. The space .tex is a former form of .texref.
func opaqueType(v *ptx.Variable) string {
	switch {
	case v.Space == ".tex":
		return ".texref"
	case handleKinds[v.Type] != 0:
		return v.Type
	}
	return ""
}

// geometry is the shape of a texture or a surface.
type geometry struct {
	dim          ir.Dim
	arrayed      bool
	multisampled bool
}

var geometries = map[string]geometry{
	".1d": {ir.Dim1D, false, false}, ".2d": {ir.Dim2D, false, false}, ".3d": {ir.Dim3D, false, false}, ".cube": {ir.DimCube, false, false},
	".a1d": {ir.Dim1D, true, false}, ".a2d": {ir.Dim2D, true, false}, ".acube": {ir.DimCube, true, false},
	".2dms": {ir.Dim2D, false, true}, ".a2dms": {ir.Dim2D, true, true},
}

// geometry returns the geometry of the instruction.
func (e *emitter) geometry() geometry {
	for _, m := range e.in.Mods {
		if g, ok := geometries[m]; ok {
			return g
		}
	}
	malformed(e.in.Pos, "%s has no geometry; must have one", e.in.Name())
	return geometry{}
}

// imageResource returns the number of the first resource of an array of samplers, or of views with their shapes.
func (u *unit) imageResource(binding uint32) int {
	for i := range u.prog.Res {
		if u.prog.Res[i].Binding == binding {
			return i
		}
	}
	n := len(u.prog.Res)
	if binding == SamplerBinding {
		u.prog.Res = append(u.prog.Res, ir.Resource{Binding: binding, Kind: ir.SamplerState, NonWritable: true})
		return n
	}
	u.prog.Res = append(u.prog.Res, ir.Resource{Binding: binding, Kind: ir.Texels}, ir.Resource{Binding: binding, Kind: ir.ImageShape, NonWritable: true})
	return n
}

// freezeTextures marks the textures, which nothing writes if the kernel writes no surface.
func (u *unit) freezeTextures() {
	writes := false
	for i := range u.textures.Heads {
		writes = writes || u.textures.Heads[i].Op == ir.TextureWrite || u.textures.Heads[i].Op == ir.TextureTexel
	}
	for i := range u.prog.Res {
		if r := &u.prog.Res[i]; r.Kind == ir.Texels && r.Binding == TextureBinding && !writes {
			r.NonWritable = true
		}
	}
}

// handle returns the handle that an operand names: a variable, or a register with a handle.
func (e *emitter) handle(o *ptx.Operand) ir.V {
	if o.Kind != ptx.Symbol {
		malformed(o.Pos, "this operand of %s is no texture, sampler or surface; must be one", e.in.Name())
	}
	if r := e.register(e.scope, o.Name+o.Part); r != nil {
		return e.read(o, ir.I64)
	}
	if v, ok := e.variableHandle(o); ok {
		return v
	}
	malformed(o.Pos, "%s is no texture, sampler or surface, and no register; must be one", o.Name)
	return 0
}

// variableHandle returns the handle in a variable; false if an operand names no variable with a handle.
func (e *emitter) variableHandle(o *ptx.Operand) (v ir.V, ok bool) {
	s := e.symbol(e.scope, o.Name)
	if s == nil || o.Part != "" || o.Expr != nil {
		return 0, false
	}
	if s.decl != nil && opaqueType(s.decl) == "" || s.decl == nil && e.image.opaque[s.name] == "" {
		return 0, false
	}
	e.variableMemory(s, o, 8, func(p place) { v = e.loadPlace(p, 0, ir.I64, 0) })
	return v, true
}

func (e *emitter) viewOf(handle ir.V) ir.V {
	return e.b.Op(ir.And, ir.I32, e.as(handle, ir.I32), e.b.I32(HandleViews-1))
}

func (e *emitter) samplerOf(handle ir.V) ir.V {
	return e.b.Op(ir.LShr, ir.I32, e.as(handle, ir.I32), e.b.I32(handleSampler))
}

// textureCall is a call of a texture function.
type textureCall struct {
	*emitter
	head        ir.Texture
	view, state ir.V   // the elements of the view and of the sampler
	at          []ir.V // the coordinates
	operands    []ir.V // in the order of the operands of the head
	data        []ir.V // of a write
}

// run appends the call and returns its results.
func (c *textureCall) run(binding uint32) []ir.V {
	c.head.Image = c.imageResource(binding)
	args := []ir.V{c.view}
	if c.head.Sampler >= 0 {
		c.head.Sampler = c.imageResource(SamplerBinding)
		args = append(args, c.state)
	}
	args = append(append(append(args, c.at...), c.operands...), c.data...)
	_, results := c.head.Signature()
	return c.b.Call(c.textures.Number(c.head), results, args...)
}

// with adds operands. They must come in the order of ir.TextureOperands.
func (c *textureCall) with(o ir.TextureOperands, parts ...ir.V) {
	c.head.Operands |= o
	c.operands = append(c.operands, parts...)
}

// vector returns the elements of an operand: of a vector, of a vector register, or the operand.
func (e *emitter) vector(o *ptx.Operand) []*ptx.Operand {
	if o.Kind == ptx.Vector {
		return o.Elems
	}
	var list []*ptx.Operand
	if o.Kind == ptx.Symbol && o.Part == "" {
		for _, part := range []string{".x", ".y", ".z", ".w"} {
			if e.register(e.scope, o.Name+part) != nil {
				list = append(list, &ptx.Operand{Pos: o.Pos, Kind: ptx.Symbol, Name: o.Name, Part: part})
			}
		}
	}
	if len(list) == 0 {
		list = append(list, o)
	}
	return list
}

// elementsOf returns the first n elements of an operand as a type. More elements are padding.
func (e *emitter) elementsOf(o *ptx.Operand, n int, t ir.Type) (out []ir.V) {
	list := e.vector(o)
	if len(list) < n {
		malformed(o.Pos, "this operand of %s has %d elements; must have %d", e.in.Name(), len(list), n)
	}
	for _, x := range list[:n] {
		out = append(out, e.read(x, t))
	}
	return out
}

// access begins a call on a texture, with its coordinates. They have the type ctype, in the order layer, sample, coordinates.
func (e *emitter) access(op ir.TextureOp, g geometry, t ir.Type, ctype string) *textureCall {
	o := e.operand(1)
	if o.Kind != ptx.Address || len(o.Elems) < 2 || len(o.Elems) > 3 {
		malformed(o.Pos, "this operand of %s has %d parts; must have a texture, perhaps a sampler, and coordinates", e.in.Name(), len(o.Elems))
	}
	c := &textureCall{emitter: e, head: ir.Texture{Op: op, Dim: g.dim, Arrayed: g.arrayed, Multisampled: g.multisampled, Type: t, Sampler: -1}}
	handle := e.handle(o.Elems[0])
	c.view = e.viewOf(handle)
	if !c.head.Integral() {
		c.head.Sampler = 0
		if len(o.Elems) == 3 {
			handle = e.handle(o.Elems[1])
		}
		c.state = e.samplerOf(handle)
	}
	axes := g.dim.Axes()
	first := 0
	if g.arrayed {
		first++
	}
	if g.multisampled {
		first++
	}
	at := e.elementsOf(o.Elems[len(o.Elems)-1], first+axes, ir.I32)
	coordinates := at[first:]
	if ctype == ".f32" {
		for i, v := range coordinates {
			coordinates[i] = e.as(v, ir.F32)
		}
	}
	c.at = coordinates
	if g.arrayed {
		layer := at[0]
		if ctype == ".f32" {
			layer = e.b.Op(ir.UToF, ir.F32, layer)
		}
		c.at = append(c.at[:len(c.at):len(c.at)], layer)
	}
	if g.multisampled {
		c.data = at[first-1 : first] // the operand TextureSampleI
	}
	return c
}

// tex emits a lookup in a texture.
func (e *emitter) tex() {
	g, ctype := e.geometry(), e.typ(1)
	if ctype != ".s32" && ctype != ".f32" || g.dim == ir.DimCube && ctype != ".f32" || g.multisampled && ctype != ".s32" {
		malformed(e.in.Pos, "%s has coordinates of %s; must not have", e.in.Name(), ctype)
	}
	op := ir.TextureSample
	if ctype == ".s32" {
		op = ir.TextureFetch
	}
	c := e.access(op, g, e.texelType(), ctype)
	lod, rest := e.lodOperands(c)
	offset, reference := e.optional(rest)
	if reference != 0 {
		if g.dim == ir.Dim3D || ctype != ".f32" {
			malformed(e.in.Pos, "%s has a reference of a comparison; must not have one", e.in.Name())
		}
		c.with(ir.TextureDref, reference)
	}
	if lod != nil {
		c.with(lod.operand, lod.parts...)
	}
	if offset != nil {
		e.withOffset(c, offset)
	}
	if g.multisampled {
		sample := c.data[0]
		c.data = nil
		c.with(ir.TextureSampleI, sample)
	}
	e.texels(c, reference != 0)
}

// level is the level of detail of a lookup.
type level struct {
	operand ir.TextureOperands
	parts   []ir.V
}

// lodOperands returns the level of detail, nil for the first level, and the operands after it.
func (e *emitter) lodOperands(c *textureCall) (*level, []*ptx.Operand) {
	rest := e.in.Operands[2:]
	integral := c.head.Integral()
	switch {
	case e.in.Has(".level") && len(rest) >= 1 && !c.head.Multisampled:
		t := ir.F32
		if integral {
			t = ir.I32
		}
		return &level{ir.TextureLod, []ir.V{e.read(rest[0], t)}}, rest[1:]
	case e.in.Has(".grad") && len(rest) >= 2 && !integral:
		n := c.head.Dim.Axes()
		return &level{ir.TextureGrad, append(e.elementsOf(rest[0], n, ir.F32), e.elementsOf(rest[1], n, ir.F32)...)}, rest[2:]
	case e.in.Has(".level"), e.in.Has(".grad"):
		malformed(e.in.Pos, "%s has no level of detail, or cannot have one", e.in.Name())
	}
	return nil, rest
}

// optional returns the optional operands: an offset, which is a vector, and the reference of a comparison.
func (e *emitter) optional(rest []*ptx.Operand) (offset *ptx.Operand, reference ir.V) {
	if len(rest) > 0 && (rest[0].Kind == ptx.Vector || len(rest) == 2 || len(e.vector(rest[0])) > 1) {
		offset, rest = rest[0], rest[1:]
	}
	if len(rest) > 1 {
		malformed(e.in.Pos, "%s has %d operands; must have at most %d", e.in.Name(), len(e.in.Operands), len(e.in.Operands)-len(rest)+1)
	}
	if len(rest) == 1 {
		reference = e.read(rest[0], ir.F32)
	}
	return offset, reference
}

// withOffset adds an offset, which a cube has not.
func (e *emitter) withOffset(c *textureCall, offset *ptx.Operand) {
	if c.head.Dim == ir.DimCube {
		malformed(offset.Pos, "%s has an offset; must not have one", e.in.Name())
	}
	c.with(ir.TextureOffset, e.elementsOf(offset, c.head.Dim.Axes(), ir.I32)...)
}

// texelType returns the type in which the IR has the texels of the instruction.
func (e *emitter) texelType() ir.Type {
	switch e.typ(0) {
	case ".s32", ".u32":
		return ir.I32
	case ".f16", ".f16x2", ".f32":
		return ir.F32
	}
	malformed(e.in.Pos, "%s has texels of %s; must not have", e.in.Name(), e.typ(0))
	return 0
}

// texels makes the results of a call the result of the instruction. A predicate after the result tells whether the texels are
// resident. A lookup with a comparison has its result in the first element, and 0, 0 and 1 in the others, as the ISA leaves them open.
func (e *emitter) texels(c *textureCall, compared bool) {
	d := e.operand(0)
	if d.Kind == ptx.Pair {
		c.with(ir.TextureSparse)
		list := c.run(TextureBinding)
		e.set(e.resultRegister(d.Elems[1]), e.b.Cmp(ir.Eq, list[0], e.b.I32(0)))
		e.putTexels(d.Elems[0], e.filled(list[1:], compared))
		return
	}
	e.putTexels(d, e.filled(c.run(TextureBinding), compared))
}

// filled returns four elements of a result.
func (e *emitter) filled(list []ir.V, compared bool) []ir.V {
	if compared && len(list) == 1 {
		zero, one := e.b.Const(ir.F32, 0), e.b.Const(ir.F32, 0x3f800000)
		return []ir.V{list[0], zero, zero, one}
	}
	return list
}

// putTexels writes four elements to the registers of the result.
func (e *emitter) putTexels(d *ptx.Operand, list []ir.V) {
	switch e.typ(0) {
	case ".f16":
		list = e.each(list, func(v ir.V) ir.V { return e.b.Op(ir.FCvt, ir.F16, v) })
	case ".f16x2":
		half := func(i int) ir.V { return e.as(e.b.Op(ir.FCvt, ir.F16, list[i]), ir.I16) }
		list = []ir.V{e.pack(half(0), half(1)), e.pack(half(2), half(3))}
	}
	to := e.vector(d)
	if len(to) != len(list) {
		malformed(d.Pos, "the result of %s has %d elements; must have %d", e.in.Name(), len(to), len(list))
	}
	for i, o := range to {
		if o.Kind != ptx.Sink {
			e.set(e.resultRegister(o), list[i])
		}
	}
}

// gather emits tld4: one component of the four texels that a linear filter reads, counter-clockwise from the lower left, as ir.TextureGather.
func (e *emitter) gather() {
	g := e.geometry()
	c := e.access(ir.TextureGather, g, e.texelType(), ".f32")
	for i, m := range []string{".r", ".g", ".b", ".a"} {
		if e.in.Has(m) {
			c.head.Component = uint8(i)
		}
	}
	offset, reference := e.optional(e.in.Operands[2:])
	if reference != 0 {
		c.head.Component = 0
		c.with(ir.TextureDref, reference)
	}
	if offset != nil {
		e.withOffset(c, offset)
	}
	e.texels(c, false)
}

// isType emits istypep, which tests the kind of a handle.
func (e *emitter) isType() {
	kind := e.b.Op(ir.LShr, ir.I64, e.handle(e.operand(1)), e.b.Const(ir.I64, handleKind))
	e.result(e.b.Cmp(ir.Eq, kind, e.b.Const(ir.I64, uint64(handleKinds[e.typ(0)]))))
}

// query returns the modifier among the words of a list that names what a query asks for.
func (e *emitter) query(list string) string {
	for _, m := range e.in.Mods {
		for w := range strings.FieldsSeq(list) {
			if m == w {
				return m
			}
		}
	}
	malformed(e.in.Pos, "%s has no query; must have one", e.in.Name())
	return ""
}
