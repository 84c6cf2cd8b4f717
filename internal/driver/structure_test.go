package driver

import (
	"bytes"
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// tracing is a compute shader that traces a ray from (¼, ¼, 5) down the axis z and stores T.
const tracing = `OpCapability Shader
OpCapability RayQueryKHR
OpExtension "SPV_KHR_ray_query"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %top DescriptorSet 0
OpDecorate %top Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec3 = OpTypeVector %float 3
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%structure = OpTypeAccelerationStructureKHR
%query = OpTypeRayQueryKHR
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%pstructure = OpTypePointer UniformConstant %structure
%pquery = OpTypePointer Function %query
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%mask = OpConstant %uint 255
%f0 = OpConstant %float 0
%quarter = OpConstant %float 0.25
%five = OpConstant %float 5
%far = OpConstant %float 100
%minus = OpConstant %float -1
%origin = OpConstantComposite %vec3 %quarter %quarter %five
%down = OpConstantComposite %vec3 %f0 %f0 %minus
%top = OpVariable %pstructure UniformConstant
%out = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%q = OpVariable %pquery Function
%s = OpLoad %structure %top
OpRayQueryInitializeKHR %q %s %one %mask %origin %f0 %down %far
%go = OpRayQueryProceedKHR %bool %q
%t = OpRayQueryGetIntersectionTKHR %float %q %one
%p = OpAccessChain %pfloat %out %zero %zero
OpStore %p %t
OpReturn
OpFunctionEnd
`

// put writes floats.
func put(to []uint32, list ...float32) {
	for i, x := range list {
		to[i] = math.Float32bits(x)
	}
}

// TestAccelerationStructure builds a bottom level by a command and a top level on the host, reads their sizes, serializes one, and traces
// a ray by a query.
func TestAccelerationStructure(t *testing.T) {
	p := newProgram(t)
	area, _, _ := p.addressed(abi.BufferUsageAccelerationStructureStorageBitKHR, 8192)
	_, inputs, content := p.addressed(abi.BufferUsageAccelerationStructureBuildInputReadOnlyBitKHR, 1024)
	put(content, 0, 0, 0, 1, 0, 0, 0, 1, 0)
	triangles := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeTrianglesKHR, Flags: 1}
	*(*abi.AccelerationStructureGeometryTrianglesDataKHR)(unsafe.Pointer(&triangles.Geometry)) = abi.AccelerationStructureGeometryTrianglesDataKHR{
		VertexFormat: 106, VertexData: [1]uint64{inputs}, VertexStride: 12, MaxVertex: 2, IndexType: abi.IndexTypeNoneKHR,
	}
	make := func(level uint32, offset uint64, g *abi.AccelerationStructureGeometryKHR) (h abi.AccelerationStructureKHR, b abi.AccelerationStructureBuildGeometryInfoKHR) {
		b = abi.AccelerationStructureBuildGeometryInfoKHR{Type: level, Flags: 3, GeometryCount: 1, PGeometries: g}
		one, size := uint32(1), abi.AccelerationStructureBuildSizesInfoKHR{}
		do(abi.CmdGetAccelerationStructureBuildSizesKHR, &abi.GetAccelerationStructureBuildSizesKHRArgs{Device: p.device, PBuildInfo: &b, PMaxPrimitiveCounts: &one, PSizeInfo: &size})
		if size.AccelerationStructureSize == 0 || size.BuildScratchSize == 0 {
			t.Fatalf("the build needs %+v", size)
		}
		must(p, abi.CmdCreateAccelerationStructureKHR, &abi.CreateAccelerationStructureKHRArgs{Device: p.device, PAccelerationStructure: &h, PCreateInfo: &abi.AccelerationStructureCreateInfoKHR{
			Buffer: area, Offset: offset, Size: size.AccelerationStructureSize, Type: level,
		}})
		b.DstAccelerationStructure = h
		return h, b
	}
	bottom, b := make(1, 0, &triangles)
	ranges := &abi.AccelerationStructureBuildRangeInfoKHR{PrimitiveCount: 1}
	var pool abi.QueryPool
	must(p, abi.CmdCreateQueryPool, &abi.CreateQueryPoolArgs{Device: p.device, PQueryPool: &pool, PCreateInfo: &abi.QueryPoolCreateInfo{QueryType: abi.QueryTypeAccelerationStructureCompactedSizeKHR, QueryCount: 1}})
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdBuildAccelerationStructuresKHR, &abi.CmdBuildAccelerationStructuresKHRArgs{CommandBuffer: c, InfoCount: 1, PInfos: &b, PpBuildRangeInfos: unsafe.Pointer(&ranges)})
		do(abi.CmdCmdWriteAccelerationStructuresPropertiesKHR, &abi.CmdWriteAccelerationStructuresPropertiesKHRArgs{CommandBuffer: c, AccelerationStructureCount: 1, PAccelerationStructures: &bottom, QueryType: abi.QueryTypeAccelerationStructureCompactedSizeKHR, QueryPool: pool})
	})
	var compact, serial uint64
	must(p, abi.CmdGetQueryPoolResults, &abi.GetQueryPoolResultsArgs{Device: p.device, QueryPool: pool, QueryCount: 1, DataSize: 8, PData: unsafe.Pointer(&compact), Stride: 8, Flags: abi.QueryResult64Bit})
	must(p, abi.CmdWriteAccelerationStructuresPropertiesKHR, &abi.WriteAccelerationStructuresPropertiesKHRArgs{Device: p.device, AccelerationStructureCount: 1, PAccelerationStructures: &bottom, QueryType: abi.QueryTypeAccelerationStructureSerializationSizeKHR, DataSize: 8, PData: unsafe.Pointer(&serial), Stride: 8})
	if compact == 0 || serial < 56 {
		t.Fatalf("the compact size is %d, the serialized one %d", compact, serial)
	}
	data := p.serialized(bottom, serial)
	compatible := ^uint32(0)
	do(abi.CmdGetDeviceAccelerationStructureCompatibilityKHR, &abi.GetDeviceAccelerationStructureCompatibilityKHRArgs{Device: p.device, PVersionInfo: &abi.AccelerationStructureVersionInfoKHR{PVersionData: &data[0]}, PCompatibility: &compatible})
	from := abi.CopyMemoryToAccelerationStructureInfoKHR{Dst: bottom, Mode: abi.CopyAccelerationStructureModeDeserializeKHR}
	*(*unsafe.Pointer)(unsafe.Pointer(&from.Src)) = unsafe.Pointer(&data[0])
	must(p, abi.CmdCopyMemoryToAccelerationStructureKHR, &abi.CopyMemoryToAccelerationStructureKHRArgs{Device: p.device, PInfo: &from})
	if compatible != abi.AccelerationStructureCompatibilityCompatibleKHR {
		t.Errorf("the compatibility is %d", compatible)
	}

	instance := abi.AccelerationStructureInstanceKHR{BitsInstanceCustomIndex: 0xff << 24, AccelerationStructureReference: uint64(bottom)}
	*(*[12]float32)(unsafe.Pointer(&instance.Transform)) = [12]float32{0: 1, 5: 1, 10: 1}
	placed := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeInstancesKHR}
	*(*unsafe.Pointer)(unsafe.Pointer(&(*abi.AccelerationStructureGeometryInstancesDataKHR)(unsafe.Pointer(&placed.Geometry)).Data)) = unsafe.Pointer(&instance)
	top, b := make(0, 4096, &placed)
	must(p, abi.CmdBuildAccelerationStructuresKHR, &abi.BuildAccelerationStructuresKHRArgs{Device: p.device, InfoCount: 1, PInfos: &b, PpBuildRangeInfos: unsafe.Pointer(&ranges)})
	if got := p.traced(top); got != 5 {
		t.Errorf("the ray has T %v; must be 5", got)
	}
	do(abi.CmdDestroyAccelerationStructureKHR, &abi.DestroyAccelerationStructureKHRArgs{Device: p.device, AccelerationStructure: top})
	do(abi.CmdDestroyAccelerationStructureKHR, &abi.DestroyAccelerationStructureKHRArgs{Device: p.device, AccelerationStructure: bottom})
	do(abi.CmdDestroyQueryPool, &abi.DestroyQueryPoolArgs{Device: p.device, QueryPool: pool})
}

