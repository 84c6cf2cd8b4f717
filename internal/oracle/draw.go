package oracle

import (
	"context"
	"fmt"
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Draw is a draw with a vertex and a fragment shader, and perhaps a geometry shader; or with a mesh and a fragment shader.
type Draw struct {
	Vertex, Fragment Job  // without workgroups; all have the same memory
	Control          *Job // tessellation control; nil for none
	Evaluation       *Job // tessellation evaluation, with it
	Geometry         *Job // nil for none
	Task             *Job // with its workgroups, before the mesh shader; nil for none
	Mesh             *Job // with its workgroups but after a task shader, in place of the vertex shader; nil for none
	// Input returns the numbers of a vertex attribute. It has four of them.
	Input     func(location, vertex, instance uint32) []Number
	Vertices  []uint32 // of the draw in order: VertexIndex
	Restarts  []int    // the numbers of vertices at which primitive restart begins the topology again, ascending
	First     uint32   // the first instance
	Instances uint32
	State     *vk.FixedState
	Width     int // of the rendering
	Height    int
	Layers    int       // of the rendering, the least number of all attachments; 0 is 1
	Colors    []*Target // nil for unused ones
	Depth     *Target   // depth and stencil; nil for none
}

// Outcome says why a draw has no verdict.
type Outcome struct {
	Undecided string // "" if it has one; else every content of the targets is permitted
	Pixels    int    // fragments without a verdict: their shader is undecided
	Why       string // of the first of them
}

// shading is the state of an invocation of a stage of a draw.
type shading struct {
	inputs    map[slot][]Number // by the place of a component
	builtIns  map[spirv.BuiltIn][]Number
	discarded bool

	vertices []*corner // of the primitive of a geometry shader
	emission *emission // likewise
}

// slot is the place of a component in an interface.
type slot struct{ location, component uint32 }

// maxFragments bounds the fragments of a draw.
const maxFragments = 1 << 20

// maxWork bounds the pixels of the rectangles around the triangles of a draw. triangleWork is the pixels that take as long as a
// triangle without any.
const (
	maxWork      = 1 << 24
	triangleWork = 64
)

// drawing is a draw on its way.
type drawing struct {
	*Draw
	Outcome
	ctx                 context.Context
	vertex              *dispatch
	fragment            *dispatch
	geometry            *dispatch // nil for none
	control, evaluation *dispatch // likewise
	patch               *patch    // the current one; nil for none
	mesh                *dispatch // likewise
	task                *dispatch // likewise
	before              int       // primitives before the current run of vertices
	quads               bool      // the invocations of a quad run together
	// perSample: the fragment shader runs for each sample
	perSample bool
	early     bool // the tests are before the fragment shader
	flat      map[slot]interpolation
	steps     int
	shaded    int
	worked    int // triangles and pixels
	viewport  int // of the current primitive
	// unordered is the workgroup of the current primitive, from 1; 0 if all primitives have an order. touched has the last one that may have changed
	// a pixel, and crossed those of several workgroups.
	unordered int
	touched   map[[3]int]int // by the pixel and the layer
	crossed   map[[3]int]bool
	// edges are the texels that a triangle changed without being certain to cover them, with the edge that is open.
	edges     map[[4]int]*openEdge // by the pixel, the sample and the layer
	layers    [][][]*Target        // see sampleTargets
	layer     int                  // of the current primitive
	viewIndex uint32               // ViewIndex
	views     bool                 // multiview: viewIndex is the layer, too
	samples   [][]*Target          // of this layer
	sample    int                  // the current one
}

// Run changes the targets of a draw to the permitted contents after it. The error is of a context that ends.
func (w *Draw) Run(ctx context.Context) (out Outcome, err error) {
	d := &drawing{Draw: w, ctx: ctx, edges: map[[4]int]*openEdge{}, touched: map[[3]int]int{}, crossed: map[[3]int]bool{}}
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		s, ok := e.(stop)
		if !ok {
			panic(e)
		}
		if out, err = d.Outcome, s.err; err == nil {
			out.Undecided = s.why
			d.lose()
		}
	}()
	d.check()
	for layer := range max(w.Layers, 1) {
		d.layers = append(d.layers, d.sampleTargets(layer))
	}
	d.samples = d.layers[0]
	d.fragment = newDispatch(ctx, &w.Fragment)
	if w.Mesh != nil {
		d.mesh = newDispatch(ctx, w.Mesh)
	} else {
		d.vertex = newDispatch(ctx, &w.Vertex)
	}
	if w.Task != nil {
		d.task = newDispatch(ctx, w.Task)
	}
	if w.Control != nil {
		d.control, d.evaluation = newDispatch(ctx, w.Control), newDispatch(ctx, w.Evaluation)
	}
	if w.Geometry != nil {
		d.geometry = newDispatch(ctx, w.Geometry)
	}
	d.quads = d.fragment.together()
	if d.perSample = len(d.samples) > 1 && d.Fragment.perSample(); d.perSample && d.quads {
		panic(stop{why: "derivatives with sample shading"})
	}
	_, d.early = w.Fragment.Entry.Mode(spirv.ExecutionModeEarlyFragmentTests)
	d.readInterpolation()
	if d.views = w.State.Rendering.ViewMask != 0; !d.views {
		d.drawView()
		return d.Outcome, nil
	}
	for d.viewIndex = range uint32(32) {
		if w.State.Rendering.ViewMask>>d.viewIndex&1 != 0 {
			d.drawView()
		}
	}
	return d.Outcome, nil
}

