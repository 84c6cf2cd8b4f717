package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// surface is an access to a surface.
type surface struct {
	*emitter
	g      geometry
	view   ir.V
	at     []ir.V // the coordinates, then the layer
	scale  ir.V   // the units of the first coordinate in a texel: the bytes of a texel, or 1
	extent []ir.V // of each coordinate
}

// surface begins an access of so many units of the first coordinate, bytes or samples, and treats coordinates outside as the
// instruction demands. ok reports whether they are inside.
func (e *emitter) surface(o *ptx.Operand, bytes bool, units uint32) (s *surface, ok ir.V) {
	if o.Kind != ptx.Address || len(o.Elems) != 2 {
		malformed(o.Pos, "this operand of %s has %d parts; must have a surface and coordinates", e.in.Name(), len(o.Elems))
	}
	b := e.b
	s = &surface{emitter: e, g: e.geometry(), view: e.viewOf(e.handle(o.Elems[0])), scale: b.I32(1)}
	n := s.g.dim.Axes()
	if s.g.arrayed {
		at := e.elementsOf(o.Elems[1], n+1, ir.I32)
		s.at = append(at[1:n+1:n+1], at[0])
	} else {
		s.at = e.elementsOf(o.Elems[1], n, ir.I32)
	}
	for i := range n {
		s.extent = append(s.extent, e.shapeWord(SurfaceBinding, s.view, ir.ShapeWidth+i))
	}
	if s.g.arrayed {
		s.extent = append(s.extent, e.shapeWord(SurfaceBinding, s.view, ir.ShapeLayers))
	}
	if bytes {
		s.scale = e.shapeWord(SurfaceBinding, s.view, ir.ShapeTexel)
		s.extent[0] = b.Op(ir.Mul, ir.I32, s.extent[0], s.scale)
	}
	return s, s.bound(units)
}

// bound applies .clamp or .trap, and reports whether the coordinates are inside of the surface.
func (s *surface) bound(units uint32) ir.V {
	b := s.b
	ok := b.Bool(true)
	for i, x := range s.at {
		last := b.Op(ir.Sub, ir.I32, s.extent[i], b.I32(1))
		if i == 0 {
			last = b.Op(ir.Sub, ir.I32, s.extent[i], b.I32(units))
			ok = b.Op(ir.And, ir.B1, ok, b.Cmp(ir.ULe, b.I32(units), s.extent[i]))
		}
		switch layer := i == s.g.dim.Axes(); {
		case !s.in.Has(".clamp"):
		case layer: // an unsigned number
			s.at[i] = b.Op(ir.UMin, ir.I32, x, last)
		default:
			s.at[i] = b.Op(ir.SMin, ir.I32, b.Op(ir.SMax, ir.I32, x, b.I32(0)), last)
		}
		ok = b.Op(ir.And, ir.B1, ok, b.Cmp(ir.ULe, s.at[i], last))
	}
	if s.in.Has(".trap") {
		b.If(b.Op(ir.Not, ir.B1, ok))
		s.trap()
		b.End()
	}
	return ok
}

// place returns the memory of an access, which has none unless ok.
func (s *surface) place(ok ir.V) place {
	b := s.b
	c := s.call(ir.TextureTexel, ir.I32)
	c.at = append([]ir.V{b.Op(ir.UDiv, ir.I32, s.at[0], s.scale)}, s.at[1:]...)
	off := c.run(SurfaceBinding)[0]
	none := b.I32(1<<32 - 1)
	ok = b.Op(ir.And, ir.B1, ok, b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, off, none)))
	off = b.Op(ir.Add, ir.I32, off, b.Op(ir.UMod, ir.I32, s.at[0], s.scale))
	h := b.OpAux(ir.Res, ir.H, uint64(s.imageResource(SurfaceBinding)), s.view)
	return place{space: inGlobal, handle: h, offset: b.Select(ok, off, none)}
}

// call returns a call on the surface at its coordinates.
func (s *surface) call(op ir.TextureOp, t ir.Type) *textureCall {
	head := ir.Texture{Op: op, Dim: s.g.dim, Arrayed: s.g.arrayed, Type: t, Sampler: -1}
	return &textureCall{emitter: s.emitter, head: head, view: s.view, at: s.at}
}

// surfaceLoad emits suld.b. Outside of the surface it yields 0, unless the coordinates are clamped.
func (e *emitter) surfaceLoad() {
	t := e.typ(0)
	size := ptx.TypeSize(t)
	list := e.elements(e.operand(0))
	s, ok := e.surface(e.operand(1), true, uint32(size*len(list)))
	p := s.place(ok)
	for i, o := range list {
		e.extend(o, e.loadPlace(p, uint64(i*size), e.accessType(t, o), 0), t)
	}
}

// surfaceStore emits sust. Outside of the surface it has no effect, unless the coordinates are clamped.
func (e *emitter) surfaceStore() {
	t := e.typ(0)
	size := ptx.TypeSize(t)
	list := e.elements(e.operand(1))
	if e.in.Has(".p") {
		e.formattedStore(list)
		return
	}
	values := make([]ir.V, len(list))
	for i, o := range list {
		values[i] = e.read(o, e.accessType(t, o))
	}
	s, ok := e.surface(e.operand(0), true, uint32(size*len(list)))
	p := s.place(ok)
	for i, v := range values {
		e.storePlace(p, uint64(i*size), v, 0)
	}
}

// formattedStore emits sust.p: the components are floats or integers by the format of the surface. Components without an element are 0.
func (e *emitter) formattedStore(list []*ptx.Operand) {
	if e.typ(0) != ".b32" { // PTX 2 has other types, which NVIDIA never implemented
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	s, _ := e.surface(e.operand(0), false, 1)
	data := make([]ir.V, 4)
	for i := range data {
		if data[i] = e.b.I32(0); i < len(list) {
			data[i] = e.read(list[i], ir.I32)
		}
	}
	write := func(t ir.Type) {
		c := s.call(ir.TextureWrite, t)
		c.data = e.each(data, func(v ir.V) ir.V { return e.as(v, t) })
		c.run(SurfaceBinding)
	}
	e.b.If(s.channelsBetween(ir.ChannelSignedInt8, ir.ChannelUnsignedInt32))
	write(ir.I32)
	e.b.Else()
	write(ir.F32)
	e.b.End()
}

// channelsBetween reports whether the type of the channels of the surface is in a range.
func (s *surface) channelsBetween(first, last uint32) ir.V {
	n := s.b.Op(ir.Sub, ir.I32, s.shapeWord(SurfaceBinding, s.view, ir.ShapeFormat), s.b.I32(first))
	return s.b.Cmp(ir.ULe, n, s.b.I32(last-first))
}

// surfaceReduce emits sured. The numbers of sured.p are signed if the format of the surface is.
func (e *emitter) surfaceReduce() {
	t := e.typ(0)
	samples := e.in.Has(".p")
	units := uint32(ptx.TypeSize(t))
	if samples {
		units = 1
	}
	x := []ir.V{e.read(e.operand(1), irType(t))}
	s, ok := e.surface(e.operand(0), !samples, units)
	p, op := s.place(ok), e.operation()
	if !samples || op != ".min" && op != ".max" {
		e.atomicAt(p, op, t, x)
		return
	}
	e.b.If(s.channelsBetween(ir.ChannelSignedInt8, ir.ChannelSignedInt32))
	e.atomicAt(p, op, ".s"+t[2:], x)
	e.b.Else()
	e.atomicAt(p, op, ".u"+t[2:], x)
	e.b.End()
}
