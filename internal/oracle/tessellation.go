package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/tess"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Tessellation (Vulkan, "Tessellation"): the control shader runs for each control point of a patch, the tessellator subdivides the domain by its
// levels, and the evaluation shader makes a vertex of each point of the domain.

// coordinateError bounds the error of a number of TessCoord that is not 0 or 1: two operations ("Floating-Point Computation").
const coordinateError = 2 * operationError

// leastMaxLevel is the least maxTessellationGenerationLevel: an implementation may clamp greater levels.
const leastMaxLevel = tess.MaxLevel

// control is the outputs of a control shader for a patch, which its invocations share.
type control struct {
	outputs map[spirv.ID]*local
}

// controlOutput returns an output of the control shader.
func (x *frame) controlOutput(v *facts.Variable) *local {
	outputs := x.group.control.outputs
	l := outputs[v.ID]
	if l == nil {
		l = x.newLocal(v.ID, v.Type, v.Init)
		l.owners, l.sums = make([]owner, len(l.leaves)), make([]sum, len(l.leaves))
		outputs[v.ID] = l
	}
	return l
}

// tessellated draws the patches of n vertices.
func (d *drawing) tessellated(n int, at func(i int) *corner) {
	size := 0
	if t := d.State.Tessellation; t != nil {
		size = int(t.PatchControlPoints)
	}
	if d.control == nil || d.evaluation == nil || size == 0 || size > maxPatch {
		panic(stop{why: "patches without tessellation shaders"})
	}
	for i := 0; i+size <= n; i += size {
		corners := make([]*corner, size)
		for k := range corners {
			corners[k] = at(i + k)
		}
		d.tessellate(d.before+i/size, corners)
	}
}

// maxPatch is the least maxTessellationPatchSize.
const maxPatch = 32

// tessellate draws a patch.
func (d *drawing) tessellate(primitive int, corners []*corner) {
	c := d.shadeControl(primitive, corners)
	points := d.controlPoints(c)
	inputs, levels := d.patchInputs(c)
	e := &evaluated{primitive: primitive, inputs: inputs, points: points, levels: levels, mode: d.tessellationMode()}
	d.patch = &patch{pixels: map[[4]int]*patchPixel{}}
	defer func() {
		d.patch.loseCrossed(d)
		d.patch = nil
	}()
	outer, inner, what := d.levels(e.mode, levels)
	switch what {
	case gone:
		return
	case unknown:
		d.cloud(e)
		return
	}
	t := &tess.Tessellator{KeepStrips: true}
	t.Tessellate(e.mode, outer, inner)
	d.work(len(t.Points) * triangleWork)
	list := make([]*corner, len(t.Points))
	for i, p := range t.Points {
		list[i] = d.evaluate(e, coordinate(p.U), coordinate(p.V), coordinate(p.W))
		if list[i].layer != list[0].layer || list[i].viewport != list[0].viewport {
			panic(stop{why: severalTargets})
		}
	}
	if e.mode.Vertices() == 3 {
		d.triangles(e, t, list)
		return
	}
	for i := 0; i < len(t.Indices); i += e.mode.Vertices() {
		a := list[t.Indices[i]]
		if e.mode.Vertices() == 1 {
			d.point(&surface{primitive: primitive, provoking: a, corners: [3]*corner{a, a, a}, front: true, patch: d.patch}, a.size)
			continue
		}
		b := list[t.Indices[i+1]]
		d.line(&surface{primitive: primitive, provoking: a, corners: [3]*corner{a, b, b}, front: true, patch: d.patch})
	}
}

const severalTargets = "an evaluation shader with distances, layers or viewports of its own for each vertex"

// evaluated is a patch after its control shader.
type evaluated struct {
	primitive int
	mode      tess.Mode
	inputs    map[slot][]Number
	points    []*corner
	levels    []Number
}

// evaluate runs the evaluation shader at a place in the domain.
func (d *drawing) evaluate(e *evaluated, u, v, w Number) *corner {
	s := &shading{inputs: e.inputs, vertices: e.points, builtIns: map[spirv.BuiltIn][]Number{spirv.BuiltInTessCoord: {u, v, w},
		spirv.BuiltInPrimitiveId: {{Bits: uint64(e.primitive)}}, spirv.BuiltInPatchVertices: {{Bits: uint64(len(e.points))}}, spirv.BuiltInViewIndex: {{Bits: uint64(d.viewIndex)}},
		spirv.BuiltInTessLevelOuter: e.levels[:4], spirv.BuiltInTessLevelInner: e.levels[4:]}}
	machines, why := d.shade(d.evaluation, false, []*shading{s})
	if why != "" {
		panic(stop{why: why})
	}
	c := machines[0].corner(d.Evaluation.Entry)
	if len(c.clips)+len(c.culls) > 0 {
		panic(stop{why: severalTargets})
	}
	return c
}

