package frontend

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// primitiveGroup is the workgroup size of tessellation evaluation and geometry programs.
const primitiveGroup = 64

// primitiveShader is the builder for stages that read primitives or patches: tessellation and
// geometry. A vertex input is two loads: the tuple of the primitive has the record's number, and the
// record has the component. For evaluation programs the number is a product instead, because patches
// are adjacent.
type primitiveShader struct {
	*compose.Builder
	input *layout.Record // of the vertices that it reads
	rec   *layout.Record // of the vertices that it writes
	patch *layout.Record // per-patch data: written by control, read by evaluation

	captures *captureLayout // nil without transform feedback

	primitive func() ir.V         // number of the invocation's primitive
	number    func(i ir.V) ir.V   // record number of its vertex i
	inRange   func(i ir.V) ir.V   // whether vertex i exists
	builtIn   func(ir.Input) ir.V // inputs that only this stage has; 0 if unknown
}

func newPrimitiveShader(from *ir.Program, before, rec, patch *layout.Record) *primitiveShader {
	s := &primitiveShader{Builder: compose.New("draw", from), input: before, rec: rec, patch: patch}
	s.Input, s.InputAt = s.read, s.vertexInput
	s.number = func(i ir.V) ir.V { return s.tupleWord(s.Add(i, s.B.I32(1))) }
	s.inRange = func(i ir.V) ir.V { return s.B.Cmp(ir.ULt, i, s.Param(ir.I32, primitiveVertices)) }
	return s
}

// lane returns the number of the invocation in its job.
func (s *primitiveShader) lane() ir.V { return s.BuiltIn(ir.GlobalInvocationIdX) }

// tupleWord reads word n of the primitive's tuple.
func (s *primitiveShader) tupleWord(n ir.V) ir.V {
	// The size of a tuple is a parameter and not a constant: the number of vertices of a patch can be
	// dynamic state.
	tuple := s.Mul(s.primitive(), s.Add(s.Param(ir.I32, primitiveVertices), s.B.I32(1)))
	return s.Load(ir.I32, s.Handle(ir.StorageBuffer, layout.BindPrimitiveVertices, false), s.At(s.B.I32(0), s.Add(tuple, n), 4), 0)
}

// nowhere is an offset outside of every buffer: loads return 0, stores have no effect. Vertex
// indices of a shader may be out of range. A select is cheaper than a branch, and the bounds check
// of the access does the rest.
const nowhere = 1<<32 - 1

// offsetOr returns the offset of record n, or nowhere.
func (s *primitiveShader) offsetOr(in, n ir.V, stride uint32) ir.V {
	return s.B.Select(in, s.At(s.B.I32(0), n, uint64(stride)), s.B.I32(nowhere))
}

// isPatch reports whether a patch stores an input or output. Compilers of HLSL decorate TessCoord as Patch, too: the decoration has no
// effect on other built-ins, since no stage writes them for a patch.
func isPatch(s ir.Semantic, patch bool) bool {
	return patch && (s == ir.Location || s == ir.Stored) || s == ir.TessLevelOuter || s == ir.TessLevelInner
}

// read returns an input that is not of a vertex.
func (s *primitiveShader) read(in ir.Input) ir.V {
	if in.Semantic.Engine() {
		return 0
	}
	if s.patch != nil && isPatch(in.Semantic, in.Patch) {
		return s.patchInput(in)
	}
	switch in.Semantic {
	case ir.PrimitiveId:
		return s.tupleWord(s.B.I32(0))
	case ir.ViewIndex:
		return s.Param(ir.I32, primitiveView)
	}
	if v := s.builtIn(in); v != 0 {
		return v
	}
	s.Unsupported("input %s of a %s program", in.Semantic, s.From.Stage)
	return s.Zero(in.Type)
}

// patchInput reads per-patch data.
func (s *primitiveShader) patchInput(in ir.Input) ir.V {
	offset, ok := s.patch.Offset(in.Semantic, in.Index)
	if !ok {
		return s.Missing(in)
	}
	at := s.At(s.B.I32(0), s.primitive(), uint64(s.patch.Stride))
	return s.Load(in.Type, s.Handle(ir.StorageBuffer, layout.BindPatches, false), at, offset)
}

// vertexInput reads a component of vertex i.
func (s *primitiveShader) vertexInput(in ir.Input, i ir.V) ir.V {
	if s.patch != nil && isPatch(in.Semantic, in.Patch) {
		return s.patchInput(in)
	}
	offset, ok := s.input.Offset(in.Semantic, in.Index)
	if !ok {
		return s.Missing(in)
	}
	at := s.offsetOr(s.inRange(i), s.number(i), s.input.Stride)
	return s.Load(in.Type, s.Handle(ir.StorageBuffer, layout.BindInputs, false), at, offset)
}

// storeRecord stores the record of a vertex: the outputs of one stream.
func (s *primitiveShader) storeRecord(n ir.V, stream uint32) {
	at := s.At(s.B.I32(0), n, uint64(s.rec.Stride))
	h := s.Handle(ir.StorageBuffer, layout.BindRecords, true)
	store := func(v ir.V, offset uint32) {
		s.B.Emit(ir.Val{Op: ir.St, Type: s.B.Func.Type(v), Args: [4]ir.V{h, at, v}, Aux: uint64(offset)})
	}
	for k, o := range s.From.Out {
		if offset, ok := s.rec.Offset(o.Semantic, o.Index); ok && o.Stream == stream {
			store(s.Output(k), offset)
		}
	}
	// The rasterizer reads Position even if the program does not write it; undefined memory would
	// make the picture depend on earlier draws.
	for i := range uint32(4) {
		if _, ok := s.rec.Offset(ir.Position, i); !ok {
			store(s.Float(0), 4*i)
		}
	}
	storePerView(s.Builder, s.rec, stream, func() ir.V { return s.Param(ir.I32, primitiveView) }, store)
	capture(s.Builder, s.captures, n, stream)
}

// guarded returns an entry point that runs the program, and then the epilogue, for invocations below
// the count. The last workgroup can be partly idle.
func (s *primitiveShader) guarded(epilogue func()) func(body func()) {
	s.Program.LocalSize = [3]uint32{primitiveGroup, 1, 1}
	return func(body func()) {
		s.B.If(s.B.Cmp(ir.ULt, s.lane(), s.Param(ir.I32, primitiveCount)))
		s.identify()
		body()
		epilogue()
		s.B.End()
	}
}

// identify tells a debugger the built-ins of the invocation.
func (s *primitiveShader) identify() {
	if !s.From.Observed {
		return
	}
	s.Identify(ir.PrimitiveId, 0, s.tupleWord(s.B.I32(0)))
	for _, x := range []ir.Semantic{ir.InvocationId, ir.PatchVertices} {
		if v := s.builtIn(ir.Input{Semantic: x, Type: ir.I32}); v != 0 {
			s.Identify(x, 0, v)
		}
	}
	for i := range uint32(3) {
		if v := s.builtIn(ir.Input{Semantic: ir.TessCoord, Index: i, Type: ir.F32}); v != 0 {
			s.Identify(ir.TessCoord, i, s.B.Op(ir.Bitcast, ir.I32, v))
		}
	}
}

// Words of the parameters of tessellation and geometry programs.
const (
	primitiveCount    = iota // number of invocations
	primitiveFirst           // number of the first invocation
	primitiveVertices        // vertices of a primitive
	primitiveView
	primitiveWords
)