// drawView draws the primitives of all instances for one view: as a draw of its own to the layer of its number (Vulkan, "Multiview").
func (d *drawing) drawView() {
	if d.mesh != nil {
		if d.mesh.viewIndex = d.viewIndex; d.task != nil {
			d.task.viewIndex = d.viewIndex
			d.tasks()
		} else {
			d.meshes(d.Mesh.Groups, nil)
		}
		d.loseCrossed()
		return
	}
	for i := range d.Instances {
		d.instance(d.First + i)
	}
}

// writes reports whether a stage may store to a built-in output.
func (j *Job) writes(b spirv.BuiltIn) (found bool) {
	for _, id := range j.Entry.Interface {
		v := j.Module.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassOutput || v.Type == nil {
			continue
		}
		one := *v
		if v.Type.IsArray() { // of vertices or primitives
			one.Type = v.Type.Elem
		}
		eachSlot(j.Module, &one, func(_ slot, own spirv.BuiltIn, builtIn bool, _ int, _ *facts.Type, _ interpolation) {
			found = found || builtIn && own == b && j.accesses(v, b)
		})
	}
	return found
}

// work counts triangles and pixels, and ends a draw of too many or without a context.
func (d *drawing) work(n int) {
	if err := d.ctx.Err(); err != nil {
		panic(stop{err: err})
	}
	if d.worked += n; d.worked > maxWork {
		panic(stop{why: "more pixels of triangles than are judged"})
	}
}

// lose permits any content of the targets.
func (d *drawing) lose() {
	for _, t := range append(d.Colors, d.Depth) {
		if t != nil {
			t.Lose()
		}
	}
}

