package valid

import "math"

// Device is the known properties of a device, under Vulkan's names without the
// enclosing struct. A name that is in no map is unknown, and a rule that needs it
// stays silent.
type Device struct {
	Name string

	// Features are the enabled features: "shaderInt64".
	Features map[string]bool

	// Limits are numeric limits and properties: "maxComputeSharedMemorySize". A
	// Boolean property is 0 or 1, a set of flags is its bits. A limit with one
	// value per dimension has the suffix [0], [1] or [2]. A signed value is two's
	// complement, a floating-point value is the bits of a float64.
	Limits map[string]uint64

	// Extensions are the enabled device extensions; nil if they are not known.
	Extensions map[string]bool

	// VertexFormats are the formats that vertex buffers may have, by name without
	// VK_FORMAT_: the formats with VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT. It is nil
	// if they are not known.
	VertexFormats map[string]bool

	// Matrices are the lists of shapes of cooperative matrices. A list that is not in the
	// map is not known.
	Matrices map[MatrixList][]MatrixShape

	// Vectors are the products of matrices and cooperative vectors; nil if they are not
	// known.
	Vectors []VectorProduct

	// Others is the value of each feature, extension and format that is not in
	// its map; they are unknown if AllOthers is false.
	AllOthers, Others bool
}

// feature returns whether a feature is enabled, and whether that is known.
func (d *Device) feature(name string) (on, known bool) {
	if d == nil {
		return false, false
	}
	if on, known = d.Features[name]; known {
		return on, true
	}
	return d.Others, d.AllOthers
}

// extension returns whether a device extension is enabled, and whether that is
// known.
func (d *Device) extension(name string) (on, known bool) {
	if d == nil {
		return false, false
	}
	if on, known = d.Extensions[name]; known {
		return on, true
	}
	return d.Others, d.AllOthers
}

// limit returns a limit or a property, and whether it is known.
func (d *Device) limit(name string) (value uint64, known bool) {
	if d == nil {
		return 0, false
	}
	value, known = d.Limits[name]
	return value, known
}

// float is limit for a limit of floating-point type.
func (d *Device) float(name string) (value float64, known bool) {
	bits, known := d.limit(name)
	return math.Float64frombits(bits), known
}

// feature returns whether a feature is enabled. If that is not known it records
// the rule as unchecked and returns true, so that the rule stays silent.
func (c *subject) feature(code, name string) bool {
	if c.opts.Asked != nil {
		c.opts.Asked(code, name)
	}
	on, known := c.env.Device.feature(name)
	if !known {
		c.unknown(code)
	}
	return on || !known
}

// extension is feature for a device extension.
func (c *subject) extension(code, name string) bool {
	on, known := c.env.Device.extension(name)
	if !known {
		c.unknown(code)
	}
	return on || !known
}

// limit returns a limit; if it is not known, ok is false and the rule is recorded
// as unchecked.
func (c *subject) limit(code, name string) (value uint64, ok bool) {
	value, ok = c.env.Device.limit(name)
	if !ok {
		c.unknown(code)
	}
	return value, ok
}

// DeviceNames returns the names that BuiltinDevice accepts.
func DeviceNames() []string { return []string{"min", "max"} }

// BuiltinDevice returns a built-in device for a version of Vulkan: "min" has the
// required features and limits of that version, with all optional features and
// extensions off; "max" has every feature and extension on, and no known limits.
// It returns false for any other name.
func BuiltinDevice(name string, v Version) (*Device, bool) {
	switch name {
	case "max":
		return &Device{Name: name, AllOthers: true, Others: true}, true
	case "min":
		return leastDevice(v), true
	}
	return nil, false
}

