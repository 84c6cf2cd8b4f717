package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ray"
	"github.com/chiaro-gpu/chiaro/link"
)

// SphereGeometry is spheres (VkAccelerationStructureGeometrySpheresDataNV).
type SphereGeometry struct {
	Format       link.Format
	Centers      BuildData
	Stride       uint64 // bytes from one center to the next
	RadiusFormat link.Format
	Radii        BuildData
	RadiusStride uint64 // bytes from one radius to the next
	Indices      BuildData
	IndexSize    int    // 2 or 4 bytes; 0 without indices
	IndexStride  uint64 // bytes from one index to the next
}

// SweptSphereGeometry is linear swept spheres (VkAccelerationStructureGeometryLinearSweptSpheresDataNV).
type SweptSphereGeometry struct {
	Spheres    SphereGeometry
	Successive bool // an index selects a center and the next one (VK_RAY_TRACING_LSS_INDEXING_MODE_SUCCESSIVE_NV)
	Chained    bool // the ends have caps (VK_RAY_TRACING_LSS_PRIMITIVE_END_CAPS_MODE_CHAINED_NV)
}

// spheres returns the spheres of a geometry, which swept spheres have as well; nil if there are none.
func (g *Geometry) spheres() *SphereGeometry {
	if g.SweptSpheres != nil {
		return &g.SweptSpheres.Spheres
	}
	return g.Spheres
}

// radiusFormat reports whether radii can have a format.
func radiusFormat(i *format.Info) bool {
	return i != nil && slices.Contains([]string{"R32_SFLOAT", "R16_SFLOAT"}, i.Name)
}

// checkSpheres checks the strides and formats of the spheres of geometry i.
func (g *Geometry) checkSpheres(i int) error {
	s := g.spheres()
	rule, radius, stride, index := "VUID-VkAccelerationStructureGeometrySpheresDataNV-", "radiusFormat-10435", "vertexStride-10432", "indexData-10437"
	multiple, vertex := "vertexStride-10431", "vertexFormat-10434"
	if g.SweptSpheres != nil {
		rule, radius, stride, index = "VUID-VkAccelerationStructureGeometryLinearSweptSpheresDataNV-", "radiusFormat-10424", "vertexStride-10422", "indexData-10428"
		multiple, vertex = "vertexStride-10421", "vertexFormat-10423"
	}
	const most = 1<<32 - 1
	component, ok := vertexFormat(format.ByID(uint32(s.Format)))
	switch {
	case !ok:
		return usage(rule+vertex, "the centers of geometry %d have the format %s; must have one of acceleration structures", i, s.Format)
	case !radiusFormat(format.ByID(uint32(s.RadiusFormat))):
		return usage(rule+radius, "the radii of geometry %d have the format %s; must have one of radii", i, s.RadiusFormat)
	case s.Stride%component != 0:
		return usage(rule+multiple, "the stride of the centers of geometry %d is %d; must be a multiple of %d", i, s.Stride, component)
	case s.Stride > most || s.RadiusStride > most:
		return usage(rule+stride, "the strides of geometry %d are %d for centers and %d for radii; must be less than 2³²", i, s.Stride, s.RadiusStride)
	case s.IndexSize != 0 && s.IndexSize != 2 && s.IndexSize != 4:
		return usage(rule+index, "the indices of geometry %d have %d bytes; must have 2 or 4", i, s.IndexSize)
	case s.IndexStride > most:
		return usage("", "the stride of the indices of geometry %d is %d; must be less than 2³²", i, s.IndexStride)
	case g.SweptSpheres != nil && g.SweptSpheres.Successive && s.IndexSize == 0:
		return usage(rule+"indexingMode-10427", "geometry %d has successive indices, and no indices; must have some", i)
	}
	return nil
}

// checkHost returns an error if the spheres of geometry i lack memory of the host, or have memory at addresses.
func (s *SphereGeometry) checkHost(rule string, i int, swept, none bool) error {
	centers, radii, absent, present := "pInfos-11824", "pInfos-11825", "pInfos-11823", "pInfos-11822"
	if swept {
		centers, radii, absent, present = "pInfos-11828", "pInfos-11829", "pInfos-11827", "pInfos-11826"
	}
	missing := func(d *BuildData) bool { return d.Address != 0 || d.Host == nil && !none }
	switch {
	case missing(&s.Centers):
		return usage(rule+centers, "the centers of geometry %d are not in memory of the host; must be", i)
	case missing(&s.Radii):
		return usage(rule+radii, "the radii of geometry %d are not in memory of the host; must be", i)
	case s.IndexSize != 0 && missing(&s.Indices):
		return usage(rule+absent, "the indices of geometry %d are not in memory of the host; must be", i)
	case s.IndexSize == 0 && s.Indices.given():
		return usage(rule+present, "geometry %d has the memory of indices, and no type of indices; must have none", i)
	}
	return nil
}

// checkAddresses returns an error if the spheres of geometry i have memory of the host.
func (s *SphereGeometry) checkAddresses(i int) error {
	if s.Centers.Host != nil || s.Radii.Host != nil || s.Indices.Host != nil {
		return usage("", "geometry %d has memory of the host; must be at addresses", i)
	}
	return nil
}

// spheres returns the spheres of a geometry. Package ray makes primitives that are not in the memory inactive.
func (in *buildInputs) spheres(g *Geometry, r *BuildRange) (out ray.Geometry, err error) {
	s := g.spheres()
	out = ray.Geometry{
		Kind: ray.Spheres, Flags: ray.GeometryFlags(g.Flags), Primitives: r.Primitives, VertexFormat: uint32(s.Format), VertexStride: s.Stride,
		IndexSize: s.IndexSize, Rounds: ray.Rounds{RadiusFormat: uint32(s.RadiusFormat), RadiusStride: s.RadiusStride, IndexStride: s.IndexStride},
	}
	if x := g.SweptSpheres; x != nil {
		out.Kind, out.Rounds.Successive, out.Rounds.Chained = ray.SweptSpheres, x.Successive, x.Chained
	}
	if r.Primitives == 0 {
		return out, nil
	}
	offset := uint64(r.Offset)
	if s.IndexSize != 0 {
		if out.Indices, err = in.at(s.Indices, offset, "", "indices"); err != nil {
			return out, err
		}
		offset = 0
	}
	// The centers and radii before the first one need no memory.
	first := uint64(r.FirstVertex)
	if out.Vertices, err = in.at(s.Centers, offset+first*s.Stride, "", "centers"); err != nil {
		return out, err
	}
	out.Rounds.Radii, err = in.at(s.Radii, offset+first*s.RadiusStride, "", "radii")
	return out, err
}
