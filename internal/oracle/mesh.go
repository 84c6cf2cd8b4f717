package oracle

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Mesh shaders (SPV_EXT_mesh_shader; Vulkan, "Mesh Shading"): the invocations of a workgroup store vertices, primitives and their indices in arrays that they share. The
// primitives of a workgroup are in the order of their indices. Vulkan has no order of the primitives of different workgroups.

// mesh is the outputs of a workgroup of a mesh shader.
type mesh struct {
	outputs map[spirv.ID]*local
	counts  [2]uint64 // of vertices and primitives
	sizes   int       // invocations that have set the counts
}

// output returns an output of a mesh shader, which all invocations of the workgroup share.
func (x *frame) output(v *facts.Variable) *local {
	g := x.group.mesh
	if !x.sized {
		x.undecided("an output before OpSetMeshOutputsEXT")
	}
	l := g.outputs[v.ID]
	if l == nil {
		l = x.newLocal(v.ID, v.Type, v.Init)
		l.owners, l.sums, l.emitted, l.unordered = make([]owner, len(l.leaves)), make([]sum, len(l.leaves)), true, true
		g.outputs[v.ID] = l
	}
	return l
}

// setSizes executes OpSetMeshOutputsEXT; false if the instruction is another one. It must be executed once, in uniform control flow, and the counts are those of the
// first invocation.
func (x *frame) setSizes(in spirv.Inst) bool {
	if in.Op() != spirv.OpSetMeshOutputsEXT {
		return false
	}
	g := x.group.mesh
	if g == nil || x.sized {
		x.undecided("%s in another stage, or a second one", in.Op())
	}
	for i := range g.counts {
		n := x.value(spirv.ID(in[1+i])).leaves[0]
		if n.Any || g.sizes > 0 && n.Bits != g.counts[i] {
			x.undecided("numbers of vertices and primitives with several permitted values")
		}
		g.counts[i] = n.Bits
	}
	x.sized = true
	g.sizes++
	return true
}

// meshes draws some workgroups of a mesh shader, with the payload of a task shader; nil for none.
func (d *drawing) meshes(groups [3]uint32, from *payload) {
	job := *d.Mesh
	job.Groups = groups
	size := d.mesh.localSize()
	n, total := d.workgroups(size, groups)
	barriers := d.mesh.barriers()
	for g := range total {
		w := &group{number: g + 1, epoch: 1, buffers: 1, shared: map[spirv.ID]*local{}, mesh: &mesh{outputs: map[spirv.ID]*local{}}, payload: from}
		d.run(d.mesh, &job, w, size, g, n, barriers)
		if w.mesh.sizes != int(n) {
			panic(stop{why: "OpSetMeshOutputsEXT that not all invocations execute"})
		}
		d.unordered++
		d.meshPrimitives(w.mesh)
	}
}

// meshVertex returns the vertex, or the data of the primitive, with a number.
func (d *drawing) meshVertex(g *mesh, of int, primitive bool) *corner {
	any := Number{Any: true}
	c := &corner{x: any, y: any, z: any, w: any, size: point(1), primitive: any, outputs: map[slot]Number{}} // the size is 1 if no shader writes it (maintenance5)
	m := d.mesh.m
	for _, id := range d.Mesh.Entry.Interface {
		v := m.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassOutput || v.Type == nil || !v.Type.IsArray() {
			continue
		}
		if b, ok := m.BuiltIn(id); ok && indexCount(b) > 0 {
			continue
		}
		one, l := *v, g.outputs[id]
		one.Type = v.Type.Elem
		first := of * int(one.Type.Leaves)
		eachSlot(m, &one, func(at slot, b spirv.BuiltIn, builtIn bool, leaf int, _ *facts.Type, how interpolation) {
			if how.primitive != primitive {
				return
			}
			if uint64(of) >= v.Type.Count {
				panic(stop{why: "fewer outputs than vertices or primitives"})
			}
			n := any
			if l != nil {
				n = l.leaves[first+leaf]
			}
			switch {
			case !builtIn:
				c.outputs[at] = n
			case b == spirv.BuiltInPosition:
				*[...]*Number{&c.x, &c.y, &c.z, &c.w}[at.component] = n
			case !d.Mesh.accesses(v, b) || c.setDistance(b, at.component, n):
			case b == spirv.BuiltInPointSize:
				c.size = n
			case b == spirv.BuiltInViewportIndex:
				c.viewport = n
			case b == spirv.BuiltInLayer:
				c.layer = n
			case b == spirv.BuiltInPrimitiveId:
				c.primitive = n
			case b == spirv.BuiltInCullPrimitiveEXT:
				c.culled = n
			default:
				panic(stop{why: "a mesh shader with " + b.String()})
			}
		})
	}
	return c
}

