package frontend

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// vertexGroup is the workgroup size of the vertex program.
const vertexGroup = 64

// listBytes is the size of an entry of the vertex list: VertexIndex and InstanceIndex.
const listBytes = 8

// vertexShader builds the compute program of a vertex program. An invocation is an entry of the
// vertex list. The fetch is part of the program, not of Go: attribute decoding is vectorized, and
// the passes remove components that the shader does not read.
type vertexShader struct {
	*compose.Builder
	input    *state.VertexInput
	rec      *layout.Record
	captures *captureLayout // nil without transform feedback
	checked  []uint32       // the locations whose fetch has a report
}

// vertexProgram builds the compute program of a vertex program.
func vertexProgram(from *ir.Program, in *state.VertexInput, rec *layout.Record, c *captureLayout) (*ir.Program, error) {
	s := &vertexShader{Builder: compose.New("draw", from), input: in, rec: rec, captures: c}
	s.Program.LocalSize = [3]uint32{vertexGroup, 1, 1}
	s.Builder.Input = s.read
	return s.Build(func(body func()) {
		s.B.If(s.B.Cmp(ir.ULt, s.vertexNumber(), s.Param(ir.I32, layout.VertexCount)))
		s.Identify(ir.VertexIndex, 0, s.listWord(0))
		s.Identify(ir.InstanceIndex, 0, s.listWord(1))
		if from.Observed {
			s.Identify(ir.BaseVertex, 0, s.Param(ir.I32, layout.VertexBase))
			s.Identify(ir.BaseInstance, 0, s.Param(ir.I32, layout.VertexBaseInstance))
			s.Identify(ir.DrawIndex, 0, s.Param(ir.I32, layout.VertexDrawIndex))
		}
		body()
		s.storeRecord()
		s.B.End()
	})
}

// vertexNumber returns the index of the vertex in the list, which is also its record number.
func (s *vertexShader) vertexNumber() ir.V { return s.BuiltIn(ir.GlobalInvocationIdX) }

// listWord reads a word of the vertex's list entry.
func (s *vertexShader) listWord(n uint32) ir.V {
	at := s.Scaled(s.vertexNumber(), listBytes)
	return s.LoadOwn(ir.I32, s.Handle(ir.StorageBuffer, layout.BindVertexList, false), at, 4*n)
}

// read returns an input of the vertex program.
func (s *vertexShader) read(in ir.Input) ir.V {
	switch in.Semantic {
	case ir.VertexIndex:
		return s.listWord(0)
	case ir.InstanceIndex:
		return s.listWord(1)
	case ir.BaseVertex:
		return s.Param(ir.I32, layout.VertexBase)
	case ir.BaseInstance:
		return s.Param(ir.I32, layout.VertexBaseInstance)
	case ir.DrawIndex:
		return s.Param(ir.I32, layout.VertexDrawIndex)
	case ir.ViewIndex:
		return s.Param(ir.I32, layout.VertexViewIndex)
	case ir.Location:
		return s.attribute(in)
	}
	if in.Semantic.Engine() {
		return 0
	}
	s.Unsupported("input %s of a vertex program", in.Semantic)
	return s.Zero(in.Type)
}

// storeRecord stores the outputs.
func (s *vertexShader) storeRecord() {
	at := s.B.OpAux(ir.At, ir.I32, uint64(s.rec.Stride), s.B.I32(0), s.vertexNumber())
	h := s.Handle(ir.StorageBuffer, layout.BindRecords, true)
	store := func(v ir.V, offset uint32) {
		s.B.Emit(ir.Val{Op: ir.St, Type: s.B.Func.Type(v), Args: [4]ir.V{h, at, v}, Aux: uint64(offset)})
	}
	for k, o := range s.From.Out {
		if offset, ok := s.rec.Offset(o.Semantic, o.Index); ok {
			store(s.Output(k), offset)
		}
	}
	if offset, ok := s.rec.Offset(ir.InstanceIndex, 0); ok { // for a debugger
		store(s.listWord(1), offset)
	}
	storePerView(s.Builder, s.rec, 0, func() ir.V { return s.Param(ir.I32, layout.VertexViewIndex) }, store)
	capture(s.Builder, s.captures, s.vertexNumber(), 0)
}

