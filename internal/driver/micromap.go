package driver

import (
	"encoding/binary"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var micromaps table[vk.Micromap]

func micromapOf(h abi.MicromapEXT) *vk.Micromap { return micromaps.get(uint64(h)) }

var micromapCalls = map[int]call{
	abi.CmdCreateMicromapEXT: on(func(a *abi.CreateMicromapEXTArgs) abi.Result {
		d, i := deviceOf(a.Device), a.PCreateInfo
		switch {
		case d == nil:
			return abi.ErrorDeviceLost
		case i.Type != abi.MicromapTypeOpacityMicromapEXT:
			return abi.ErrorFeatureNotPresent
		}
		m, err := d.vk.NewMicromap(vk.MicromapInfo{
			Buffer: buffers.get(uint64(i.Buffer)), Offset: i.Offset, Size: i.Size, Flags: vk.StructureFlags(i.CreateFlags), Address: i.DeviceAddress,
		})
		return created(d, &micromaps, m, err, unsafe.Pointer(a.PMicromap))
	}),
	abi.CmdDestroyMicromapEXT: run(func(a *abi.DestroyMicromapEXTArgs) { destroy(&micromaps, uint64(a.Micromap)) }),
	abi.CmdGetMicromapBuildSizesEXT: run(func(a *abi.GetMicromapBuildSizesEXTArgs) {
		to := a.PSizeInfo
		to.MicromapSize, to.BuildScratchSize, to.Discardable = 0, 0, abi.False
		if d := deviceOf(a.Device); d != nil {
			if n, err := d.vk.MicromapBuildSizes(micromapBuild(a.PBuildInfo, false)); err == nil {
				// Structures share the content of micromaps, so that an application may destroy these after a build.
				to.MicromapSize, to.BuildScratchSize, to.Discardable = n.Structure, n.BuildScratch, abi.True
			}
		}
	}),
	abi.CmdGetDeviceMicromapCompatibilityEXT: run(func(a *abi.GetDeviceMicromapCompatibilityEXTArgs) {
		*a.PCompatibility = compatibility(a.Device, unsafe.Pointer(a.PVersionInfo.PVersionData))
	}),
	abi.CmdBuildMicromapsEXT: on(func(a *abi.BuildMicromapsEXTArgs) abi.Result {
		return onHost(a.Device, a.DeferredOperation, func(d *device) error {
			return d.vk.BuildMicromaps(forever, micromapBuilds(array(a.PInfos, a.InfoCount), true))
		})
	}),
	abi.CmdCopyMicromapEXT: on(func(a *abi.CopyMicromapEXTArgs) abi.Result {
		i := a.PInfo
		return onHost(a.Device, a.DeferredOperation, func(d *device) error {
			return d.vk.CopyMicromap(micromapOf(i.Src), micromapOf(i.Dst), i.Mode == abi.CopyMicromapModeCompactEXT)
		})
	}),
	abi.CmdCopyMicromapToMemoryEXT: on(func(a *abi.CopyMicromapToMemoryEXTArgs) abi.Result {
		return onHost(a.Device, a.DeferredOperation, func(d *device) error {
			return serialize(micromapOf(a.PInfo.Src), pointer(&a.PInfo.Dst), vk.MicromapSerializationSize, d.vk.MicromapProperties, d.vk.CopyMicromapToMemory)
		})
	}),
	abi.CmdCopyMemoryToMicromapEXT: on(func(a *abi.CopyMemoryToMicromapEXTArgs) abi.Result {
		return onHost(a.Device, a.DeferredOperation, func(d *device) error {
			return d.vk.CopyMemoryToMicromap(serialized(pointer(&a.PInfo.Src), serialHeader), micromapOf(a.PInfo.Dst))
		})
	}),
	abi.CmdWriteMicromapsPropertiesEXT: on(func(a *abi.WriteMicromapsPropertiesEXTArgs) abi.Result {
		return onHost(a.Device, 0, func(d *device) error {
			values, err := d.vk.MicromapProperties(micromapsOf(array(a.PMicromaps, a.MicromapCount)), queryTypes[a.QueryType])
			if err != nil {
				return err
			}
			putProperties(abi.Bytes(a.PData, uint64(a.DataSize)), uint64(a.Stride), values)
			return nil
		})
	}),
}

var micromapCommands = map[int]recorder{
	abi.CmdCmdBuildMicromapsEXT: rec(func(c *commandBuffer, a *abi.CmdBuildMicromapsEXTArgs) {
		c.vk.BuildMicromaps(micromapBuilds(array(a.PInfos, a.InfoCount), false))
	}),
	abi.CmdCmdCopyMicromapEXT: rec(func(c *commandBuffer, a *abi.CmdCopyMicromapEXTArgs) {
		c.vk.CopyMicromap(micromapOf(a.PInfo.Src), micromapOf(a.PInfo.Dst), a.PInfo.Mode == abi.CopyMicromapModeCompactEXT)
	}),
	abi.CmdCmdCopyMicromapToMemoryEXT: rec(func(c *commandBuffer, a *abi.CmdCopyMicromapToMemoryEXTArgs) {
		c.vk.CopyMicromapToMemory(micromapOf(a.PInfo.Src), a.PInfo.Dst[0])
	}),
	abi.CmdCmdCopyMemoryToMicromapEXT: rec(func(c *commandBuffer, a *abi.CmdCopyMemoryToMicromapEXTArgs) {
		c.vk.CopyMemoryToMicromap(a.PInfo.Src[0], micromapOf(a.PInfo.Dst))
	}),
	abi.CmdCmdWriteMicromapsPropertiesEXT: rec(func(c *commandBuffer, a *abi.CmdWriteMicromapsPropertiesEXTArgs) {
		c.vk.WriteMicromapProperties(micromapsOf(array(a.PMicromaps, a.MicromapCount)), queryPools.get(uint64(a.QueryPool)), int(a.FirstQuery))
	}),
}

// micromapsOf returns the micromaps of handles.
func micromapsOf(list []abi.MicromapEXT) []*vk.Micromap {
	return each(list, func(h *abi.MicromapEXT) *vk.Micromap { return micromapOf(*h) })
}

// micromapBuilds reads builds. onHost reads memory of the host.
func micromapBuilds(list []abi.MicromapBuildInfoEXT, onHost bool) []vk.MicromapBuild {
	return each(list, func(i *abi.MicromapBuildInfoEXT) vk.MicromapBuild { return micromapBuild(i, onHost) })
}

func micromapBuild(i *abi.MicromapBuildInfoEXT, onHost bool) vk.MicromapBuild {
	b := vk.MicromapBuild{Flags: vk.MicromapFlags(i.Flags), Target: micromapOf(i.DstMicromap), Stride: i.TriangleArrayStride}
	count := uint64(0)
	for _, u := range usages(i.PUsageCounts, i.PpUsageCounts, i.UsageCountsCount) {
		b.Usages = append(b.Usages, vk.MicromapUsage{Count: u.Count, Level: u.SubdivisionLevel, Format: u.Format})
		count += uint64(u.Count)
	}
	if !onHost {
		b.Data.Address, b.Triangles.Address, b.Scratch.Address = i.Data[0], i.TriangleArray[0], i.ScratchData[0]
		return b
	}
	b.Triangles.Host = abi.Bytes(pointer(&i.TriangleArray), span(count, i.TriangleArrayStride, microTriangleBytes))
	b.Data.Host = abi.Bytes(pointer(&i.Data), microDataBytes(b.Triangles.Host, i.TriangleArrayStride, count))
	return b
}

// usages reads usages from an array, or from an array of pointers.
func usages[T abi.MicromapUsageEXT | abi.MicromapUsageKHR](list *T, pointers unsafe.Pointer, n uint32) (out []T) {
	if list != nil || pointers == nil {
		return array(list, n)
	}
	for _, p := range array((**T)(pointers), n) {
		if p != nil {
			out = append(out, *p)
		}
	}
	return out
}

// microTriangleBytes is the size of VkMicromapTriangleEXT.
const microTriangleBytes = 8

// microDataBytes returns the bytes of the data that triangles refer to: a build does not say how many it has.
func microDataBytes(triangles []byte, stride, count uint64) (n uint64) {
	for i := range count {
		at := i * stride
		if at+microTriangleBytes > uint64(len(triangles)) {
			break
		}
		b := triangles[at:]
		level, format := binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:])
		if level <= vk.MaxMicromapLevel && (format == vk.MicromapTwoStates || format == vk.MicromapFourStates) { // 1 or 2 bits for each part
			n = max(n, uint64(binary.LittleEndian.Uint32(b))+(uint64(format)<<(2*level)+7)/8)
		}
	}
	return n
}