// TestSpheres builds spheres and swept spheres from memory of the host, with indices and without, and traces rays.
func TestSpheres(t *testing.T) {
	p := newProgram(t)
	area, _, _ := p.addressed(abi.BufferUsageAccelerationStructureStorageBitKHR, 8192)
	make := func(level uint32, offset uint64, g *abi.AccelerationStructureGeometryKHR) (h abi.AccelerationStructureKHR) {
		must(p, abi.CmdCreateAccelerationStructureKHR, &abi.CreateAccelerationStructureKHRArgs{Device: p.device, PAccelerationStructure: &h, PCreateInfo: &abi.AccelerationStructureCreateInfoKHR{
			Buffer: area, Offset: offset, Size: 4096, Type: level,
		}})
		ranges := &abi.AccelerationStructureBuildRangeInfoKHR{PrimitiveCount: 1}
		must(p, abi.CmdBuildAccelerationStructuresKHR, &abi.BuildAccelerationStructuresKHRArgs{Device: p.device, InfoCount: 1, PpBuildRangeInfos: unsafe.Pointer(&ranges), PInfos: &abi.AccelerationStructureBuildGeometryInfoKHR{
			Type: level, GeometryCount: 1, PGeometries: g, DstAccelerationStructure: h,
		}})
		return h
	}
	at := func(x any) (u abi.DeviceOrHostAddressConstKHR) {
		switch x := x.(type) {
		case *float32:
			*(*unsafe.Pointer)(unsafe.Pointer(&u)) = unsafe.Pointer(x)
		case *uint16:
			*(*unsafe.Pointer)(unsafe.Pointer(&u)) = unsafe.Pointer(x)
		}
		return u
	}
	centers, radii, indices := []float32{9, 9, 9, .25, .25, 0, .25, .25, 3}, []float32{9, 2, 1}, []uint16{1, 2}
	spheres := abi.AccelerationStructureGeometrySpheresDataNV{
		SType: abi.StructureTypeAccelerationStructureGeometrySpheresDataNV, VertexFormat: 106, VertexData: at(&centers[3]), VertexStride: 12,
		RadiusFormat: 100, RadiusData: at(&radii[1]), RadiusStride: 4, IndexType: abi.IndexTypeNoneKHR,
	}
	swept := abi.AccelerationStructureGeometryLinearSweptSpheresDataNV{
		SType: abi.StructureTypeAccelerationStructureGeometryLinearSweptSpheresDataNV, VertexFormat: 106, VertexData: at(&centers[0]), VertexStride: 12,
		RadiusFormat: 100, RadiusData: at(&radii[0]), RadiusStride: 4, IndexType: abi.IndexTypeUint16, IndexData: at(&indices[0]), IndexStride: 2,
		EndCapsMode: abi.RayTracingLssPrimitiveEndCapsModeChainedNV,
	}
	for i, c := range []struct {
		g    abi.AccelerationStructureGeometryKHR
		want float32
	}{
		{abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeSpheresNV, PNext: unsafe.Pointer(&spheres), Flags: 1}, 3},
		{abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeLinearSweptSpheresNV, PNext: unsafe.Pointer(&swept), Flags: 1}, 1},
	} {
		bottom := make(1, 0, &c.g)
		instance := abi.AccelerationStructureInstanceKHR{BitsInstanceCustomIndex: 0xff << 24, AccelerationStructureReference: uint64(bottom)}
		*(*[12]float32)(unsafe.Pointer(&instance.Transform)) = [12]float32{0: 1, 5: 1, 10: 1}
		placed := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeInstancesKHR}
		*(*unsafe.Pointer)(unsafe.Pointer(&(*abi.AccelerationStructureGeometryInstancesDataKHR)(unsafe.Pointer(&placed.Geometry)).Data)) = unsafe.Pointer(&instance)
		top := make(0, 4096, &placed)
		if got := p.traced(top); got != c.want {
			t.Errorf("geometry %d: the ray has T %v; must be %v", i, got, c.want)
		}
		for _, h := range []abi.AccelerationStructureKHR{top, bottom} {
			do(abi.CmdDestroyAccelerationStructureKHR, &abi.DestroyAccelerationStructureKHRArgs{Device: p.device, AccelerationStructure: h})
		}
	}
}