// requiredFloats are the required limits of floating-point type, before Vulkan 1.4 and from it on. A unit in the last
// place is 1/16 for interpolation, and the granularity for sizes and widths (Vulkan, Limits).
var requiredFloats = map[string][2]float64{
	"maxSamplerLodBias": {2, 14}, "maxSamplerAnisotropy": {16, 16},
	"viewportBoundsRange[0]": {-8192, -15360}, "viewportBoundsRange[1]": {8191, 15359},
	"minInterpolationOffset": {-0.5, -0.5}, "maxInterpolationOffset": {0.5 - 1.0/16, 0.5 - 1.0/16},
	"pointSizeRange[0]": {1, 1}, "pointSizeRange[1]": {64 - 1, 256 - 0.125}, "pointSizeGranularity": {1, 0.125},
	"lineWidthRange[0]": {1, 1}, "lineWidthRange[1]": {8 - 1, 8 - 0.5}, "lineWidthGranularity": {1, 0.5},
	"sampleLocationCoordinateRange[0]": {0, 0}, "sampleLocationCoordinateRange[1]": {0.9375, 0.9375},
	"primitiveOverestimationSize": {0, 0}, "maxExtraPrimitiveOverestimationSize": {0, 0}, "extraPrimitiveOverestimationSizeGranularity": {0, 0},
}

// leastDevice returns the device with only the requirements of a version of
// Vulkan.
func leastDevice(v Version) *Device {
	d := &Device{Name: "min", AllOthers: true, Features: map[string]bool{}, Limits: map[string]uint64{}, VertexFormats: leastVertexFormats()}
	for name, since := range requiredFeatures {
		if since <= v {
			d.Features[name] = true
		}
	}
	for name, l := range requiredLimits {
		d.Limits[name] = l[0]
		if v >= Vulkan14 {
			d.Limits[name] = l[1]
		}
	}
	for _, ways := range capabilityWays {
		for _, w := range ways {
			if _, required := d.Limits[w.property]; w.property != "" && !required { // a Boolean, or flags of which none is required
				d.Limits[w.property] = 0
			}
		}
	}
	for name, l := range requiredFloats {
		d.Limits[name] = math.Float64bits(l[0])
		if v >= Vulkan14 {
			d.Limits[name] = math.Float64bits(l[1])
		}
	}
	if v >= Vulkan11 {
		// Vulkan, Subgroups: the basic operations, in compute shaders
		d.Limits["subgroupSupportedOperations"] = 0x1
		d.Limits["subgroupSupportedStages"] = 0x20
		d.Limits["subgroupSize"] = 1
	}
	if v >= Vulkan14 { // the features shaderSubgroupRotate and shaderSubgroupRotateClustered
		d.Limits["subgroupSupportedOperations"] |= 0x40 | 0x200 | 0x400
	}
	for _, name := range optionalProperties {
		if _, required := d.Limits[name]; !required {
			d.Limits[name] = 0
		}
	}
	for _, name := range [...]string{"denormBehaviorIndependence", "roundingModeIndependence"} {
		d.Limits[name] = 2 // NONE of VkShaderFloatControlsIndependence
	}
	for name, size := range requiredSizes {
		for n, least := range size {
			d.Limits[name+"["+itoa(uint64(n))+"]"] = least
		}
	}
	if v >= Vulkan14 { // the required maxComputeWorkGroupSize grew with 1.4
		d.Limits["maxComputeWorkGroupSize[0]"], d.Limits["maxComputeWorkGroupSize[1]"] = 256, 256
	}
	return d
}

// optionalProperties are properties that rules need and no device must have: 0 is
// false, or no stage.
var optionalProperties = []string{
	"subgroupQuadOperationsInAllStages", "conservativeRasterizationPostDepthCoverage", "meshAndTaskShaderDerivatives",
	"transformFeedbackStreamsLinesTriangles", "cooperativeMatrixSupportedStages", "cooperativeVectorSupportedStages",
	"shaderTensorSupportedStages", "cooperativeVectorTrainingFloat16Accumulation", "cooperativeVectorTrainingFloat32Accumulation",
}

// requiredSizes are the required limits with one value per dimension (Vulkan,
// Required Limits).
var requiredSizes = map[string][3]uint64{
	"maxComputeWorkGroupSize":             {128, 128, 64},
	meshProperty + "maxTaskWorkGroupSize": {128, 128, 128},
	meshProperty + "maxMeshWorkGroupSize": {128, 128, 128},
}