// coordinate is a number of TessCoord.
func coordinate(v float32) Number {
	if v == 0 || v == 1 {
		return point(float64(v))
	}
	return Number{Low: float64(v) - coordinateError, High: float64(v) + coordinateError}
}

// shadeControl runs the control shader.
func (d *drawing) shadeControl(primitive int, corners []*corner) *control {
	mode, ok := d.Control.Entry.Mode(spirv.ExecutionModeOutputVertices)
	if !ok {
		mode, ok = d.Evaluation.Entry.Mode(spirv.ExecutionModeOutputVertices)
	}
	if !ok || len(mode.Operands) == 0 || mode.Operands[0] == 0 || mode.Operands[0] > maxPatch {
		panic(stop{why: "a control shader without OutputVertices"})
	}
	n := int(mode.Operands[0])
	d.work(n * triangleWork)
	g := &group{number: uint64(primitive) + 1, epoch: 1, buffers: 1, shared: map[spirv.ID]*local{}, control: &control{outputs: map[spirv.ID]*local{}}}
	list := make([]*machine, n)
	for i := range list {
		s := &shading{inputs: map[slot][]Number{}, vertices: corners, builtIns: map[spirv.BuiltIn][]Number{spirv.BuiltInPrimitiveId: {{Bits: uint64(primitive)}},
			spirv.BuiltInInvocationId: {{Bits: uint64(i)}}, spirv.BuiltInPatchVertices: {{Bits: uint64(len(corners))}}, spirv.BuiltInViewIndex: {{Bits: uint64(d.viewIndex)}}}}
		list[i] = &machine{dispatch: d.control, group: g, invocation: uint64(i) + 1, locals: map[spirv.ID]*local{}, shading: s}
	}
	if why := d.guarded(d.control, func() { g.runTogether(list) }); why != "" {
		panic(stop{why: why})
	}
	return g.control
}

// controlPoints returns the vertices of the output patch.
func (d *drawing) controlPoints(c *control) (list []*corner) {
	m, any := d.control.m, Number{Any: true}
	for _, id := range d.Control.Entry.Interface {
		v := m.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassOutput || isPatch(m, v) {
			continue
		}
		if !v.Type.IsArray() || v.Type.Count == 0 || v.Type.Count > maxPatch || list != nil && len(list) != int(v.Type.Count) {
			panic(stop{why: "an output of a control shader without an element for each vertex"})
		}
		for len(list) < int(v.Type.Count) {
			list = append(list, &corner{x: any, y: any, z: any, w: any, size: any, primitive: any, outputs: map[slot]Number{}})
		}
		one, l := *v, c.outputs[id]
		one.Type = v.Type.Elem
		for i, to := range list {
			eachSlot(m, &one, func(at slot, b spirv.BuiltIn, builtIn bool, leaf int, _ *facts.Type, _ interpolation) {
				n := any
				if l != nil {
					n = l.leaves[i*int(one.Type.Leaves)+leaf]
				}
				switch {
				case !builtIn:
					to.outputs[at] = n
				case b == spirv.BuiltInPosition:
					*[...]*Number{&to.x, &to.y, &to.z, &to.w}[at.component] = n
				case b == spirv.BuiltInPointSize:
					to.size = n
				}
			})
		}
	}
	return list
}

// isPatch reports whether a variable is of the patch, and has no element for each vertex.
func isPatch(m *facts.Module, v *facts.Variable) bool {
	return m.Has(v.ID, spirv.DecorationPatch) || v.Type.IsStruct() && m.HasMember(v.Type.ID, 0, spirv.DecorationPatch)
}

// isLevel reports whether an input is TessLevelOuter or TessLevelInner.
func (x *frame) isLevel(v *facts.Variable) bool {
	b, ok := x.m.BuiltIn(v.ID)
	return ok && (b == spirv.BuiltInTessLevelOuter || b == spirv.BuiltInTessLevelInner)
}

