package frontend

import (
	"context"
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// The front end of a mesh draw. The order of its primitives is the order of the task workgroups by
// number, x fastest; then of the mesh workgroups of a task by number; then of the primitives of a
// workgroup. Vulkan leaves the order of workgroups open (docs/undefined.md).
//
//	range of workgroups
//	  │ task program      a job for some workgroups: counts and payloads
//	  ▼
//	mesh workgroups of one task, or of the draw
//	  │ mesh program      jobs up to the size of a chunk: vertex and primitive records
//	  ▼
//	primitives, gathered from several jobs

// taskGroups is the number of workgroups in a job of a task program.
const taskGroups = 16

// meshBytes is the approximate size of the vertex records between mesh program and rasterizer.
const meshBytes = 1 << 20

// wordCopy copies a word of a primitive record to a vertex record.
type wordCopy struct{ from, to uint32 }

// layOutMesh lays out the records of a mesh pipeline and installs the builders of its programs.
func (p *Pipeline) layOutMesh() error {
	s := &p.stages
	wants := func(o ir.Output) bool { return wanted(s.Fragment, o) }
	p.Record = layout.NewRecord(s.Mesh.Out, wants)
	p.patchRec = layout.NewRecord(s.Mesh.Out, func(o ir.Output) bool { return o.PerPrimitive && wants(o) })
	if n := max(p.Record.Stride, p.patchRec.Stride); n > 4*layout.MaxRecordWords {
		return &exec.LimitError{Quantity: "bytes of the outputs of a vertex and its primitive", Value: uint64(n), Max: 4 * layout.MaxRecordWords}
	}
	p.Record.Rasterized = true
	for _, o := range s.Mesh.Out {
		if !o.PerPrimitive || !wants(o) {
			continue
		}
		from, to := p.patchRec.Word(o.Semantic, o.Index), p.Record.Word(o.Semantic, o.Index)
		for i := range max(o.Type.Slots(), 1) {
			p.provoked = append(p.provoked, wordCopy{uint32(from) + i, uint32(to) + i})
		}
	}
	var err error
	if p.captures, err = newCaptures(s.Mesh); err != nil {
		return err
	}
	p.installPrograms([numPrimitiveStages]func(*primitiveKey) (*ir.Program, error){
		task: func(*primitiveKey) (*ir.Program, error) { return meshProgram(s.Task, nil, nil) },
		mesh: func(*primitiveKey) (*ir.Program, error) { return meshProgram(s.Mesh, p.Record, p.patchRec) },
	})
	return nil
}

// MeshTopology returns the topology of the primitives of a mesh pipeline.
func (p *Pipeline) MeshTopology() enum.Topology {
	return [...]enum.Topology{enum.TopologyPointList, enum.TopologyLineList, enum.TopologyTriangleList}[corners(p.stages.Mesh.Modes)-1]
}

// IsMesh reports whether the pipeline has a mesh program.
func (p *Pipeline) IsMesh() bool { return p.stages.Mesh != nil }

// MeshVertices estimates the vertices of some workgroups of a draw, as MeshPrimitives does. The task
// program counts with the vertices of a chunk for each of its jobs.
func (p *Pipeline) MeshVertices(groups uint32) uint64 {
	if p.stages.Task != nil {
		return uint64(groups) * ChunkVertices / taskGroups
	}
	return uint64(groups) * uint64(p.stages.Mesh.OutputVertices)
}

// MeshPrimitives estimates the primitives of some workgroups of a draw: as many as fit. Each workgroup of a
// task program counts as one mesh workgroup.
func (p *Pipeline) MeshPrimitives(groups uint32) uint64 {
	return uint64(groups) * uint64(p.stages.Mesh.OutputPrimitives)
}

// FillGroups sets the workgroups of the next task: a range from first on, in some chunks. It returns the
// end of the range, which is first at the end of the draw.
func (p *Pipeline) FillGroups(w *Scratch, total, first uint32, chunks int) (end uint32) {
	n := uint32(taskGroups)
	if p.stages.Task == nil {
		n = p.meshGroups() * uint32(chunks)
	}
	w.groups = groupRange{first, first + min(n, total-first)}
	return w.groups.end
}

// meshGroups returns the number of mesh workgroups whose vertices and primitives fill a chunk.
func (p *Pipeline) meshGroups() uint32 {
	m := p.stages.Mesh
	vertices, primitives := max(m.OutputVertices, 1), max(m.OutputPrimitives, 1)
	return max(min(ChunkVertices/vertices, chunkPrimitives/primitives, meshBytes/(vertices*p.Record.Stride)), 1)
}

// jobVertices returns the vertex records of a workgroup: its vertices, and copies of the provoking vertex
// of each primitive if primitives have outputs.
func (p *Pipeline) jobVertices() uint32 {
	n := p.stages.Mesh.OutputVertices
	if len(p.provoked) > 0 {
		n += p.stages.Mesh.OutputPrimitives
	}
	return n
}

// runMesh moves the workgroups of a task through the stages.
func (d *Binner) runMesh(ctx context.Context) error {
	d.beginMesh()
	if d.programs[task] == nil {
		var payloads []byte
		if x := d.Args.Node; x != nil {
			payloads = x.Data
		}
		if err := d.runMeshGroups(ctx, d.Args.Tasks, d.groups, payloads, nil); err != nil {
			return err
		}
		return d.endMesh(ctx)
	}
	size, stride := int(d.Pipeline.stages.Task.PayloadBytes), payloadStride(d.Pipeline.stages.Task)
	for first := d.groups.first; first < d.groups.end; first += taskGroups {
		n := min(taskGroups, d.groups.end-first)
		if err := d.runTasks(ctx, first, n); err != nil {
			return err
		}
		// The counts are copied, because mesh jobs use the same memory.
		var emitted [taskGroups][taskWords]uint32
		for i := range emitted[:n] {
			emitted[i] = [taskWords]uint32(d.counts.Words(taskWords * int(n))[taskWords*i:])
		}
		for i, grid := range emitted[:n] {
			total, err := MeshTotal(grid)
			if err != nil {
				return err
			}
			// Each mesh workgroup of a task reads the payload of this task alone, and its shadow.
			payload, shadow := d.payloads.Bytes(stride * int(n))[stride*i:][:size], []byte(nil)
			if shadowsPayload(d.Pipeline.stages.Task) {
				shadow = d.shadows.Bytes(stride * int(n))[stride*i:][:size]
			}
			if err := d.runMeshGroups(ctx, grid, groupRange{0, total}, payload, shadow); err != nil {
				return err
			}
		}
	}
	return d.endMesh(ctx)
}

// Limits of the workgroups of a mesh draw and of a task.
const (
	MaxMeshGroups      = 1<<16 - 1 // in a dimension (maxTaskWorkGroupCount, maxMeshWorkGroupCount)
	MaxMeshGroupsTotal = 1 << 22   // maxTaskWorkGroupTotalCount, maxMeshWorkGroupTotalCount
)

// MeshTotal returns the number of workgroups of a grid, or an error if it exceeds a limit.
func MeshTotal(grid [3]uint32) (uint32, error) {
	total := uint64(1)
	for _, n := range grid {
		if n > MaxMeshGroups {
			return 0, &exec.LimitError{Quantity: "mesh workgroups in a dimension", Value: uint64(n), Max: MaxMeshGroups}
		}
		total *= uint64(n)
	}
	if total > MaxMeshGroupsTotal {
		return 0, &exec.LimitError{Quantity: "mesh workgroups", Value: total, Max: MaxMeshGroupsTotal}
	}
	return uint32(total), nil
}

// DrawTotal returns the number of workgroups of a mesh draw, or an error if it exceeds a limit.
func DrawTotal(a *state.Args) (uint32, error) {
	n, err := MeshTotal(a.Tasks)
	if a.Node == nil || err != nil {
		return n, err
	}
	if a.Node.Total > MaxMeshGroupsTotal {
		return 0, &exec.LimitError{Quantity: "mesh workgroups", Value: uint64(a.Node.Total), Max: MaxMeshGroupsTotal}
	}
	return a.Node.Total, nil
}

// setMeshParams sets the parameters of a job. The base is the first workgroup of the grid in x.
func (d *Binner) setMeshParams(first uint32, grid [3]uint32, base uint32) {
	d.primitiveParams.Grow(4 * meshWords)
	w := d.primitiveParams.Words(meshWords)
	w[meshFirst], w[meshView], w[meshDrawIndex], w[meshRecord], w[meshBase] = first, d.View, d.Args.DrawIndex, d.vertexNext, base
	copy(w[meshGroups:], grid[:])
	if x := d.Args.Node; x != nil {
		w[meshFirst] += x.First
		w[nodeEach], w[nodePayloads], w[nodeStride] = grid[0]*grid[1]*grid[2], x.Payloads, x.Stride
		w[nodeIndex], w[nodeRecursion], w[nodeShare] = x.Index, x.Recursion, x.Share
		view := uint32(bits.OnesCount32(d.state.ViewMask & (1<<d.View - 1)))
		w[nodeTargets], w[nodeArea], w[nodeAreaBytes] = x.Targets, x.Areas+(view*x.Total+first)*x.AreaBytes, x.AreaBytes
	}
	d.Own.Buffers[layout.BindParams] = compose.Shared(d.primitiveParams.Bytes(4 * meshWords))
}

// runTasks runs the task program for n workgroups from number first on. Words that it does not write
// are 0, so that a workgroup without OpEmitMeshTasksEXT emits nothing.
func (d *Binner) runTasks(ctx context.Context, first, n uint32) error {
	d.setMeshParams(first, d.Args.Tasks, d.Args.FirstTask)
	p := d.Pipeline.stages.Task
	o := &d.Own.Buffers
	o[layout.BindEmissions] = compose.Shared(cleared(&d.counts, 4*taskWords*int(n)))
	o[layout.BindPayload] = compose.Shared(cleared(&d.payloads, int(n)*payloadStride(p)))
	if shadowsPayload(p) {
		o[layout.BindPayloadShadow] = compose.Shared(cleared(&d.shadows, int(n)*payloadStride(p)))
	}
	if s := d.statistics(); s != nil {
		s.TaskInvocations += uint64(n) * uint64(p.Invocations())
	}
	return d.runPrimitiveProgram(ctx, task, n)
}

// payloadStride returns the bytes from the payload of a workgroup to the next one: the engines align descriptors to 8 bytes.
func payloadStride(task *ir.Program) int { return int(task.PayloadBytes+7) &^ 7 }

// shadowsPayload reports whether a task program writes the shadow of its payload.
func shadowsPayload(task *ir.Program) bool {
	return slices.ContainsFunc(task.Out, func(o ir.Output) bool { return o.Semantic == ir.TaskPayload && o.Index > 0 })
}

// cleared returns n bytes of memory, all 0.
func cleared(m *compose.Memory, n int) []byte {
	m.Grow(n)
	b := m.Bytes(n)
	clear(b)
	return b
}

// runMeshGroups runs the mesh program for a range of the workgroups of a grid. A payload without a shadow is defined.
func (d *Binner) runMeshGroups(ctx context.Context, grid [3]uint32, r groupRange, payload, shadow []byte) error {
	p := d.Pipeline
	m, each := p.stages.Mesh, max(p.jobVertices(), 1)
	base := uint32(0)
	if d.programs[task] == nil {
		base = d.Args.FirstTask
	}
	capacity := p.meshGroups() * each
	for first := r.first; first < r.end; {
		if d.Stop.Load() {
			return ctx.Err()
		}
		room := (capacity - d.vertexNext) / each
		if room == 0 {
			if err := d.endMesh(ctx); err != nil {
				return err
			}
			continue
		}
		n := min(room, r.end-first)
		d.setMeshParams(first, grid, base)
		stride := int(p.Record.Stride)
		// A mesh program may leave outputs unwritten. Zeros make the result independent of earlier work.
		clear(d.emitted.Bytes(int(d.vertexNext+n*m.OutputVertices) * stride)[int(d.vertexNext)*stride:])
		o := &d.Own.Buffers
		o[layout.BindRecords] = compose.Shared(compose.BytesOf(d.emitted.Data))
		o[layout.BindEmissions] = compose.Shared(cleared(&d.counts, 4*meshCountWords*int(n)))
		o[layout.BindPatches] = compose.Shared(cleared(&d.primitives, int(n*m.OutputPrimitives*p.patchRec.Stride)))
		o[layout.BindPayload], o[layout.BindPayloadShadow] = compose.Shared(payload), compose.Shared(shadow)
		if err := d.runPrimitiveProgram(ctx, mesh, n); err != nil {
			return err
		}
		if s := d.statistics(); s != nil {
			s.MeshInvocations += uint64(n) * uint64(m.Invocations())
		}
		d.gatherPrimitives(n)
		first += n
	}
	return nil
}

// beginMesh begins an empty list of primitives.
func (d *Binner) beginMesh() {
	p := d.Pipeline
	f := &d.flows[mesh]
	*f = primitiveList{records: &d.emitted, topology: p.MeshTopology(), primitives: f.primitives[:0]}
	d.vertexNext = 0
	d.emitted.Grow(int(p.meshGroups()*p.jobVertices()) * int(p.Record.Stride))
}

// endMesh passes the gathered primitives to the rasterizer and begins an empty list.
func (d *Binner) endMesh(ctx context.Context) error {
	f := &d.flows[mesh]
	f.vertices = d.vertexNext
	err := d.rasterize(ctx, f)
	d.beginMesh()
	return err
}

// gatherPrimitives adds the primitives of the n workgroups of a job to the list, in order. A primitive
// with a vertex that the workgroup did not emit is left out.
func (d *Binner) gatherPrimitives(n uint32) {
	p := d.Pipeline
	m, f, rec := p.stages.Mesh, &d.flows[mesh], p.patchRec.Stride/4
	counts, records := d.counts.Words(meshCountWords*int(n)), d.primitives.Words(int(n*m.OutputPrimitives*rec))
	f.primitives = slices.Grow(f.primitives, int(n*m.OutputPrimitives))
	last, id := uint32(0), p.patchRec.Word(ir.PrimitiveId, 0)
	if d.state.Rasterization.LastVertex {
		last = corners(m.Modes) - 1
	}
	// A corner that points or lines do not have is the workgroup's first vertex, which nothing reads.
	second, third := ^uint32(0), ^uint32(0)
	switch corners(m.Modes) {
	case 1:
		second, third = 0, 0
	case 2:
		third = 0
	}
	statistics, copies := d.statistics(), d.vertexNext+n*m.OutputVertices
	for g := range n {
		first := d.vertexNext + g*m.OutputVertices
		vertices, primitives := min(counts[meshCountWords*g], m.OutputVertices), min(counts[meshCountWords*g+1], m.OutputPrimitives)
		if statistics != nil {
			statistics.MeshPrimitives += uint64(primitives)
		}
		list := f.primitives[len(f.primitives):cap(f.primitives)]
		group := records[g*m.OutputPrimitives*rec:][:primitives*rec]
		for ; uint32(len(group)) >= rec && len(list) > 0; group = group[rec:] {
			r := (*[4]uint32)(group)
			v := [3]uint32{r[primitiveCorner], r[primitiveCorner+1] & second, r[primitiveCorner+2] & third}
			if r[primitiveCull] != 0 || max(v[0], v[1], v[2]) >= vertices {
				continue
			}
			q := &list[0]
			list = list[1:]
			*q = primitive{v: [3]uint32{first + v[0], first + v[1], first + v[2]}, begins: true}
			if id >= 0 {
				q.id = group[id]
			}
			if len(p.provoked) > 0 {
				d.copyProvoking(copies, q.v[last], group)
				q.v[last] = copies
				copies++
			}
			q.provoking = q.v[last]
		}
		f.primitives = f.primitives[:cap(f.primitives)-len(list)]
	}
	d.vertexNext = copies
}

// copyProvoking makes record to a copy of a provoking vertex with the outputs of its primitive. The
// rasterizer and fragments read these from the provoking vertex. Other primitives can have the same vertex.
func (d *Binner) copyProvoking(to, from uint32, primitive []uint32) {
	stride := d.Pipeline.Record.Stride / 4
	w := d.emitted.Words(int((to + 1) * stride))
	out := w[to*stride:]
	copy(out, w[from*stride:][:stride])
	for _, c := range d.Pipeline.provoked {
		out[c.to] = primitive[c.from]
	}
}
