package frontend

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Words of the parameters of task and mesh programs.
const (
	meshFirst  = iota // number of the job's first workgroup in the draw or in its task
	meshGroups        // x, y, z: the workgroups of the draw or of the task (NumWorkgroups)
	meshView   = iota + 2
	meshDrawIndex
	meshRecord   // number of the first vertex record of the job
	meshBase     // added to WorkgroupId.x
	nodeEach     // of a mesh node: the workgroups of a payload, all together
	nodePayloads // the offset of the payloads
	nodeStride   // bytes from payload to payload
	nodeIndex
	nodeRecursion
	nodeShare
	nodeTargets
	nodeArea // the offset of the area of the job's first workgroup
	nodeAreaBytes
	meshWords
)

// Words of a workgroup in BindEmissions.
const (
	taskWords      = 3 // mesh workgroups in x, y and z
	meshCountWords = 2 // vertices, primitives
)

// A primitive record has the outputs of a primitive. In place of Position it has the numbers of the
// vertices, and not 0 in the last word if the primitive is culled. Outputs that rasterizer and fragments
// read follow, as in a record of a vertex.
const (
	primitiveCorner = 0 // words
	primitiveCull   = 3
)

// meshShader builds the compute program of a task or mesh program. Its outputs are memory, because all
// invocations of a workgroup write them and their index is dynamic. Outputs of workgroup g of a job:
//
//	task   counts    3·g                x, y and z
//	       payload   g · payload bytes, rounded up to 8   and its shadow, if the task has one
//	mesh   counts    2·g                vertices and primitives
//	       records   meshRecord + g · output vertices
//	       patches   g · output primitives             primitive records
//
// A job has a range of the workgroups of a draw. So WorkgroupId is computed from the number of the
// workgroup in the job.
type meshShader struct {
	*compose.Builder
	rec, prims           *layout.Record
	vertices, primitives uint32
	corners              uint32
}

// meshProgram builds the compute program of a task or mesh program.
func meshProgram(from *ir.Program, rec, prims *layout.Record) (*ir.Program, error) {
	s := &meshShader{Builder: compose.New("draw", from), rec: rec, prims: prims, vertices: from.OutputVertices, primitives: from.OutputPrimitives, corners: corners(from.Modes)}
	for i := range s.Program.Res {
		if r := &s.Program.Res[i]; r.Set == ir.PayloadSet {
			bindings := [...]uint32{ir.PayloadBinding: layout.BindPayload, ir.PayloadShadowBinding: layout.BindPayloadShadow}
			r.Set, r.Binding = compute.OwnSet, bindings[r.Binding]
		}
	}
	s.Input = s.read
	s.OutAt = s.write
	s.OutGet = func(k int, i ir.V) ir.V {
		h, at, after, ok := s.element(k, i)
		if !ok {
			return s.Zero(from.Out[k].Type)
		}
		return s.Load(from.Out[k].Type, h, at, after)
	}
	return s.Build(func(body func()) {
		s.identify()
		body()
	})
}

// identify tells a debugger the built-ins of the invocation.
func (s *meshShader) identify() {
	if !s.From.Observed {
		return
	}
	for _, first := range []ir.Semantic{ir.WorkgroupIdX, ir.GlobalInvocationIdX, ir.NumWorkgroupsX} {
		for i := range ir.Semantic(3) {
			s.Identify(first+i, 0, s.read(ir.Input{Semantic: first + i, Type: ir.I32}))
		}
	}
	for i := range ir.Semantic(3) {
		s.Identify(ir.LocalInvocationIdX+i, 0, s.BuiltIn(ir.LocalInvocationIdX+i))
	}
	s.Identify(ir.LocalInvocationIndex, 0, s.BuiltIn(ir.LocalInvocationIndex))
}

// corners returns the vertices of a primitive of a mesh program.
func corners(m ir.Modes) uint32 {
	switch {
	case m.Has(ir.OutputPoints):
		return 1
	case m.Has(ir.OutputLines):
		return 2
	}
	return 3
}

