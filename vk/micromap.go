package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/ray"
)

// The uses of buffers for micromaps.
const (
	MicromapBuildInput  BufferUsage = 0x800000  // data and triangles
	MicromapStorageArea BufferUsage = 0x1000000 // micromaps
)

// MicromapFlags are properties of a build of a micromap (VkBuildMicromapFlagBitsEXT).
type MicromapFlags uint32

// The flags.
const (
	MicromapPreferFastTrace MicromapFlags = 1 << iota
	MicromapPreferFastBuild
	MicromapAllowCompaction

	knownMicromapFlags = MicromapPreferFastTrace | MicromapPreferFastBuild | MicromapAllowCompaction
)

// Formats of the triangles of micromaps (VkOpacityMicromapFormatEXT).
const (
	MicromapTwoStates  = ray.TwoStates
	MicromapFourStates = ray.FourStates
)

// MaxMicromapLevel is the largest subdivision level of a triangle (maxOpacity2StateSubdivisionLevel, maxOpacity4StateSubdivisionLevel).
const MaxMicromapLevel = ray.MaxMicromapLevel

// MaxMicromapTriangles is the largest number of triangles of a micromap (maxMicromapTriangles).
const MaxMicromapTriangles = ray.MaxMicromapTriangles

// MicromapInfo describes an opacity micromap (VkMicromapCreateInfoEXT).
type MicromapInfo struct {
	Buffer       *Buffer // bound to memory
	Offset, Size uint64  // bytes of the buffer
	Flags        StructureFlags
	Address      uint64 // not 0: of an earlier run; needs the flag StructureAddressReplay
}

// A Micromap is a range of a buffer for an opacity micromap, which structures refer to. Its content is not in the bytes of the
// buffer, as that of an [AccelerationStructure] is not.
type Micromap struct {
	area AccelerationStructure
}

// base returns the object of the micromap.
func (m *Micromap) base() *object { return &m.area.object }

// refer calls each for the micromap, its buffer and its memory.
func (m *Micromap) refer(each func(*object)) { m.area.refer(each) }

// NewMicromap makes an opacity micromap without content.
func (d *Device) NewMicromap(info MicromapInfo) (*Micromap, error) {
	const rule = "VUID-VkMicromapCreateInfoEXT-"
	if err := d.hosts("micromap", "VUID-vkCreateMicromapEXT-micromap-11615"); err != nil {
		return nil, err
	}
	if err := check(d, "the buffer of the micromap", info.Buffer); err != nil {
		return nil, err
	}
	if info.Flags&StructureAddressReplay != 0 {
		if err := d.needs("micromapCaptureReplay", rule+"micromapCaptureReplay-11616"); err != nil {
			return nil, err
		}
	}
	b := info.Buffer
	switch {
	case info.Flags&^StructureAddressReplay != 0:
		return nil, &UnsupportedError{Feature: "a flag of micromaps that is none of Vulkan's"}
	case d.checking > None && b.usage&MicromapStorageArea == 0:
		return nil, usage(rule+"buffer-07435", "%v lacks the usage for micromaps; must have it", &b.object)
	case info.Offset > b.size || info.Size > b.size-info.Offset:
		return nil, usage(rule+"offset-07437", "the micromap has %d bytes from offset %d on; must be in the %d bytes of %v", info.Size, info.Offset, b.size, &b.object)
	case info.Size == 0:
		return nil, usage("", "the micromap has no bytes; must have some")
	case info.Offset%structureAlignment != 0:
		return nil, usage(rule+"offset-07438", "the offset of the micromap is %d; must be a multiple of %d", info.Offset, structureAlignment)
	case info.Address != 0 && info.Flags&StructureAddressReplay == 0:
		return nil, usage(rule+"deviceAddress-07433", "the micromap has the address %#x of an earlier run and lacks the flag for it; must have it", info.Address)
	}
	m := &Micromap{}
	m.area.info = AccelerationStructureInfo{Buffer: b, Offset: info.Offset, Size: info.Size, Level: MicromapLevel, Flags: info.Flags, Address: info.Address}
	if info.Address != 0 && (!d.heap.structures.place(&m.area) || m.area.number != info.Address) {
		return nil, ErrOpaqueAddress
	}
	d.adopt(&m.area.object, "micromap", func() { d.heap.structures.drop(&m.area) })
	return m, nil
}