// builtInOf is a built-in of an output.
type builtInOf struct {
	variable spirv.ID
	builtIn  spirv.BuiltIn
}

// accesses reports whether an entry point may store to a built-in of an output. A member of a block that no access chain names has
// no store, unless an instruction takes the variable as a whole, or its element.
func (j *Job) accesses(v *facts.Variable, b spirv.BuiltIn) bool {
	key := builtInOf{v.ID, b}
	found, known := j.accessed[key]
	if !known {
		if j.accessed == nil {
			j.accessed = map[builtInOf]bool{}
		}
		found = j.findAccess(v, b)
		j.accessed[key] = found
	}
	return found
}

func (j *Job) findAccess(v *facts.Variable, b spirv.BuiltIn) bool {
	m := j.Module
	block, at := v.Type, 4 // the word of the member in an access chain
	if block.IsArray() {
		block, at = block.Elem, 5
	}
	if !block.IsStruct() || v.Init != 0 {
		return true
	}
	for _, f := range m.CallTree(j.Entry) {
		for i := f.Index; i < f.End; i++ {
			in := m.Code.Inst(i)
			for k := 1; k < len(in); k++ {
				if spirv.ID(in[k]) != v.ID {
					continue
				}
				// A literal may equal the id: that one counts as an access, too.
				if op := in.Op(); op != spirv.OpAccessChain && op != spirv.OpInBoundsAccessChain || k != 3 || len(in) <= at {
					return true
				}
				c := m.Const(spirv.ID(in[at]))
				if c == nil {
					return true
				}
				if own, ok := m.MemberBuiltIn(block.ID, int(c.Bits)); ok && own == b {
					return true
				}
			}
		}
	}
	return false
}

// indexCount returns the number of indices of a primitive in a built-in, 0 for another one.
func indexCount(b spirv.BuiltIn) int {
	switch b {
	case spirv.BuiltInPrimitivePointIndicesEXT:
		return 1
	case spirv.BuiltInPrimitiveLineIndicesEXT:
		return 2
	case spirv.BuiltInPrimitiveTriangleIndicesEXT:
		return 3
	}
	return 0
}

// meshIndices returns the indices of the primitives, and their number in each.
func (d *drawing) meshIndices(g *mesh) (list []Number, each int) {
	for _, id := range d.Mesh.Entry.Interface {
		v := d.mesh.m.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassOutput {
			continue
		}
		if b, ok := d.mesh.m.BuiltIn(id); ok && indexCount(b) > 0 {
			if each > 0 {
				panic(stop{why: "indices of several kinds"})
			}
			if each = indexCount(b); g.outputs[id] != nil {
				list = g.outputs[id].leaves
			}
		}
	}
	return list, each
}