// group returns the number of the workgroup in its job.
func (s *meshShader) group() ir.V { return s.BuiltIn(ir.WorkgroupIdX) }

// read returns an input.
func (s *meshShader) read(in ir.Input) ir.V {
	x := in.Semantic
	switch {
	case x >= ir.GlobalInvocationIdX && x <= ir.GlobalInvocationIdZ:
		i := x - ir.GlobalInvocationIdX
		first := s.Mul(s.workgroupID(uint32(i)), s.B.I32(s.Program.LocalSize[i]))
		return s.narrowed(in, s.Add(first, s.BuiltIn(ir.LocalInvocationIdX+i)))
	case x >= ir.WorkgroupIdX && x <= ir.WorkgroupIdZ:
		return s.narrowed(in, s.workgroupID(uint32(x-ir.WorkgroupIdX)))
	case x >= ir.NumWorkgroupsX && x <= ir.NumWorkgroupsZ:
		return s.narrowed(in, s.Param(ir.I32, meshGroups+uint32(x-ir.NumWorkgroupsX)))
	case x == ir.ViewIndex:
		return s.Param(ir.I32, meshView)
	case x == ir.DrawIndex:
		return s.Param(ir.I32, meshDrawIndex)
	case x == ir.NodeInput:
		n := s.B.Op(ir.UDiv, ir.I32, s.linear(), s.Param(ir.I32, nodeEach))
		return s.Add(s.Param(ir.I32, nodePayloads), s.Mul(n, s.Param(ir.I32, nodeStride)))
	case x == ir.NodeCount:
		return s.B.I32(1)
	case x == ir.NodeIndex:
		return s.Param(ir.I32, nodeIndex)
	case x == ir.NodeRecursion:
		return s.Param(ir.I32, nodeRecursion)
	case x == ir.NodeShare:
		return s.Param(ir.I32, nodeShare)
	case x == ir.NodeTargets:
		return s.Param(ir.I32, nodeTargets)
	case x == ir.NodeArea:
		return s.Add(s.Param(ir.I32, nodeArea), s.Mul(s.group(), s.Param(ir.I32, nodeAreaBytes)))
	case x.Engine():
		return 0
	}
	s.Unsupported("input %s of a %s program", x, s.From.Stage)
	return s.Zero(in.Type)
}

// narrowed returns a value in the type of the input.
func (s *meshShader) narrowed(in ir.Input, v ir.V) ir.V {
	if in.Type.Bits() < 32 {
		return s.B.Op(ir.Trunc, in.Type, v)
	}
	return v
}

// linear returns the number of the workgroup in the draw, of a mesh node among the workgroups of all payloads.
func (s *meshShader) linear() ir.V { return s.Add(s.Param(ir.I32, meshFirst), s.group()) }

// workgroupID returns a dimension of WorkgroupId. Workgroups are numbered with x fastest, those of a mesh node payload after payload.
func (s *meshShader) workgroupID(dimension uint32) ir.V {
	b := s.B
	n := s.linear()
	if s.Program.Modes.Has(ir.MeshNode) {
		n = b.Op(ir.UMod, ir.I32, n, s.Param(ir.I32, nodeEach))
	}
	for i := range dimension {
		n = b.Op(ir.UDiv, ir.I32, n, s.Param(ir.I32, meshGroups+i))
	}
	switch {
	case dimension == 2:
		return n
	case dimension == 0 && s.Program.Modes.Has(ir.MeshNV): // y and z are 0
		return s.Add(n, s.Param(ir.I32, meshBase))
	}
	return b.Op(ir.UMod, ir.I32, n, s.Param(ir.I32, meshGroups+dimension))
}

// write stores element i of output k.
func (s *meshShader) write(k int, i, v ir.V) {
	if h, at, after, ok := s.element(k, i); ok {
		s.B.Emit(ir.Val{Op: ir.St, Type: s.From.Out[k].Type, Args: [4]ir.V{h, at, v}, Aux: uint64(after)})
	}
}

