package draw

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Limits of a geometry program.
const (
	maxEmitted   = 1024 // vertices of an invocation (maxGeometryOutputVertices)
	maxInstances = 1024 // invocations of a primitive: no less than maxGeometryShaderInvocations
)

// geometryBytes is about how much invocations of one job leave.
const geometryBytes = 1 << 20

// Of what a geometry program says of a vertex: the stream, and whether a strip begins.
const (
	markStream = 3
	markBegins = 4
)

// geometryShader writes a geometry program as a compute program. An invocation has
// room for as many records as it may emit, and for as many marks behind their number.
type geometryShader struct {
	*middleShader
	state uint64 // variable: vertices so far, and by stream whether a strip is open
	room  uint32
}

// geometryProgram makes a compute program of a geometry program.
func geometryProgram(from *ir.Program, before, rec *record, c *captures) (*ir.Program, error) {
	s := &geometryShader{middleShader: newMiddle(from, before, rec, nil), room: from.OutputVertices}
	s.captures = c
	s.p.Vars = append(s.p.Vars, ir.Var{Name: "emitted", Slots: 5, Func: -1})
	s.state = uint64(len(s.p.Vars) - 1)
	instances := max(from.Instances, 1)
	lane := func() ir.V { return s.add(s.lane(), s.params(ir.I32, middleFirst)) }
	s.primitive = func() ir.V { return s.b.Op(ir.UDiv, ir.I32, lane(), s.b.I32(instances)) }
	s.builtIn = func(in ir.Input) ir.V {
		if in.Semantic == ir.InvocationId {
			return s.b.Op(ir.UMod, ir.I32, lane(), s.b.I32(instances))
		}
		return 0
	}
	s.emit, s.endPrim = s.emitted, func(stream uint32) { s.set(1+stream, s.b.I32(0)) }
	return s.weave(s.counted(func() { s.mark(s.get(0), s.b.I32(0)) }))
}

func (s *geometryShader) get(slot uint32) ir.V {
	return s.b.OpAux(ir.PLd, ir.I32, s.state, s.b.I32(slot))
}

func (s *geometryShader) set(slot uint32, v ir.V) {
	s.b.Emit(ir.Val{Op: ir.PSt, Type: ir.I32, Args: [4]ir.V{s.b.I32(slot), v}, Aux: s.state})
}

// mark stores word n of the invocation's marks.
func (s *geometryShader) mark(v, n ir.V) {
	at := s.at(s.at(s.b.I32(0), s.lane(), 4*(uint64(s.room)+1)), n, 4)
	s.b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{s.handle(ir.StorageBuffer, bindMarks, true), at, v}})
}

// emitted writes what emits a vertex: nothing where there is no room left
// (max_vertices).
func (s *geometryShader) emitted(stream uint32) {
	b := s.b
	n := s.get(0)
	b.If(b.Cmp(ir.ULt, n, b.I32(s.room)))
	s.leave(s.add(s.mul(s.lane(), b.I32(s.room)), n), stream)
	begins := b.Select(b.Cmp(ir.Eq, s.get(1+stream), b.I32(0)), b.I32(markBegins|stream), b.I32(stream))
	next := s.add(n, b.I32(1))
	s.mark(begins, next)
	s.set(0, next)
	s.set(1+stream, b.I32(1))
	b.End()
}