// check rejects draws without a verdict.
func (d *drawing) check() {
	s := d.State
	fail := func(why string) { panic(stop{why: why}) }
	switch {
	case sampleLocations[max(s.Multisample.Samples, 1)] == nil || s.Multisample.Locations:
		fail("samples without standard locations")
	case s.Rasterization.Polygon > enum.PolygonModePoint:
		fail("polygons as rectangles")
	case s.Rasterization.Conservative != 0:
		fail("conservative rasterization")
	case s.ShadingRate != nil && (s.ShadingRate.Width > 1 || s.ShadingRate.Height > 1):
		fail("shading rates")
	case d.last().decorates(spirv.DecorationPassthroughNV, spirv.DecorationPerViewNV, spirv.DecorationViewportRelativeNV, spirv.DecorationSecondaryViewportRelativeNV):
		fail("outputs that pass through a shader, or that depend on the view or the viewport")
	case s.Rendering.ViewMask != 0 && d.last().writes(spirv.BuiltInLayer):
		fail("a layer that a shader stores, with several views")
	case d.Mesh != nil && (d.Mesh.Entry.Model != spirv.ExecutionModelMeshEXT || d.Geometry != nil):
		fail("a mesh shader of another kind")
	case d.Task != nil && (d.Mesh == nil || d.Task.Entry.Model != spirv.ExecutionModelTaskEXT):
		fail("a task shader of another kind")
	case d.Geometry != nil && d.Control != nil:
		fail("a geometry shader of patches") // the order of their vertices is open
	case (d.Control == nil) != (d.Evaluation == nil):
		fail("one of the tessellation shaders alone")
	case s.Rasterization.Stream != 0:
		fail("a vertex stream of a geometry shader")
	case s.Multisample.AlphaToCoverage || s.Multisample.AlphaToOne || s.SampleMask != nil || len(s.DiscardRectangles) > 0:
		fail("alpha to coverage or to one, sample masks or discard rectangles")
	case len(s.Viewports) == 0 || len(s.Scissors) != len(s.Viewports) || s.NegativeOneToOne:
		fail("viewports without scissors, or depths from -1 on")
	case d.Mesh == nil && !d.Vertex.keeps() || !d.Fragment.keeps() || d.Geometry != nil && !d.Geometry.keeps() || d.Mesh != nil && !d.Mesh.keeps() || d.Task != nil && !d.Task.keeps() ||
		d.Control != nil && !(d.Control.keeps() && d.Evaluation.keeps()):
		fail("stores of its shaders to memory that they share")
	}
}

// decorates reports whether the module has one of some decorations.
func (j *Job) decorates(list ...spirv.Decoration) bool {
	m := j.Module
	for id, member := range m.Decorated() {
		for _, d := range list {
			if member < 0 && m.Has(id, d) || member >= 0 && m.HasMember(id, member, d) {
				return true
			}
		}
	}
	return false
}

// last returns the last stage before the rasterization.
func (w *Draw) last() *Job {
	switch {
	case w.Mesh != nil:
		return w.Mesh
	case w.Evaluation != nil:
		return w.Evaluation
	case w.Geometry != nil:
		return w.Geometry
	}
	return &w.Vertex
}

// keeps reports whether no invocation stores to memory that others see, but for the memory of its workgroup.
func (j *Job) keeps() bool {
	for _, f := range j.Module.CallTree(j.Entry) {
		for i := f.Index; i < f.End; i++ {
			in := j.Module.Code.Inst(i)
			switch in.Op() {
			case spirv.OpImageWrite, spirv.OpImageTexelPointer:
				return false
			case spirv.OpStore, spirv.OpCopyMemory, spirv.OpCopyMemorySized:
				t := j.Module.TypeOf(spirv.ID(in[1]))
				if t == nil || !t.IsPointer() {
					return false
				}
				switch t.Storage {
				case spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassOutput, spirv.StorageClassWorkgroup:
				case spirv.StorageClassTaskPayloadWorkgroupEXT:
					if j.Entry.Model != spirv.ExecutionModelTaskEXT {
						return false
					}
				default:
					return false
				}
			case spirv.OpAtomicStore, spirv.OpAtomicExchange, spirv.OpAtomicCompareExchange, spirv.OpAtomicFAddEXT, spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
				return false
			}
			if commutative[in.Op()] != 0 {
				return false
			}
		}
	}
	return true
}

// newDispatch returns the state of the invocations of a stage.
func newDispatch(ctx context.Context, job *Job) *dispatch {
	d := &dispatch{ctx: ctx, job: job, m: job.Module, outside: map[Place]*outside{}, buffers: map[Place]*buffer{},
		preserve: map[uint32]bool{}, infinite: map[uint32]bool{}, modes: map[*facts.Type]spirv.FPFastMathMode{}}
	d.readModes()
	for at, b := range job.Buffers {
		d.outside[at] = &outside{edge: math.MaxUint64, robust2: job.Robust2[at]}
		d.buffers[at] = &buffer{bytes: b, cells: map[uint64]*cell{}, outside: d.outside[at], align: storageAlignment}
	}
	d.push = &buffer{bytes: job.Push, cells: map[uint64]*cell{}, align: storageAlignment, outside: &outside{edge: math.MaxUint64}}
	return d
}

