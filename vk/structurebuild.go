package vk

import (
	"github.com/chiaro-gpu/chiaro/link"
)

// BuildFlags are properties of a build of an acceleration structure (VkBuildAccelerationStructureFlagBitsKHR).
type BuildFlags uint32

// The flags.
const (
	BuildAllowUpdate     BuildFlags = 0x1
	BuildAllowCompaction BuildFlags = 0x2
	BuildPreferFastTrace BuildFlags = 0x4
	BuildPreferFastBuild BuildFlags = 0x8
	BuildLowMemory       BuildFlags = 0x10
	BuildMotion          BuildFlags = 0x20  // instances may move, or have vertices that do
	BuildAllowDataAccess BuildFlags = 0x800 // shaders may fetch the positions of vertices

	// The opacity micromaps of an update may be others, or have other data; instances may disable micromaps.
	BuildAllowMicromapUpdate     BuildFlags = 0x40
	BuildAllowDisableMicromaps   BuildFlags = 0x80
	BuildAllowMicromapDataUpdate BuildFlags = 0x100

	knownBuildFlags = BuildAllowUpdate | BuildAllowCompaction | BuildPreferFastTrace | BuildPreferFastBuild | BuildLowMemory | BuildMotion | BuildAllowDataAccess |
		BuildAllowMicromapUpdate | BuildAllowDisableMicromaps | BuildAllowMicromapDataUpdate | BuildMicromapLossy
)

// GeometryFlags are properties of a geometry (VkGeometryFlagBitsKHR).
type GeometryFlags uint32

// The flags.
const (
	GeometryOpaque             GeometryFlags = 1 // no any-hit shader decides on hits
	GeometryNoDuplicateAnyHits GeometryFlags = 2 // an any-hit shader decides once on each hit

	knownGeometryFlags = GeometryOpaque | GeometryNoDuplicateAnyHits
)

// BuildData is the memory of an input of a build: at a device address for commands, of the host for [Device.BuildAccelerationStructures]
// (VkDeviceOrHostAddressConstKHR).
type BuildData struct {
	Address uint64
	Host    []byte
}

// given reports whether there is memory.
func (b *BuildData) given() bool { return b.Address != 0 || b.Host != nil }

// Geometry is the primitives of one geometry (VkAccelerationStructureGeometryKHR): one of its pointers is not nil.
type Geometry struct {
	Flags        GeometryFlags
	Triangles    *TriangleGeometry
	Boxes        *BoxGeometry
	Spheres      *SphereGeometry
	SweptSpheres *SweptSphereGeometry
	Instances    *InstanceGeometry
	Micromap     *MicromapGeometry
}

// TriangleGeometry is triangles (VkAccelerationStructureGeometryTrianglesDataKHR).
type TriangleGeometry struct {
	Format    link.Format
	Vertices  BuildData
	Stride    uint64 // bytes from one vertex to the next
	MaxVertex uint32 // the largest number of a vertex
	Indices   BuildData
	IndexSize int       // 1, 2 or 4 bytes; 0 without indices
	Transform BuildData // 3 rows of 4 32-bit floats; zero for none

	// Moved, not nil, has the vertices at time 1 (VkAccelerationStructureGeometryMotionTrianglesDataNV). Vertices has those at time 0.
	Moved *BuildData

	Opacity *OpacityGeometry // nil without a micromap
}

// BoxGeometry is axis-aligned boxes with procedural content: 6 32-bit floats, the least and the greatest x, y and z
// (VkAccelerationStructureGeometryAabbsDataKHR).
type BoxGeometry struct {
	Data   BuildData
	Stride uint64 // bytes from one box to the next
}

// InstanceGeometry is instances of bottom levels. For commands, Data has instances of 64 bytes, or with Pointers their addresses
// (VkAccelerationStructureGeometryInstancesDataKHR). A build with BuildMotion has instances with a type, at a stride of 160 bytes, or
// addresses whose low 4 bits are the type (VkAccelerationStructureMotionInstanceNV). For builds of the host, List has the instances.
type InstanceGeometry struct {
	Data     BuildData
	Pointers bool
	List     []Instance
}