// attribute returns a component of a vertex attribute: fetched from its buffer and decoded. A
// location without an attribute is (0, 0, 0, 1). A 64-bit format with three or four components
// occupies two locations, hence eight components from the first.
func (s *vertexShader) attribute(in ir.Input) ir.V {
	for _, a := range s.input.Attributes {
		first := 4 * a.Location
		if in.Index < first || in.Index >= first+8 {
			continue
		}
		x, err := s.Texels.Of(s.B, format.InfoByName(a.Format))
		if err != nil {
			s.Unsupported("vertex attributes of format %s", a.Format)
			break
		}
		if in.Index >= first+4 && x.Format().Bytes <= 16 {
			continue // one location
		}
		if k := x.Component(0); k != nil && k.Bits == 64 {
			return s.wide(&a, x, in)
		}
		if in.Index < first+4 {
			return s.Convert(x.Unpack(s.element(&a, x))[in.Index-first], x.Signed(), in.Type)
		}
	}
	if in.Index%4 == 3 {
		return s.One(in.Type)
	}
	return s.Zero(in.Type)
}

// element fetches the texel of an attribute (Vulkan §"Vertex Input Address Calculation"). The offset is
// binding offset + index · stride + attribute offset. An attribute that is partly outside of the buffer is 0
// as a whole (§"Vertex Input Extraction", §"Robust Buffer Access 2"). The program's load checks a texel of
// one word; more words need a check of the last byte before the loads.
func (s *vertexShader) element(a *state.VertexAttribute, x *texture.Texel) []ir.V {
	stride, index := uint32(0), s.listWord(0)
	for _, v := range s.input.Bindings {
		if v.Binding != a.Binding {
			continue
		}
		if stride = v.Stride; v.Instance {
			index = s.instance(v.Divisor)
		}
	}
	base := s.Param(ir.I32, layout.VertexOffsets+a.Binding)
	at := s.B.OpAux(ir.At, ir.I32, uint64(stride), base, index)
	h := s.Handle(ir.StorageBuffer, layout.BindVertex+a.Binding, false)
	end := s.B.OpAux(ir.At, ir.I32, 1, at, s.B.OpAux(ir.At, ir.I32, 1, s.B.I32(a.Offset), s.B.I32(uint32(x.Format().Bytes))))
	s.report(a, end, h)
	if x.Words() > 1 {
		at = s.B.Select(s.B.Cmp(ir.ULe, end, s.B.Op(ir.Len, ir.I32, h)), at, s.B.I32(1<<32-1))
	}
	return x.Load(h, at, a.Offset)
}

// report logs an attribute that ends behind its buffer, in a program with ir.SanitizeBounds; once for each location.
func (s *vertexShader) report(a *state.VertexAttribute, end, h ir.V) {
	p := s.Program
	if !p.Checked(ir.SanitizeBounds) || slices.Contains(s.checked, a.Location) {
		return
	}
	s.checked = append(s.checked, a.Location)
	n := uint64(len(p.Messages))
	p.Messages = append(p.Messages, ir.Message{
		Kind: ir.Undefined, Text: fmt.Sprintf("the attribute at Location %d ends at byte %%u, beyond the %%u bytes of binding %d", a.Location, a.Binding),
		Args: []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32},
		Site: ir.Site{Sanitizer: ir.SanitizeBounds, Stage: ir.Vertex, Rule: "a vertex attribute wholly or partly outside its buffer", Where: 2},
	})
	length := s.B.Op(ir.Len, ir.I32, h)
	null := s.B.Cmp(ir.Eq, length, s.B.I32(0)) // it has defined results
	s.B.If(s.B.Op(ir.And, ir.B1, s.B.Cmp(ir.ULt, length, end), s.B.Op(ir.Not, ir.B1, null)))
	s.B.OpAux(ir.Log, ir.None, n)
	for _, v := range []ir.V{end, length, s.listWord(0), s.listWord(1)} {
		s.B.Op(ir.LogArg, ir.I32, v)
	}
	s.B.End()
}

// instance returns the element number for an instance divisor
// (VkVertexInputBindingDivisorDescription). Divisor 0 uses the same element for all instances;
// divisor d advances after d instances, counted from firstInstance.
func (s *vertexShader) instance(divisor uint32) ir.V {
	index := s.listWord(1)
	if divisor == 1 {
		return index
	}
	base := s.Param(ir.I32, layout.VertexBaseInstance)
	if divisor == 0 {
		return base
	}
	n := s.B.Op(ir.UDiv, ir.I32, s.B.Op(ir.Sub, ir.I32, index, base), s.B.I32(divisor))
	return s.B.Op(ir.Add, ir.I32, base, n)
}

// wide returns a component of a 64-bit attribute, which occupies two components of the input.
func (s *vertexShader) wide(a *state.VertexAttribute, x *texture.Texel, in ir.Input) ir.V {
	words := s.element(a, x)
	n := int(in.Index-4*a.Location) / 2
	if n >= len(words) || in.Type.Bits() != 64 {
		return s.Zero(in.Type)
	}
	if in.Type == ir.F64 {
		return s.B.Op(ir.Bitcast, ir.F64, words[n])
	}
	return words[n]
}