// TestMicromap builds a micromap and triangles with it from memory of the host, copies the micromap in its serialized form, and traces
// rays through a transparent and onto an opaque triangle.
func TestMicromap(t *testing.T) {
	p := newProgram(t)
	area, _, _ := p.addressed(abi.BufferUsageAccelerationStructureStorageBitKHR|abi.BufferUsageMicromapStorageBitEXT, 16384)
	host := func(b *byte) (u abi.DeviceOrHostAddressConstKHR) {
		*(*unsafe.Pointer)(unsafe.Pointer(&u)) = unsafe.Pointer(b)
		return u
	}
	states := []byte{0b10}
	records := []byte{0, 0, 0, 0, 0, 0, 1, 0} // offset 0, level 0, 2 states
	usage := abi.MicromapUsageEXT{Count: 1, Format: abi.OpacityMicromapFormat2StateEXT}
	b := abi.MicromapBuildInfoEXT{Flags: abi.BuildMicromapAllowCompactionBitEXT, UsageCountsCount: 1, PUsageCounts: &usage, Data: host(&states[0]), TriangleArray: host(&records[0]), TriangleArrayStride: 8}
	var size abi.MicromapBuildSizesInfoEXT
	do(abi.CmdGetMicromapBuildSizesEXT, &abi.GetMicromapBuildSizesEXTArgs{Device: p.device, PBuildInfo: &b, PSizeInfo: &size})
	var maps [2]abi.MicromapEXT
	for i := range maps {
		must(p, abi.CmdCreateMicromapEXT, &abi.CreateMicromapEXTArgs{Device: p.device, PMicromap: &maps[i], PCreateInfo: &abi.MicromapCreateInfoEXT{Buffer: area, Offset: 8192 + 4096*uint64(i), Size: size.MicromapSize}})
	}
	b.DstMicromap = maps[0]
	opacity := abi.AccelerationStructureTrianglesOpacityMicromapEXT{
		SType: abi.StructureTypeAccelerationStructureTrianglesOpacityMicromapEXT, IndexType: abi.IndexTypeNoneKHR, Micromap: maps[1],
	}
	vertices := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}
	triangles := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeTrianglesKHR, Flags: 1}
	*(*abi.AccelerationStructureGeometryTrianglesDataKHR)(unsafe.Pointer(&triangles.Geometry)) = abi.AccelerationStructureGeometryTrianglesDataKHR{
		PNext: unsafe.Pointer(&opacity), VertexFormat: 106, VertexData: host((*byte)(unsafe.Pointer(&vertices[0]))), VertexStride: 12, MaxVertex: 2, IndexType: abi.IndexTypeNoneKHR,
	}
	make := func(level uint32, offset uint64, g *abi.AccelerationStructureGeometryKHR) (h abi.AccelerationStructureKHR) {
		must(p, abi.CmdCreateAccelerationStructureKHR, &abi.CreateAccelerationStructureKHRArgs{Device: p.device, PAccelerationStructure: &h, PCreateInfo: &abi.AccelerationStructureCreateInfoKHR{
			Buffer: area, Offset: offset, Size: 4096, Type: level,
		}})
		ranges := &abi.AccelerationStructureBuildRangeInfoKHR{PrimitiveCount: 1}
		must(p, abi.CmdBuildAccelerationStructuresKHR, &abi.BuildAccelerationStructuresKHRArgs{Device: p.device, InfoCount: 1, PpBuildRangeInfos: unsafe.Pointer(&ranges), PInfos: &abi.AccelerationStructureBuildGeometryInfoKHR{
			Type: level, GeometryCount: 1, PGeometries: g, DstAccelerationStructure: h,
		}})
		return h
	}
	for state, want := range []float32{100, 5} {
		states[0] = byte(state)
		must(p, abi.CmdBuildMicromapsEXT, &abi.BuildMicromapsEXTArgs{Device: p.device, InfoCount: 1, PInfos: &b})
		var n uint64
		must(p, abi.CmdWriteMicromapsPropertiesEXT, &abi.WriteMicromapsPropertiesEXTArgs{Device: p.device, MicromapCount: 1, PMicromaps: &maps[0], QueryType: abi.QueryTypeMicromapSerializationSizeEXT, DataSize: 8, PData: unsafe.Pointer(&n), Stride: 8})
		serial := bytes.Repeat([]byte{0}, int(n))
		to := abi.CopyMicromapToMemoryInfoEXT{Src: maps[0], Mode: abi.CopyMicromapModeSerializeEXT}
		*(*unsafe.Pointer)(unsafe.Pointer(&to.Dst)) = unsafe.Pointer(&serial[0])
		must(p, abi.CmdCopyMicromapToMemoryEXT, &abi.CopyMicromapToMemoryEXTArgs{Device: p.device, PInfo: &to})
		must(p, abi.CmdCopyMemoryToMicromapEXT, &abi.CopyMemoryToMicromapEXTArgs{Device: p.device, PInfo: &abi.CopyMemoryToMicromapInfoEXT{Src: host(&serial[0]), Dst: maps[1], Mode: abi.CopyMicromapModeDeserializeEXT}})

		bottom := make(1, 0, &triangles)
		instance := abi.AccelerationStructureInstanceKHR{BitsInstanceCustomIndex: 0xff << 24, AccelerationStructureReference: uint64(bottom)}
		*(*[12]float32)(unsafe.Pointer(&instance.Transform)) = [12]float32{0: 1, 5: 1, 10: 1}
		placed := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeInstancesKHR}
		*(*unsafe.Pointer)(unsafe.Pointer(&(*abi.AccelerationStructureGeometryInstancesDataKHR)(unsafe.Pointer(&placed.Geometry)).Data)) = unsafe.Pointer(&instance)
		top := make(0, 4096, &placed)
		if got := p.traced(top); got != want {
			t.Errorf("state %d: the ray has T %v; must be %v", state, got, want)
		}
		for _, h := range []abi.AccelerationStructureKHR{top, bottom} {
			do(abi.CmdDestroyAccelerationStructureKHR, &abi.DestroyAccelerationStructureKHRArgs{Device: p.device, AccelerationStructure: h})
		}
	}
	for _, m := range maps {
		do(abi.CmdDestroyMicromapEXT, &abi.DestroyMicromapEXTArgs{Device: p.device, Micromap: m})
	}
}