// shade runs some invocations of a stage, which may wait for each other. An undecided one makes them all undecided.
func (d *drawing) shade(of *dispatch, together bool, list []*shading) (machines []*machine, why string) {
	g := &group{number: 1, epoch: 1, buffers: 1, shared: map[spirv.ID]*local{}}
	for i, s := range list {
		machines = append(machines, &machine{dispatch: of, group: g, invocation: uint64(i) + 1, locals: map[spirv.ID]*local{}, shading: s})
	}
	why = d.guarded(of, func() {
		if together {
			g.runTogether(machines)
			return
		}
		for _, m := range machines {
			m.call(of.job.Entry.Func, nil)
		}
	})
	if why != "" {
		return nil, why
	}
	return machines, ""
}

// guarded runs invocations of a stage, and returns why they are undecided.
func (d *drawing) guarded(of *dispatch, run func()) (why string) {
	defer func() {
		d.steps += of.steps
		of.steps = 0
		if e := recover(); e != nil {
			s, ok := e.(stop)
			if !ok {
				panic(e)
			}
			if s.err != nil {
				panic(s)
			}
			why = fmt.Sprintf("%s, instruction %d of the %s shader", s.why, s.at+1, stageName(of.job.Entry.Model))
		}
	}()
	if d.steps > maxSteps {
		panic(stop{why: fmt.Sprintf("more than %d executions of instructions", maxSteps)})
	}
	run()
	return ""
}

func stageName(m spirv.ExecutionModel) string {
	switch m {
	case spirv.ExecutionModelVertex:
		return "vertex"
	case spirv.ExecutionModelGeometry:
		return "geometry"
	case spirv.ExecutionModelTessellationControl:
		return "tessellation control"
	case spirv.ExecutionModelTessellationEvaluation:
		return "tessellation evaluation"
	case spirv.ExecutionModelMeshEXT:
		return "mesh"
	case spirv.ExecutionModelTaskEXT:
		return "task"
	}
	return "fragment"
}

// instance draws one instance.
func (d *drawing) instance(instance uint32) {
	cache := map[uint32]*corner{}
	first := 0
	d.before = 0
	for i := range len(d.Restarts) + 1 {
		end := len(d.Vertices)
		if i < len(d.Restarts) {
			end = d.Restarts[i]
		}
		list := d.Vertices[first:end]
		d.assemble(len(list), func(i int) *corner {
			v := list[i]
			if cache[v] == nil {
				cache[v] = d.corner(v, instance)
			}
			return cache[v]
		})
		d.before += primitivesOf(d.State.Assembly.Topology, len(list))
		first = end
	}
}

// primitivesOf returns the number of primitives of n vertices.
func primitivesOf(t enum.Topology, n int) int {
	switch t {
	case enum.TopologyPointList:
		return n
	case enum.TopologyLineList:
		return n / 2
	case enum.TopologyLineStrip:
		return max(n-1, 0)
	case enum.TopologyTriangleList:
		return n / 3
	case enum.TopologyLineListWithAdjacency:
		return n / 4
	case enum.TopologyLineStripWithAdjacency:
		return max(n-3, 0)
	case enum.TopologyTriangleListWithAdjacency:
		return n / 6
	case enum.TopologyTriangleStripWithAdjacency:
		return max((n-4)/2, 0)
	}
	return max(n-2, 0)
}

// assemble draws the primitives of n vertices.
func (d *drawing) assemble(n int, at func(i int) *corner) {
	// With the last vertex as the provoking one, it is vertex i+2 of each list of i, i+1 and i+2 ("Triangle Lists", "Triangle Strips", "Triangle Fans").
	turned := 0
	if d.State.Rasterization.Provoking == enum.ProvokingVertexLastVertex {
		turned = 1
	}
	switch d.State.Assembly.Topology {
	case enum.TopologyTriangleList:
		for i := 0; i+2 < n; i += 3 {
			d.triangle(i/3, at(i+2*turned), at(i), at(i+1), at(i+2))
		}
	case enum.TopologyTriangleStrip:
		for i := 0; i+2 < n; i++ {
			if i%2 == 0 {
				d.triangle(i, at(i+2*turned), at(i), at(i+1), at(i+2))
			} else {
				d.triangle(i, at(i+2*turned), at(i), at(i+2), at(i+1))
			}
		}
	case enum.TopologyTriangleFan:
		for i := 0; i+2 < n; i++ { // the provoking vertex is the second one
			d.triangle(i, at(i+1+turned), at(i+1), at(i+2), at(0))
		}
	default:
		d.primitives(n, turned, at)
	}
}

