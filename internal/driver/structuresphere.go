package driver

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	formats "github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// sphereGeometry reads spheres, of which each primitive has a number of indices, or centers and radii.
func sphereGeometry(x *abi.AccelerationStructureGeometrySpheresDataNV, host *vk.BuildRange, ends uint64) vk.SphereGeometry {
	s := vk.SphereGeometry{
		Format: link.Format(x.VertexFormat), Stride: x.VertexStride, RadiusFormat: link.Format(x.RadiusFormat), RadiusStride: x.RadiusStride,
		IndexSize: indexBytes(x.IndexType), IndexStride: x.IndexStride,
	}
	if s.IndexSize == 0 && x.IndexType != abi.IndexTypeNoneKHR {
		s.IndexSize = -1 // an error
	}
	var centers, radii, indices uint64
	if host != nil {
		n, offset := ends*uint64(host.Primitives), uint64(host.Offset)
		if s.IndexSize > 0 {
			indices, offset = offset+span(n, x.IndexStride, uint64(s.IndexSize)), 0
			n = largestIndex(x, host, &s, n, indices)
		}
		n += uint64(host.FirstVertex)
		centers = offset + span(n, x.VertexStride, formatBytes(x.VertexFormat))
		radii = offset + span(n, x.RadiusStride, formatBytes(x.RadiusFormat))
	}
	s.Centers, s.Radii = data(&x.VertexData, host, centers), data(&x.RadiusData, host, radii)
	if s.IndexSize != 0 || host == nil || pointer(&x.IndexData) != nil {
		s.Indices = data(&x.IndexData, host, indices)
	}
	return s
}

// largestIndex returns the number of centers that n indices of the host select, and one more, which successive indices select too: a
// geometry does not say how many it has.
func largestIndex(x *abi.AccelerationStructureGeometrySpheresDataNV, host *vk.BuildRange, s *vk.SphereGeometry, n, size uint64) (most uint64) {
	if pointer(&x.IndexData) == nil || s.IndexSize < 2 {
		return 0
	}
	b := abi.Bytes(pointer(&x.IndexData), size)
	for i := range n {
		at := uint64(host.Offset) + i*x.IndexStride
		if at+uint64(s.IndexSize) > uint64(len(b)) {
			break
		}
		index := uint64(binary.LittleEndian.Uint16(b[at:]))
		if s.IndexSize == 4 {
			index = uint64(binary.LittleEndian.Uint32(b[at:]))
		}
		most = max(most, index)
	}
	return most + 2
}

// formatBytes returns the bytes of a texel of a format; 0 if the driver does not have it.
func formatBytes(number uint32) uint64 {
	if f := formats.ByID(number); f != nil {
		return uint64(f.Bytes)
	}
	return 0
}

// sweptSpheres reads linear swept spheres, whose struct begins as the one of spheres.
func sweptSpheres(x *abi.AccelerationStructureGeometryLinearSweptSpheresDataNV, host *vk.BuildRange) *vk.SweptSphereGeometry {
	like := abi.AccelerationStructureGeometrySpheresDataNV{
		VertexFormat: x.VertexFormat, VertexData: x.VertexData, VertexStride: x.VertexStride, RadiusFormat: x.RadiusFormat, RadiusData: x.RadiusData,
		RadiusStride: x.RadiusStride, IndexType: x.IndexType, IndexData: x.IndexData, IndexStride: x.IndexStride,
	}
	out := &vk.SweptSphereGeometry{Successive: x.IndexingMode == abi.RayTracingLssIndexingModeSuccessiveNV, Chained: x.EndCapsMode == abi.RayTracingLssPrimitiveEndCapsModeChainedNV}
	ends := uint64(2)
	if out.Successive {
		ends = 1
	}
	out.Spheres = sphereGeometry(&like, host, ends)
	return out
}
