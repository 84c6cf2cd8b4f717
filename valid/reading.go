package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Rules of older texts. Env.Reading selects the wording. The default applies the rules
// of the newest text to every version of Vulkan, with a few exceptions: sentences that
// differ in the text of Vulkan 1.1 and that compilers and drivers do not read in the
// newer sense. An older reading applies the sentences of its text literally: a
// violation is an error; a rule that its text does not state is a warning; anything
// that its text permits is accepted. Capabilities, extensions and versions of SPIR-V
// depend on the target environment in every reading. All differences are rows of
// docs/versions.md.

// oldShaders is a chapter of the text of Vulkan 1.1; text11 is the text in messages.
const (
	oldShaders = "Vulkan 1.1, Shaders"
	text11     = "the text of Vulkan 1.1"
)

// oldText reports whether the stricter and looser sentences of Vulkan 1.1 apply to a
// module. They also apply to 1.0.
func (c *subject) oldText() bool {
	if c.env.Reading == facts.ReadingDefault {
		return c.vulkan && c.env.Version < Vulkan12
	}
	return c.older()
}

// older reports whether the caller selected the reading of 1.0 or 1.1.
func (c *subject) older() bool { return c.vulkan && c.env.Reading.Old() }

// first reports whether the caller selected the reading of 1.0.
func (c *subject) first() bool { return c.vulkan && c.env.Reading == facts.Reading10 }

// subgroupScopes reports whether the memory scope Subgroup needs a capability. Vulkan
// 1.1 has subgroups in every device and no such rule.
func (c *subject) subgroupScopes() bool {
	switch c.env.Reading {
	case facts.Reading10, facts.ReadingCurrent:
		return true
	case facts.Reading11:
		return false
	}
	return c.env.Version == Vulkan10
}

// newer makes the finding a warning for those versions: its rule is not in their
// text.
func (x found) newer(c positioner) found { return x.unstated(c.oldText()) }

// unstated makes the finding a warning if the selected reading does not state the rule.
func (x found) unstated(silent bool) found {
	if silent {
		return x.warn()
	}
	return x
}

// firstForms are the types in the text of Vulkan 1.0 that differ from the newest.
var firstForms = map[spirv.BuiltIn]builtInForm{
	spirv.BuiltInFrontFacing:      i32,
	spirv.BuiltInHelperInvocation: i32,
	spirv.BuiltInSamplePosition:   {kind: floatScalar, rows: 2},
}

// firstUnstated are the rules on storage classes that the text of Vulkan 1.0 does not
// state.
var firstUnstated = map[string]bool{
	vuid.FragCoord_04211: true, vuid.PointCoord_04312: true, vuid.SamplePosition_04361: true, vuid.HelperInvocation_04240: true,
	vuid.ClipDistance_04188: true, vuid.ClipDistance_04189: true,
}

// floatsAtomic reports whether an extension permits atomics on floats: by a capability
// of the module or a feature of the device.
func (c *subject) floatsAtomic() bool {
	if c.anyCapable(spirv.CapabilityAtomicFloat16AddEXT, spirv.CapabilityAtomicFloat32AddEXT, spirv.CapabilityAtomicFloat64AddEXT,
		spirv.CapabilityAtomicFloat16MinMaxEXT, spirv.CapabilityAtomicFloat32MinMaxEXT, spirv.CapabilityAtomicFloat64MinMaxEXT,
		spirv.CapabilityAtomicFloat16VectorNV) {
		return true
	}
	for _, list := range [...][]string{bufferFloatAtomics, sharedFloatAtomics, imageFloatAtomics} {
		for _, name := range list {
			if on, known := c.env.Device.feature(name); on && known {
				return true
			}
		}
	}
	return false
}

// layerOfPixel reports whether an id is a coordinate of a layered input attachment: a
// vector formed with 0, 0 and a layer.
func (c *subject) layerOfPixel(id spirv.ID) bool {
	if k := c.m.Const(id); k != nil {
		return k.Type.IsVector() && k.Type.Components() == 3 && isZero(k.Elem(0)) && isZero(k.Elem(1))
	}
	d := c.code.Def(id)
	if d < 0 || c.code.Inst(d).Op() != spirv.OpCompositeConstruct {
		return false
	}
	parts := c.code.Inst(d)[3:]
	if len(parts) == 2 { // a vector of two components and the layer
		k := c.m.Const(spirv.ID(parts[0]))
		return k != nil && k.Type.IsVector() && k.Type.Components() == 2 && isZero(k.Elem(0)) && isZero(k.Elem(1))
	}
	return len(parts) == 3 && isZero(c.m.Const(spirv.ID(parts[0]))) && isZero(c.m.Const(spirv.ID(parts[1])))
}

// isZero reports whether a constant is known to be 0.
func isZero(k *facts.Const) bool { return k != nil && k.Known && k.Bits == 0 }