// InstanceFlags are properties of an instance (VkGeometryInstanceFlagBitsKHR).
type InstanceFlags uint8

// The flags.
const (
	InstanceNoCulling     InstanceFlags = 1 // triangles are not culled by their facing
	InstanceFlipFacing    InstanceFlags = 2
	InstanceForceOpaque   InstanceFlags = 4
	InstanceForceNoOpaque InstanceFlags = 8

	InstanceForceTwoStates   InstanceFlags = 0x10 // unknown states of micromaps are opaque or transparent
	InstanceDisableMicromaps InstanceFlags = 0x20
)

// Instance is an instance of a bottom level (VkAccelerationStructureInstanceKHR).
type Instance struct {
	Transform   [12]float32 // 3 rows of 4
	CustomIndex uint32      // 24 bits
	Mask        uint8
	Record      uint32 // the offset of its records in the shader binding table, 24 bits
	Flags       InstanceFlags
	Structure   *AccelerationStructure // nil for an inactive instance
	Motion      *InstanceMotion        // nil for an instance that does not move
}

// instanceBytes is the size of an instance in memory.
const instanceBytes = 64

// BuildRange is the part of a geometry that a build uses (VkAccelerationStructureBuildRangeInfoKHR).
type BuildRange struct {
	Primitives      uint32
	Offset          uint32 // bytes, in the indices of triangles or in the data
	FirstVertex     uint32
	TransformOffset uint32 // bytes
}

// BuildInfo describes a build, or an update, of an acceleration structure (VkAccelerationStructureBuildGeometryInfoKHR).
type BuildInfo struct {
	Level      StructureLevel
	Flags      BuildFlags
	Update     bool                   // of the Source, to the Target
	Source     *AccelerationStructure // of an update; it may be the Target
	Target     *AccelerationStructure
	Geometries []Geometry
	Ranges     []BuildRange // one for each geometry; none for a micromap
	Scratch    BuildData    // memory that the build may use
}

// ScratchAlignment is the alignment of scratch memory (minAccelerationStructureScratchOffsetAlignment).
const ScratchAlignment = 16

// Bounds of acceleration structures.
const (
	MaxGeometries = 1<<24 - 1 // of a bottom level (maxGeometryCount)
	MaxInstances  = 1<<24 - 1 // of a top level (maxInstanceCount)
	MaxPrimitives = 1<<29 - 1 // of a bottom level (maxPrimitiveCount)
)

// shape is the part of a geometry that an update must not change.
type shape struct {
	kind       geometryKind
	flags      GeometryFlags
	format     link.Format
	maxVertex  uint32
	indexSize  int
	transform  bool
	primitives uint32
	opacity    opacityForm
	micromap   *AccelerationStructure
}

// geometryKind is the kind of the primitives of a geometry (VkGeometryTypeKHR).
type geometryKind uint8

const (
	triangles geometryKind = iota
	boxes
	spheres
	sweptSpheres
	instances
	micromapKind
	noGeometry
)

// kind returns the kind of a geometry; noGeometry unless one of its pointers is not nil.
func (g *Geometry) kind() geometryKind {
	kind, n := noGeometry, 0
	for k, is := range [...]bool{triangles: g.Triangles != nil, boxes: g.Boxes != nil, spheres: g.Spheres != nil, sweptSpheres: g.SweptSpheres != nil, instances: g.Instances != nil, micromapKind: g.Micromap != nil} {
		if is {
			kind, n = geometryKind(k), n+1
		}
	}
	if n != 1 {
		return noGeometry
	}
	return kind
}

// shape returns the part of a geometry that an update must not change.
func (g *Geometry) shape(primitives uint32) shape {
	s := shape{kind: g.kind(), flags: g.Flags, primitives: primitives}
	if t := g.Triangles; t != nil {
		s.format, s.maxVertex, s.indexSize, s.transform = t.Format, t.MaxVertex, t.IndexSize, t.Transform.given()
		if s.opacity = t.Opacity.form(); s.opacity == mappedOpacity {
			s.micromap = t.Opacity.Structure
		}
	}
	return s
}

