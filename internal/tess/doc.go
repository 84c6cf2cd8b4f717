// Package tess subdivides patches: from the tessellation levels of a patch it makes
// the points of the domain and the primitives between them (Vulkan, Tessellation).
//
// Points on the edge of a domain depend on that edge's level alone, and are the same
// from both ends, so that patches that share an edge and its level meet without
// cracks. The package knows no shader and no control point.
package tess

// MaxLevel is the greatest level (maxTessellationGenerationLevel).
const MaxLevel = 64

// Domain is what is subdivided.
type Domain uint8

// The domains.
const (
	Triangles Domain = iota
	Quads
	Isolines
)

// Spacing is how an edge is divided.
type Spacing uint8

// The spacings.
const (
	Equal Spacing = iota
	FractionalOdd
	FractionalEven
)

// Mode is what the execution modes of the tessellation shaders say together.
type Mode struct {
	Domain  Domain
	Spacing Spacing
	// Clockwise is the turn of triangles where u points right and v up.
	Clockwise bool
	// PointMode makes a point of each place in the domain, once.
	PointMode bool
}

// Point is a place in the domain: u, v and, of triangles, w.
type Point struct{ U, V, W float32 }

// Vertices returns how many vertices a primitive has.
func (m Mode) Vertices() int {
	switch {
	case m.PointMode:
		return 1
	case m.Domain == Isolines:
		return 2
	}
	return 3
}
