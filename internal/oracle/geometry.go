package oracle

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Geometry shaders (Vulkan, "Geometry Shading"): an invocation for each primitive and InvocationId, in this order, with the outputs of the
// vertices in arrays. Its emitted vertices make points or strips, and the primitives of a draw are those of its invocations one after the other.

// maxEmitted bounds the vertices that an invocation emits beyond the ones that it declares.
const maxEmitted = 1 << 12

// emission is the vertices that an invocation has emitted since the last end of a primitive.
type emission struct {
	model   *facts.EntryPoint
	corners []*corner
	strips  [][]*corner
	most    int // OutputVertices
	emitted int
}

// emit executes OpEmitVertex and OpEndPrimitive; false if the instruction is neither.
func (x *frame) emit(in spirv.Inst) bool {
	op := in.Op()
	if op != spirv.OpEmitVertex && op != spirv.OpEndPrimitive {
		return false
	}
	if x.shading == nil || x.shading.emission == nil {
		x.undecided("%s", op)
	}
	e := x.shading.emission
	if op == spirv.OpEndPrimitive {
		e.end()
		return true
	}
	if e.emitted++; e.emitted > min(e.most, maxEmitted) {
		x.undecided("more vertices than the %d of OutputVertices", e.most)
	}
	e.corners = append(e.corners, x.corner(e.model))
	// The outputs are undefined afterwards (SPIR-V, "OpEmitVertex").
	for _, id := range e.model.Interface {
		if v := x.m.Variable(id); v != nil && v.Storage == spirv.StorageClassOutput && x.locals[id] != nil {
			for i, n := range x.locals[id].leaves {
				if !n.Any || n.At != 0 { // one without a store stays so
					x.locals[id].leaves[i] = Number{Any: true, At: x.at + 1}
				}
			}
		}
	}
	return true
}

// end ends the open strip.
func (e *emission) end() {
	if len(e.corners) > 0 {
		e.strips = append(e.strips, e.corners)
	}
	e.corners = nil
}

// arrayed returns an input with an element for each vertex of the primitive.
func (x *frame) arrayed(v *facts.Variable) (l *local, ok bool) {
	g := x.shading.vertices
	if g == nil || v.Type == nil || isPatch(x.m, v) || x.isLevel(v) || !v.Type.IsArray() || v.Type.IsRuntimeArray() {
		return nil, false
	}
	if n := int(v.Type.Count); n != len(g) && (x.shading.emission != nil || n < len(g) || n > maxPatch) {
		x.undecided("an input with another number of vertices than the primitive")
	}
	one := *v
	one.Type = v.Type.Elem
	l = &local{relaxed: x.m.Has(v.ID, spirv.DecorationRelaxedPrecision)}
	for _, c := range g {
		eachSlot(x.m, &one, func(at slot, b spirv.BuiltIn, builtIn bool, _ int, _ *facts.Type, _ interpolation) {
			n, known := c.outputs[at]
			switch {
			case builtIn && b == spirv.BuiltInPosition && at.component < 4:
				n = [...]Number{c.x, c.y, c.z, c.w}[at.component]
			case builtIn && b == spirv.BuiltInPointSize && c.size != point(1): // 1 may be without a store
				n = c.size
			case builtIn || !known:
				n = Number{Any: true}
			}
			l.leaves = append(l.leaves, n)
		})
	}
	for missing := v.Type.Leaves - uint64(len(l.leaves)); missing > 0; missing-- { // beyond the patch
		l.leaves = append(l.leaves, Number{Any: true})
	}
	x.locals[v.ID] = l
	return l, true
}

// shadePrimitive runs the geometry shader for a primitive and draws the result.
func (d *drawing) shadePrimitive(primitive int, corners ...*corner) {
	e := d.Geometry.Entry
	mode := func(k spirv.ExecutionMode) uint32 {
		if m, ok := e.Mode(k); ok && len(m.Operands) > 0 {
			return m.Operands[0]
		}
		return 0
	}
	for i := range max(mode(spirv.ExecutionModeInvocations), 1) {
		d.work(triangleWork)
		s := &shading{inputs: map[slot][]Number{}, vertices: corners, emission: &emission{model: e, most: int(mode(spirv.ExecutionModeOutputVertices))},
			builtIns: map[spirv.BuiltIn][]Number{spirv.BuiltInPrimitiveId: {{Bits: uint64(primitive)}}, spirv.BuiltInInvocationId: {{Bits: uint64(i)}}, spirv.BuiltInViewIndex: {{Bits: uint64(d.viewIndex)}}}}
		if _, why := d.shade(d.geometry, false, []*shading{s}); why != "" {
			panic(stop{why: why})
		}
		s.emission.end()
		for _, strip := range s.emission.strips {
			d.strip(strip)
		}
	}
}

// strip draws the vertices of a strip. PrimitiveId of the fragments is an output of the shader.
func (d *drawing) strip(list []*corner) {
	turned := 0
	if d.State.Rasterization.Provoking == enum.ProvokingVertexLastVertex {
		turned = 1
	}
	has := func(k spirv.ExecutionMode) bool { _, ok := d.Geometry.Entry.Mode(k); return ok }
	switch {
	case has(spirv.ExecutionModeOutputPoints):
		for _, c := range list {
			d.point(&surface{provoking: c, corners: [3]*corner{c, c, c}, front: true}, c.size)
		}
	case has(spirv.ExecutionModeOutputLineStrip):
		for i := 0; i+1 < len(list); i++ {
			d.line(&surface{provoking: list[i+turned], corners: [3]*corner{list[i], list[i+1], list[i+1]}, front: true})
		}
	default:
		for i := 0; i+2 < len(list); i++ {
			a, b := list[i+1+i%2], list[i+2-i%2]
			d.polygon(0, list[i+2*turned], list[i], a, b)
		}
	}
}