// shapes returns the shapes of the geometries.
func (b *BuildInfo) shapes() []shape {
	out := make([]shape, len(b.Geometries))
	for i := range out {
		out[i] = b.Geometries[i].shape(b.Ranges[i].Primitives)
	}
	return out
}

// checkGeometries checks the geometries by themselves, for builds and for the query of their sizes. primitives are the most, or
// the number, of each.
func (b *BuildInfo) checkGeometries(primitives []uint32) error {
	const rule = "VUID-VkAccelerationStructureBuildGeometryInfoKHR-"
	if b.Level == MicromapLevel {
		return b.checkMicromapGeometry()
	}
	switch {
	case b.Level == AnyLevel && b.Flags&BuildMotion != 0:
		return usage(rule+"flags-04929", "the build has motion and any level; must be of the top or of the bottom")
	case b.Level > BottomLevel:
		return usage(rule+"type-03654", "the build is of the level %d; must be of the top or of the bottom", b.Level)
	case b.Flags&^knownBuildFlags != 0:
		return &UnsupportedError{Feature: "flags of builds of acceleration structures: " + uintText(uint64(b.Flags&^knownBuildFlags))}
	case b.Flags&BuildMicromapLossy != 0:
		return usage(rule+"type-11563", "the build has the flag BuildMicromapLossy; must be of a micromap")
	case b.Flags&BuildPreferFastTrace != 0 && b.Flags&BuildPreferFastBuild != 0:
		return usage(rule+"flags-03796", "the build prefers a fast trace and a fast build; must prefer at most one")
	case b.Level == TopLevel && len(b.Geometries) != 1:
		return usage(rule+"type-03790", "the top level has %d geometries; must have 1", len(b.Geometries))
	case len(b.Geometries) > MaxGeometries:
		return usage(rule+"type-03793", "the bottom level has %d geometries; must have at most %d", len(b.Geometries), MaxGeometries)
	case len(primitives) != len(b.Geometries):
		return usage("", "there are %d geometries and the primitives of %d; must be as many", len(b.Geometries), len(primitives))
	}
	total := uint64(0)
	for i := range b.Geometries {
		g := &b.Geometries[i]
		kind := g.kind()
		total += uint64(primitives[i])
		switch {
		case kind == noGeometry:
			return usage("", "geometry %d has no primitives, or several kinds; must have those of one kind", i)
		case kind == micromapKind:
			return usage(rule+"geometryType-11707", "geometry %d is a micromap; must be of a build of the level of micromaps", i)
		case g.Flags&^knownGeometryFlags != 0:
			return &UnsupportedError{Feature: "a flag of geometries that is none of Vulkan's"}
		case b.Level == TopLevel && kind != instances:
			return usage(rule+"type-03789", "geometry %d of the top level has no instances; must have them", i)
		case b.Level == BottomLevel && kind == instances:
			return usage(rule+"type-03791", "geometry %d of the bottom level has instances; must not have them", i)
		case kind != b.Geometries[0].kind():
			return usage(rule+"type-03792", "geometry %d is not of the kind of the first one; must be", i)
		case kind == instances && primitives[i] > MaxInstances:
			return usage("VUID-vkGetAccelerationStructureBuildSizesKHR-pBuildInfo-03785", "there are %d instances; must be at most %d", primitives[i], MaxInstances)
		}
		if err := g.check(i); err != nil {
			return err
		}
	}
	if b.Level == BottomLevel && total > MaxPrimitives {
		code := map[geometryKind]string{triangles: rule + "type-03795", boxes: rule + "type-03794"}[b.Geometries[0].kind()]
		return usage(code, "there are %d primitives; must be at most %d", total, MaxPrimitives)
	}
	return nil
}

