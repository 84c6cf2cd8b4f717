package ray

// RayFlags are the flags of a ray, with SPIR-V's values (Ray Flags).
type RayFlags uint32

// The ray flags.
const (
	RayOpaque RayFlags = 1 << iota
	RayNoOpaque
	RayTerminateOnFirstHit
	RaySkipClosestHit
	RayCullBackFacing
	RayCullFrontFacing
	RayCullOpaque
	RayCullNoOpaque
	RaySkipTriangles
	RaySkipBoxes
	RayForceMicromap2State
)

// InstanceFlags are the flags of an instance, with Vulkan's values (VkGeometryInstanceFlagBitsKHR).
type InstanceFlags uint32

// The instance flags.
const (
	InstanceNoFaceCull InstanceFlags = 1 << iota
	InstanceFlipFacing
	InstanceForceOpaque
	InstanceForceNoOpaque
	InstanceForceMicromap2State
	InstanceDisableMicromaps
)

// GeometryFlags are the flags of a geometry, with Vulkan's values (VkGeometryFlagBitsKHR).
type GeometryFlags uint32

// The geometry flags. The traversal reports no candidate twice, so that GeometryNoDuplicateAnyHit changes nothing.
const (
	GeometryOpaque GeometryFlags = 1 << iota
	GeometryNoDuplicateAnyHit
)

// BuildFlags are the flags of a build, with Vulkan's values (VkBuildAccelerationStructureFlagBitsKHR).
type BuildFlags uint32

// The build flags. BuildPreferFastBuild without BuildPreferFastTrace orders the middles of the primitives along a Morton curve; all other
// builds use the surface area heuristic, with larger leaves of triangles and so less memory if they have BuildLowMemory.
const (
	BuildAllowUpdate BuildFlags = 1 << iota
	BuildAllowCompaction
	BuildPreferFastTrace
	BuildPreferFastBuild
	BuildLowMemory
	BuildMotion
)
