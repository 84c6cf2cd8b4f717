package frontend

import (
	"context"
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// pointBytes is the size of a domain point in the list: three floats and the number of the patch.
const pointBytes = 16

// controlProgram builds the compute program of a tessellation control program. A workgroup is a
// patch; outputs are in the records, visible to all its invocations. Invocations of a patch can read
// each other's outputs after a barrier (OpControlBarrier); a workgroup has exactly this meaning.
// Outputs are memory, because their vertex index is dynamic.
func controlProgram(from *ir.Program, vertices uint32, before, rec, patch *layout.Record) (*ir.Program, error) {
	s := newPrimitiveShader(from, before, rec, nil)
	s.Program.LocalSize = [3]uint32{vertices, 1, 1}
	s.primitive = func() ir.V { return s.BuiltIn(ir.WorkgroupIdX) }
	s.builtIn = func(in ir.Input) ir.V {
		switch in.Semantic {
		case ir.InvocationId:
			return s.BuiltIn(ir.LocalInvocationIdX)
		case ir.PatchVertices:
			return s.Param(ir.I32, primitiveVertices)
		}
		return 0
	}
	element := func(k int, i ir.V) (h, at ir.V, after uint32, ok bool) {
		o := from.Out[k]
		if isPatch(o.Semantic, o.Patch) {
			after, ok = patch.Offset(o.Semantic, o.Index)
			return s.Handle(ir.StorageBuffer, layout.BindPatches, true), s.At(s.B.I32(0), s.primitive(), uint64(patch.Stride)), after, ok
		}
		n := s.B.I32(vertices)
		after, ok = rec.Offset(o.Semantic, o.Index)
		// Vertices out of range: stores have no effect, loads return 0.
		at = s.offsetOr(s.B.Cmp(ir.ULt, i, n), s.Add(s.Mul(s.primitive(), n), i), rec.Stride)
		return s.Handle(ir.StorageBuffer, layout.BindRecords, true), at, after, ok
	}
	s.OutAt = func(k int, i, v ir.V) {
		if h, at, after, ok := element(k, i); ok {
			s.B.Emit(ir.Val{Op: ir.St, Type: from.Out[k].Type, Args: [4]ir.V{h, at, v}, Aux: uint64(after)})
		}
	}
	s.OutGet = func(k int, i ir.V) ir.V {
		h, at, after, ok := element(k, i)
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

// evaluationProgram builds the compute program of a tessellation evaluation program. An invocation
// is a domain point of a patch. An entry of the list of points has 16 bytes: u, v, w as floats, and
// the number of the patch. So one job evaluates points of many patches.
func evaluationProgram(from *ir.Program, vertices uint32, before, rec, patch *layout.Record, c *captureLayout) (*ir.Program, error) {
	s := newPrimitiveShader(from, before, rec, patch)
	s.captures = c
	listed := func(t ir.Type, n uint32) ir.V {
		return s.Load(t, s.Handle(ir.StorageBuffer, layout.BindVertexList, false), s.At(s.B.I32(0), s.lane(), pointBytes), 4*n)
	}
	s.primitive = func() ir.V { return listed(ir.I32, 3) }
	s.number = func(i ir.V) ir.V { return s.Add(s.Mul(s.primitive(), s.B.I32(vertices)), i) }
	s.inRange = func(i ir.V) ir.V { return s.B.Cmp(ir.ULt, i, s.B.I32(vertices)) }
	s.builtIn = func(in ir.Input) ir.V {
		switch in.Semantic {
		case ir.TessCoord:
			return listed(ir.F32, min(in.Index, 2))
		case ir.PatchVertices:
			return s.B.I32(vertices)
		}
		return 0
	}
	return s.Build(s.guarded(func() { s.storeRecord(s.lane(), 0) }))
}

// tessellate runs the control program, subdivides the patches, and evaluates the domain points in
// groups of about chunkVertices.
func (d *Binner) tessellate(ctx context.Context, in *primitiveList) error {
	p := d.Pipeline
	vertices, patches := p.stages.patchVertices(), len(in.tuples)/in.tupleWords()
	size := patches * int(vertices) * int(p.controlRec.Stride)
	d.controlled.Grow(size)
	d.patches.Grow(patches * int(p.patchRec.Stride))
	o := &d.Own.Buffers
	o[layout.BindInputs], o[layout.BindPrimitiveVertices] = compose.Shared(compose.BytesOf(in.records.Data)), compose.Shared(compose.BytesOf(in.tuples))
	o[layout.BindRecords], o[layout.BindPatches] = compose.Shared(d.controlled.Bytes(size)), compose.Shared(d.patches.Bytes(patches*int(p.patchRec.Stride)))
	// A control program may leave outputs unwritten. Zeros make the result independent of earlier
	// draws, and tessellation levels of 0 discard the patch.
	clear(o[layout.BindRecords].Bytes)
	clear(o[layout.BindPatches].Bytes)
	if err := d.runPrimitiveStage(ctx, tessControl, uint32(patches), uint32(patches), 0, in.tupleVertices); err != nil {
		return err
	}
	if s := d.statistics(); s != nil {
		s.ControlPatches += uint64(patches)
	}
	mode := tessMode(p.stages.TessControl.Modes | p.stages.TessEval.Modes)
	// The lower left origin mirrors the domain, which reverses the vertex order.
	mode.Clockwise = mode.Clockwise != d.state.Assembly.LowerLeft
	f := &d.flows[tessEval]
	*f = primitiveList{records: &d.evaluated, topology: domainTopology(mode), tupleVertices: uint32(mode.Vertices()), primitives: f.primitives[:0], tuples: f.tuples[:0]}
	d.points = d.points[:0]
	for i := range patches {
		d.subdivide(f, mode, uint32(i), in.tuples[i*in.tupleWords()])
		if f.vertices = uint32(len(d.points) / (pointBytes / 4)); f.vertices < ChunkVertices && i < patches-1 {
			continue
		}
		if err := d.evaluate(ctx, in, f); err != nil {
			return err
		}
		d.points, f.primitives, f.tuples = d.points[:0], f.primitives[:0], f.tuples[:0]
	}
	return nil
}

// domainTopology returns the topology of a subdivided patch.
func domainTopology(m tess.Mode) enum.Topology {
	return [...]enum.Topology{enum.TopologyPointList, enum.TopologyLineList, enum.TopologyTriangleList}[m.Vertices()-1]
}

// subdivide adds a patch's domain points and primitives. Points and primitives are in the
// tessellator's order, the same for every run: blending depends on the order of primitives.
func (d *Binner) subdivide(f *primitiveList, mode tess.Mode, patch, id uint32) {
	rec := d.Pipeline.patchRec
	words := d.patches.Words(int(patch+1) * int(rec.Stride/4))[int(patch)*int(rec.Stride/4):]
	level := func(s ir.Semantic, i uint32) float32 {
		if n := rec.Word(s, i); n >= 0 {
			return math.Float32frombits(words[n])
		}
		return 0
	}
	var outer [4]float32
	for i := range outer {
		outer[i] = level(ir.TessLevelOuter, uint32(i))
	}
	d.tessellator.Tessellate(mode, outer, [2]float32{level(ir.TessLevelInner, 0), level(ir.TessLevelInner, 1)})
	first := uint32(len(d.points) / (pointBytes / 4))
	for _, x := range d.tessellator.Points {
		d.points = append(d.points, math.Float32bits(x.U), math.Float32bits(x.V), math.Float32bits(x.W), patch)
	}
	n := mode.Vertices()
	for list := d.tessellator.Indices; len(list) >= n; list = list[n:] {
		p := primitive{id: id}
		for k, v := range list[:n] {
			p.v[k] = first + v
		}
		if p.provoking = p.v[0]; d.state.Rasterization.LastVertex {
			p.provoking = p.v[n-1]
		}
		f.primitives = append(f.primitives, p)
		f.tuples = append(append(f.tuples, id), p.v[:n]...)
	}
}

// evaluate runs the evaluation program for the points and continues with the geometry stage.
func (d *Binner) evaluate(ctx context.Context, in, f *primitiveList) error {
	if f.vertices == 0 {
		return nil
	}
	size := int(f.vertices) * int(d.Pipeline.evaluationRec.Stride)
	d.evaluated.Grow(size)
	o := &d.Own.Buffers
	o[layout.BindInputs], o[layout.BindPatches] = compose.Shared(compose.BytesOf(d.controlled.Data)), compose.Shared(compose.BytesOf(d.patches.Data))
	o[layout.BindPrimitiveVertices] = compose.Shared(compose.BytesOf(in.tuples))
	o[layout.BindVertexList], o[layout.BindRecords] = compose.Shared(compose.BytesOf(d.points)), compose.Shared(d.evaluated.Bytes(size))
	d.bindCaptures(f.vertices)
	if err := d.runPrimitiveStage(ctx, tessEval, (f.vertices+primitiveGroup-1)/primitiveGroup, f.vertices, 0, in.tupleVertices); err != nil {
		return err
	}
	if s := d.statistics(); s != nil {
		s.EvaluationInvocations += uint64(f.vertices)
	}
	return d.runGeometry(ctx, f)
}
