package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// Micromaps of VK_KHR_opacity_micromap are acceleration structures of the level MicromapLevel: the commands of acceleration structures
// build, copy, compact, serialize and query them.

// BuildMicromapLossy permits states of a micromap that become unknown. All keep their exact value here.
const BuildMicromapLossy BuildFlags = 0x400

// ExcludeMixedMicromaps is the flag of a pipeline that is used with no structure with geometries that have both special micromap indices and
// others.
const ExcludeMixedMicromaps enum.PipelineFlags = 1 << 41 // VK_PIPELINE_CREATE_2_OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX_BIT_KHR

// microAlignment is the alignment of the inputs of a micromap that is an acceleration structure, in bytes.
const microAlignment = 128

// MicromapGeometry is the content of a micromap that is an acceleration structure (VkAccelerationStructureGeometryMicromapDataKHR). The
// usages count all triangles.
type MicromapGeometry struct {
	Usages    []MicromapUsage
	Data      BuildData // at a device address
	Triangles BuildData // as in MicromapBuild
	Stride    uint64    // bytes from one triangle to the next
}

// build returns the build of a micromap with the same content.
func (g *MicromapGeometry) build() MicromapBuild {
	return MicromapBuild{Usages: g.Usages, Data: g.Data, Triangles: g.Triangles, Stride: g.Stride}
}

// checkMicromapGeometry checks the flags and the geometry of a build of a micromap, for builds and for the query of their sizes.
func (b *BuildInfo) checkMicromapGeometry() error {
	const rule, data = "VUID-VkAccelerationStructureBuildGeometryInfoKHR-", "VUID-VkAccelerationStructureGeometryMicromapDataKHR-"
	switch {
	case len(b.Geometries) != 1:
		return usage(rule+"geometryCount-11560", "the micromap has %d geometries; must have 1", len(b.Geometries))
	case b.Geometries[0].kind() != micromapKind:
		return usage(rule+"geometryType-11561", "the geometry of the micromap has other primitives; must be a micromap")
	case b.Flags&^(BuildAllowCompaction|BuildPreferFastTrace|BuildPreferFastBuild|BuildMicromapLossy) != 0:
		return usage(rule+"flags-11562", "the build of a micromap has the flags %#x; must have only those of compaction, of preferences and of loss", uint32(b.Flags))
	case b.Flags&BuildPreferFastTrace != 0 && b.Flags&BuildPreferFastBuild != 0:
		return usage(rule+"flags-03796", "the build prefers a fast trace and a fast build; must prefer at most one")
	case b.Geometries[0].Flags != 0:
		return usage("VUID-VkAccelerationStructureGeometryKHR-flags-11569", "the geometry of the micromap has the flags %#x; must have none", uint32(b.Geometries[0].Flags))
	}
	lossy, total := b.Flags&BuildMicromapLossy != 0, uint64(0)
	for i, u := range b.Geometries[0].Micromap.Usages {
		total += uint64(u.Count)
		code := ""
		switch {
		case u.Format != MicromapTwoStates && u.Format != MicromapFourStates:
			return usage("VUID-VkMicromapUsageKHR-format-parameter", "usage %d has the format %d; must have 2 or 4 states", i, u.Format)
		case lossy && u.Format != MicromapFourStates:
			return usage(rule+"format-11712", "usage %d has 2 states, and the build is lossy; must have 4 states", i)
		case u.Level <= MaxMicromapLevel:
			continue
		case u.Format == MicromapTwoStates:
			code = data + "subdivisionLevel-11645"
		case lossy:
			code = rule + "subdivisionLevel-11565"
		default:
			code = rule + "subdivisionLevel-11564"
		}
		return usage(code, "usage %d has the level %d; must have at most %d", i, u.Level, MaxMicromapLevel)
	}
	if total > ray.MaxMicromapTriangles {
		return usage(data+"count-11643", "the usages count %d triangles; must count at most %d", total, ray.MaxMicromapTriangles)
	}
	return nil
}

// micromapSize returns the size of the micromap of a build that was checked.
func (b *BuildInfo) micromapSize() uint64 {
	m := b.Geometries[0].Micromap.build()
	return m.size()
}

// checkMicromapBuild checks a build of a micromap with a checked geometry and target.
func (d *Device) checkMicromapBuild(b *BuildInfo, rule string) error {
	const data = "VUID-VkAccelerationStructureGeometryMicromapDataKHR-"
	if err := d.needs("micromap", "VUID-VkAccelerationStructureBuildGeometryInfoKHR-micromap-11559"); err != nil {
		return err
	}
	g, target := b.Geometries[0].Micromap, b.Target
	switch {
	case rule != "VUID-vkCmdBuildAccelerationStructuresKHR-":
		return usage("", "a micromap is built by the host or by an indirect command; must be built by vkCmdBuildAccelerationStructuresKHR")
	case b.Update:
		return usage(rule+"mode-11545", "the micromap %v is updated; must be built", &target.object)
	case b.Source != nil && d.checking > None:
		return usage(rule+"srcAccelerationStructure-11546", "the build of the micromap %v has a source; must have none", &target.object)
	case !d.heap.structures.place(target):
		return usage(rule+"pInfos-03707", "the buffer of %v has no memory; must have some", &target.object)
	case target.info.Level != AnyLevel && target.info.Level != MicromapLevel:
		return usage(rule+"dstAccelerationStructure-11547", "%v is not of the level of micromaps; must be", &target.object)
	case g.Stride < 8:
		return usage(data+"triangleArrayStride-11646", "the stride of the triangles of the micromap is %d; must be at least 8", g.Stride)
	case g.Stride%4 != 0:
		return usage(data+"triangleArrayStride-11647", "the stride of the triangles of the micromap is %d; must be a multiple of 4", g.Stride)
	}
	if n := b.micromapSize(); target.info.Size < n {
		return usage(rule+"pInfos-10126", "%v has %d bytes, and the build needs %d; must have as many", &target.object, target.info.Size, n)
	}
	return nil
}

