package draw

import (
	"context"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// maxPatch is how many vertices a patch may have (maxTessellationPatchSize).
const maxPatch = 32

// pointBytes is what the list has of each point of a domain: three floats and the
// number of the patch.
const pointBytes = 16

// controlProgram makes a compute program of a tessellation control program: a
// workgroup is a patch. Outputs stand in the records, where all of its invocations see
// them.
func controlProgram(from *ir.Program, vertices uint32, before, rec, patch *record) (*ir.Program, error) {
	s := newMiddle(from, before, rec, nil)
	s.p.LocalSize = [3]uint32{vertices, 1, 1}
	s.primitive = func() ir.V { return s.id(ir.WorkgroupIdX) }
	s.builtIn = func(in ir.Input) ir.V {
		switch in.Semantic {
		case ir.InvocationId:
			return s.id(ir.LocalInvocationIdX)
		case ir.PatchVertices:
			return s.params(ir.I32, middleVertices)
		}
		return 0
	}
	place := func(k int, i ir.V) (h, at ir.V, behind uint32, ok bool) {
		o := from.Out[k]
		if ofPatch(o.Semantic, o.Patch) {
			behind, ok = patch.place(o.Semantic, o.Index)
			return s.handle(ir.StorageBuffer, bindPatches, true), s.at(s.b.I32(0), s.primitive(), uint64(patch.stride)), behind, ok
		}
		n := s.b.I32(vertices)
		behind, ok = rec.place(o.Semantic, o.Index)
		at = s.where(s.b.Cmp(ir.ULt, i, n), s.add(s.mul(s.primitive(), n), i), rec.stride)
		return s.handle(ir.StorageBuffer, bindRecords, true), at, behind, ok
	}
	s.outAt = func(k int, i, v ir.V) {
		if h, at, behind, ok := place(k, i); ok {
			s.b.Emit(ir.Val{Op: ir.St, Type: from.Out[k].Type, Args: [4]ir.V{h, at, v}, Aux: uint64(behind)})
		}
	}
	s.outGet = func(k int, i ir.V) ir.V {
		h, at, behind, ok := place(k, i)
		if !ok {
			return s.zero(from.Out[k].Type)
		}
		return s.load(from.Out[k].Type, h, at, behind)
	}
	return s.weave(func(body func()) { body() })
}

// evaluationProgram makes a compute program of a tessellation evaluation program: an
// invocation is a point of a patch's domain.
func evaluationProgram(from *ir.Program, vertices uint32, before, rec, patch *record, c *captures) (*ir.Program, error) {
	s := newMiddle(from, before, rec, patch)
	s.captures = c
	listed := func(t ir.Type, n uint32) ir.V {
		return s.load(t, s.handle(ir.StorageBuffer, bindList, false), s.at(s.b.I32(0), s.lane(), pointBytes), 4*n)
	}
	s.primitive = func() ir.V { return listed(ir.I32, 3) }
	s.number = func(i ir.V) ir.V { return s.add(s.mul(s.primitive(), s.b.I32(vertices)), i) }
	s.inRange = func(i ir.V) ir.V { return s.b.Cmp(ir.ULt, i, s.b.I32(vertices)) }
	s.builtIn = func(in ir.Input) ir.V {
		switch in.Semantic {
		case ir.TessCoord:
			return listed(ir.F32, min(in.Index, 2))
		case ir.PatchVertices:
			return s.b.I32(vertices)
		}
		return 0
	}
	return s.weave(s.counted(func() { s.leave(s.lane(), 0) }))
}

// tessMode is how patches are subdivided: what the two programs say together. Their
// domain has its origin at the upper left, so that v points down where they say how
// triangles turn (VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT).
func tessMode(m ir.Modes) (t tess.Mode) {
	switch {
	case m.Has(ir.TessQuads):
		t.Domain = tess.Quads
	case m.Has(ir.TessIsolines):
		t.Domain = tess.Isolines
	}
	switch {
	case m.Has(ir.SpacingFractionalEven):
		t.Spacing = tess.FractionalEven
	case m.Has(ir.SpacingFractionalOdd):
		t.Spacing = tess.FractionalOdd
	}
	t.Clockwise, t.PointMode = !m.Has(ir.VertexOrderCw), m.Has(ir.PointMode)
	return t
}

// tessellate runs the control program for patches, subdivides them, and takes what
// that gives onward, some thousand points at once.
func (d *drawing) tessellate(ctx context.Context, in *flow) error {
	p := d.pipeline
	vertices, patches := p.stages.patchVertices(), len(in.parts)/in.words()
	size := patches * int(vertices) * int(p.controlRec.stride)
	d.controlled.size(size)
	d.patches.size(patches * int(p.patchRec.stride))
	o := &d.own.buffers
	o[bindInputs], o[bindParts] = shared(bytesOf(in.records.long)), shared(bytesOf(in.parts))
	o[bindRecords], o[bindPatches] = shared(d.controlled.bytes(size)), shared(d.patches.bytes(patches*int(p.patchRec.stride)))
	clear(o[bindRecords].Bytes)
	clear(o[bindPatches].Bytes)
	if err := d.runMiddle(ctx, control, uint32(patches), uint32(patches), 0, in.each); err != nil {
		return err
	}
	if s := d.statistics(); s != nil {
		s.ControlPatches += uint64(patches)
	}
	mode := tessMode(p.stages.TessControl.Modes | p.stages.TessEval.Modes)
	mode.Clockwise = mode.Clockwise != d.state.Assembly.LowerLeft
	f := &d.flows[evaluation]
	*f = flow{records: &d.evaluated, topology: domainTopology(mode), each: uint32(mode.Vertices()), primitives: f.primitives[:0], parts: f.parts[:0]}
	d.points = d.points[:0]
	for i := range patches {
		d.subdivide(f, mode, uint32(i), in.parts[i*in.words()])
		if f.vertices = uint32(len(d.points) / (pointBytes / 4)); f.vertices < chunkVertices && i < patches-1 {
			continue
		}
		if err := d.evaluate(ctx, in, f); err != nil {
			return err
		}
		d.points, f.primitives, f.parts = d.points[:0], f.primitives[:0], f.parts[:0]
	}
	return nil
}

// domainTopology is what the primitives of a subdivided patch are.
func domainTopology(m tess.Mode) Topology {
	return [...]Topology{PointList, LineList, TriangleList}[m.Vertices()-1]
}

// subdivide adds a patch's points and primitives.
func (d *drawing) subdivide(f *flow, mode tess.Mode, patch, id uint32) {
	rec := d.pipeline.patchRec
	words := d.patches.words(int(patch+1) * int(rec.stride/4))[int(patch)*int(rec.stride/4):]
	level := func(s ir.Semantic, i uint32) float32 {
		if n := rec.word(s, i); n >= 0 {
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
		f.parts = append(append(f.parts, id), p.v[:n]...)
	}
}

// evaluate runs the evaluation program for the points and takes them onward.
func (d *drawing) evaluate(ctx context.Context, in, f *flow) error {
	if f.vertices == 0 {
		return nil
	}
	size := int(f.vertices) * int(d.pipeline.evaluationRec.stride)
	d.evaluated.size(size)
	o := &d.own.buffers
	o[bindInputs], o[bindPatches] = shared(bytesOf(d.controlled.long)), shared(bytesOf(d.patches.long))
	o[bindParts] = shared(bytesOf(in.parts))
	o[bindList], o[bindRecords] = shared(bytesOf(d.points)), shared(d.evaluated.bytes(size))
	d.captureRoom(f.vertices)
	if err := d.runMiddle(ctx, evaluation, (f.vertices+middleGroup-1)/middleGroup, f.vertices, 0, in.each); err != nil {
		return err
	}
	if s := d.statistics(); s != nil {
		s.EvaluationInvocations += uint64(f.vertices)
	}
	return d.shape(ctx, f)
}