// MicromapUsage counts triangles of a subdivision level and a format (VkMicromapUsageEXT).
type MicromapUsage struct{ Count, Level, Format uint32 }

// MicromapBuild describes a build of a micromap (VkMicromapBuildInfoEXT). The usages count all triangles.
type MicromapBuild struct {
	Flags     MicromapFlags
	Target    *Micromap
	Usages    []MicromapUsage
	Data      BuildData
	Triangles BuildData // offset in Data (32 bits), level and format (16 bits each)
	Stride    uint64    // bytes from one triangle to the next
	Scratch   BuildData // memory that the build may use
}

// count returns the triangles that the usages count, and the bytes of their data.
func (b *MicromapBuild) count() (triangles, bytes uint64) {
	for _, u := range b.Usages {
		triangles += uint64(u.Count)
		bytes += uint64(u.Count) * ray.MicroBytes(u.Format, u.Level)
	}
	return triangles, bytes
}

// checkUsages checks the flags and the usages.
func (b *MicromapBuild) checkUsages() error {
	const rule = "VUID-VkMicromapBuildInfoEXT-"
	if b.Flags&^knownMicromapFlags != 0 {
		return &UnsupportedError{Feature: "a flag of builds of micromaps that is none of Vulkan's"}
	}
	for i, u := range b.Usages {
		switch {
		case u.Format != MicromapTwoStates && u.Format != MicromapFourStates:
			return usage(rule+"format-11652", "usage %d has the format %d; must have 2 or 4 states", i, u.Format)
		case u.Level > MaxMicromapLevel && u.Format == MicromapTwoStates:
			return usage(rule+"subdivisionLevel-11654", "usage %d has the level %d; must have at most %d", i, u.Level, MaxMicromapLevel)
		case u.Level > MaxMicromapLevel:
			return usage(rule+"subdivisionLevel-11655", "usage %d has the level %d; must have at most %d", i, u.Level, MaxMicromapLevel)
		}
	}
	if n, _ := b.count(); n > ray.MaxMicromapTriangles {
		return &OutOfMemoryError{Cause: ray.ErrTooLarge}
	}
	return nil
}

// size returns the size of the micromap.
func (b *MicromapBuild) size() uint64 { return micromapHeader + ray.MicromapSize(b.count()) }

// micromapHeader covers the properties of a micromap without triangles.
const micromapHeader = 64

// MicromapBuildSizes returns the sizes that a build needs (vkGetMicromapBuildSizesEXT).
func (d *Device) MicromapBuildSizes(b MicromapBuild) (BuildSizes, error) {
	if err := d.Err(); err != nil {
		return BuildSizes{}, err
	}
	if err := b.checkUsages(); err != nil {
		return BuildSizes{}, err
	}
	return BuildSizes{Structure: b.size(), BuildScratch: ScratchAlignment}, nil
}

// checkMicromaps checks the builds of one command or call. rule is the first part of its rules.
func (d *Device) checkMicromaps(list []MicromapBuild, rule string) error {
	if len(list) == 0 {
		return usage(rule+"infoCount-arraylength", "no micromap is built; must be at least 1")
	}
	for i := range list {
		b := &list[i]
		if err := check(d, "the target of a build", b.Target); err != nil {
			return err
		}
		if err := b.checkUsages(); err != nil {
			return err
		}
		a := &b.Target.area
		switch n := b.size(); {
		case !d.heap.structures.place(a):
			return usage(rule+"pInfos-07508", "the buffer of %v has no memory; must have some", &a.object)
		case a.info.Size < n:
			return usage("", "%v has %d bytes, and the build needs %d; must have as many", &a.object, a.info.Size, n)
		}
		for k := range list[:i] {
			if o := &list[k].Target.area; a.overlaps(o) {
				return usage(rule+"dstMicromap-11649", "the memory of the targets %v and %v overlaps; must not", &a.object, &o.object)
			}
		}
	}
	return nil
}