// checkAddresses checks the addresses of the inputs.
func (g *MicromapGeometry) checkAddresses(rule string) error {
	switch {
	case g.Data.Host != nil || g.Triangles.Host != nil:
		return usage("", "the micromap has memory of the host; must be at addresses")
	case g.Data.Address%microAlignment != 0 || g.Triangles.Address%microAlignment != 0:
		return usage(rule+"micromap-11552", "the data and the triangles of the micromap are at the addresses %#x and %#x; must be multiples of %d", g.Data.Address, g.Triangles.Address, microAlignment)
	}
	return nil
}

// keep returns a copy that shares no memory with g.
func (g *MicromapGeometry) keep() *MicromapGeometry {
	out := *g
	out.Usages = slices.Clone(g.Usages)
	return &out
}

// buildMicromapStructure builds a micromap that is an acceleration structure.
func (d *Device) buildMicromapStructure(b *BuildInfo, rule string) error {
	m := b.Geometries[0].Micromap.build()
	x, err := d.readMicromap(&m, rule, "micromap-11550", "micromap-11550")
	if err != nil {
		return err
	}
	return d.heap.structures.put(b.Target, &content{level: MicromapLevel, micromap: x, flags: b.Flags})
}

// deserializeMicromapStructure makes a micromap of its serialized form. It is not ok if the memory has another structure.
func (d *Device) deserializeMicromapStructure(target *AccelerationStructure, from []byte) (ok bool, err error) {
	const rule = "VUID-VkCopyMemoryToAccelerationStructureInfoKHR-"
	m, ok, err := ray.DeserializeStructureMicromap(from)
	if !ok {
		return false, nil
	}
	c := &content{level: MicromapLevel, micromap: m.Map, flags: BuildFlags(m.Flags)}
	switch {
	case err != nil:
		return true, usage(rule+"src-04960", corruptData, &target.object, err)
	case target.info.Level != AnyLevel && target.info.Level != MicromapLevel:
		return true, usage("", "%v is not of the level of the serialized structure; must be", &target.object)
	case target.info.Size < c.size():
		return true, usage(rule+"dst-03746", "%v has %d bytes, and the serialized structure needs %d; must have as many", &target.object, target.info.Size, c.size())
	}
	return true, d.heap.structures.put(target, c)
}

// opacityForm is common to the geometries of a build and of its updates: their micromaps that are acceleration structures.
type opacityForm uint8

const (
	noOpacity      opacityForm = iota
	specialOpacity             // special indices alone
	mappedOpacity
)

// form returns the form of the opacity.
func (o *OpacityGeometry) form() opacityForm {
	switch {
	case o == nil || !o.Structured:
		return noOpacity
	case o.Structure == nil:
		return specialOpacity
	}
	return mappedOpacity
}

// checkStructured checks the indices of geometry i with a micromap that is an acceleration structure.
func (o *OpacityGeometry) checkStructured(i int) error {
	const rule = "VUID-VkAccelerationStructureTrianglesOpacityMicromapKHR-"
	switch n := o.IndexSize; {
	case n != 0 && n != 1 && n != 2 && n != 4:
		return usage(rule+"indexType-11570", "the micromap indices of geometry %d have %d bytes; must have 1, 2 or 4", i, n)
	case n == 0 && o.Indices.given():
		return usage(rule+"indexBuffer-11571", "geometry %d has memory for micromap indices without a type; must have none", i)
	case n == 0 && o.Structure == nil:
		return usage(rule+"micromap-11579", "geometry %d has neither micromap indices nor a micromap; must have one", i)
	case n != 0 && o.IndexStride%uint64(n) != 0:
		return usage(rule+"indexStride-11573", "the stride of the micromap indices of geometry %d is %d; must be a multiple of %d", i, o.IndexStride, n)
	case n != 0 && o.IndexStride > 1<<32-1:
		return usage(rule+"indexStride-11574", "the stride of the micromap indices of geometry %d is %d; must be less than 2³²", i, o.IndexStride)
	}
	return nil
}

// structured returns the micromap of triangles that is an acceleration structure.
func (in *buildInputs) structured(o *OpacityGeometry) (*ray.Micromap, error) {
	if o.Structure == nil {
		return nil, nil
	}
	c := in.dev.heap.structures.content(o.Structure)
	switch {
	case c == nil:
		return nil, usage(in.rule+"micromap-11701", "%v is a micromap of a geometry before a build; must be built", &o.Structure.object)
	case c.level != MicromapLevel:
		return nil, usage(in.rule+"micromap-11624", "%v is the micromap of a geometry, and was built as another structure; must be a micromap", &o.Structure.object)
	}
	return c.micromap, nil
}

// reads reports whether a geometry of b has the micromap a.
func (b *BuildInfo) reads(a *AccelerationStructure) bool {
	return slices.ContainsFunc(b.Geometries, func(g Geometry) bool {
		return g.Triangles != nil && g.Triangles.Opacity != nil && g.Triangles.Opacity.Structure == a
	})
}

// mixes reports whether a geometry of b has both micromap indices and special ones.
func (b *BuildInfo) mixes(s *ray.Structure) bool {
	for i := range b.Geometries {
		if b.Geometries[i].Triangles.mapped() && s.MixesOpacity(i) {
			return true
		}
	}
	return false
}

// mapped reports whether the micromap of the triangles is an acceleration structure.
func (t *TriangleGeometry) mapped() bool { return t != nil && t.Opacity.form() == mappedOpacity }