// inside ends a draw with a shader that stores to outputs beyond the numbers of vertices and primitives.
func (d *drawing) inside(g *mesh) {
	for i, k := range [...]spirv.ExecutionMode{spirv.ExecutionModeOutputVertices, spirv.ExecutionModeOutputPrimitivesEXT} {
		if x, ok := d.Mesh.Entry.Mode(k); !ok || len(x.Operands) == 0 || g.counts[i] > uint64(x.Operands[0]) {
			panic(stop{why: "more vertices or primitives than the entry point declares"})
		}
	}
	for id, l := range g.outputs {
		v := d.mesh.m.Variable(id)
		if v.Type == nil || !v.Type.IsArray() || v.Type.Count == 0 {
			panic(stop{why: "an output of a mesh shader that is no array"})
		}
		least := min(g.counts[0], g.counts[1])
		one := *v
		one.Type = v.Type.Elem
		count := g.counts[0]
		if b, ok := d.mesh.m.BuiltIn(id); ok && indexCount(b) > 0 {
			count = g.counts[1]
		} else {
			eachSlot(d.mesh.m, &one, func(_ slot, _ spirv.BuiltIn, _ bool, _ int, _ *facts.Type, how interpolation) {
				if how.primitive {
					count = g.counts[1]
				}
			})
		}
		for i := min(least*one.Type.Leaves, uint64(len(l.owners))); i < uint64(len(l.owners)); i++ {
			if i/one.Type.Leaves >= count && l.owners[i].writer != 0 {
				panic(stop{why: "a store to an output beyond the numbers of OpSetMeshOutputsEXT"})
			}
		}
	}
}

// meshPrimitives draws the primitives of a workgroup.
func (d *drawing) meshPrimitives(g *mesh) {
	d.inside(g)
	indices, each := d.meshIndices(g)
	vertices := map[uint64]*corner{}
	for p := range g.counts[1] {
		first := int(p) * each
		if each == 0 || p > uint64(len(indices)) || first+each > len(indices) {
			panic(stop{why: "a primitive without indices"})
		}
		data := d.meshVertex(g, int(p), true)
		var corners []*corner
		for _, n := range indices[first : first+each] {
			if n.Any || n.Bits >= g.counts[0] {
				panic(stop{why: "an index that is open, or beyond the vertices"})
			}
			if vertices[n.Bits] == nil {
				vertices[n.Bits] = d.meshVertex(g, int(n.Bits), false)
			}
			corners = append(corners, vertices[n.Bits])
		}
		switch {
		case data.culled.Any:
			panic(stop{why: "a value of CullPrimitiveEXT that is open"})
		case data.culled.Bits == 0:
			d.meshPrimitive(data, corners)
		}
	}
}

// meshPrimitive draws a primitive: its provoking vertex is the first one, or the last one, as in a list, and carries its data.
func (d *drawing) meshPrimitive(data *corner, list []*corner) {
	of := list[0]
	if d.State.Rasterization.Provoking == enum.ProvokingVertexLastVertex {
		of = list[len(list)-1]
	}
	provoking := *of
	provoking.viewport, provoking.layer, provoking.primitive, provoking.each = data.viewport, data.layer, data.primitive, data.outputs
	switch len(list) {
	case 1:
		c := list[0]
		d.point(&surface{provoking: &provoking, corners: [3]*corner{c, c, c}, front: true}, c.size)
	case 2:
		d.line(&surface{provoking: &provoking, corners: [3]*corner{list[0], list[1], list[1]}, front: true})
	default:
		d.polygon(0, &provoking, list[0], list[1], list[2])
	}
}

// touch records that a primitive of the current workgroup may change a texel. Primitives of several workgroups have no order: then the texel has any value.
func (d *drawing) touch(x, y int) {
	if d.unordered == 0 {
		return
	}
	at := [3]int{x, y, d.layer}
	if of, ok := d.touched[at]; ok && of != d.unordered {
		d.crossed[at] = true
	}
	d.touched[at] = d.unordered
}

// loseCrossed permits any value of the texels that primitives of several workgroups may change.
func (d *drawing) loseCrossed() {
	for at := range d.crossed {
		for _, targets := range d.layers[at[2]] {
			for _, t := range targets {
				if t != nil {
					t.open(at[0], at[1])
				}
			}
		}
	}
}