// TestStructureMicromap builds micromaps that are acceleration structures, in ranges of addresses, and triangles with them, and traces
// rays through a transparent and onto an opaque triangle. The old command to make structures makes no micromap.
func TestStructureMicromap(t *testing.T) {
	p := newProgram(t)
	limits := abi.PhysicalDeviceOpacityMicromapPropertiesKHR{SType: abi.StructureTypePhysicalDeviceOpacityMicromapPropertiesKHR}
	do(abi.CmdGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: p.physical, PProperties: &abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&limits)}})
	if l := &limits; l.MaxOpacity2StateSubdivisionLevel != vk.MaxMicromapLevel || l.MaxOpacity4StateSubdivisionLevel != vk.MaxMicromapLevel || l.MaxOpacityLossy4StateSubdivisionLevel != vk.MaxMicromapLevel || l.MaxMicromapTriangles < 1<<27 {
		t.Errorf("the limits are %+v; must be level %d, and 2²⁷ triangles at least", limits, vk.MaxMicromapLevel)
	}
	feature := abi.PhysicalDeviceOpacityMicromapFeaturesKHR{SType: abi.StructureTypePhysicalDeviceOpacityMicromapFeaturesKHR}
	do(abi.CmdGetPhysicalDeviceFeatures2, &abi.GetPhysicalDeviceFeatures2Args{PhysicalDevice: p.physical, PFeatures: &abi.PhysicalDeviceFeatures2{PNext: unsafe.Pointer(&feature)}})
	if feature.Micromap != abi.True {
		t.Error("the feature micromap is off; must be on")
	}
	_, area, _ := p.addressed(abi.BufferUsageAccelerationStructureStorageBitKHR, 16384)
	inputs, address, words := p.addressed(abi.BufferUsageAccelerationStructureBuildInputReadOnlyBitKHR, 256)
	area, first := (area+255)&^255, ((address+127)&^127-address)/4 // the first word of the inputs
	address += 4 * first
	for i, x := range []float32{0, 0, 0, 1, 0, 0, 0, 1, 0} {
		words[first+64+uint64(i)] = math.Float32bits(x)
	}
	copy(words[first+32:], []uint32{0, 1 << 16}) // offset 0, level 0, 2 states
	usage := abi.MicromapUsageKHR{Count: 1, Format: abi.OpacityMicromapFormat2StateKHR}
	list := &usage
	data := abi.AccelerationStructureGeometryMicromapDataKHR{
		SType: abi.StructureTypeAccelerationStructureGeometryMicromapDataKHR, UsageCountsCount: 1, PpUsageCounts: unsafe.Pointer(&list), Data: address, TriangleArray: address + 128, TriangleArrayStride: 8,
	}
	content := abi.AccelerationStructureGeometryKHR{PNext: unsafe.Pointer(&data), GeometryType: abi.GeometryTypeMicromapKHR}
	b := abi.AccelerationStructureBuildGeometryInfoKHR{Type: abi.AccelerationStructureTypeOpacityMicromapKHR, GeometryCount: 1, PGeometries: &content}
	var size abi.AccelerationStructureBuildSizesInfoKHR
	do(abi.CmdGetAccelerationStructureBuildSizesKHR, &abi.GetAccelerationStructureBuildSizesKHRArgs{Device: p.device, PBuildInfo: &b, PSizeInfo: &size})
	if size.AccelerationStructureSize == 0 || size.UpdateScratchSize != 0 {
		t.Fatalf("the sizes of the micromap are %+v", size)
	}
	make := func(level uint32, offset, size uint64) (h abi.AccelerationStructureKHR) {
		must(p, abi.CmdCreateAccelerationStructure2KHR, &abi.CreateAccelerationStructure2KHRArgs{Device: p.device, PAccelerationStructure: &h, PCreateInfo: &abi.AccelerationStructureCreateInfo2KHR{
			AddressRange: abi.DeviceAddressRangeKHR{Address: area + offset, Size: size}, Type: level,
		}})
		return h
	}
	var none abi.AccelerationStructureKHR
	if got := do(abi.CmdCreateAccelerationStructureKHR, &abi.CreateAccelerationStructureKHRArgs{Device: p.device, PAccelerationStructure: &none, PCreateInfo: &abi.AccelerationStructureCreateInfoKHR{
		Buffer: inputs, Size: 256, Type: abi.AccelerationStructureTypeOpacityMicromapKHR,
	}}); got == abi.Success {
		t.Error("vkCreateAccelerationStructureKHR made a micromap; must fail")
	}
	b.DstAccelerationStructure = make(abi.AccelerationStructureTypeOpacityMicromapKHR, 0, size.AccelerationStructureSize)
	bottom, top := make(1, 4096, 4096), make(0, 8192, 4096)
	opacity := abi.AccelerationStructureTrianglesOpacityMicromapKHR{
		SType: abi.StructureTypeAccelerationStructureTrianglesOpacityMicromapKHR, IndexType: abi.IndexTypeNoneKHR, Micromap: b.DstAccelerationStructure,
	}
	triangles := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeTrianglesKHR, Flags: 1}
	*(*abi.AccelerationStructureGeometryTrianglesDataKHR)(unsafe.Pointer(&triangles.Geometry)) = abi.AccelerationStructureGeometryTrianglesDataKHR{
		PNext: unsafe.Pointer(&opacity), VertexFormat: 106, VertexData: abi.DeviceOrHostAddressConstKHR{address + 256}, VertexStride: 12, MaxVertex: 2, IndexType: abi.IndexTypeNoneKHR,
	}
	instance := abi.AccelerationStructureInstanceKHR{BitsInstanceCustomIndex: 0xff << 24, AccelerationStructureReference: uint64(bottom)}
	*(*[12]float32)(unsafe.Pointer(&instance.Transform)) = [12]float32{0: 1, 5: 1, 10: 1}
	placed := abi.AccelerationStructureGeometryKHR{GeometryType: abi.GeometryTypeInstancesKHR}
	*(*unsafe.Pointer)(unsafe.Pointer(&(*abi.AccelerationStructureGeometryInstancesDataKHR)(unsafe.Pointer(&placed.Geometry)).Data)) = unsafe.Pointer(&instance)
	lower := abi.AccelerationStructureBuildGeometryInfoKHR{Type: 1, GeometryCount: 1, PGeometries: &triangles, DstAccelerationStructure: bottom}
	upper := abi.AccelerationStructureBuildGeometryInfoKHR{GeometryCount: 1, PGeometries: &placed, DstAccelerationStructure: top}
	ranges := &abi.AccelerationStructureBuildRangeInfoKHR{PrimitiveCount: 1}
	for state, want := range []float32{100, 5} {
		words[first] = uint32(state)
		p.submit(func(c abi.CommandBuffer) {
			var no *abi.AccelerationStructureBuildRangeInfoKHR
			do(abi.CmdCmdBuildAccelerationStructuresKHR, &abi.CmdBuildAccelerationStructuresKHRArgs{CommandBuffer: c, InfoCount: 1, PInfos: &b, PpBuildRangeInfos: unsafe.Pointer(&no)})
			do(abi.CmdCmdBuildAccelerationStructuresKHR, &abi.CmdBuildAccelerationStructuresKHRArgs{CommandBuffer: c, InfoCount: 1, PInfos: &lower, PpBuildRangeInfos: unsafe.Pointer(&ranges)})
		})
		must(p, abi.CmdBuildAccelerationStructuresKHR, &abi.BuildAccelerationStructuresKHRArgs{Device: p.device, InfoCount: 1, PInfos: &upper, PpBuildRangeInfos: unsafe.Pointer(&ranges)})
		if got := p.traced(top); got != want {
			t.Errorf("state %d: the ray has T %v; must be %v", state, got, want)
		}
	}
	// Special indices without a micromap, at a device address, in a build of the host.
	opacity.Micromap, opacity.IndexType, opacity.IndexBuffer, opacity.IndexStride = 0, abi.IndexTypeUint32, address, 4
	vertices := []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}
	*(*unsafe.Pointer)(unsafe.Pointer(&(*abi.AccelerationStructureGeometryTrianglesDataKHR)(unsafe.Pointer(&triangles.Geometry)).VertexData)) = unsafe.Pointer(&vertices[0])
	for special, want := range map[int32]float32{-1: 100, -2: 5} {
		words[first] = uint32(special)
		must(p, abi.CmdBuildAccelerationStructuresKHR, &abi.BuildAccelerationStructuresKHRArgs{Device: p.device, InfoCount: 1, PInfos: &lower, PpBuildRangeInfos: unsafe.Pointer(&ranges)})
		must(p, abi.CmdBuildAccelerationStructuresKHR, &abi.BuildAccelerationStructuresKHRArgs{Device: p.device, InfoCount: 1, PInfos: &upper, PpBuildRangeInfos: unsafe.Pointer(&ranges)})
		if got := p.traced(top); got != want {
			t.Errorf("special index %d: the ray has T %v; must be %v", special, got, want)
		}
	}
	for _, h := range []abi.AccelerationStructureKHR{top, bottom, b.DstAccelerationStructure} {
		do(abi.CmdDestroyAccelerationStructureKHR, &abi.DestroyAccelerationStructureKHRArgs{Device: p.device, AccelerationStructure: h})
	}
}

