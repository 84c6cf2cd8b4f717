package valid

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// vulkanFamily checks capabilities and extensions in Vulkan (appendix
// Vulkan Environment for SPIR-V, Capabilities): each must be supported by the
// version and by the device.
var vulkanFamily = family{
	rules: []Rule{
		{Code: "SPV-Capability-Environment", Section: "Vulkan, SPIR-V Capabilities", Words: "a capability is one of the version of Vulkan, or one that a declared extension of SPIR-V enables", Need: NeedVulkan},
		{Code: vuid.VkShaderModuleCreateInfo_pCode_08739, Section: "Vulkan, VkShaderModuleCreateInfo", Words: "a capability is one of a version or an extension of Vulkan"},
		{Code: vuid.VkShaderModuleCreateInfo_pCode_08741, Section: "Vulkan, VkShaderModuleCreateInfo", Words: "an extension of SPIR-V is one of a version or an extension of Vulkan"},
		{Code: vuid.VkShaderModuleCreateInfo_pCode_08740, Section: "Vulkan, VkShaderModuleCreateInfo", Words: "a version, a feature, a property or an extension of the device enables a capability", Need: NeedDevice},
		{Code: vuid.VkShaderModuleCreateInfo_pCode_08742, Section: "Vulkan, VkShaderModuleCreateInfo", Words: "a version or an extension of the device enables an extension of SPIR-V", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpCapability: (*checker).vulkanCapability,
		spirv.OpExtension:  (*checker).vulkanExtension,
	},
}

// way is one way to bring a capability or an extension of SPIR-V: a version of
// Vulkan, an extension of the device, and with them a feature or a property. If a
// way has both since and extension, one of them suffices.
type way struct {
	since                        Version
	extension, feature, property string
	bits                         uint64 // of the property, one of which must be there
}

// orWays names the ways, one of which must be there, and ends with "must have": by the feature or the property,
// else by the extension and the version.
func orWays(ways []way) string {
	var out []string
	add := func(words ...string) {
		for _, w := range words {
			if w != "" && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	for _, w := range ways {
		switch {
		case w.feature != "" || w.property != "":
			add(w.feature, w.property)
		case w.since > Vulkan10:
			add(w.extension, "Vulkan "+w.since.String())
		default:
			add(w.extension)
		}
	}
	if last := len(out) - 1; last > 0 {
		return strings.Join(out[:last], ", ") + " or " + out[last] + "; must have one of them"
	}
	return strings.Join(out, "") + "; must have it"
}

// vulkanCapability checks OpCapability.
func (c *checker) vulkanCapability(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	k := spirv.Capability(in[1])
	ways := capabilityWays[k]
	switch {
	case !c.taken(k, ways):
		c.fail(i, "SPV-Capability-Environment", "capability %s in %s; must be a capability of it or of a declared extension", k, c.env)
	case len(ways) == 0:
		x := c.fail(i, vuid.VkShaderModuleCreateInfo_pCode_08739, "capability %s; must be a capability of a version or an extension of Vulkan", k)
		if c.env.Device == nil && slices.ContainsFunc(spirv.KindCapability.Enumerant(uint32(k)).Extensions(), c.mayReachVulkan) {
			x.warn()
		}
	case !c.brought(vuid.VkShaderModuleCreateInfo_pCode_08740, ways):
		c.fail(i, vuid.VkShaderModuleCreateInfo_pCode_08740, "capability %s on a device without %s", k, orWays(ways))
	}
}

// taken reports whether a version of Vulkan has a capability, by itself or by a
// feature, or a declared extension of SPIR-V brings it.
func (c *checker) taken(k spirv.Capability, ways []way) bool {
	for _, w := range ways {
		if w.since != 0 && w.since <= c.env.Version {
			return true
		}
	}
	r := spirv.KindCapability.Enumerant(uint32(k))
	if r == nil {
		return true
	}
	if slices.ContainsFunc(r.Extensions(), c.m.Extension) {
		return true
	}
	// If SPIR-V itself needs no extension, an extension of the device may bring it.
	return c.askVersion(r, false) == lacksNothing && slices.ContainsFunc(ways, func(w way) bool { return w.extension != "" })
}

// vulkanExtension checks OpExtension.
func (c *checker) vulkanExtension(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	name := spirv.String(in[1:])
	ways, ok := extensionWays[name]
	switch {
	case !ok && !supporting(name):
		x := c.fail(i, vuid.VkShaderModuleCreateInfo_pCode_08741, "extension %q; must be an extension of a version or an extension of Vulkan", name)
		if c.env.Device == nil && c.mayReachVulkan(name) && bringsCapability(name) {
			x.warn()
		}
	case ok && !c.brought(vuid.VkShaderModuleCreateInfo_pCode_08742, ways):
		c.fail(i, vuid.VkShaderModuleCreateInfo_pCode_08742, "extension %q on a device without %s", name, orWays(ways))
	}
}

// forGraphics are the extensions of SPIR-V without a counterpart in Vulkan that compilers for Vulkan emit: each
// has an extension of GLSL, or adds layouts to an extension that Vulkan has.
var forGraphics = []string{
	"SPV_AMD_gpu_shader_half_float_fetch", "SPV_AMD_shader_ballot", "SPV_ARM_cooperative_matrix_layouts", "SPV_KHR_ray_query",
	"SPV_KHR_ray_tracing", "SPV_NV_bindless_texture", "SPV_NV_displacement_micromap", "SPV_NV_stereo_view_rendering",
}

// mayReachVulkan reports whether the module declares an extension of SPIR-V that compilers for Vulkan emit. Drivers
// of its vendor may accept it, so without a device its use is a warning. All other extensions without a counterpart
// in Vulkan are for kernels, circuits or OpenGL.
func (c *checker) mayReachVulkan(name string) bool {
	return c.m.Extension(name) && slices.Contains(forGraphics, name)
}

// bringsCapability reports whether the grammar has a capability that an extension of SPIR-V brings.
func bringsCapability(name string) bool {
	return slices.ContainsFunc(spirv.KindCapability.Enumerants(), func(r spirv.Row) bool {
		return slices.Contains(r.Extensions(), name)
	})
}

// supporting reports whether an extension of SPIR-V brings a capability that Vulkan
// has. Vulkan then supports the extension although its table of extensions does not
// name it, for example SPV_AMDX_shader_enqueue.
func supporting(name string) bool {
	for _, r := range spirv.KindCapability.Enumerants() {
		if slices.Contains(r.Extensions(), name) && len(capabilityWays[spirv.Capability(r.Value())]) > 0 {
			return true
		}
	}
	return false
}

// brought reports whether the device brings one of several ways; true if
// it is not known.
func (c *checker) brought(code string, ways []way) bool {
	if c.env.Device == nil {
		c.unknown(code)
		return true
	}
	unknown := false
	for _, w := range ways {
		ok, known := c.hasWay(w)
		if ok && known {
			return true
		}
		unknown = unknown || !known
	}
	if unknown {
		c.unknown(code)
	}
	return unknown
}

// hasWay reports whether the device has one way, and whether that is known.
func (c *checker) hasWay(w way) (ok, known bool) { return c.env.Device.has(w, c.env.Version) }

// has reports whether a device of a version of Vulkan has one way, and whether
// that is known.
func (d *Device) has(w way, v Version) (ok, known bool) {
	if w.since == 0 || w.since > v {
		if w.extension == "" {
			return false, true
		}
		if on, known := d.extension(w.extension); !on || !known {
			return false, known
		}
	}
	switch {
	case w.feature != "":
		return d.feature(w.feature)
	case w.property != "":
		v, known := d.limit(w.property)
		return v&w.bits != 0, known
	}
	return true, true
}
