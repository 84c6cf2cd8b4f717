package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// vertexGroup is how many vertices a workgroup of the vertex program has.
const vertexGroup = 64

// listBytes is what stands in the list of vertices for each: VertexIndex and
// InstanceIndex.
const listBytes = 8

// vertexShader writes the vertex program as a compute program: an invocation is a
// vertex of the list and leaves its record.
type vertexShader struct {
	*weaver
	input    *VertexInput
	rec      *record
	captures *captures // nil: none
}

// vertexProgram makes a compute program of a vertex program.
func vertexProgram(from *ir.Program, in *VertexInput, rec *record, c *captures) (*ir.Program, error) {
	s := &vertexShader{weaver: newWeaver(from), input: in, rec: rec, captures: c}
	s.p.LocalSize = [3]uint32{vertexGroup, 1, 1}
	s.weaver.input = s.read
	return s.weave(func(body func()) {
		s.b.If(s.b.Cmp(ir.ULt, s.slot(), s.params(ir.I32, vertexCount)))
		body()
		s.leave()
		s.b.End()
	})
}

// slot is the place of the vertex in the list and among the records.
func (s *vertexShader) slot() ir.V { return s.id(ir.GlobalInvocationIdX) }

// listed reads a word of the vertex's place in the list.
func (s *vertexShader) listed(n uint32) ir.V {
	at := s.nth(s.slot(), listBytes)
	return s.own(ir.I32, s.handle(ir.StorageBuffer, bindList, false), at, 4*n)
}

// read writes what an input of a vertex program is.
func (s *vertexShader) read(in ir.Input) ir.V {
	switch in.Semantic {
	case ir.VertexIndex:
		return s.listed(0)
	case ir.InstanceIndex:
		return s.listed(1)
	case ir.BaseVertex:
		return s.params(ir.I32, vertexBase)
	case ir.BaseInstance:
		return s.params(ir.I32, vertexBaseInstance)
	case ir.DrawIndex:
		return s.params(ir.I32, vertexDrawIndex)
	case ir.ViewIndex:
		return s.params(ir.I32, vertexViewIndex)
	case ir.Location:
		return s.attribute(in)
	}
	if in.Semantic.Engine() {
		return 0
	}
	s.unsupported("input %s of a vertex program", in.Semantic)
	return s.zero(in.Type)
}

// leave stores the record.
func (s *vertexShader) leave() {
	at := s.b.OpAux(ir.At, ir.I32, uint64(s.rec.stride), s.b.I32(0), s.slot())
	h := s.handle(ir.StorageBuffer, bindRecords, true)
	store := func(v ir.V, place uint32) {
		s.b.Emit(ir.Val{Op: ir.St, Type: s.b.Func.Type(v), Args: [4]ir.V{h, at, v}, Aux: uint64(place)})
	}
	for k, o := range s.from.Out {
		if place, ok := s.rec.place(o.Semantic, o.Index); ok {
			store(s.output(k), place)
		}
	}
	s.viewed(s.rec, 0, func() ir.V { return s.params(ir.I32, vertexViewIndex) }, store)
	s.capture(s.captures, s.slot(), 0)
}

// attribute writes what a component of a vertex attribute is: what the state says
// that stands in the buffer. Without an attribute there it is the component of
// (0, 0, 0, 1).
func (s *vertexShader) attribute(in ir.Input) ir.V {
	for _, a := range s.input.Attributes {
		first := 4 * a.Location
		if in.Index < first || in.Index >= first+8 {
			continue
		}
		x, err := s.texels.Of(s.b, a.Format)
		if err != nil {
			s.unsupported("vertex attributes of format %s", a.Format)
			break
		}
		if k := x.Component(0); k != nil && k.Bits == 64 {
			return s.wide(&a, x, in)
		}
		if in.Index < first+4 {
			return s.typed(x.Unpack(s.element(&a, x))[in.Index-first], x.Signed(), in.Type)
		}
	}
	if in.Index%4 == 3 {
		return s.one(in.Type)
	}
	return s.zero(in.Type)
}

// one is the number 1 of a type.
func (w *weaver) one(t ir.Type) ir.V {
	switch t {
	case ir.F16:
		return w.b.Const(t, 0x3c00)
	case ir.F32:
		return w.b.Const(t, 0x3f800000)
	case ir.F64:
		return w.b.Const(t, 0x3ff<<52)
	}
	return w.b.Const(t, 1)
}

// element loads the texel that is an attribute of the vertex (Vulkan §"Vertex Input
// Address Calculation"). What lies outside of the buffer reads as 0.
func (s *vertexShader) element(a *VertexAttribute, x *texture.Texel) []ir.V {
	stride, index := uint32(0), s.listed(0)
	for _, v := range s.input.Bindings {
		if v.Binding != a.Binding {
			continue
		}
		if stride = v.Stride; v.Instance {
			index = s.instance(v.Divisor)
		}
	}
	base := s.params(ir.I32, vertexOffsets+a.Binding)
	at := s.b.OpAux(ir.At, ir.I32, uint64(stride), base, index)
	return x.Load(s.handle(ir.StorageBuffer, bindVertex+a.Binding, false), at, a.Offset)
}

// instance is the number of an element that instances share
// (VkVertexInputBindingDivisorDescription).
func (s *vertexShader) instance(divisor uint32) ir.V {
	index := s.listed(1)
	if divisor == 1 {
		return index
	}
	base := s.params(ir.I32, vertexBaseInstance)
	if divisor == 0 {
		return base
	}
	n := s.b.Op(ir.UDiv, ir.I32, s.b.Op(ir.Sub, ir.I32, index, base), s.b.I32(divisor))
	return s.b.Op(ir.Add, ir.I32, base, n)
}

// wide writes what a component of an attribute of 64 bits is: it takes two of the
// input's.
func (s *vertexShader) wide(a *VertexAttribute, x *texture.Texel, in ir.Input) ir.V {
	words := s.element(a, x)
	n := int(in.Index-4*a.Location) / 2
	if n >= len(words) || in.Type.Bits() != 64 {
		return s.zero(in.Type)
	}
	if in.Type == ir.F64 {
		return s.b.Op(ir.Bitcast, ir.F64, words[n])
	}
	return words[n]
}

// typed gives a number of an attribute the type that the program reads it in. Where
// one is a float and the other is not, the bits are kept.
func (w *weaver) typed(v ir.V, signed bool, t ir.Type) ir.V {
	from := w.b.Func.Type(v)
	switch {
	case from == t:
		return v
	case from == ir.F32 && t == ir.F16:
		return w.b.Op(ir.FCanon, t, w.b.Op(ir.FCvt, t, v))
	case from == ir.F32:
		v, from = w.b.Op(ir.Bitcast, ir.I32, v), ir.I32
	}
	want := ir.Int(uint32(t.Bits()))
	switch {
	case want.Bits() < from.Bits():
		v = w.b.Op(ir.Trunc, want, v)
	case want.Bits() > from.Bits() && signed:
		v = w.b.Op(ir.SExt, want, v)
	case want.Bits() > from.Bits():
		v = w.b.Op(ir.ZExt, want, v)
	}
	if t.IsFloat() {
		return w.b.Op(ir.Bitcast, t, v)
	}
	return v
}