// corner is a vertex after its shader.
type corner struct {
	x, y, z, w Number
	size       Number   // PointSize
	viewport   Number   // ViewportIndex
	layer      Number   // Layer
	primitive  Number   // PrimitiveId, an output of a geometry or a mesh shader
	clips      []Number // ClipDistance
	culls      []Number // CullDistance
	outputs    map[slot]Number
	culled     Number          // CullPrimitiveEXT
	each       map[slot]Number // of a provoking vertex of a mesh shader: the outputs of the primitive
}

// corner runs the vertex shader.
func (d *drawing) corner(vertex, instance uint32) *corner {
	s := &shading{inputs: map[slot][]Number{}, builtIns: map[spirv.BuiltIn][]Number{
		spirv.BuiltInVertexIndex: {{Bits: uint64(vertex)}}, spirv.BuiltInInstanceIndex: {{Bits: uint64(instance)}},
		spirv.BuiltInBaseVertex: {{Any: true}}, spirv.BuiltInBaseInstance: {{Bits: uint64(d.First)}}, spirv.BuiltInDrawIndex: {{Bits: 0}}, spirv.BuiltInViewIndex: {{Bits: uint64(d.viewIndex)}},
	}}
	m := d.vertex.m
	for _, id := range d.Vertex.Entry.Interface {
		if v := m.Variable(id); v != nil && v.Storage == spirv.StorageClassInput {
			eachSlot(m, v, func(at slot, _ spirv.BuiltIn, builtIn bool, _ int, _ *facts.Type, _ interpolation) {
				if list := d.Input(at.location, vertex, instance); !builtIn && int(at.component) < len(list) {
					s.inputs[at] = list[at.component : at.component+1]
				}
			})
		}
	}
	machines, why := d.shade(d.vertex, false, []*shading{s})
	if why != "" {
		panic(stop{why: why})
	}
	return machines[0].corner(d.Vertex.Entry)
}

// corner returns the vertex that the outputs of an invocation make.
func (m *machine) corner(e *facts.EntryPoint) *corner {
	c := &corner{outputs: map[slot]Number{}}
	any := Number{Any: true}
	c.x, c.y, c.z, c.w, c.size, c.primitive = any, any, any, any, point(1), any // the size is 1 if no shader writes it (maintenance5)
	for _, id := range e.Interface {
		v := m.m.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassOutput {
			continue
		}
		l := m.locals[id]
		eachSlot(m.m, v, func(at slot, b spirv.BuiltIn, builtIn bool, leaf int, _ *facts.Type, _ interpolation) {
			n := any
			if l != nil {
				n = l.leaves[leaf]
			}
			switch {
			case !builtIn:
				c.outputs[at] = n
			case b == spirv.BuiltInPosition:
				*[...]*Number{&c.x, &c.y, &c.z, &c.w}[at.component] = n
			case !m.job.accesses(v, b) || c.setDistance(b, at.component, n):
			case b == spirv.BuiltInLayer:
				c.layer = n
			case n.Any && n.At == 0 && (b == spirv.BuiltInPointSize || b == spirv.BuiltInViewportIndex || b == spirv.BuiltInPrimitiveId): // not written
			case b == spirv.BuiltInPointSize:
				c.size = n
			case b == spirv.BuiltInViewportIndex:
				c.viewport = n
			case b == spirv.BuiltInPrimitiveId:
				c.primitive = n
			default:
				panic(stop{why: "a " + stageName(e.Model) + " shader with " + b.String()})
			}
		})
	}
	return c
}

// interpolation is the decorations of an input of the fragment shader.
type interpolation struct {
	flat, linear bool
	primitive    bool // a value of the primitive (PerPrimitiveEXT)
}

