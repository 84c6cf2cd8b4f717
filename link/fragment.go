package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// fragmentRules are the rules on the outputs of a fragment stage (Vulkan, Fragment Output
// Interface).
var fragmentRules = []Rule{
	{"SPV-FragmentOutput-Type", "an output is of the numeric type of the color attachment that it is written to"},
	{"SPV-FragmentOutput-Second", "a fragment stage with dual-source blending has an output of Index 1"},
	{vuid.VkGraphicsPipelineCreateInfo_flags_06591, "with early fragment tests, depth and stencil are not read in the order of rasterization"},
	{vuid.VkGraphicsPipelineCreateInfo_sampleLocationsEnable_01524, "with sample locations, a fragment stage does not interpolate at samples"},
	{vuid.VkGraphicsPipelineCreateInfo_Input_06632, "a pipeline with per-sample inputs in its fragment stage has multisample state"},
	{vuid.VkCmdDraw_maxFragmentDualSrcAttachments_09239, "with dual-source blending, each output is at a location below maxFragmentDualSrcAttachments"},
}

// colorFormat returns the format of the color attachment for outputs at a location, if it
// exists and is known.
func (l *linker) colorFormat(location uint64) (Format, bool) {
	if p := l.subpass(); p != nil {
		if location >= uint64(len(p.Color)) || uint64(p.Color[location]) >= uint64(len(l.d.Pass.Attachments)) {
			return 0, false
		}
		return l.d.Pass.Attachments[p.Color[location]].Format, true
	}
	r := l.d.Rendering
	if r == nil || l.d.Pass != nil {
		return 0, false
	}
	if r.Locations != nil {
		i := slices.Index(r.Locations, Ref(location))
		if i < 0 || i >= len(r.Color) {
			return 0, false
		}
		return r.Color[i], r.Color[i] != 0
	}
	if location >= uint64(len(r.Color)) {
		return 0, false
	}
	return r.Color[location], r.Color[location] != 0
}

// writes reports whether the blend state lets anything through to the color
// attachment of a location.
func (l *linker) writes(location uint64) bool {
	b := l.d.Blend
	return b == nil || l.d.dynamic(enum.DynamicStateColorWriteMask) || location >= uint64(len(b.Attachments)) || b.Attachments[location].Writes() != 0
}

// outputs checks the outputs of the fragment stage.
func (l *linker) outputs() {
	f := l.stage(fragment)
	if r := l.d.Rasterization; f == nil || r != nil && r.Discard && !l.d.dynamic(enum.DynamicStateRasterizerDiscardEnable) {
		return
	}
	l.samples(f)
	for i := range f.Entry.Outputs {
		v := &f.Entry.Outputs[i]
		if v.Missing || !v.Used || !v.Type.Numeric() {
			continue
		}
		for n := range min(v.Slots, maxSlots) {
			at := uint64(v.Location) + n
			color, ok := l.colorFormat(at)
			if !ok || !l.writes(at) {
				continue
			}
			if kind, _ := color.numeric(); kind != v.Type.Kind {
				l.warn("SPV-FragmentOutput-Type", []Side{variableSide(f, v), {Stage: "color attachment", Slot: fmt.Sprintf("location %d", at), Type: color.String()}},
					"%s is %s, and the color attachment of location %d is %s; must be of the same numeric type, or the written value is undefined", v.Name, v.Type, at, color)
				break
			}
		}
	}
	l.secondColor(f)
}

