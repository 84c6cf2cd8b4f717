package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// attachmentRules are the rules on the use of attachments of external formats and on the
// aspects of input attachments.
var attachmentRules = []Rule{
	{vuid.VkGraphicsPipelineCreateInfo_externalFormatResolve_09308, "with externalFormatResolve, rendering of an external format has no stage that uses PrimitiveShadingRateKHR last before rasterization"},
	{vuid.VkGraphicsPipelineCreateInfo_externalFormatResolve_09310, "with externalFormatResolve, rendering of an external format has no fragment stage that replaces depth or stencil"},
	{vuid.VkGraphicsPipelineCreateInfo_externalFormatResolve_09317, "with externalFormatResolve, a subpass that resolves to an external format has no stage that uses PrimitiveShadingRateKHR last before rasterization"},
	{vuid.RuntimeSpirv_OpEntryPoint_08727, "a fragment stage has one variable for each aspect of an input attachment"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_01565, "a fragment stage reads no other aspects of an input attachment than the render pass declares"},
}

// Aspects is a set of aspects of an image: VkImageAspectFlags.
type Aspects uint64

// The aspects that a description may name.
const (
	AspectsColor   Aspects = 1
	AspectsDepth   Aspects = 2
	AspectsStencil Aspects = 4
)

var namesAspects = enum.Names{{Value: 1, Text: "color"}, {Value: 2, Text: "depth"}, {Value: 4, Text: "stencil"}}

// Names returns the names that a description may have.
func (Aspects) Names() []string { return namesAspects.List() }

// String returns the names of the aspects.
func (a Aspects) String() string { return namesAspects.Flags(uint64(a)) }

// UnmarshalYAML reads a list of names, or one.
func (a *Aspects) UnmarshalYAML(read func(any) error) error {
	return namesAspects.ReadFlags(read, (*uint64)(a))
}

// external checks the stages of a pipeline that resolves to an external format.
func (l *linker) external() {
	if on, _ := l.d.feature("externalFormatResolve"); !on {
		return
	}
	code := ""
	if p := l.subpass(); p != nil && p.External {
		code = vuid.VkGraphicsPipelineCreateInfo_externalFormatResolve_09317
	} else if l.d.Pass == nil && l.d.Rendering != nil && l.d.Rendering.External {
		code = vuid.VkGraphicsPipelineCreateInfo_externalFormatResolve_09308
		if f := l.stage(fragment); f != nil {
			if m, ok := oneOf(f, spirv.ExecutionModeDepthReplacing, spirv.ExecutionModeStencilRefReplacingEXT); ok {
				l.fail(vuid.VkGraphicsPipelineCreateInfo_externalFormatResolve_09310, []Side{entrySide(f)}, "the fragment stage has the mode %s and renders to an external format; must not", m.Mode)
			}
		}
	}
	last := l.lastBefore()
	if code == "" || last == nil {
		return
	}
	if slices.ContainsFunc(last.Entry.BuiltIns, func(b iface.BuiltIn) bool { return b.BuiltIn == spirv.BuiltInPrimitiveShadingRateKHR && b.Used }) {
		l.fail(code, []Side{entrySide(last)}, "the %s stage uses PrimitiveShadingRateKHR and the color attachment has an external format; must not", entrySide(last).Stage)
	}
}

// lastBefore returns the last stage before rasterization, or nil if there is none.
func (l *linker) lastBefore() (last *Shader) {
	for _, s := range l.stages {
		if StageOf(s.Entry.Model) < fragment {
			last = s
		}
	}
	return last
}

// aspect checks the aspect that is read from an input attachment: color for a color format,
// otherwise depth for a float read and stencil for an integer read.
func (l *linker) aspect(f *Shader, r *iface.Resource, p *Subpass, index uint64) {
	if index >= uint64(len(p.Aspects)) || r.Image == nil || uint64(p.Input[index]) >= uint64(len(l.d.Pass.Attachments)) {
		return
	}
	has, of := p.Aspects[index], l.d.Pass.Attachments[p.Input[index]].Format
	info := format.ByID(uint32(of))
	if info == nil || has == 0 || has&^(AspectsColor|AspectsDepth|AspectsStencil) != 0 {
		return
	}
	want := aspectRead(r, info)
	if has&want == 0 {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_01565, []Side{resourceSide(f, r), {Stage: "subpass", Slot: r.Name, Type: of.String(), Decorations: has.String()}},
			"%s reads the aspect %s of an input attachment of %s; must be one of %s", r.Name, want, of, has)
	}
}

// aspectRead returns the aspect of a format that an input attachment reads.
func aspectRead(r *iface.Resource, of *format.Info) Aspects {
	switch {
	case of.Aspects&format.Color != 0:
		return AspectsColor
	case r.Image.Sampled.Kind == iface.Float:
		return AspectsDepth
	}
	return AspectsStencil
}

// inputsTwice checks that no two variables read one aspect of an input attachment.
func (l *linker) inputsTwice(f *Shader, p *Subpass) {
	type inputSlot struct {
		index  uint64
		aspect Aspects
	}
	seen := map[inputSlot]*iface.Resource{}
	for i := range f.Entry.Resources {
		r := &f.Entry.Resources[i]
		if r.Type != iface.InputAttachment || !r.Used || r.Attachment == nil || r.Image == nil {
			continue
		}
		for n := range max(r.Count, 1) {
			k := uint64(*r.Attachment) + n
			if k >= uint64(len(p.Input)) || uint64(p.Input[k]) >= uint64(len(l.d.Pass.Attachments)) {
				break // another rule covers it
			}
			info := format.ByID(uint32(l.d.Pass.Attachments[p.Input[k]].Format))
			if info == nil {
				continue
			}
			at := inputSlot{k, aspectRead(r, info)}
			if first := seen[at]; first != nil && first != r {
				l.fail(vuid.RuntimeSpirv_OpEntryPoint_08727, []Side{resourceSide(f, r), resourceSide(f, first)},
					"%s and %s read the aspect %s of input attachment %d; must be one variable", r.Name, first.Name, at.aspect, k)
				break
			}
			seen[at] = r
		}
	}
}
