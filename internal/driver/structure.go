package driver

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	formats "github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

var structures table[vk.AccelerationStructure]

func structureOf(h abi.AccelerationStructureKHR) *vk.AccelerationStructure {
	return structures.get(uint64(h))
}

var structureCalls = map[int]call{
	abi.CmdCreateAccelerationStructureKHR: on(func(a *abi.CreateAccelerationStructureKHRArgs) abi.Result {
		d, i := deviceOf(a.Device), a.PCreateInfo
		if d == nil {
			return abi.ErrorDeviceLost
		}
		s, err := d.vk.NewAccelerationStructure(structureInfo(buffers.get(uint64(i.Buffer)), i.Offset, i.Size, oldLevel(i.Type), i.CreateFlags, i.DeviceAddress, i.PNext))
		return created(d, &structures, s, err, unsafe.Pointer(a.PAccelerationStructure))
	}),
	abi.CmdDestroyAccelerationStructureKHR: run(func(a *abi.DestroyAccelerationStructureKHRArgs) {
		destroy(&structures, uint64(a.AccelerationStructure))
	}),
	abi.CmdGetAccelerationStructureDeviceAddressKHR: value(func(a *abi.GetAccelerationStructureDeviceAddressKHRArgs) uint64 {
		return structureOf(a.PInfo.AccelerationStructure).Address()
	}),
	abi.CmdGetAccelerationStructureBuildSizesKHR: run(getBuildSizes),
	abi.CmdGetDeviceAccelerationStructureCompatibilityKHR: run(func(a *abi.GetDeviceAccelerationStructureCompatibilityKHRArgs) {
		*a.PCompatibility = compatibility(a.Device, unsafe.Pointer(a.PVersionInfo.PVersionData))
	}),
	abi.CmdBuildAccelerationStructuresKHR: on(buildStructures),
	abi.CmdCopyAccelerationStructureKHR: on(func(a *abi.CopyAccelerationStructureKHRArgs) abi.Result {
		i := a.PInfo
		return onHost(a.Device, a.DeferredOperation, func(d *device) error {
			return d.vk.CopyAccelerationStructure(structureOf(i.Src), structureOf(i.Dst), i.Mode == abi.CopyAccelerationStructureModeCompactKHR)
		})
	}),
	abi.CmdCopyAccelerationStructureToMemoryKHR: on(func(a *abi.CopyAccelerationStructureToMemoryKHRArgs) abi.Result {
		return onHost(a.Device, a.DeferredOperation, func(d *device) error {
			return serialize(structureOf(a.PInfo.Src), pointer(&a.PInfo.Dst), vk.SerializationSize, d.vk.AccelerationStructureProperties, d.vk.CopyAccelerationStructureToMemory)
		})
	}),
	abi.CmdCopyMemoryToAccelerationStructureKHR: on(func(a *abi.CopyMemoryToAccelerationStructureKHRArgs) abi.Result {
		return onHost(a.Device, a.DeferredOperation, func(d *device) error {
			return d.vk.CopyMemoryToAccelerationStructure(serialized(pointer(&a.PInfo.Src), 0), structureOf(a.PInfo.Dst))
		})
	}),
	abi.CmdWriteAccelerationStructuresPropertiesKHR: on(writeProperties),
	abi.CmdGetAccelerationStructureOpaqueCaptureDescriptorDataEXT: on(func(*abi.GetAccelerationStructureOpaqueCaptureDescriptorDataEXTArgs) abi.Result {
		return abi.Success
	}),
}

// noLevel is no level of structures.
const noLevel vk.StructureLevel = math.MaxUint8

// levelOf returns the level of a type of structures.
func levelOf(kind uint32) vk.StructureLevel {
	switch kind {
	case abi.AccelerationStructureTypeTopLevelKHR:
		return vk.TopLevel
	case abi.AccelerationStructureTypeBottomLevelKHR:
		return vk.BottomLevel
	case abi.AccelerationStructureTypeGenericKHR:
		return vk.AnyLevel
	case abi.AccelerationStructureTypeOpacityMicromapKHR:
		return vk.MicromapLevel
	}
	return noLevel
}