// TestHostInstances reads instances of the host: those of one type, those with types at their stride, and those behind pointers with
// types in their low bits.
func TestHostInstances(t *testing.T) {
	var list [3]struct {
		abi.AccelerationStructureMotionInstanceNV
		_ uint64 // to the stride
	}
	list[1].Type, list[2].Type = abi.AccelerationStructureMotionInstanceTypeMatrixMotionNV, abi.AccelerationStructureMotionInstanceTypeSrtMotionNV
	static := (*abi.AccelerationStructureInstanceKHR)(unsafe.Pointer(&list[0].Data))
	matrix := (*abi.AccelerationStructureMatrixMotionInstanceNV)(unsafe.Pointer(&list[1].Data))
	srt := (*abi.AccelerationStructureSRTMotionInstanceNV)(unsafe.Pointer(&list[2].Data))
	const custom, record = 7<<24 | 5, 4<<24 | 3
	static.Transform.Matrix[0][3], static.BitsInstanceCustomIndex, static.BitsInstanceShaderBindingTableRecordOffset = 1, custom, record
	matrix.TransformT0.Matrix[0][3], matrix.TransformT1.Matrix[2][3], matrix.BitsInstanceCustomIndex, matrix.BitsInstanceShaderBindingTableRecordOffset = 1, 2, custom, record
	srt.TransformT0.Sx, srt.TransformT1.Tz, srt.BitsInstanceCustomIndex, srt.BitsInstanceShaderBindingTableRecordOffset = 1, 2, custom, record
	same := vk.Instance{CustomIndex: 5, Mask: 7, Record: 3, Flags: 4}
	want := []vk.Instance{same, same, same, {}}
	want[0].Transform[3], want[1].Transform[3] = 1, 1
	want[1].Motion, want[2].Motion = &vk.InstanceMotion{}, &vk.InstanceMotion{SRT: true}
	want[1].Motion.Matrix[11], want[2].Motion.From[0], want[2].Motion.To[15] = 2, 1, 2

	memory := make([]byte, 3*motionStride+16) // pointers with a type have 16 bytes for each address
	aligned := unsafe.Add(unsafe.Pointer(&memory[0]), -uintptr(unsafe.Pointer(&memory[0]))&15)
	pointers := make([]unsafe.Pointer, 4)
	for i := range list {
		p := unsafe.Add(aligned, motionStride*i)
		*(*abi.AccelerationStructureMotionInstanceDataNV)(p) = list[i].Data
		pointers[i] = unsafe.Add(p, i)
	}
	var a abi.AccelerationStructureGeometryInstancesDataKHR
	read := func(first unsafe.Pointer, pointers, moves bool, n uint32) []vk.Instance {
		*(*unsafe.Pointer)(unsafe.Pointer(&a.Data)) = first
		a.ArrayOfPointers = flag(pointers)
		return hostInstances(&a, &vk.BuildRange{Primitives: n}, moves)
	}
	for i, got := range [][]vk.Instance{
		read(unsafe.Pointer(&list), false, true, 3), read(unsafe.Pointer(&pointers[0]), true, true, 4), read(unsafe.Pointer(static), false, false, 1), read(unsafe.Pointer(&pointers[0]), true, false, 1),
	} {
		if !reflect.DeepEqual(got, want[:len(got)]) {
			t.Errorf("list %d: %+v, want %+v", i, got, want[:len(got)])
		}
	}
}

