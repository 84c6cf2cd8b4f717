package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestMotion checks the features of VK_NV_ray_tracing_motion_blur, builds a triangle that moves and a top level of a static and a moving
// instance on the host, and traces a ray at time 0. A top level with motion has a number of instances.
func TestMotion(t *testing.T) {
	p := newProgram(t)
	features := abi.PhysicalDeviceRayTracingMotionBlurFeaturesNV{SType: abi.StructureTypePhysicalDeviceRayTracingMotionBlurFeaturesNV}
	p.features(unsafe.Pointer(&features))
	if features.RayTracingMotionBlur != abi.True || features.RayTracingMotionBlurPipelineTraceRaysIndirect != abi.True {
		t.Errorf("features %d and %d; must be 1", features.RayTracingMotionBlur, features.RayTracingMotionBlurPipelineTraceRaysIndirect)
	}

	area, _, _ := p.addressed(abi.BufferUsageAccelerationStructureStorageBitKHR, 8192)
	corners, moved := [9]float32{3: 1, 7: 1}, [9]float32{2: 2, 3: 1, 5: 2, 7: 1, 8: 2}
	host := func(x unsafe.Pointer) (u abi.DeviceOrHostAddressConstKHR) {
		*(*unsafe.Pointer)(unsafe.Pointer(&u)) = x
		return u
	}
	motion := abi.AccelerationStructureGeometryMotionTrianglesDataNV{SType: abi.StructureTypeAccelerationStructureGeometryMotionTrianglesDataNV, VertexData: host(unsafe.Pointer(&moved))}
	triangles := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeTrianglesKHR, Flags: 1}
	*(*abi.AccelerationStructureGeometryTrianglesDataKHR)(unsafe.Pointer(&triangles.Geometry)) = abi.AccelerationStructureGeometryTrianglesDataKHR{
		PNext: unsafe.Pointer(&motion), VertexFormat: 106, VertexData: host(unsafe.Pointer(&corners)), VertexStride: 12, MaxVertex: 2, IndexType: abi.IndexTypeNoneKHR,
	}
	const offset = 4096
	info := abi.AccelerationStructureCreateInfoKHR{CreateFlags: abi.AccelerationStructureCreateMotionBitNV, Buffer: area, Size: 4096, Type: 1}
	build := func(g *abi.AccelerationStructureGeometryKHR, primitives uint32) (h abi.AccelerationStructureKHR) {
		must(p, abi.CmdCreateAccelerationStructureKHR, &abi.CreateAccelerationStructureKHRArgs{Device: p.device, PAccelerationStructure: &h, PCreateInfo: &info})
		ranges := &abi.AccelerationStructureBuildRangeInfoKHR{PrimitiveCount: primitives}
		must(p, abi.CmdBuildAccelerationStructuresKHR, &abi.BuildAccelerationStructuresKHRArgs{Device: p.device, InfoCount: 1, PpBuildRangeInfos: unsafe.Pointer(&ranges), PInfos: &abi.AccelerationStructureBuildGeometryInfoKHR{
			Type: info.Type, Flags: abi.BuildAccelerationStructureMotionBitNV, GeometryCount: 1, PGeometries: g, DstAccelerationStructure: h,
		}})
		return h
	}
	bottom := build(&triangles, 1)

	var instances [2]struct {
		abi.AccelerationStructureMotionInstanceNV
		_ uint64 // to the stride
	}
	static := (*abi.AccelerationStructureInstanceKHR)(unsafe.Pointer(&instances[0].Data))
	static.BitsInstanceCustomIndex, static.AccelerationStructureReference = 0xff<<24, uint64(bottom)
	*(*[12]float32)(unsafe.Pointer(&static.Transform)) = [12]float32{0: 1, 5: 1, 10: 1}
	instances[1].Type = abi.AccelerationStructureMotionInstanceTypeMatrixMotionNV
	moving := (*abi.AccelerationStructureMatrixMotionInstanceNV)(unsafe.Pointer(&instances[1].Data))
	moving.BitsInstanceCustomIndex, moving.AccelerationStructureReference = 0xff<<24, uint64(bottom)
	*(*[12]float32)(unsafe.Pointer(&moving.TransformT0)) = [12]float32{0: 1, 5: 1, 10: 1, 11: 1}
	*(*[12]float32)(unsafe.Pointer(&moving.TransformT1)) = [12]float32{0: 1, 5: 1, 10: 1, 11: -9}
	placed := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeInstancesKHR}
	(*abi.AccelerationStructureGeometryInstancesDataKHR)(unsafe.Pointer(&placed.Geometry)).Data = host(unsafe.Pointer(&instances))
	info.Type, info.Offset = 0, offset
	var none abi.AccelerationStructureKHR
	if r := do(abi.CmdCreateAccelerationStructureKHR, &abi.CreateAccelerationStructureKHRArgs{Device: p.device, PAccelerationStructure: &none, PCreateInfo: &info}); r == abi.Success {
		t.Error("a top level with motion was created without a number of instances; must fail")
	}
	info.PNext = unsafe.Pointer(&abi.AccelerationStructureMotionInfoNV{SType: abi.StructureTypeAccelerationStructureMotionInfoNV, MaxInstances: 2})
	top := build(&placed, 2)
	if got := p.traced(top); got != 4 { // the triangle of the moving instance is at z = 1
		t.Errorf("the ray has T %v; must be 4", got)
	}
	for _, h := range []abi.AccelerationStructureKHR{top, bottom} {
		do(abi.CmdDestroyAccelerationStructureKHR, &abi.DestroyAccelerationStructureKHRArgs{Device: p.device, AccelerationStructure: h})
	}
}
