package device

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/valid"
)

// property is the description of a property by its name.
type property struct {
	kind     kind
	stronger promise
}

// kind is the JSON type of a property.
type kind uint8

const (
	other    kind = iota // not used by any rule: names, identifiers, structs
	truth                // true or false: 1 or 0
	whole                // a number from 0
	signed               // a number that may be below 0, kept as two's complement
	floating             // a floating-point number, kept as the bits of a float64
	extent               // a struct of a width and a height
	flags                // a list of names of bits
	choice               // one name of several
)

// promise is the order of two promised values: which one is the stronger.
type promise uint8

const (
	last    promise = iota // neither: the later value wins
	larger                 // of a maximum
	smaller                // of a minimum or an alignment
	union                  // of flags: both
)

// merge returns the value that satisfies both a and b.
func (p property) merge(a, b uint64) uint64 {
	if p.kind == floating {
		x, y := math.Float64frombits(a), math.Float64frombits(b)
		switch p.stronger {
		case larger:
			return math.Float64bits(max(x, y))
		case smaller:
			return math.Float64bits(min(x, y))
		}
		return b
	}
	switch p.stronger {
	case larger:
		return max(a, b)
	case smaller:
		if p.kind == signed {
			return uint64(min(int64(a), int64(b)))
		}
		return min(a, b)
	case union:
		return a | b
	}
	return b
}

// PropertyName returns the name of a member of a struct of properties among limits: the one in the struct of its version of Vulkan.
func PropertyName(structure, member string) string {
	if as, ok := renamed[member]; ok && structure == "VkPhysicalDeviceSubgroupProperties" {
		return as
	}
	return member
}

// renamed are the properties that have another name in the structs of Vulkan
// 1.1, by which the rules know them.
var renamed = map[string]string{
	"supportedStages":           "subgroupSupportedStages",
	"supportedOperations":       "subgroupSupportedOperations",
	"quadOperationsInAllStages": "subgroupQuadOperationsInAllStages",
}

// bits are the values of the names that flags and choices have (Vulkan,
// VkShaderStageFlagBits, VkSubgroupFeatureFlagBits, VkSampleCountFlagBits,
// VkResolveModeFlagBits, VkShaderFloatControlsIndependence).
var bits = map[string]uint64{
	"VK_SHADER_STAGE_VERTEX_BIT":                  0x1,
	"VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT":    0x2,
	"VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT": 0x4,
	"VK_SHADER_STAGE_GEOMETRY_BIT":                0x8,
	"VK_SHADER_STAGE_FRAGMENT_BIT":                0x10,
	"VK_SHADER_STAGE_COMPUTE_BIT":                 0x20,
	"VK_SHADER_STAGE_ALL_GRAPHICS":                0x1f,
	"VK_SHADER_STAGE_ALL":                         0x7fffffff,
	"VK_SHADER_STAGE_TASK_BIT_EXT":                0x40,
	"VK_SHADER_STAGE_TASK_BIT_NV":                 0x40,
	"VK_SHADER_STAGE_MESH_BIT_EXT":                0x80,
	"VK_SHADER_STAGE_MESH_BIT_NV":                 0x80,
	"VK_SHADER_STAGE_RAYGEN_BIT_KHR":              0x100,
	"VK_SHADER_STAGE_RAYGEN_BIT_NV":               0x100,
	"VK_SHADER_STAGE_ANY_HIT_BIT_KHR":             0x200,
	"VK_SHADER_STAGE_ANY_HIT_BIT_NV":              0x200,
	"VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR":         0x400,
	"VK_SHADER_STAGE_CLOSEST_HIT_BIT_NV":          0x400,
	"VK_SHADER_STAGE_MISS_BIT_KHR":                0x800,
	"VK_SHADER_STAGE_MISS_BIT_NV":                 0x800,
	"VK_SHADER_STAGE_INTERSECTION_BIT_KHR":        0x1000,
	"VK_SHADER_STAGE_INTERSECTION_BIT_NV":         0x1000,
	"VK_SHADER_STAGE_CALLABLE_BIT_KHR":            0x2000,
	"VK_SHADER_STAGE_CALLABLE_BIT_NV":             0x2000,
	"VK_SHADER_STAGE_SUBPASS_SHADING_BIT_HUAWEI":  0x4000,
	"VK_SHADER_STAGE_CLUSTER_CULLING_BIT_HUAWEI":  0x80000,

	"VK_SUBGROUP_FEATURE_BASIC_BIT":                0x1,
	"VK_SUBGROUP_FEATURE_VOTE_BIT":                 0x2,
	"VK_SUBGROUP_FEATURE_ARITHMETIC_BIT":           0x4,
	"VK_SUBGROUP_FEATURE_BALLOT_BIT":               0x8,
	"VK_SUBGROUP_FEATURE_SHUFFLE_BIT":              0x10,
	"VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT":     0x20,
	"VK_SUBGROUP_FEATURE_CLUSTERED_BIT":            0x40,
	"VK_SUBGROUP_FEATURE_QUAD_BIT":                 0x80,
	"VK_SUBGROUP_FEATURE_PARTITIONED_BIT_EXT":      0x100,
	"VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV":       0x100,
	"VK_SUBGROUP_FEATURE_ROTATE_BIT":               0x200,
	"VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR":           0x200,
	"VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT":     0x400,
	"VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR": 0x400,

	"VK_SAMPLE_COUNT_1_BIT":  1,
	"VK_SAMPLE_COUNT_2_BIT":  2,
	"VK_SAMPLE_COUNT_4_BIT":  4,
	"VK_SAMPLE_COUNT_8_BIT":  8,
	"VK_SAMPLE_COUNT_16_BIT": 16,
	"VK_SAMPLE_COUNT_32_BIT": 32,
	"VK_SAMPLE_COUNT_64_BIT": 64,

	"VK_RESOLVE_MODE_NONE":            0,
	"VK_RESOLVE_MODE_SAMPLE_ZERO_BIT": 1,
	"VK_RESOLVE_MODE_AVERAGE_BIT":     2,
	"VK_RESOLVE_MODE_MIN_BIT":         4,
	"VK_RESOLVE_MODE_MAX_BIT":         8,

	"VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY": 0,
	"VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL":         1,
	"VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE":        2,
}

