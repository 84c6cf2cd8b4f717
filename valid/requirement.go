package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Way is one way for a device to support a declaration of a module: a version of
// Vulkan (0 for none) or an extension of the device ("" for none), and with it
// a feature, or a property of which one of Bits is set. If a way has both a
// version and an extension, one of them suffices.
type Way struct {
	Since                        Version
	Extension, Feature, Property string
	Bits                         uint64
}

// Requirement is something that a module declares and a device must bring in
// one of several ways.
type Requirement struct {
	What string // "capability Int64"
	Ways []Way
}

// Requirements returns the requirements of a module's version, capabilities and
// extensions on a Vulkan device, in module order. It omits declarations that every
// device supports and declarations that Vulkan does not have.
func Requirements(m *facts.Module) []Requirement {
	var out []Requirement
	add := func(what string, ways []way) {
		if len(ways) == 0 {
			return
		}
		n := Requirement{What: what}
		for _, w := range ways {
			if w == (way{since: Vulkan10}) {
				return
			}
			n.Ways = append(n.Ways, Way{w.since, w.extension, w.feature, w.property, w.bits})
		}
		out = append(out, n)
	}
	add("SPIR-V "+m.Code.Version.String(), versionWays(m.Code.Version))
	for i := range m.Code.Len() {
		switch in := m.Code.Inst(i); in.Op() {
		case spirv.OpCapability:
			k := spirv.Capability(in[1])
			add("capability "+k.String(), capabilityWays[k])
		case spirv.OpExtension:
			name := spirv.String(in[1:])
			add("extension "+name, extensionWays[name])
		case spirv.OpFunction:
			return out
		}
	}
	return out
}

// versionWays returns the ways to support a version of SPIR-V (Vulkan, Versions
// and Formats).
func versionWays(v spirv.Version) []way {
	switch {
	case v <= spirv.Version10:
		return nil
	case v <= spirv.Version13:
		return []way{{since: Vulkan11}}
	case v <= spirv.Version14:
		return []way{{since: Vulkan12}, {extension: "VK_KHR_spirv_1_4"}}
	case v <= spirv.Version15:
		return []way{{since: Vulkan12}}
	}
	return []way{{since: Vulkan13}}
}

// CapabilityWays returns the ways to support a capability; none if Vulkan does
// not have it.
func CapabilityWays(k spirv.Capability) []Way {
	var out []Way
	for _, w := range capabilityWays[k] {
		out = append(out, Way{w.since, w.extension, w.feature, w.property, w.bits})
	}
	return out
}

// ExtensionWays is CapabilityWays for an extension of SPIR-V.
func ExtensionWays(name string) []Way {
	var out []Way
	for _, w := range extensionWays[name] {
		out = append(out, Way{w.since, w.extension, w.feature, w.property, w.bits})
	}
	return out
}

// Meets reports whether a device of a version of Vulkan brings a requirement, and
// whether that is known.
func (d *Device) Meets(n Requirement, v Version) (ok, known bool) {
	known = true
	for _, w := range n.Ways {
		ok, sure := d.has(way{w.Since, w.Extension, w.Feature, w.Property, w.Bits}, v)
		if ok && sure {
			return true, true
		}
		known = known && sure
	}
	return false, known
}

// Feature returns whether a feature is on, and whether that is known.
func (d *Device) Feature(name string) (on, known bool) { return d.feature(name) }

// Extension returns whether a device extension is enabled, and whether that is
// known.
func (d *Device) Extension(name string) (on, known bool) { return d.extension(name) }

// Limit returns a limit or a property, and whether it is known.
func (d *Device) Limit(name string) (value uint64, known bool) { return d.limit(name) }