// serialized returns the serialized form of a structure, of n bytes.
func (p *program) serialized(h abi.AccelerationStructureKHR, n uint64) []byte {
	data := make([]byte, n)
	to := abi.CopyAccelerationStructureToMemoryInfoKHR{Src: h, Mode: abi.CopyAccelerationStructureModeSerializeKHR}
	*(*unsafe.Pointer)(unsafe.Pointer(&to.Dst)) = unsafe.Pointer(&data[0])
	must(p, abi.CmdCopyAccelerationStructureToMemoryKHR, &abi.CopyAccelerationStructureToMemoryKHRArgs{Device: p.device, PInfo: &to})
	return data
}

// traced runs the shader with a structure and returns T.
func (p *program) traced(top abi.AccelerationStructureKHR) float32 {
	b, content := p.buffer(8)
	words := p.words(tracing)
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(words) * 4), PCode: &words[0]}, PShaderModule: &module})
	bindings := []abi.DescriptorSetLayoutBinding{
		{DescriptorType: abi.DescriptorTypeAccelerationStructureKHR, DescriptorCount: 1, StageFlags: abi.ShaderStageComputeBit},
		{Binding: 1, DescriptorType: abi.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: abi.ShaderStageComputeBit},
	}
	var setLayout abi.DescriptorSetLayout
	var layout abi.PipelineLayout
	var pipe abi.Pipeline
	var pool abi.DescriptorPool
	var set abi.DescriptorSet
	must(p, abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: p.device, PSetLayout: &setLayout, PCreateInfo: &abi.DescriptorSetLayoutCreateInfo{SType: abi.StructureTypeDescriptorSetLayoutCreateInfo, BindingCount: 2, PBindings: &bindings[0]}})
	must(p, abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PPipelineLayout: &layout, PCreateInfo: &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo, SetLayoutCount: 1, PSetLayouts: &setLayout}})
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, Layout: layout, Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: abi.ShaderStageComputeBit, Module: module, PName: &mainName[0]}}})
	sizes := []abi.DescriptorPoolSize{{Type: abi.DescriptorTypeAccelerationStructureKHR, DescriptorCount: 1}, {Type: abi.DescriptorTypeStorageBuffer, DescriptorCount: 1}}
	must(p, abi.CmdCreateDescriptorPool, &abi.CreateDescriptorPoolArgs{Device: p.device, PDescriptorPool: &pool, PCreateInfo: &abi.DescriptorPoolCreateInfo{MaxSets: 1, PoolSizeCount: 2, PPoolSizes: &sizes[0]}})
	must(p, abi.CmdAllocateDescriptorSets, &abi.AllocateDescriptorSetsArgs{Device: p.device, PDescriptorSets: &set, PAllocateInfo: &abi.DescriptorSetAllocateInfo{DescriptorPool: pool, DescriptorSetCount: 1, PSetLayouts: &setLayout}})
	written := abi.WriteDescriptorSetAccelerationStructureKHR{SType: abi.StructureTypeWriteDescriptorSetAccelerationStructureKHR, AccelerationStructureCount: 1, PAccelerationStructures: &top}
	updates := []abi.WriteDescriptorSet{
		{PNext: unsafe.Pointer(&written), DstSet: set, DescriptorCount: 1, DescriptorType: abi.DescriptorTypeAccelerationStructureKHR},
		{DstSet: set, DstBinding: 1, DescriptorCount: 1, DescriptorType: abi.DescriptorTypeStorageBuffer, PBufferInfo: &abi.DescriptorBufferInfo{Buffer: b, Range: abi.WholeSize}},
	}
	do(abi.CmdUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: p.device, DescriptorWriteCount: 2, PDescriptorWrites: &updates[0]})
	p.submit(func(c abi.CommandBuffer) {
		bindKernel(c, pipe, layout, set)
		do(abi.CmdCmdDispatch, &abi.CmdDispatchArgs{CommandBuffer: c, GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	})
	do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: pipe})
	return math.Float32frombits(content[0])
}