// eachSlot calls do with each scalar of a variable of an interface: its place, or its built-in and its number in it, and its number
// in the variable.
func eachSlot(m *facts.Module, v *facts.Variable, do func(at slot, b spirv.BuiltIn, builtIn bool, leaf int, t *facts.Type, how interpolation)) {
	leaf := 0
	var walk func(t *facts.Type, at slot, b spirv.BuiltIn, builtIn bool, how interpolation) slot
	walk = func(t *facts.Type, at slot, b spirv.BuiltIn, builtIn bool, how interpolation) slot {
		switch {
		case t == nil:
		case t.IsScalar():
			if t.Width > 32 {
				panic(stop{why: "an interface with numbers of 64 bits"})
			}
			do(at, b, builtIn, leaf, t, how)
			leaf++
			at.component++
		case t.IsVector():
			for range t.Count {
				at = walk(t.Elem, at, b, builtIn, how)
			}
		case t.IsMatrix(), t.IsArray() && !t.IsRuntimeArray():
			for range t.Count {
				next := walk(t.Elem, at, b, builtIn, how)
				if builtIn {
					at = next
				} else if at.location++; t.Elem.IsMatrix() || t.Elem.IsArray() {
					at = slot{next.location, at.component}
				}
			}
		default:
			panic(stop{why: "an interface of another type"})
		}
		return at
	}
	howOf := func(has func(spirv.Decoration) bool) interpolation {
		return interpolation{has(spirv.DecorationFlat), has(spirv.DecorationNoPerspective), has(spirv.DecorationPerPrimitiveEXT)}
	}
	how := howOf(func(d spirv.Decoration) bool { return m.Has(v.ID, d) })
	at := slot{}
	if d, ok := m.Decoration(v.ID, spirv.DecorationLocation); ok {
		at.location = d.Literal()
	}
	if d, ok := m.Decoration(v.ID, spirv.DecorationComponent); ok {
		at.component = d.Literal()
	}
	b, builtIn := m.BuiltIn(v.ID)
	if v.Type == nil || !v.Type.IsStruct() {
		walk(v.Type, at, b, builtIn, how)
		return
	}
	for i := range v.Type.Members {
		own := howOf(func(d spirv.Decoration) bool { return m.HasMember(v.Type.ID, i, d) })
		own.flat, own.linear, own.primitive = own.flat || how.flat, own.linear || how.linear, own.primitive || how.primitive
		if d, ok := m.MemberDecoration(v.Type.ID, i, spirv.DecorationLocation); ok {
			at = slot{location: d.Literal()}
		}
		at.component = 0
		if d, ok := m.MemberDecoration(v.Type.ID, i, spirv.DecorationComponent); ok {
			at.component = d.Literal()
		}
		b, builtIn := m.MemberBuiltIn(v.Type.ID, i)
		t := v.Type.Members[i].Type
		next := walk(t, slot{at.location, at.component}, b, builtIn, own)
		if t != nil && !builtIn {
			if at.location = next.location; t.IsScalar() || t.IsVector() {
				at.location++
			}
		}
	}
}

// shaderInput returns an input variable of a stage of a draw.
func (x *frame) shaderInput(v *facts.Variable) *local {
	if l, ok := x.arrayed(v); ok {
		return l
	}
	l := &local{relaxed: x.m.Has(v.ID, spirv.DecorationRelaxedPrecision)}
	eachSlot(x.m, v, func(at slot, b spirv.BuiltIn, builtIn bool, _ int, _ *facts.Type, _ interpolation) {
		n := Number{Any: true}
		if builtIn {
			if list := x.shading.builtIns[b]; int(at.component) < len(list) {
				n = list[at.component]
			}
		} else if list := x.shading.inputs[at]; len(list) > 0 {
			n = list[0]
		}
		l.leaves = append(l.leaves, n)
	})
	x.locals[v.ID] = l
	return l
}

// together reports whether invocations of a quad take values of each other.
func (d *dispatch) together() bool {
	for _, f := range d.m.CallTree(d.job.Entry) {
		for i := f.Index; i < f.End; i++ {
			if op := d.m.Code.Inst(i).Op(); isGroupOperation(op) || derivatives[op] != 0 || implicit[op] {
				return true
			}
		}
	}
	return false
}