// check checks the strides and formats of geometry i.
func (g *Geometry) check(i int) error {
	switch {
	case g.Triangles != nil:
		t := g.Triangles
		const rule = "VUID-VkAccelerationStructureGeometryTrianglesDataKHR-"
		component, ok := t.alignment()
		switch {
		case !ok:
			return usage(rule+"vertexFormat-03797", "the vertices of geometry %d have the format %s; must have one of acceleration structures", i, t.Format)
		case t.Stride%component != 0:
			return usage(rule+"vertexStride-03735", "the stride of the vertices of geometry %d is %d; must be a multiple of %d", i, t.Stride, component)
		case t.Stride > 1<<32-1:
			return usage(rule+"vertexStride-03819", "the stride of the vertices of geometry %d is %d; must be less than 2³²", i, t.Stride)
		case t.IndexSize != 0 && t.IndexSize != 1 && t.IndexSize != 2 && t.IndexSize != 4:
			return usage(rule+"indexType-03798", "the indices of geometry %d have %d bytes; must have 1, 2 or 4", i, t.IndexSize)
		case t.Opacity != nil:
			return t.Opacity.check(i)
		}
	case g.spheres() != nil:
		return g.checkSpheres(i)
	case g.Boxes != nil:
		const rule = "VUID-VkAccelerationStructureGeometryAabbsDataKHR-"
		switch n := g.Boxes.Stride; {
		case n%8 != 0:
			return usage(rule+"stride-03545", "the stride of the boxes of geometry %d is %d; must be a multiple of 8", i, n)
		case n > 1<<32-1:
			return usage(rule+"stride-03820", "the stride of the boxes of geometry %d is %d; must be less than 2³²", i, n)
		}
	}
	return nil
}

// checkBuilds checks the builds of one command or call. rule is the first part of its rules. primitives are the most, or the
// number, of each build and geometry.
func (d *Device) checkBuilds(list []BuildInfo, rule string, primitives [][]uint32) error {
	if len(list) == 0 {
		return usage(rule+"infoCount-arraylength", "no acceleration structure is built; must be at least 1")
	}
	for i := range list {
		if err := d.checkBuild(&list[i], rule, primitives[i]); err != nil {
			return err
		}
		for k := range list[:i] {
			x, y := &list[i], &list[k]
			switch {
			case x.Target == y.Target:
				return usage(rule+"dstAccelerationStructure-03698", "two builds have the target %v; must have different ones", &x.Target.object)
			case x.Update && x.Source == y.Target || y.Update && y.Source == x.Target:
				return usage(rule+"pInfos-03403", "the source of a build is the target of another; must not be")
			case x.reads(y.Target) || y.reads(x.Target):
				return usage(rule+"dstAccelerationStructure-11548", "the micromap of a geometry is the target of another build; must not be")
			case x.Target.overlaps(y.Target):
				return usage(rule+"dstAccelerationStructure-03702", "the memory of the targets %v and %v overlaps; must not", &x.Target.object, &y.Target.object)
			}
		}
	}
	return nil
}

// overlaps reports whether the ranges of two structures overlap.
func (a *AccelerationStructure) overlaps(o *AccelerationStructure) bool {
	s := &a.dev.heap.structures
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.placed(a) && s.placed(o) && a.memory == o.memory && a.from < o.from+o.info.Size && o.from < a.from+a.info.Size
}

