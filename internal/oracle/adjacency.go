package oracle

import "github.com/chiaro-gpu/chiaro/enum"

// Primitives with adjacency (Vulkan, "Line Lists With Adjacency" to "Triangle Strips With Adjacency"). A geometry shader has all of their
// vertices; without one the adjacent vertices have no effect.

// withAdjacency draws the primitives with adjacency of n vertices, and reports whether the topology has them. It takes its arguments as
// primitives does.
func (d *drawing) withAdjacency(n, turned int, at func(i int) *corner) bool {
	var list [6]*corner
	vertices := func(first, count int) []*corner {
		for k := range count {
			list[k] = at(first + k)
		}
		return list[:count]
	}
	line := func(primitive, first int) {
		c := vertices(first, 4)
		if d.geometry != nil {
			d.shadePrimitive(d.before+primitive, c...)
			return
		}
		d.line(&surface{primitive: d.before + primitive, provoking: c[1+turned], corners: [3]*corner{c[1], c[2], c[2]}, front: true})
	}
	switch d.State.Assembly.Topology {
	case enum.TopologyLineListWithAdjacency:
		for i := 0; i+3 < n; i += 4 {
			line(i/4, i)
		}
	case enum.TopologyLineStripWithAdjacency:
		for i := 0; i+3 < n; i++ {
			line(i, i)
		}
	case enum.TopologyTriangleListWithAdjacency:
		for i := 0; i+5 < n; i += 6 {
			c := vertices(i, 6)
			if d.geometry != nil {
				d.shadePrimitive(d.before+i/6, c...)
				continue
			}
			d.polygon(d.before+i/6, c[4*turned], c[0], c[2], c[4])
		}
	case enum.TopologyTriangleStripWithAdjacency:
		if d.geometry != nil { // implementations differ in the first vertex of odd triangles
			panic(stop{why: "a geometry shader of a triangle strip with adjacency"})
		}
		for i := 0; i+5 < n; i += 2 {
			a, b := at(i), at(i+2)
			if i%4 != 0 {
				a, b = b, a
			}
			d.polygon(d.before+i/2, at(i+4*turned), a, b, at(i+4))
		}
	default:
		return false
	}
	return true
}