// unranked are members of VkPhysicalDeviceProperties and of the structs in it
// that identify a device or that no rule of a module uses.
var unranked = map[string]bool{
	"apiVersion": true, "driverVersion": true, "vendorID": true, "deviceID": true, "deviceType": true, "deviceName": true,
	"pipelineCacheUUID": true,

	"residencyStandard2DBlockShape": true, "residencyStandard2DMultisampleBlockShape": true, "residencyStandard3DBlockShape": true,
	"residencyAlignedMipSize": true, "residencyNonResidentStrict": true,
}

// Feature reports whether a name is the name of a feature of Vulkan.
func Feature(name string) bool { return features[name] }

// CheckLimit returns an error if a name is not the name of one limit of Vulkan. Each element of an array, and both sides of an
// extent, are limits of their own: "maxComputeWorkGroupSize[0]".
func CheckLimit(name string) error {
	base, index, indexed := strings.Cut(name, "[")
	p, known := properties[base]
	if _, least := leastLimits()[name]; !known && !least {
		for _, n := range slices.Sorted(maps.Keys(properties)) {
			if strings.HasSuffix(n, "::"+base) {
				return fmt.Errorf("structs have limits of this name; must be with the struct, as in \"%s\": 1", n)
			}
		}
		return errors.New("no limit of Vulkan has this name")
	}
	count := 0
	for _, element := leastLimits()[base+"[0]"]; element; _, element = leastLimits()[fmt.Sprintf("%s[%d]", base, count)] {
		count++
	}
	if p.kind == extent {
		count = 2
	}
	n, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
	switch {
	case !indexed && count > 0:
		return fmt.Errorf("a limit of %d values; each one needs an index, as in \"%s[0]\": 1", count, base)
	case indexed && count > 0 && (err != nil || n < 0 || n >= count || name != fmt.Sprintf("%s[%d]", base, n)):
		return fmt.Errorf("a limit of %d values; the index must be from [0] to [%d]", count, count-1)
	case indexed && count == 0:
		return errors.New("a limit of one value; must have no index")
	}
	return nil
}

// leastLimits are the limits that each device must have: they tell which ones are arrays.
var leastLimits = sync.OnceValue(func() map[string]uint64 {
	d, ok := valid.BuiltinDevice("min", valid.Vulkan14)
	if !ok {
		return nil
	}
	return d.Limits
})

// Signed reports whether a limit may be below 0: then it is kept as two's
// complement.
func Signed(limit string) bool { return properties[limit].kind == signed }

// Floating reports whether a limit is a floating-point number: then it is kept as the bits of
// a float64.
func Floating(limit string) bool {
	name, _, _ := strings.Cut(limit, "[")
	return properties[name].kind == floating
}