// checkBuild checks one build.
func (d *Device) checkBuild(b *BuildInfo, rule string, primitives []uint32) error {
	if err := check(d, "the target of a build", b.Target); err != nil {
		return err
	}
	if err := b.checkGeometries(primitives); err != nil {
		return err
	}
	if b.Level == MicromapLevel {
		return d.checkMicromapBuild(b, rule)
	}
	for i := range b.Geometries {
		if err := d.needsGeometry(&b.Geometries[i]); err != nil {
			return err
		}
	}
	target := b.Target
	switch {
	case !d.heap.structures.place(target):
		return usage(rule+"pInfos-03707", "the buffer of %v has no memory; must have some", &target.object)
	case target.info.Level != AnyLevel && target.info.Level != b.Level:
		return usage(rule+[...]string{TopLevel: "pInfos-03699", BottomLevel: "pInfos-03700"}[b.Level], "%v is not of the level of the build; must be", &target.object)
	}
	if d.checking > None { // a structure needs nothing for motion but its size
		if err := b.checkMotion(primitives); err != nil {
			return err
		}
	}
	if n := b.sizes(primitives).Structure; target.info.Size < n {
		return usage(rule+"pInfos-10126", "%v has %d bytes, and the build needs %d; must have as many", &target.object, target.info.Size, n)
	}
	for i := range b.Geometries {
		if t := b.Geometries[i].Triangles; t.mapped() {
			if err := check(d, "the micromap of a geometry", t.Opacity.Structure); err != nil {
				return err
			}
		}
		if t := b.Geometries[i].Triangles; t != nil && t.Opacity != nil && t.Opacity.Micromap != nil {
			if err := check(d, "the micromap of a geometry", t.Opacity.Micromap); err != nil {
				return err
			}
		}
		if x := b.Geometries[i].Instances; x != nil {
			for k := range x.List {
				if s := x.List[k].Structure; s != nil {
					if err := check(d, "the structure of an instance", s); err != nil {
						return err
					}
				}
			}
		}
	}
	if !b.Update {
		return nil
	}
	if b.Source == nil {
		return usage(rule+"pInfos-04630", "the source of an update is nil; must be an acceleration structure")
	}
	if err := check(d, "the source of an update", b.Source); err != nil {
		return err
	}
	if b.Source != target && b.Source.overlaps(target) {
		return usage(rule+"pInfos-03668", "the memory of %v and %v overlaps; must be one structure, or disjoint", &b.Source.object, &target.object)
	}
	return nil
}

// checkUpdate checks an update against the last build of its source. The largest vertex counts in full checking alone: an update reads its
// own vertices.
func (b *BuildInfo) checkUpdate(c *content, rule string, shapes []shape, strict bool) error {
	switch {
	case c == nil:
		return usage("", "%v is updated before a build; must be built", &b.Source.object)
	case c.flags&BuildAllowUpdate == 0:
		return usage(rule+"pInfos-03667", "%v is updated, and its build does not allow updates; must allow them", &b.Source.object)
	case c.level != b.Level:
		return usage(rule+"pInfos-03760", "the update of %v is of another level than its build; must be of the same", &b.Source.object)
	case c.flags != b.Flags:
		return usage(rule+"pInfos-03759", "the update of %v has other flags than its build; must have the same", &b.Source.object)
	case c.shapes == nil:
		return nil
	case len(c.shapes) != len(shapes):
		return usage(rule+"pInfos-03758", "the update of %v has %d geometries, and its build %d; must be as many", &b.Source.object, len(shapes), len(c.shapes))
	}
	for i, now := range shapes {
		was := c.shapes[i]
		code, what := "", ""
		switch {
		case now.kind != was.kind:
			code, what = "pInfos-03761", "kind"
		case now.flags != was.flags:
			code, what = "pInfos-03762", "flags"
		case now.format != was.format:
			code, what = "pInfos-03763", "vertex format"
		case now.maxVertex != was.maxVertex && strict:
			code, what = "pInfos-03764", "largest vertex"
		case now.indexSize != was.indexSize:
			code, what = "pInfos-03765", "size of indices"
		case now.transform && !was.transform:
			code, what = "pInfos-03766", "absent transform"
		case !now.transform && was.transform:
			code, what = "pInfos-03767", "transform"
		case now.primitives != was.primitives:
			code, what = "primitiveCount-03769", "number of primitives"
		case now.opacity != was.opacity:
			code, what = [...]string{mappedOpacity: "micromap-11625", specialOpacity: "micromap-11626", noOpacity: "micromap-11627"}[was.opacity], "form of opacity"
		case now.micromap != was.micromap && strict && c.flags&(BuildAllowMicromapUpdate|BuildAllowMicromapDataUpdate) == 0:
			code, what = "micromap-11629", "micromap"
		default:
			continue
		}
		return usage(rule+code, "geometry %d of the update of %v has another %s than its build; must have the same", i, &b.Source.object, what)
	}
	return nil
}