// oldLevel is levelOf for vkCreateAccelerationStructureKHR, which makes no micromaps (VkAccelerationStructureCreateInfoKHR-type-11600).
func oldLevel(kind uint32) vk.StructureLevel {
	if level := levelOf(kind); level != vk.MicromapLevel {
		return level
	}
	return noLevel
}

// structureInfo describes an acceleration structure in a range of a buffer.
func structureInfo(b *vk.Buffer, offset, size uint64, level vk.StructureLevel, flags uint32, address uint64, next unsafe.Pointer) vk.AccelerationStructureInfo {
	info := vk.AccelerationStructureInfo{
		Buffer: b, Offset: offset, Size: size, Level: level, Flags: vk.StructureFlags(flags), Address: address,
	}
	if m := abi.Find[abi.AccelerationStructureMotionInfoNV](next, abi.StructureTypeAccelerationStructureMotionInfoNV); m != nil {
		info.Motion = &vk.StructureMotionInfo{MaxInstances: m.MaxInstances}
	}
	return info
}

var structureCommands = map[int]recorder{
	abi.CmdCmdBuildAccelerationStructuresKHR: rec(func(c *commandBuffer, a *abi.CmdBuildAccelerationStructuresKHRArgs) {
		c.vk.BuildAccelerationStructures(builds(array(a.PInfos, a.InfoCount), array((**abi.AccelerationStructureBuildRangeInfoKHR)(a.PpBuildRangeInfos), a.InfoCount), false))
	}),
	abi.CmdCmdBuildAccelerationStructuresIndirectKHR: rec(func(c *commandBuffer, a *abi.CmdBuildAccelerationStructuresIndirectKHRArgs) {
		list := builds(array(a.PInfos, a.InfoCount), nil, false)
		addresses, strides, most := array(a.PIndirectDeviceAddresses, a.InfoCount), array(a.PIndirectStrides, a.InfoCount), array((**uint32)(a.PpMaxPrimitiveCounts), a.InfoCount)
		indirect := make([]vk.IndirectBuild, min(len(list), len(addresses), len(strides), len(most)))
		for i := range indirect {
			indirect[i] = vk.IndirectBuild{Address: addresses[i], Stride: strides[i], MaxPrimitives: inputs(most[i], len32(list[i].Geometries))}
		}
		c.vk.BuildAccelerationStructuresIndirect(list, indirect)
	}),
	abi.CmdCmdCopyAccelerationStructureKHR: rec(func(c *commandBuffer, a *abi.CmdCopyAccelerationStructureKHRArgs) {
		c.vk.CopyAccelerationStructure(structureOf(a.PInfo.Src), structureOf(a.PInfo.Dst), a.PInfo.Mode == abi.CopyAccelerationStructureModeCompactKHR)
	}),
	abi.CmdCmdCopyAccelerationStructureToMemoryKHR: rec(func(c *commandBuffer, a *abi.CmdCopyAccelerationStructureToMemoryKHRArgs) {
		c.vk.CopyAccelerationStructureToMemory(structureOf(a.PInfo.Src), a.PInfo.Dst[0])
	}),
	abi.CmdCmdCopyMemoryToAccelerationStructureKHR: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryToAccelerationStructureKHRArgs) {
		c.vk.CopyMemoryToAccelerationStructure(a.PInfo.Src[0], structureOf(a.PInfo.Dst))
	}),
	abi.CmdCmdWriteAccelerationStructuresPropertiesKHR: rec(func(c *commandBuffer, a *abi.CmdWriteAccelerationStructuresPropertiesKHRArgs) {
		c.vk.WriteAccelerationStructureProperties(structuresOf(array(a.PAccelerationStructures, a.AccelerationStructureCount)), queryPools.get(uint64(a.QueryPool)), int(a.FirstQuery))
	}),
}