// geometry runs the geometry program for primitives, some thousand vertices at once.
func (d *drawing) geometry(ctx context.Context, in *flow) error {
	from, rec := d.pipeline.stages.Geometry, d.pipeline.rec
	room := from.OutputVertices
	total := uint32(len(in.parts)/in.words()) * max(from.Instances, 1)
	most := max(geometryBytes/max(room*(rec.stride+d.pipeline.captures.row), 16), middleGroup)
	for first := uint32(0); first < total; first += most {
		n := min(most, total-first)
		d.shaped.size(int(n) * int(room) * int(rec.stride))
		d.marks.size(4 * int(n) * int(room+1))
		o := &d.own.buffers
		o[bindInputs] = shared(bytesOf(in.records.long))
		o[bindParts] = shared(bytesOf(in.parts))
		o[bindRecords] = shared(d.shaped.bytes(int(n) * int(room) * int(rec.stride)))
		o[bindMarks] = shared(d.marks.bytes(4 * int(n) * int(room+1)))
		d.captureRoom(n * room)
		if err := d.runMiddle(ctx, geometry, (n+middleGroup-1)/middleGroup, n, first, in.each); err != nil {
			return err
		}
		if s := d.statistics(); s != nil {
			s.GeometryInvocations += uint64(n)
		}
		f := &d.flows[geometry]
		*f = flow{records: &d.shaped, vertices: n * room, topology: outputTopology(from.Modes), primitives: f.primitives[:0]}
		d.strips(f, n, room, d.pipeline.state.Rasterization.Stream)
		d.streams(f, n, room)
		if err := d.fragments(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// outputTopology is what the vertices make that a geometry program emits.
func outputTopology(m ir.Modes) Topology {
	switch {
	case m.Has(ir.OutputPoints):
		return PointList
	case m.Has(ir.OutputLineStrip):
		return LineStrip
	}
	return TriangleStrip
}

// inputVertices returns how many vertices the primitives have that a geometry
// program reads.
func inputVertices(m ir.Modes) uint32 {
	switch {
	case m.Has(ir.InputPoints):
		return 1
	case m.Has(ir.InputLines):
		return 2
	case m.Has(ir.InputLinesAdjacency):
		return 4
	case m.Has(ir.InputTrianglesAdjacency):
		return 6
	}
	return 3
}

// streams hands on what the geometry program emitted to each stream: f is those of the
// one that is rasterised.
func (d *drawing) streams(f *flow, n, room uint32) {
	for s := range uint32(MaxStreams) {
		switch {
		case s == d.pipeline.state.Rasterization.Stream:
			d.handOn(s, f)
		case d.statistics() != nil, d.args.Feedback != nil && len(d.pipeline.captures.streams[s]) > 0:
			o := &d.other
			*o = flow{vertices: f.vertices, topology: f.topology, primitives: o.primitives[:0]}
			d.strips(o, n, room, s)
			d.handOn(s, o)
		}
	}
}

// strips makes primitives of the vertices of n invocations, in their order: those of
// a stream (Vulkan §"Geometry Shader Primitive Ordering").
func (d *drawing) strips(f *flow, n, room, stream uint32) {
	marks := d.marks.words(int(n) * int(room+1))
	for lane := range n {
		row := marks[lane*(room+1):][:room+1]
		d.strip = d.strip[:0]
		for i, m := range row[1 : 1+min(row[0], room)] {
			if m&markStream != stream {
				continue
			}
			if m&markBegins != 0 {
				d.endStrip(f)
			}
			d.strip = append(d.strip, lane*room+uint32(i))
		}
		d.endStrip(f)
	}
}

// endStrip makes primitives of a strip. Their PrimitiveId is that of the provoking
// vertex.
func (d *drawing) endStrip(f *flow) {
	rec := d.pipeline.rec
	id := rec.word(ir.PrimitiveId, 0)
	for i := range primitivesOf(f.topology, uint32(len(d.strip))) {
		v, n, last := corners(f.topology, i)
		p := primitive{begins: i == 0}
		for k := range n {
			p.v[k] = d.strip[v[k]]
		}
		if p.provoking = p.v[0]; d.state.Rasterization.LastVertex {
			p.provoking = p.v[last]
		}
		if id >= 0 && f.records != nil { // else nobody looks at it
			p.id = f.records.words(int(f.vertices) * int(rec.stride/4))[int(p.provoking)*int(rec.stride/4)+id]
		}
		f.primitives = append(f.primitives, p)
	}
	d.strip = d.strip[:0]
}