// patchInputs returns the outputs of the control shader for the patch, and its levels: four outer and two inner ones.
func (d *drawing) patchInputs(c *control) (inputs map[slot][]Number, levels []Number) {
	inputs = map[slot][]Number{}
	for range 6 {
		levels = append(levels, Number{Any: true})
	}
	m := d.control.m
	for id, l := range c.outputs {
		v := m.Variable(id)
		if !isPatch(m, v) {
			continue
		}
		eachSlot(m, v, func(at slot, b spirv.BuiltIn, builtIn bool, leaf int, _ *facts.Type, _ interpolation) {
			n := l.leaves[leaf]
			switch {
			case !builtIn:
				inputs[at] = []Number{n}
			case b == spirv.BuiltInTessLevelOuter && at.component < 4:
				levels[at.component] = n
			case b == spirv.BuiltInTessLevelInner && at.component < 2:
				levels[4+at.component] = n
			}
		})
	}
	return inputs, levels
}

// tessellationMode returns the modes of both shaders.
func (d *drawing) tessellationMode() (mode tess.Mode) {
	has := func(k spirv.ExecutionMode) bool {
		_, a := d.Control.Entry.Mode(k)
		_, b := d.Evaluation.Entry.Mode(k)
		return a || b
	}
	switch {
	case has(spirv.ExecutionModeQuads):
		mode.Domain = tess.Quads
	case has(spirv.ExecutionModeIsolines):
		mode.Domain = tess.Isolines
	}
	switch {
	case has(spirv.ExecutionModeSpacingFractionalEven):
		mode.Spacing = tess.FractionalEven
	case has(spirv.ExecutionModeSpacingFractionalOdd):
		mode.Spacing = tess.FractionalOdd
	}
	mode.PointMode = has(spirv.ExecutionModePointMode)
	// With the origin at the upper left v points down ("Tessellator Vertex Winding Order").
	mode.Clockwise = has(spirv.ExecutionModeVertexOrderCw) == (d.State.Tessellation.Origin != 0)
	return mode
}

// levels returns the levels of a known patch, which have one subdivision. The patch may be gone: discarded.
func (d *drawing) levels(mode tess.Mode, list []Number) (outer [4]float32, inner [2]float32, what orientation) {
	used := map[tess.Domain][2]int{tess.Triangles: {3, 1}, tess.Quads: {4, 2}, tess.Isolines: {2, 0}}[mode.Domain]
	divided, ones, open := false, false, false
	for i, n := range list {
		isInner := i >= 4
		if isInner && i-4 >= used[1] || !isInner && i >= used[0] {
			continue
		}
		if !n.Any && !isInner && n.High <= 0 {
			return outer, inner, gone
		}
		// A level above 64 may be clamped.
		if open = open || n.Any || n.infinite() || n.High > leastMaxLevel || !isInner && n.Low <= 0; open {
			continue
		}
		spacing := mode.Spacing
		if mode.Domain == tess.Isolines && i == 0 {
			spacing = tess.Equal
		}
		k, ok := segments(spacing, n)
		open, divided, ones = !ok, divided || k > 1, ones || isInner && k == 1
		if isInner {
			inner[i-4] = float32(k)
		} else {
			outer[i] = float32(k)
		}
	}
	// With an inner level of 1 the inner vertices may be on the edge ("Triangle Tessellation", "Quad Tessellation").
	if open || ones && mode.Spacing == tess.FractionalOdd && (divided || mode.PointMode) {
		return outer, inner, unknown
	}
	return outer, inner, known
}

// segments returns the number of segments of an edge if all values of its level have one subdivision. Vulkan leaves the place of the two shorter segments of
// another fractional level to the implementation.
func segments(s tess.Spacing, n Number) (k int, ok bool) {
	low, high := n.Low, n.High
	switch s {
	case tess.Equal:
		low, high = math.Ceil(max(low, 1)), math.Ceil(max(high, 1))
		return int(low), low == high
	case tess.FractionalEven:
		low, high = max(low, 2), max(high, 2)
	default:
		low, high = min(max(low, 1), leastMaxLevel-1), max(high, 1)
		if high > leastMaxLevel-1 { // maxLevel - 1
			return 0, false
		}
	}
	k = int(low)
	return k, low == high && float64(k) == low && (k%2 == 1) == (s == tess.FractionalOdd)
}