// samples checks the use of samples and of depth by a fragment stage.
func (l *linker) samples(f *Shader) {
	side := []Side{entrySide(f)}
	if _, early := oneOf(f, spirv.ExecutionModeEarlyFragmentTests); early && l.d.DepthStencil != nil && l.d.DepthStencil.Ordered {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_06591, side, "the fragment stage has the mode EarlyFragmentTests, and depth or stencil is read in the order of rasterization; must not be")
	}
	if m := l.d.Multisample; m != nil && m.Locations && slices.Contains(f.Entry.Capabilities, spirv.CapabilityInterpolationFunction) && interpolatesAtSample(f) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_sampleLocationsEnable_01524, side, "the fragment stage has InterpolateAtSample, and samples have locations of their own; must not have both")
	}
	if l.d.Multisample != nil || l.d.Rasterization == nil || !l.d.HasDynamic || l.d.Library || l.d.Parts != 0 {
		return
	}
	ones, known := l.d.feature("alphaToOne")
	set := l.dynamic3(enum.DynamicStateRasterizationSamples, enum.DynamicStateSampleMask, enum.DynamicStateAlphaToCoverageEnable)
	if set && (!ones || !known || l.d.dynamic(enum.DynamicStateAlphaToOneEnable)) {
		return
	}
	const code = vuid.VkGraphicsPipelineCreateInfo_Input_06632
	for i := range f.Entry.Inputs {
		if v := &f.Entry.Inputs[i]; v.Sample {
			l.fail(code, []Side{variableSide(f, v)}, "%s is of each sample and there is no multisample state; must be some", v.Name)
			return
		}
	}
	for _, b := range [...]spirv.BuiltIn{spirv.BuiltInSampleId, spirv.BuiltInSamplePosition} {
		if hasBuiltIn(f.Entry, b) { // it enables sample shading
			l.fail(code, side, "the fragment stage has %s and there is no multisample state; must be some", b)
			return
		}
	}
}

// interpolatesAtSample reports whether an entry point may run InterpolateAtSample of
// GLSL.std.450.
func interpolatesAtSample(s *Shader) bool {
	const number = 77
	m := s.facts()
	if m == nil {
		return false
	}
	for _, in := range instructions(m, s.Entry) {
		if in.Op() != spirv.OpExtInst || len(in) < 5 || inst.ExtInst(in).Instruction() != number {
			continue
		}
		if set := m.Code.DefInst(inst.ExtInst(in).Set()); set.Op() == spirv.OpExtInstImport && inst.ExtInstImport(set).Name() == "GLSL.std.450" {
			return true
		}
	}
	return false
}

// ofSecondColor reports whether a blend factor is of the second color.
func ofSecondColor(b enum.BlendFactor) bool {
	return b >= enum.BlendFactorSrc1Color && b <= enum.BlendFactorOneMinusSrc1Alpha
}

// secondColor checks a fragment stage with dual-source blending.
func (l *linker) secondColor(f *Shader) {
	if l.d.Blend == nil || l.d.dynamic(enum.DynamicStateColorBlendEquation) || l.d.dynamic(enum.DynamicStateColorBlendEnable) || l.d.dynamic(enum.DynamicStateColorBlendAdvanced) {
		return
	}
	if !slices.ContainsFunc(l.d.Blend.Attachments, func(b Blend) bool {
		return b.Enable && slices.ContainsFunc([]enum.BlendFactor{b.SrcColor, b.DstColor, b.SrcAlpha, b.DstAlpha}, ofSecondColor)
	}) {
		return
	}
	var last *iface.Variable
	second := false
	for i := range f.Entry.Outputs {
		v := &f.Entry.Outputs[i]
		if v.Missing || !v.Used {
			continue
		}
		second = second || v.Index == 1
		if last == nil || v.Location > last.Location {
			last = v
		}
	}
	switch {
	case last == nil:
	case !second:
		l.warn("SPV-FragmentOutput-Second", []Side{entrySide(f)}, "the second color is blended and the fragment stage writes none; must have an output of Index 1")
	default:
		l.below(vuid.VkCmdDraw_maxFragmentDualSrcAttachments_09239, "maxFragmentDualSrcAttachments", uint64(last.Location)+max(last.Slots, 1)-1,
			[]Side{variableSide(f, last)}, "the second color is blended, and the last location that is written")
	}
}
