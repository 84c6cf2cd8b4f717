package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// middleGroup is how many invocations a workgroup of tessellation evaluation and of
// geometry has.
const middleGroup = 64

// middleShader writes the program of a stage that reads vertices of primitives or
// patches and leaves vertices.
type middleShader struct {
	*weaver
	before *record // the vertices that it reads
	rec    *record // those that it leaves
	patch  *record // what stands once for a patch: control leaves it, evaluation reads it

	captures *captures // nil: none

	primitive func() ir.V         // the number of the primitive
	number    func(i ir.V) ir.V   // of its vertex i among the records
	inRange   func(i ir.V) ir.V   // whether it has one
	builtIn   func(ir.Input) ir.V // inputs of the stage alone; 0 where it has no such
}

func newMiddle(from *ir.Program, before, rec, patch *record) *middleShader {
	s := &middleShader{weaver: newWeaver(from), before: before, rec: rec, patch: patch}
	s.input, s.inputAt = s.read, s.vertexInput
	s.number = func(i ir.V) ir.V { return s.part(s.add(i, s.b.I32(1))) }
	s.inRange = func(i ir.V) ir.V { return s.b.Cmp(ir.ULt, i, s.params(ir.I32, middleVertices)) }
	return s
}

// lane is the number of the invocation in its job.
func (s *middleShader) lane() ir.V { return s.id(ir.GlobalInvocationIdX) }

// part reads word n of what is known of the primitive.
func (s *middleShader) part(n ir.V) ir.V {
	row := s.mul(s.primitive(), s.add(s.params(ir.I32, middleVertices), s.b.I32(1)))
	return s.load(ir.I32, s.handle(ir.StorageBuffer, bindParts, false), s.at(s.b.I32(0), s.add(row, n), 4), 0)
}

// nowhere is an offset that no buffer has.
const nowhere = 1<<32 - 1

// where returns the offset of row n, or nowhere.
func (s *middleShader) where(in, n ir.V, stride uint32) ir.V {
	return s.b.Select(in, s.at(s.b.I32(0), n, uint64(stride)), s.b.I32(nowhere))
}

// ofPatch reports whether an input or output stands once for a patch.
func ofPatch(s ir.Semantic, patch bool) bool {
	return patch || s == ir.TessLevelOuter || s == ir.TessLevelInner
}

// read writes what an input is that no vertex has.
func (s *middleShader) read(in ir.Input) ir.V {
	if in.Semantic.Engine() {
		return 0
	}
	if s.patch != nil && ofPatch(in.Semantic, in.Patch) {
		return s.patchInput(in)
	}
	switch in.Semantic {
	case ir.PrimitiveId:
		return s.part(s.b.I32(0))
	case ir.ViewIndex:
		return s.params(ir.I32, middleView)
	}
	if v := s.builtIn(in); v != 0 {
		return v
	}
	s.unsupported("input %s of a %s program", in.Semantic, s.from.Stage)
	return s.zero(in.Type)
}

// patchInput reads what stands once for the patch.
func (s *middleShader) patchInput(in ir.Input) ir.V {
	place, ok := s.patch.place(in.Semantic, in.Index)
	if !ok {
		return s.zero(in.Type)
	}
	at := s.at(s.b.I32(0), s.primitive(), uint64(s.patch.stride))
	return s.load(in.Type, s.handle(ir.StorageBuffer, bindPatches, false), at, place)
}

// vertexInput reads a component of vertex i.
func (s *middleShader) vertexInput(in ir.Input, i ir.V) ir.V {
	if s.patch != nil && ofPatch(in.Semantic, in.Patch) {
		return s.patchInput(in)
	}
	place, ok := s.before.place(in.Semantic, in.Index)
	if !ok {
		return s.zero(in.Type)
	}
	at := s.where(s.inRange(i), s.number(i), s.before.stride)
	return s.load(in.Type, s.handle(ir.StorageBuffer, bindInputs, false), at, place)
}

// leave stores a record: the outputs of a stream.
func (s *middleShader) leave(n ir.V, stream uint32) {
	at := s.at(s.b.I32(0), n, uint64(s.rec.stride))
	h := s.handle(ir.StorageBuffer, bindRecords, true)
	store := func(v ir.V, place uint32) {
		s.b.Emit(ir.Val{Op: ir.St, Type: s.b.Func.Type(v), Args: [4]ir.V{h, at, v}, Aux: uint64(place)})
	}
	for k, o := range s.from.Out {
		if place, ok := s.rec.place(o.Semantic, o.Index); ok && o.Stream == stream {
			store(s.output(k), place)
		}
	}
	for i := range uint32(4) {
		if _, ok := s.rec.place(ir.Position, i); !ok {
			store(s.num(0), 4*i)
		}
	}
	s.viewed(s.rec, stream, func() ir.V { return s.params(ir.I32, middleView) }, store)
	s.capture(s.captures, n, stream)
}

// counted writes the entry point of a program of which an invocation is one of so
// many: its own code and what stands behind it.
func (s *middleShader) counted(behind func()) func(body func()) {
	s.p.LocalSize = [3]uint32{middleGroup, 1, 1}
	return func(body func()) {
		s.b.If(s.b.Cmp(ir.ULt, s.lane(), s.params(ir.I32, middleCount)))
		body()
		behind()
		s.b.End()
	}
}