// len32 returns the length of a list.
func len32[T any](list []T) uint32 { return uint32(len(list)) }

// pointer returns the pointer of a union of a device address and a pointer.
func pointer[T abi.DeviceOrHostAddressKHR | abi.DeviceOrHostAddressConstKHR](u *T) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(u))
}

// structuresOf returns the structures of handles.
func structuresOf(list []abi.AccelerationStructureKHR) []*vk.AccelerationStructure {
	return each(list, func(h *abi.AccelerationStructureKHR) *vk.AccelerationStructure { return structureOf(*h) })
}

// compatibility compares the header of serialized data with the one of a device.
func compatibility(device *abi.Dispatch, header unsafe.Pointer) uint32 {
	if d := deviceOf(device); d != nil && d.vk.AccelerationStructureCompatible(abi.Bytes(header, serialHeader)) {
		return abi.AccelerationStructureCompatibilityCompatibleKHR
	}
	return abi.AccelerationStructureCompatibilityIncompatibleKHR
}

// serialize copies a structure or a micromap to memory of the host, which has the size that the object has as a property.
func serialize[T any](x T, to unsafe.Pointer, size vk.StructureProperty, properties func([]T, vk.StructureProperty) ([]uint64, error), copied func(T, []byte) error) error {
	n, err := properties([]T{x}, size)
	if err != nil {
		return err
	}
	return copied(x, abi.Bytes(to, n[0]))
}

// serialHeader is the size in bytes of the two UUIDs at the start of serialized data. The total size follows them.
const serialHeader = 32

// serialized returns serialized data, whose size leaves out some bytes; nil if there is none.
func serialized(from unsafe.Pointer, without uint64) []byte {
	if from == nil {
		return nil
	}
	n := binary.LittleEndian.Uint64(abi.Bytes(from, serialHeader+8)[serialHeader:])
	return abi.Bytes(from, without+min(n, hostBytes))
}