// opacity reads the micromap of triangles.
func opacity(x *abi.AccelerationStructureTrianglesOpacityMicromapEXT, host *vk.BuildRange) *vk.OpacityGeometry {
	o := opacityIndices(x.IndexType, x.IndexStride, x.BaseTriangle, &x.IndexBuffer, host)
	o.Micromap = micromapOf(x.Micromap)
	return o
}

// structuredOpacity reads the micromap of triangles that is an acceleration structure. Its indices are at a device address, for builds of
// the host as well.
func structuredOpacity(x *abi.AccelerationStructureTrianglesOpacityMicromapKHR) *vk.OpacityGeometry {
	o := opacityIndices(x.IndexType, x.IndexStride, x.BaseTriangle, &abi.DeviceOrHostAddressConstKHR{x.IndexBuffer}, nil)
	o.Structured, o.Structure = true, structureOf(x.Micromap)
	return o
}

// opacityIndices reads the indices of triangles in a micromap.
func opacityIndices(indexType uint32, stride uint64, base uint32, buffer *abi.DeviceOrHostAddressConstKHR, host *vk.BuildRange) *vk.OpacityGeometry {
	o := &vk.OpacityGeometry{IndexSize: indexBytes(indexType), IndexStride: stride, Base: base}
	if o.IndexSize == 0 {
		if indexType != abi.IndexTypeNoneKHR {
			o.IndexSize = -1 // an error
		}
		return o
	}
	n := uint64(0)
	if host != nil {
		n = span(uint64(host.Primitives), stride, uint64(o.IndexSize))
	}
	o.Indices = data(buffer, host, n)
	return o
}

// micromapGeometry reads the content of a micromap that is an acceleration structure.
func micromapGeometry(x *abi.AccelerationStructureGeometryMicromapDataKHR) *vk.MicromapGeometry {
	g := &vk.MicromapGeometry{Data: vk.BuildData{Address: x.Data}, Triangles: vk.BuildData{Address: x.TriangleArray}, Stride: x.TriangleArrayStride}
	for _, u := range usages(x.PUsageCounts, x.PpUsageCounts, x.UsageCountsCount) {
		g.Usages = append(g.Usages, vk.MicromapUsage{Count: u.Count, Level: u.SubdivisionLevel, Format: u.Format})
	}
	return g
}