// buildMicromap builds a micromap.
func (d *Device) buildMicromap(b *MicromapBuild, rule string) error {
	m, err := d.readMicromap(b, rule, "pInfos-10896", "pInfos-10897")
	if err != nil {
		return err
	}
	return d.heap.structures.put(&b.Target.area, &content{level: MicromapLevel, micromap: m, flags: BuildFlags(b.Flags)})
}

// readMicromap makes a micromap of the memory of a build. The codes are of the rules on its data and on its triangles.
func (d *Device) readMicromap(b *MicromapBuild, rule, data, triangles string) (*ray.Micromap, error) {
	in := buildInputs{dev: d, rule: rule}
	defer in.release()
	n, bytes := b.count()
	x := ray.MicromapInput{Count: uint32(n), Stride: b.Stride, Most: bytes}
	if n > 0 {
		var err error
		if x.Data, err = in.at(b.Data, 0, data, "the data of a micromap"); err != nil {
			return nil, err
		}
		if x.Triangles, err = in.at(b.Triangles, 0, triangles, "the triangles of a micromap"); err != nil {
			return nil, err
		}
	}
	m, err := ray.BuildMicromap(&x)
	return m, buildError(err)
}

// micromap returns the content of a micromap; nil if it has none.
func (s *structures) micromap(m *Micromap) *content {
	if m == nil {
		return nil
	}
	return s.content(&m.area)
}

// OpacityGeometry maps the triangles of a geometry to triangles of a micromap (VkAccelerationStructureTrianglesOpacityMicromapEXT). With
// Structured the micromap is an acceleration structure (VkAccelerationStructureTrianglesOpacityMicromapKHR).
type OpacityGeometry struct {
	Micromap    *Micromap // nil if all indices are special ones
	Structured  bool
	Structure   *AccelerationStructure // with Structured, in place of Micromap
	Indices     BuildData
	IndexSize   int    // 1, 2 or 4 bytes; 0 without indices
	IndexStride uint64 // bytes from one index to the next
	Base        uint32 // added to indices
}

// check checks the indices of geometry i.
func (o *OpacityGeometry) check(i int) error {
	if o.Structured {
		return o.checkStructured(i)
	}
	const rule = "VUID-VkAccelerationStructureTrianglesOpacityMicromapEXT-"
	switch n := o.IndexSize; {
	case n != 0 && n != 1 && n != 2 && n != 4:
		return usage(rule+"indexType-10719", "the micromap indices of geometry %d have %d bytes; must have 2 or 4", i, n)
	case n != 0 && o.IndexStride%uint64(n) != 0:
		return usage(rule+"indexType-10722", "the stride of the micromap indices of geometry %d is %d; must be a multiple of %d", i, o.IndexStride, n)
	case n != 0 && o.IndexStride > 1<<32-1:
		return usage(rule+"indexType-10723", "the stride of the micromap indices of geometry %d is %d; must be less than 2³²", i, o.IndexStride)
	}
	return nil
}

// opacity returns the opacity of triangles.
func (in *buildInputs) opacity(o *OpacityGeometry) (out *ray.Opacity, err error) {
	out = &ray.Opacity{IndexSize: o.IndexSize, IndexStride: o.IndexStride, Base: o.Base}
	if o.Structured {
		if out.Map, err = in.structured(o); err != nil {
			return nil, err
		}
	} else if c := in.dev.heap.structures.micromap(o.Micromap); c != nil {
		out.Map = c.micromap
	}
	if o.IndexSize != 0 {
		out.Indices, err = in.at(o.Indices, 0, "", "micromap indices")
	}
	return out, err
}

// opacityKind returns the opacity of triangles as far as the sizes of a build depend on it; nil without a micromap.
func (t *TriangleGeometry) opacityKind() *ray.Opacity {
	if t.Opacity == nil {
		return nil
	}
	return &ray.Opacity{}
}
