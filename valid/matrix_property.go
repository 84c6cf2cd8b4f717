package valid

import "github.com/chiaro-gpu/chiaro/spirv"

// MatrixList is a list of shapes of cooperative matrices that a query of a device returns.
type MatrixList uint8

// The lists.
const (
	MatricesKHR      MatrixList = iota // VkCooperativeMatrixPropertiesKHR
	MatricesNV                         // VkCooperativeMatrixPropertiesNV
	MatricesFlexible                   // VkCooperativeMatrixFlexibleDimensionsPropertiesNV
	MatricesEXT                        // VkCooperativeMatrixProperties2EXT, with the scope, the invocations and the flags of the query
)

// MatrixShape is one entry of a list: A has M × K components, B has K × N, C and the result
// have M × N. In the lists with granularities, M, N and K are those.
type MatrixShape struct {
	M, N, K         uint64
	A, B, C, Result spirv.ComponentType
	Saturating      bool
	Scope           spirv.Scope
	Invocations     uint64 // of a workgroup, if the scope is Workgroup; 0 if the entry has none
}

// VectorProduct is VkCooperativeVectorPropertiesNV.
type VectorProduct struct {
	Input, InputAs, MatrixAs, BiasAs, Result spirv.ComponentType
	Transpose                                bool
}

// componentBFloat16 is VK_COMPONENT_TYPE_BFLOAT16_KHR, which SPIR-V has no enumerant for.
const componentBFloat16 spirv.ComponentType = 1000141000

// ComponentNames are the values of VkComponentTypeKHR by name, without the prefix and the
// vendor.
var ComponentNames = map[string]spirv.ComponentType{
	"FLOAT16": spirv.ComponentTypeFloat16NV, "FLOAT32": spirv.ComponentTypeFloat32NV, "FLOAT64": spirv.ComponentTypeFloat64NV,
	"SINT8": spirv.ComponentTypeSignedInt8NV, "SINT16": spirv.ComponentTypeSignedInt16NV, "SINT32": spirv.ComponentTypeSignedInt32NV, "SINT64": spirv.ComponentTypeSignedInt64NV,
	"UINT8": spirv.ComponentTypeUnsignedInt8NV, "UINT16": spirv.ComponentTypeUnsignedInt16NV, "UINT32": spirv.ComponentTypeUnsignedInt32NV, "UINT64": spirv.ComponentTypeUnsignedInt64NV,
	"SINT8_PACKED": spirv.ComponentTypeSignedInt8PackedNV, "UINT8_PACKED": spirv.ComponentTypeUnsignedInt8PackedNV, "BFLOAT16": componentBFloat16,
	"FLOAT_E4M3": spirv.ComponentTypeFloatE4M3NV, "FLOAT_E5M2": spirv.ComponentTypeFloatE5M2NV, "FLOAT8_E4M3": spirv.ComponentTypeFloatE4M3NV, "FLOAT8_E5M2": spirv.ComponentTypeFloatE5M2NV,
}

// ScopeNames are the values of VkScopeKHR by name, without the prefix and the vendor.
var ScopeNames = map[string]spirv.Scope{
	"DEVICE": spirv.ScopeDevice, "WORKGROUP": spirv.ScopeWorkgroup, "SUBGROUP": spirv.ScopeSubgroup, "QUEUE_FAMILY": spirv.ScopeQueueFamily,
}
