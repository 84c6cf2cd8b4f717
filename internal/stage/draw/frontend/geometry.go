package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// geometryBytes is the approximate size of the records that one job emits. Records are sparse if
// invocations emit less than their maximum; the bound limits the wasted cache space.
const geometryBytes = 1 << 20

// An emission mark: bits 0 and 1 are the stream, bit 2 begins a primitive strip.
const (
	markStream = 3
	markBegins = 4
)

// geometryShader builds the compute program of a geometry program. Each invocation has space for its
// maximum of records, and for a list of emission marks:
//
//	records   n · max_vertices                one record for each emitted vertex
//	marks     count, mark 0, mark 1, …        stream and begin of a primitive strip for each record
//
// An invocation cannot know the number of vertices that earlier ones emit, so records have fixed
// offsets. Example with max_vertices 3, invocation 5:
//
//	records   15, 16, 17
//	marks     words 20…23: count 2, mark 4 (begins, stream 0), mark 0, unused
type geometryShader struct {
	*primitiveShader
	state       uint64 // private variable: number of emitted vertices, then for each stream whether a primitive strip is open
	maxVertices uint32
}

// geometryProgram builds the compute program of a geometry program.
func geometryProgram(from *ir.Program, before, rec *layout.Record, c *captureLayout) (*ir.Program, error) {
	s := &geometryShader{primitiveShader: newPrimitiveShader(from, before, rec, nil), maxVertices: from.OutputVertices}
	s.captures = c
	s.Program.Vars = append(s.Program.Vars, ir.Var{Name: "emitted", Slots: 5, Func: -1})
	s.state = uint64(len(s.Program.Vars) - 1)
	// Invocation i·instances + k is instance k of primitive i: this is the order of output
	// primitives that Vulkan requires.
	instances := max(from.Instances, 1)
	lane := func() ir.V { return s.Add(s.lane(), s.Param(ir.I32, primitiveFirst)) }
	s.primitive = func() ir.V { return s.B.Op(ir.UDiv, ir.I32, lane(), s.B.I32(instances)) }
	s.builtIn = func(in ir.Input) ir.V {
		if in.Semantic == ir.InvocationId {
			return s.B.Op(ir.UMod, ir.I32, lane(), s.B.I32(instances))
		}
		return 0
	}
	s.Emit, s.EndPrim = s.emitVertex, func(stream uint32) { s.set(1+stream, s.B.I32(0)) }
	return s.Build(s.guarded(func() { s.storeMark(s.get(0), s.B.I32(0)) }))
}

func (s *geometryShader) get(slot uint32) ir.V {
	return s.B.OpAux(ir.PLd, ir.I32, s.state, s.B.I32(slot))
}

func (s *geometryShader) set(slot uint32, v ir.V) {
	s.B.Emit(ir.Val{Op: ir.PSt, Type: ir.I32, Args: [4]ir.V{s.B.I32(slot), v}, Aux: s.state})
}

// storeMark stores word n of the invocation's marks.
func (s *geometryShader) storeMark(v, n ir.V) {
	at := s.At(s.At(s.B.I32(0), s.lane(), 4*(uint64(s.maxVertices)+1)), n, 4)
	s.B.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{s.Handle(ir.StorageBuffer, layout.BindEmissions, true), at, v}})
}

// emitVertex emits a vertex. Beyond max_vertices it has no effect. The count is a variable of each
// lane: in divergent control flow lanes emit different numbers of vertices.
func (s *geometryShader) emitVertex(stream uint32) {
	b := s.B
	n := s.get(0)
	b.If(b.Cmp(ir.ULt, n, b.I32(s.maxVertices)))
	s.storeRecord(s.Add(s.Mul(s.lane(), b.I32(s.maxVertices)), n), stream)
	// EndPrimitive clears the open flag; the next vertex begins a strip. So an EndPrimitive without
	// vertices has no effect.
	begins := b.Select(b.Cmp(ir.Eq, s.get(1+stream), b.I32(0)), b.I32(markBegins|stream), b.I32(stream))
	next := s.Add(n, b.I32(1))
	s.storeMark(begins, next)
	s.set(0, next)
	s.set(1+stream, b.I32(1))
	b.End()
}

