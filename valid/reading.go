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

// readingNotes are the effects of the readings on rules, for ReadingOf.
var readingNotes = func() map[string]string {
	const (
		neither  = "1.0 and 1.1: a warning; current: an error in every version"
		unstated = "1.0: a warning"
		stricter = "1.0 and 1.1: an error; otherwise no such rule"
		only10   = "1.0: no such rule"
	)
	return map[string]string{
		vuid.FrontFacing_04231:                                      "1.0: the type is a 32-bit integer",
		vuid.HelperInvocation_04241:                                 "1.0: the type is a 32-bit integer",
		vuid.SamplePosition_04362:                                   "1.0: the floats have any width",
		vuid.FragCoord_04211:                                        unstated,
		vuid.PointCoord_04312:                                       unstated,
		vuid.SamplePosition_04361:                                   unstated,
		vuid.HelperInvocation_04240:                                 unstated,
		vuid.ClipDistance_04188:                                     unstated,
		vuid.ClipDistance_04189:                                     unstated,
		vuid.StandaloneSpirv_TessLevelInner_10880:                   unstated,
		vuid.StandaloneSpirv_OpEntryPoint_09658:                     unstated,
		vuid.StandaloneSpirv_OpEntryPoint_09659:                     unstated,
		vuid.StandaloneSpirv_BuiltIn_04668:                          "1.0: LocalInvocationIndex is an error",
		vuid.PrimitiveId_Fragment_04333:                             only10,
		vuid.StandaloneSpirv_SubgroupVoteKHR_07951:                  "1.1: no such rule; 1.0 and current: an error in every version; default: an error in 1.0",
		vuid.StandaloneSpirv_MemorySemantics_10866:                  "1.0 and 1.1: a warning, because SequentiallyConsistent is AcquireRelease",
		vuid.StandaloneSpirv_MemorySemantics_10867:                  "1.0 and 1.1: SequentiallyConsistent is AcquireRelease",
		vuid.StandaloneSpirv_MemorySemantics_10868:                  "1.0 and 1.1: SequentiallyConsistent is AcquireRelease",
		vuid.StandaloneSpirv_MemorySemantics_10870:                  "1.0 and 1.1: a warning for atomics",
		vuid.StandaloneSpirv_MemorySemantics_10871:                  "1.0 and 1.1: no such rule",
		vuid.StandaloneSpirv_OpTypeImage_04656:                      "1.0 and 1.1: 64-bit integers need Int64ImageEXT",
		vuid.StandaloneSpirv_OpImageTexelPointer_04658:              "1.0 and 1.1: R32f needs a capability of float atomics",
		vuid.StandaloneSpirv_OpTypeImage_06214:                      "1.0 and 1.1: the image may have layers",
		vuid.StandaloneSpirv_SubpassData_04660:                      "1.0 and 1.1: with layers the coordinate is formed with 0, 0 and a layer",
		vuid.StandaloneSpirv_Offset_04865:                           neither,
		vuid.StandaloneSpirv_OpUndef_12464:                          neither,
		vuid.StandaloneSpirv_OpVariable_04651:                       "1.0 and 1.1: not in Workgroup without the feature shaderZeroInitializeWorkgroupMemory",
		vuid.StandaloneSpirv_OpTypeRuntimeArray_04680:               "1.0 and 1.1: in Uniform only in a BufferBlock, without the feature shaderUniformBufferUnsizedArray",
		vuid.StandaloneSpirv_OpEntryPoint_06674:                     "1.0 and 1.1: only memory and image instructions are static use",
		"SPV-Interpolation-Stage":                                   stricter,
		"SPV-Interpolation-Exclusive":                               "1.0 and 1.1: an error; current: no such rule; default: an error in 1.0 and 1.1",
		"SPV-Atomic-Integer":                                        stricter,
		vuid.RuntimeSpirv_shaderZeroInitializeWorkgroupMemory_06372: "1.0 and 1.1: OpVariable-04651 applies",
		vuid.RuntimeSpirv_shaderUniformBufferUnsizedArray_11806:     "1.0 and 1.1: OpTypeRuntimeArray-04680 applies",
	}
}()

// ReadingOf returns the effect of the readings on a rule, "" if there is none.
func ReadingOf(code string) string {
	if s := readingNotes[code]; s != "" {
		return s
	}
	for i := range builtInRows {
		if builtInRows[i].inCode == code {
			return "1.0, 1.1 and current: a built-in that an entry point only lists is an error; default: a warning"
		}
	}
	return ""
}
