package oracle

import (
	"math"
	"slices"

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
	t := &tess.Tessellator{KeepStrips: true}
	mode := d.tessellationMode()
	outer, inner, gone := d.levels(mode, levels)
	if gone {
		return
	}
	t.Tessellate(mode, outer, inner)
	d.work(len(t.Points) * triangleWork)
	list := make([]*corner, len(t.Points))
	for i, p := range t.Points {
		s := &shading{inputs: inputs, vertices: points, builtIns: map[spirv.BuiltIn][]Number{spirv.BuiltInTessCoord: {coordinate(p.U), coordinate(p.V), coordinate(p.W)},
			spirv.BuiltInPrimitiveId: {{Bits: uint64(primitive)}}, spirv.BuiltInPatchVertices: {{Bits: uint64(len(points))}}, spirv.BuiltInViewIndex: {{Bits: uint64(d.viewIndex)}},
			spirv.BuiltInTessLevelOuter: levels[:4], spirv.BuiltInTessLevelInner: levels[4:]}}
		machines, why := d.shade(d.evaluation, false, []*shading{s})
		if why != "" {
			panic(stop{why: why})
		}
		list[i] = machines[0].corner(d.Evaluation.Entry)
		if c := list[i]; len(c.clips)+len(c.culls) > 0 || c.layer != list[0].layer || c.viewport != list[0].viewport {
			panic(stop{why: "an evaluation shader with distances, layers or viewports of its own for each vertex"})
		}
	}
	d.patch = &patch{pixels: map[[4]int]*patchPixel{}}
	defer func() { d.patch = nil }()
	for i := 0; i < len(t.Indices); i += mode.Vertices() {
		a := list[t.Indices[i]]
		switch mode.Vertices() {
		case 1:
			d.point(&surface{primitive: primitive, provoking: a, corners: [3]*corner{a, a, a}, front: true, patch: d.patch}, a.size)
			continue
		case 2:
			b := list[t.Indices[i+1]]
			s := &surface{primitive: primitive, provoking: a, corners: [3]*corner{a, b, b}, front: true, patch: d.patch}
			d.line(s)
			continue
		}
		if i == 0 && !d.candidates(primitive, mode, t, list) {
			return
		}
		d.polygon(primitive, a, a, list[t.Indices[i+1]], list[t.Indices[i+2]])
	}
	d.patch.loseCrossed(d)
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

// levels returns the levels of a patch with one subdivision; gone if the patch is discarded.
func (d *drawing) levels(mode tess.Mode, list []Number) (outer [4]float32, inner [2]float32, gone bool) {
	used := map[tess.Domain][2]int{tess.Triangles: {3, 1}, tess.Quads: {4, 2}, tess.Isolines: {2, 0}}[mode.Domain]
	divided, ones := false, false
	for i, n := range list {
		isInner := i >= 4
		if isInner && i-4 >= used[1] || !isInner && i >= used[0] {
			continue
		}
		if n.Any || n.infinite() || n.High > leastMaxLevel {
			panic(stop{why: "a tessellation level that is not known, or above 64"})
		}
		if !isInner && n.Low <= 0 {
			if n.High > 0 {
				panic(stop{why: "a tessellation level that may be zero"})
			}
			gone = true
		}
		spacing := mode.Spacing
		if mode.Domain == tess.Isolines && i == 0 {
			spacing = tess.Equal
		}
		k, ok := segments(spacing, n)
		if !ok {
			panic(stop{why: "a tessellation level with several subdivisions"})
		}
		divided, ones = divided || k > 1, ones || isInner && k == 1
		if isInner {
			inner[i-4] = float32(k)
		} else {
			outer[i] = float32(k)
		}
	}
	// Then the inner vertices may be on the edge ("Triangle Tessellation", "Quad Tessellation").
	if !gone && ones && mode.Spacing == tess.FractionalOdd && (divided || mode.PointMode) {
		panic(stop{why: "an inner level of 1 with the spacing SpacingFractionalOdd"})
	}
	return outer, inner, gone
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

// patch is the primitives of a patch: an implementation may choose other triangles for the same strips. If all of them have one
// orientation, every choice covers a sample as often as the boundary of the patch winds around it.
type patch struct {
	triangles []*surface             // that an implementation may choose
	pixels    map[[4]int]*patchPixel // by the pixel, the sample and the layer
}

// patchPixel is the primitives of a patch that may have changed a sample.
type patchPixel struct {
	sure    bool // one of them certainly
	some    bool
	crossed bool // two of them may, and their order is open
}

// maxCandidates bounds the triangles of a patch that implementations may choose.
const maxCandidates = 1 << 12

// candidates finds the triangles that implementations may choose. It returns false if the patch is done.
func (d *drawing) candidates(primitive int, mode tess.Mode, t *tess.Tessellator, list []*corner) bool {
	if d.State.Rasterization.Discard {
		return false
	}
	if d.State.Rasterization.Polygon != 0 || d.State.Rasterization.DepthBias {
		panic(stop{why: "triangles of patches in another polygon mode, or with a depth bias"})
	}
	d.selectTarget(list[0], list...)
	of, open, culled := d.patch, false, 0
	add := func(a, b, c uint32) {
		if mode.Clockwise {
			b, c = c, b
		}
		if len(of.triangles) >= maxCandidates {
			panic(stop{why: "patches with more triangles than are judged"})
		}
		s := &surface{primitive: primitive, provoking: list[a], corners: [3]*corner{list[a], list[b], list[c]}}
		of.triangles = append(of.triangles, s)
		open = open || clipped(s.corners)
		for i, v := range s.corners {
			p, ok := d.screen(v)
			if !ok {
				panic(stop{why: "a vertex whose position is not known, or not in front of the viewer"})
			}
			s.points[i] = p
			for _, n := range [...]Number{p.x, p.y} {
				open = open || !(n.Low >= -farthest && n.High <= farthest)
			}
		}
	}
	for _, strip := range t.Strips {
		a, b := strip.Outer, strip.Inner
		for i := range len(a) - 1 {
			for j := range b {
				add(a[i], a[i+1], b[j])
			}
		}
		for j := range len(b) - 1 {
			for i := range a {
				add(a[i], b[j+1], b[j])
			}
		}
	}
	d.work(len(of.triangles) * triangleWork)
	signs := [2]bool{}
	for _, s := range of.triangles {
		if !d.pose(s) {
			culled++
		}
		for _, p := range s.poses {
			open = open || p.area == 0
		}
		signs[bit(s.counter)] = true
	}
	if open || signs[0] && signs[1] || culled > 0 && culled < len(of.triangles) {
		for _, s := range of.triangles {
			d.blur(s)
		}
		return false
	}
	return culled == 0
}

// at returns the triangles that may have a pixel, or with derivatives one of its quad.
func (p *patch) at(d *drawing, x, y int) (list []*surface) {
	x0, y0, n := x, y, 1
	if d.quads {
		x0, y0, n = x&^1, y&^1, 2
	}
	for _, s := range p.triangles {
		if slices.ContainsFunc(d.locations(), func(l [2]float64) bool {
			for i := range n * n {
				if c, _ := s.covers(float64(x0+i%n)+l[0], float64(y0+i/n)+l[1]); c != outside1 {
					return true
				}
			}
			return false
		}) {
			list = append(list, s)
		}
	}
	return list
}

// patchInput returns the inputs of a fragment of a patch: those of all triangles that may have it, with any of their vertices as the provoking one.
func (d *drawing) patchInput(s *surface, x, y int, covered bool) *shading {
	var in *shading
	merge := func(to, from []Number) {
		for i := range min(len(to), len(from)) {
			if to[i] = hullOf(to[i], from[i]); to[i].Bits != from[i].Bits {
				to[i].Any = true
			}
		}
	}
	for _, t := range s.patch.at(d, x, y) {
		for _, c := range t.corners {
			one := *t
			one.provoking = c
			next := d.fragmentInput(&one, x, y, covered)
			if in == nil {
				in = next
				continue
			}
			for at, list := range in.inputs {
				merge(list, next.inputs[at])
			}
			for b, list := range in.builtIns {
				merge(list, next.builtIns[b])
			}
		}
	}
	if in == nil {
		one := *s
		one.patch = nil
		return d.fragmentInput(&one, x, y, covered)
	}
	return in
}

// patchDepth returns the depth of a fragment of a patch.
func (d *drawing) patchDepth(s *surface, x, y int) Number {
	one := *s
	one.patch = nil
	n := d.depthAt(&one, x, y)
	for _, t := range s.patch.at(d, x, y) {
		n = hullOf(n, d.depthAt(t, x, y))
	}
	return n
}

// touch records a primitive of the patch at a pixel. The primitives of a patch have no order ("Tessellation Primitive Ordering").
func (p *patch) touch(d *drawing, s *surface, x, y int, cover coverage) {
	at := [4]int{x, y, d.sample, d.layer}
	if p.pixels[at] == nil {
		p.pixels[at] = &patchPixel{}
	}
	of := p.pixels[at]
	polygon := s.square == nil && s.segment == nil
	if of.some && (!polygon || of.sure || cover == inside1 || d.mixes()) {
		of.crossed = true
	}
	of.some, of.sure = true, of.sure || cover == inside1
}

// mixes reports whether the order of two fragments has an effect on more than the choice of one.
func (d *drawing) mixes() bool {
	b, z := d.State.Blend, d.State.DepthStencil
	if b.Logic || z.StencilTest || z.DepthTest {
		return true
	}
	for i := range b.Attachments {
		if b.Attachments[i].Enable {
			return true
		}
	}
	return false
}

// loseCrossed permits any value of the texels that primitives without an order may change.
func (p *patch) loseCrossed(d *drawing) {
	for at, of := range p.pixels {
		if !of.crossed {
			continue
		}
		for _, t := range d.layers[at[3]][at[2]] {
			if t == nil {
				continue
			}
			cells := t.texel(at[0], at[1])
			for k := range cells {
				cells[k] = Number{Any: true}
			}
		}
	}
}