// shapePrimitives runs the geometry program for primitives, in jobs of about geometryBytes, and
// continues with its output.
func (d *Binner) shapePrimitives(ctx context.Context, in *primitiveList) error {
	from, rec := d.Pipeline.stages.Geometry, d.Pipeline.Record
	// All streams share the records of an invocation: a record has the layout of the rasterized
	// stream, and other streams need marks and captures only.
	maxVertices := from.OutputVertices
	total := uint32(len(in.tuples)/in.tupleWords()) * max(from.Instances, 1)
	most := max(geometryBytes/max(maxVertices*(rec.Stride+d.Pipeline.captures.stride), 16), primitiveGroup)
	for first := uint32(0); first < total; first += most {
		n := min(most, total-first)
		d.emitted.Grow(int(n) * int(maxVertices) * int(rec.Stride))
		d.marks.Grow(4 * int(n) * int(maxVertices+1))
		o := &d.Own.Buffers
		o[layout.BindInputs] = compose.Shared(compose.BytesOf(in.records.Data))
		o[layout.BindPrimitiveVertices] = compose.Shared(compose.BytesOf(in.tuples))
		o[layout.BindRecords] = compose.Shared(d.emitted.Bytes(int(n) * int(maxVertices) * int(rec.Stride)))
		o[layout.BindEmissions] = compose.Shared(d.marks.Bytes(4 * int(n) * int(maxVertices+1)))
		d.bindCaptures(n * maxVertices)
		if err := d.runPrimitiveStage(ctx, geometry, (n+primitiveGroup-1)/primitiveGroup, n, first, in.tupleVertices); err != nil {
			return err
		}
		if s := d.statistics(); s != nil {
			s.GeometryInvocations += uint64(n)
		}
		f := &d.flows[geometry]
		*f = primitiveList{records: &d.emitted, vertices: n * maxVertices, topology: outputTopology(from.Modes), primitives: f.primitives[:0]}
		d.assemblePrimitiveStrips(f, n, maxVertices, d.Pipeline.stream)
		d.outputStreams(f, n, maxVertices)
		if err := d.rasterize(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// outputTopology returns the topology of the emitted vertices.
func outputTopology(m ir.Modes) enum.Topology {
	switch {
	case m.Has(ir.OutputPoints):
		return enum.TopologyPointList
	case m.Has(ir.OutputLineStrip):
		return enum.TopologyLineStrip
	}
	return enum.TopologyTriangleStrip
}

// outputStreams passes the emitted primitives of each stream to transform feedback and statistics. f
// has the primitives of the rasterized stream. Streams other than the rasterized one end here.
// Without feedback and statistics nothing observes them.
func (d *Binner) outputStreams(f *primitiveList, n, maxVertices uint32) {
	for s := range uint32(state.MaxStreams) {
		switch {
		case s == d.Pipeline.stream:
			d.outputStream(s, f)
		case d.statistics() != nil, d.Args.Feedback != nil && len(d.Pipeline.captures.streams[s]) > 0:
			o := &d.otherList
			*o = primitiveList{vertices: f.vertices, topology: f.topology, primitives: o.primitives[:0]}
			d.assemblePrimitiveStrips(o, n, maxVertices, s)
			d.outputStream(s, o)
		}
	}
}

// assemblePrimitiveStrips forms the primitives of one stream from the emission marks of n invocations, in order
// (Vulkan §"Geometry Shader Primitive Ordering").
func (d *Binner) assemblePrimitiveStrips(f *primitiveList, n, maxVertices, stream uint32) {
	marks := d.marks.Words(int(n) * int(maxVertices+1))
	id := d.Pipeline.Record.Word(ir.PrimitiveId, 0)
	for lane := range n {
		list := marks[lane*(maxVertices+1):][:maxVertices+1]
		d.primitiveStrip = d.primitiveStrip[:0]
		// The program writes the count, but the memory is checked again: a count above maxVertices would
		// leave the list.
		for i, m := range list[1 : 1+min(list[0], maxVertices)] {
			if m&markStream != stream {
				continue
			}
			if m&markBegins != 0 {
				d.endPrimitiveStrip(f, id)
			}
			d.primitiveStrip = append(d.primitiveStrip, lane*maxVertices+uint32(i))
		}
		d.endPrimitiveStrip(f, id)
	}
}

// endPrimitiveStrip forms the primitives of the open primitive strip. PrimitiveId is an output of the provoking
// vertex, at word id of its record.
func (d *Binner) endPrimitiveStrip(f *primitiveList, id int) {
	rec := d.Pipeline.Record
	for i := range state.Primitives(f.topology, uint32(len(d.primitiveStrip))) {
		last := d.state.Rasterization.LastVertex
		v, n := state.PrimitiveVertices(f.topology, i, last)
		p := primitive{begins: i == 0}
		for k := range n {
			p.v[k] = d.primitiveStrip[v[k]]
		}
		if p.provoking = p.v[0]; last {
			p.provoking = p.v[n-1]
		}
		if id >= 0 && f.records != nil { // otherwise no stage reads it
			p.id = f.records.Words(int(f.vertices) * int(rec.Stride/4))[int(p.provoking)*int(rec.Stride/4)+id]
		}
		f.primitives = append(f.primitives, p)
	}
	d.primitiveStrip = d.primitiveStrip[:0]
}

// runGeometry runs the geometry stage if there is one, and then the rasterizer.
func (d *Binner) runGeometry(ctx context.Context, f *primitiveList) error {
	if d.programs[geometry] != nil {
		return d.shapePrimitives(ctx, f)
	}
	d.outputStream(0, f)
	return d.rasterize(ctx, f)
}