// onHost runs work of the host at once. An operation that may defer it is told so.
func onHost(device *abi.Dispatch, operation abi.DeferredOperationKHR, work func(*device) error) abi.Result {
	d := deviceOf(device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	r := d.result(work(d))
	if r == abi.Success && operation != 0 {
		return abi.OperationNotDeferredKHR
	}
	return r
}

// buildStructures builds structures on the host.
func buildStructures(a *abi.BuildAccelerationStructuresKHRArgs) abi.Result {
	return onHost(a.Device, a.DeferredOperation, func(d *device) error {
		return d.vk.BuildAccelerationStructures(forever, builds(array(a.PInfos, a.InfoCount), array((**abi.AccelerationStructureBuildRangeInfoKHR)(a.PpBuildRangeInfos), a.InfoCount), true))
	})
}

// getBuildSizes answers the query for the sizes of a build. A build that the driver does not have needs 0 bytes.
func getBuildSizes(a *abi.GetAccelerationStructureBuildSizesKHRArgs) {
	to := a.PSizeInfo
	to.AccelerationStructureSize, to.UpdateScratchSize, to.BuildScratchSize = 0, 0, 0
	d := deviceOf(a.Device)
	if d == nil {
		return
	}
	b := build(a.PBuildInfo, nil, false)
	var primitives []uint32
	if b.Level != vk.MicromapLevel {
		primitives = inputs(a.PMaxPrimitiveCounts, len32(b.Geometries))
	}
	n, err := d.vk.AccelerationStructureBuildSizes(b, primitives)
	if err == nil {
		to.AccelerationStructureSize, to.UpdateScratchSize, to.BuildScratchSize = n.Structure, n.UpdateScratch, n.BuildScratch
	}
}

// writeProperties writes a property of structures, one each stride.
func writeProperties(a *abi.WriteAccelerationStructuresPropertiesKHRArgs) abi.Result {
	return onHost(a.Device, 0, func(d *device) error {
		list := structuresOf(array(a.PAccelerationStructures, a.AccelerationStructureCount))
		values, err := d.vk.AccelerationStructureProperties(list, queryTypes[a.QueryType])
		if err != nil {
			return err
		}
		putProperties(abi.Bytes(a.PData, uint64(a.DataSize)), uint64(a.Stride), values)
		return nil
	})
}

// putProperties writes values at a stride, those that fit.
func putProperties(to []byte, stride uint64, values []uint64) {
	for i, v := range values {
		if at := uint64(i) * stride; at+8 <= uint64(len(to)) {
			binary.LittleEndian.PutUint64(to[at:], v)
		}
	}
}

// inputs returns an array with an element for each geometry of a build, which may be longer than maxElements; nil if it is too long.
func inputs[T any](p *T, n uint32) []T {
	if n > vk.MaxGeometries {
		return nil
	}
	return abi.Slice(p, n)
}

// builds reads builds with the ranges of their geometries; nil for none. onHost reads memory of the host.
func builds(list []abi.AccelerationStructureBuildGeometryInfoKHR, parts []*abi.AccelerationStructureBuildRangeInfoKHR, onHost bool) []vk.BuildInfo {
	out := make([]vk.BuildInfo, len(list))
	for i := range out {
		var r *abi.AccelerationStructureBuildRangeInfoKHR
		if parts != nil {
			r = parts[i]
		}
		out[i] = build(&list[i], r, onHost)
	}
	return out
}

func build(i *abi.AccelerationStructureBuildGeometryInfoKHR, ranges *abi.AccelerationStructureBuildRangeInfoKHR, onHost bool) vk.BuildInfo {
	b := vk.BuildInfo{
		Level: levelOf(i.Type), Flags: vk.BuildFlags(i.Flags), Update: i.Mode == abi.BuildAccelerationStructureModeUpdateKHR,
		Source: structureOf(i.SrcAccelerationStructure), Target: structureOf(i.DstAccelerationStructure),
	}
	if !onHost {
		b.Scratch.Address = i.ScratchData[0]
	}
	if b.Level == vk.MicromapLevel {
		ranges = nil // a micromap has none
	}
	for _, r := range inputs(ranges, i.GeometryCount) {
		b.Ranges = append(b.Ranges, vk.BuildRange{Primitives: r.PrimitiveCount, Offset: r.PrimitiveOffset, FirstVertex: r.FirstVertex, TransformOffset: r.TransformOffset})
	}
	geometries := make([]*abi.AccelerationStructureGeometryKHR, 0, 1)
	if list := inputs(i.PGeometries, i.GeometryCount); list != nil {
		for k := range list {
			geometries = append(geometries, &list[k])
		}
	} else {
		geometries = inputs((**abi.AccelerationStructureGeometryKHR)(i.PpGeometries), i.GeometryCount)
	}
	for k, g := range geometries {
		var host *vk.BuildRange
		if onHost && k < len(b.Ranges) {
			host = &b.Ranges[k]
		}
		b.Geometries = append(b.Geometries, geometry(g, host, b.Flags&vk.BuildMotion != 0))
	}
	return b
}

// geometry reads a geometry of a build, which may have motion; host, not nil, is the part of it that is read from memory of the host.
func geometry(g *abi.AccelerationStructureGeometryKHR, host *vk.BuildRange, moves bool) vk.Geometry {
	out := vk.Geometry{Flags: vk.GeometryFlags(g.Flags)}
	switch g.GeometryType {
	case abi.GeometryTypeTrianglesKHR:
		out.Triangles = triangles((*abi.AccelerationStructureGeometryTrianglesDataKHR)(unsafe.Pointer(&g.Geometry)), host)
	case abi.GeometryTypeAabbsKHR:
		x := (*abi.AccelerationStructureGeometryAabbsDataKHR)(unsafe.Pointer(&g.Geometry))
		n := uint64(0)
		if host != nil {
			n = uint64(host.Offset) + span(uint64(host.Primitives), x.Stride, 24)
		}
		out.Boxes = &vk.BoxGeometry{Data: data(&x.Data, host, n), Stride: x.Stride}
	case abi.GeometryTypeSpheresNV:
		if x := abi.Find[abi.AccelerationStructureGeometrySpheresDataNV](g.PNext, abi.StructureTypeAccelerationStructureGeometrySpheresDataNV); x != nil {
			s := sphereGeometry(x, host, 1)
			out.Spheres = &s
		}
	case abi.GeometryTypeLinearSweptSpheresNV:
		if x := abi.Find[abi.AccelerationStructureGeometryLinearSweptSpheresDataNV](g.PNext, abi.StructureTypeAccelerationStructureGeometryLinearSweptSpheresDataNV); x != nil {
			out.SweptSpheres = sweptSpheres(x, host)
		}
	case abi.GeometryTypeMicromapKHR:
		if x := abi.Find[abi.AccelerationStructureGeometryMicromapDataKHR](g.PNext, abi.StructureTypeAccelerationStructureGeometryMicromapDataKHR); x != nil {
			out.Micromap = micromapGeometry(x)
		}
	case abi.GeometryTypeInstancesKHR:
		x := (*abi.AccelerationStructureGeometryInstancesDataKHR)(unsafe.Pointer(&g.Geometry))
		if host != nil {
			out.Instances = &vk.InstanceGeometry{List: hostInstances(x, host, moves)}
			host.Offset = 0
		} else {
			out.Instances = &vk.InstanceGeometry{Data: vk.BuildData{Address: x.Data[0]}, Pointers: x.ArrayOfPointers != abi.False}
		}
	}
	return out
}

// span returns the bytes of n elements of a size at a stride.
func span(n, stride, size uint64) uint64 {
	if n == 0 {
		return 0
	}
	return min((n-1)*min(stride, math.MaxUint32)+size, hostBytes)
}

// data reads the place of an input: n bytes of the host, or a device address.
func data(u *abi.DeviceOrHostAddressConstKHR, host *vk.BuildRange, n uint64) vk.BuildData {
	if host == nil {
		return vk.BuildData{Address: u[0]}
	}
	return vk.BuildData{Host: abi.Bytes(pointer(u), n)}
}

func triangles(x *abi.AccelerationStructureGeometryTrianglesDataKHR, host *vk.BuildRange) *vk.TriangleGeometry {
	t := &vk.TriangleGeometry{
		Format: link.Format(x.VertexFormat), Stride: x.VertexStride, MaxVertex: x.MaxVertex, IndexSize: indexBytes(x.IndexType),
	}
	if t.IndexSize == 0 && x.IndexType != abi.IndexTypeNoneKHR {
		t.IndexSize = -1 // an error
	}
	var vertices, indices, matrix uint64
	if host != nil {
		size := uint64(0)
		if f := formats.ByID(x.VertexFormat); f != nil {
			size = uint64(f.Bytes)
		}
		n := uint64(x.MaxVertex) + 1
		if t.IndexSize > 0 {
			indices = uint64(host.Offset) + span(3*uint64(host.Primitives), uint64(t.IndexSize), uint64(t.IndexSize))
		} else {
			n = min(n, uint64(host.FirstVertex)+3*uint64(host.Primitives))
			vertices = uint64(host.Offset)
		}
		vertices += span(n, x.VertexStride, size)
		matrix = uint64(host.TransformOffset) + 48
	}
	t.Vertices = data(&x.VertexData, host, vertices)
	if m := abi.Find[abi.AccelerationStructureGeometryMotionTrianglesDataNV](x.PNext, abi.StructureTypeAccelerationStructureGeometryMotionTrianglesDataNV); m != nil {
		moved := data(&m.VertexData, host, vertices)
		t.Moved = &moved
	}
	if o := abi.Find[abi.AccelerationStructureTrianglesOpacityMicromapEXT](x.PNext, abi.StructureTypeAccelerationStructureTrianglesOpacityMicromapEXT); o != nil {
		t.Opacity = opacity(o, host)
	}
	if o := abi.Find[abi.AccelerationStructureTrianglesOpacityMicromapKHR](x.PNext, abi.StructureTypeAccelerationStructureTrianglesOpacityMicromapKHR); o != nil {
		t.Opacity = structuredOpacity(o)
	}
	if t.IndexSize > 0 {
		t.Indices = data(&x.IndexData, host, indices)
	}
	if x.TransformData[0] != 0 {
		t.Transform = data(&x.TransformData, host, matrix)
	}
	return t
}

// hostInstances reads the instances of a build of the host, whose references are handles. They have types if the build has motion.
func hostInstances(x *abi.AccelerationStructureGeometryInstancesDataKHR, host *vk.BuildRange, moves bool) []vk.Instance {
	first, n := pointer(&x.Data), min(host.Primitives, vk.MaxInstances)
	if first == nil {
		return []vk.Instance{}
	}
	first = unsafe.Add(first, host.Offset)
	out := make([]vk.Instance, n)
	for i := range out {
		switch {
		case x.ArrayOfPointers != abi.False:
			p := *at[unsafe.Pointer](first, uintptr(i)*unsafe.Sizeof(first))
			kind := uint32(0)
			if moves {
				kind = uint32(uintptr(p) & 15)
				p = unsafe.Add(p, -int(kind))
			}
			out[i] = hostInstance(p, kind)
		case moves:
			s := at[abi.AccelerationStructureMotionInstanceNV](first, uintptr(i)*motionStride)
			out[i] = hostInstance(unsafe.Pointer(&s.Data), s.Type)
		default:
			out[i] = hostInstance(unsafe.Add(first, uintptr(i)*unsafe.Sizeof(abi.AccelerationStructureInstanceKHR{})), abi.AccelerationStructureMotionInstanceTypeStaticNV)
		}
	}
	return out
}

// motionStride is the distance of VkAccelerationStructureMotionInstanceNV in bytes.
const motionStride = 160

// hostInstance reads an instance of a type. One of no type, or without memory, is inactive.
func hostInstance(p unsafe.Pointer, kind uint32) (out vk.Instance) {
	if p == nil {
		return out
	}
	type rest struct { // what follows the transforms in all types
		custom, record uint32
		structure      abi.AccelerationStructureKHR
	}
	var r *rest
	switch kind {
	case abi.AccelerationStructureMotionInstanceTypeStaticNV:
		s := (*abi.AccelerationStructureInstanceKHR)(p)
		out.Transform = *(*[12]float32)(unsafe.Pointer(&s.Transform))
		r = (*rest)(unsafe.Pointer(&s.BitsInstanceCustomIndex))
	case abi.AccelerationStructureMotionInstanceTypeMatrixMotionNV:
		s := (*abi.AccelerationStructureMatrixMotionInstanceNV)(p)
		out.Transform = *(*[12]float32)(unsafe.Pointer(&s.TransformT0))
		out.Motion = &vk.InstanceMotion{Matrix: *(*[12]float32)(unsafe.Pointer(&s.TransformT1))}
		r = (*rest)(unsafe.Pointer(&s.BitsInstanceCustomIndex))
	case abi.AccelerationStructureMotionInstanceTypeSrtMotionNV:
		s := (*abi.AccelerationStructureSRTMotionInstanceNV)(p)
		out.Motion = &vk.InstanceMotion{SRT: true, From: *(*[16]float32)(unsafe.Pointer(&s.TransformT0)), To: *(*[16]float32)(unsafe.Pointer(&s.TransformT1))}
		r = (*rest)(unsafe.Pointer(&s.BitsInstanceCustomIndex))
	default:
		return out
	}
	out.CustomIndex, out.Mask = r.custom&0xffffff, uint8(r.custom>>24)
	out.Record, out.Flags = r.record&0xffffff, vk.InstanceFlags(r.record>>24)
	out.Structure = structureOf(r.structure)
	return out
}