// element returns the memory of element i of output k, and whether there is any. Stores to elements out
// of range have no effect, loads return 0.
func (s *meshShader) element(k int, i ir.V) (h, at ir.V, after uint32, ok bool) {
	o := s.From.Out[k]
	buffer := func(binding uint32) ir.V { return s.Handle(ir.StorageBuffer, binding, true) }
	words := func(n uint64) ir.V { return s.At(s.B.I32(0), s.group(), 4*n) }
	switch o.Semantic {
	case ir.TaskCount:
		return buffer(layout.BindEmissions), words(taskWords), 4 * min(o.Index, taskWords-1), true
	case ir.TaskPayload:
		first := s.At(s.B.I32(0), s.group(), uint64(payloadStride(s.From)))
		if o.Index > 0 {
			return buffer(layout.BindPayloadShadow), s.At(first, i, 4), 0, true
		}
		return buffer(layout.BindPayload), s.At(first, i, 4), 0, true
	case ir.VertexCount:
		return buffer(layout.BindEmissions), words(meshCountWords), 0, true
	case ir.PrimitiveCount:
		return buffer(layout.BindEmissions), words(meshCountWords), 4, true
	case ir.PrimitiveIndices:
		return buffer(layout.BindPatches), s.primitiveRecord(i), 4 * (primitiveCorner + min(o.Index, 2)), s.prims != nil
	case ir.CullPrimitive:
		return buffer(layout.BindPatches), s.primitiveRecord(i), 4 * primitiveCull, s.prims != nil
	case ir.FlatIndices:
		n := s.B.I32(s.corners)
		at = s.primitiveRecord(s.B.Op(ir.UDiv, ir.I32, i, n))
		corner := s.Scaled(s.B.Op(ir.UMod, ir.I32, i, n), 4)
		in := s.B.Cmp(ir.ULt, i, s.B.I32(s.primitives*s.corners))
		return buffer(layout.BindPatches), s.B.Select(in, s.Add(at, corner), at), 0, s.prims != nil
	}
	switch {
	case s.prims == nil: // a task
	case o.PerPrimitive:
		after, ok = s.prims.Offset(o.Semantic, o.Index)
		return buffer(layout.BindPatches), s.primitiveRecord(i), after, ok
	default:
		after, ok = s.rec.Offset(o.Semantic, o.Index)
		n := s.Add(s.Add(s.Param(ir.I32, meshRecord), s.Mul(s.group(), s.B.I32(s.vertices))), i)
		return buffer(layout.BindRecords), s.offsetOr(s.B.Cmp(ir.ULt, i, s.B.I32(s.vertices)), n, s.rec.Stride), after, ok
	}
	return 0, 0, 0, false
}

// primitiveRecord returns the offset of the record of primitive i.
func (s *meshShader) primitiveRecord(i ir.V) ir.V {
	n := s.Add(s.Mul(s.group(), s.B.I32(s.primitives)), i)
	return s.offsetOr(s.B.Cmp(ir.ULt, i, s.B.I32(s.primitives)), n, s.prims.Stride)
}

// offsetOr returns the offset of record n, or nowhere.
func (s *meshShader) offsetOr(in, n ir.V, stride uint32) ir.V {
	return s.B.Select(in, s.At(s.B.I32(0), n, uint64(stride)), s.B.I32(nowhere))
}

// groupRange is a range of the workgroups of a mesh draw: of the task program if there is one, else of
// the mesh program.
type groupRange struct{ first, end uint32 }

// meshScratch is the scratch memory of task and mesh stages.
type meshScratch struct {
	groups     groupRange
	counts     compose.Memory // of a job, by workgroup
	payloads   compose.Memory // of a job of the task program, by workgroup
	shadows    compose.Memory // of the payloads, if the task program has them
	primitives compose.Memory // primitive records of a job
	vertexNext uint32         // the first free vertex record
}
