package vk

import (
	mathbits "math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// AttachmentDescription describes an attachment of a render pass (VkAttachmentDescription2). The contents
// of all attachments are stored.
type AttachmentDescription struct {
	Format            link.Format
	Samples           int // 0 is 1
	Load, StencilLoad LoadOp

	Store, StencilStore StoreOp

	// Final is the layout after the pass, and StencilFinal the layout of stencil if it differs; UndefinedLayout if it is not known.
	Final, StencilFinal ImageLayout
}

// InputReference is an input attachment of a subpass. Aspects of 0 are all of the format.
type InputReference struct {
	Attachment uint32 // Unused is none
	Aspects    Aspect
}

// Subpass describes a subpass (VkSubpassDescription2) by numbers of attachments; Unused is none.
type Subpass struct {
	Point            BindPoint // Graphics, or SubpassShading for a subpass without draws
	Flags            SubpassFlags
	ViewMask         uint32
	Inputs           []InputReference
	Colors, Resolves []uint32 // Resolves is empty, or as long as Colors
	Preserve         []uint32

	// Depth is the depth and stencil attachment, nil for none, and DepthResolve its resolve attachment, with a mode for each
	// aspect.
	Depth, DepthResolve              *uint32
	DepthResolveMode, StencilResolve ResolveMode

	// ShadingRate is the attachment of the fragment sizes, nil for none, and ShadingTexel the pixels of its texels.
	ShadingRate  *uint32
	ShadingTexel [2]uint32

	// Samples, if it is more than 1, is the samples of draws to attachments of one sample: see RenderingInfo.
	Samples int
}

// SubpassFlags is a set of properties of a subpass (VkSubpassDescriptionFlagBits).
type SubpassFlags uint32

// The flags.
const (
	FragmentRegionSubpass SubpassFlags = 0x4   // regions of dependencies are whole fragments; without an effect
	CustomResolveSubpass  SubpassFlags = 0x8   // draws resolve input attachments to the attachments (VK_SUBPASS_DESCRIPTION_CUSTOM_RESOLVE_BIT_EXT)
	TileApronSubpass      SubpassFlags = 0x100 // shaders may read the apron of their tile (VK_SUBPASS_DESCRIPTION_TILE_SHADING_APRON_BIT_QCOM)
	DitheredSubpass       SubpassFlags = 0x80  // legacy dithering (VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT)

	// Fragments may read the attachments in the order of rasterization: of color they always do, of depth and stencil if the pipeline
	// has the flag (VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT, and of depth and of stencil).
	OrderedColorSubpass   SubpassFlags = 0x10
	OrderedDepthSubpass   SubpassFlags = 0x20
	OrderedStencilSubpass SubpassFlags = 0x40

	allSubpassFlags = FragmentRegionSubpass | CustomResolveSubpass | OrderedColorSubpass | OrderedDepthSubpass | OrderedStencilSubpass | DitheredSubpass | TileApronSubpass
)

// External is the number of the commands outside of a render pass in dependencies (VK_SUBPASS_EXTERNAL).
const External = ^uint32(0)

// Dependency orders subpasses (VkSubpassDependency2). Subpasses run one after the other, so that a dependency has no effect
// but on the compatibility of render passes, and on the reports of the sanitizer race.
type Dependency struct {
	Source, Target                uint32 // subpasses, or External
	SourceStages, TargetStages    uint64 // VkPipelineStageFlags2
	SourceAccess, TargetAccess    uint64 // VkAccessFlags2
	ByRegion, ViewLocal, Feedback bool
	ViewOffset                    int32
}

// RenderPassInfo describes a render pass (VkRenderPassCreateInfo2).
type RenderPassInfo struct {
	Attachments     []AttachmentDescription
	Subpasses       []Subpass
	Dependencies    []Dependency
	CorrelatedViews []uint32 // view masks
	Tiles           TileShading
	TileMemory      uint64 // bytes of tile memory that the render pass uses (VkTileMemorySizeInfoQCOM)
}

// RenderPass is a render pass: the renderings of its subpasses.
type RenderPass struct {
	object
	info      RenderPassInfo
	subpasses []subpassForm
	link      *link.RenderPass
}

// subpassForm is a subpass in the form of a rendering, with numbers of attachments instead of views.
type subpassForm struct {
	pass  *RenderPass
	index int

	// loads are the attachments that the subpass uses first, and the views in which it does.
	loads []firstUse

	// stores are the attachments that no later subpass uses.
	stores []uint32
}

// firstUse is an attachment that a subpass uses first in some views.
type firstUse struct {
	attachment uint32
	views      uint32 // 0 without views
}

// maxAttachments and maxSubpasses bound a render pass.
const (
	maxAttachments = 1 << 10
	maxSubpasses   = 1 << 10
)

// NewRenderPass makes a render pass.
func (d *Device) NewRenderPass(info RenderPassInfo) (*RenderPass, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if len(info.Attachments) > maxAttachments || len(info.Subpasses) > maxSubpasses {
		return nil, &UnsupportedError{Feature: "a render pass of more than 1,024 attachments or subpasses"}
	}
	if len(info.Subpasses) == 0 {
		return nil, usage("VUID-VkRenderPassCreateInfo2-subpassCount-arraylength", "the render pass has no subpass; must have one")
	}
	if info.Tiles.PerTile {
		return nil, usage("VUID-vkCreateRenderPass2-flags-10649", "the commands of a render pass run for each tile from its begin on; must not")
	}
	if err := d.checkTiles(&info.Tiles); err != nil {
		return nil, err
	}
	if err := checkTileSize(info.TileMemory); err != nil {
		return nil, err
	}
	info = info.clone()
	for i := range info.Subpasses {
		if err := info.checkSubpass(&info.Subpasses[i]); err != nil {
			return nil, err
		}
	}
	if err := info.checkViews(); err != nil {
		return nil, err
	}
	for i := range info.Dependencies {
		if err := info.checkDependency(&info.Dependencies[i]); err != nil {
			return nil, err
		}
	}
	p := &RenderPass{info: info}
	p.translate()
	d.adopt(&p.object, "render pass", nil)
	return p, nil
}

// clone returns a copy that shares no memory.
func (r RenderPassInfo) clone() RenderPassInfo {
	r.Attachments, r.Dependencies, r.CorrelatedViews = slices.Clone(r.Attachments), slices.Clone(r.Dependencies), slices.Clone(r.CorrelatedViews)
	r.Subpasses = slices.Clone(r.Subpasses)
	for i := range r.Subpasses {
		s := &r.Subpasses[i]
		s.Inputs, s.Colors, s.Resolves, s.Preserve = slices.Clone(s.Inputs), slices.Clone(s.Colors), slices.Clone(s.Resolves), slices.Clone(s.Preserve)
		s.Depth, s.DepthResolve, s.ShadingRate = clone(s.Depth), clone(s.DepthResolve), clone(s.ShadingRate)
	}
	return r
}

// attachmentOf returns the number of an optional attachment; Unused if there is none.
func attachmentOf(n *uint32) uint32 {
	if n == nil {
		return Unused
	}
	return *n
}

// each calls f for all attachments that a subpass uses.
func (s *Subpass) each(f func(n uint32)) {
	one := func(n uint32) {
		if n != Unused {
			f(n)
		}
	}
	for _, n := range s.Colors {
		one(n)
	}
	for _, n := range s.Resolves {
		one(n)
	}
	one(attachmentOf(s.Depth))
	one(attachmentOf(s.DepthResolve))
	one(attachmentOf(s.ShadingRate))
	for _, r := range s.Inputs {
		one(r.Attachment)
	}
}

// samples returns the samples of an attachment.
func (r *RenderPassInfo) samples(n uint32) int { return max(r.Attachments[n].Samples, 1) }

// checkSubpass checks a subpass.
func (r *RenderPassInfo) checkSubpass(s *Subpass) error {
	count := uint32(len(r.Attachments))
	uses := make([]bool, count)
	err := error(nil)
	s.each(func(n uint32) {
		if n < count {
			uses[n] = true
		} else if err == nil {
			err = usage("VUID-VkRenderPassCreateInfo2-attachment-03051", "a subpass uses attachment %d; the render pass has %d", n, count)
		}
	})
	for _, n := range s.Preserve {
		switch {
		case err != nil:
		case n == Unused:
			err = usage("VUID-VkSubpassDescription2-attachment-03073", "no attachment is preserved; must be one")
		case n >= count:
			err = usage("VUID-VkRenderPassCreateInfo2-attachment-03051", "a subpass preserves attachment %d; the render pass has %d", n, count)
		case uses[n]:
			err = usage("VUID-VkSubpassDescription2-pPreserveAttachments-03074", "attachment %d is preserved and used in one subpass; must be one of both", n)
		}
	}
	switch {
	case err != nil:
		return err
	case len(s.Colors) > state.MaxColors:
		return usage("VUID-VkSubpassDescription2-colorAttachmentCount-03063", "%d color attachments; must be at most %d", len(s.Colors), state.MaxColors)
	case len(s.Resolves) > 0 && len(s.Resolves) != len(s.Colors):
		return usage("VUID-VkSubpassDescription2-pResolveAttachments-parameter", "%d resolve attachments of %d color attachments; must be as many", len(s.Resolves), len(s.Colors))
	case s.Point != Graphics && s.Point != SubpassShading:
		return usage("VUID-VkSubpassDescription2-pipelineBindPoint-04953", "a subpass is for the bind point %v; must be for graphics or subpass shading", s.Point)
	case s.Flags&^allSubpassFlags != 0:
		return &UnsupportedError{Feature: "a flag of subpasses that is none of Chiaro's"}
	case s.Flags&TileApronSubpass != 0 && r.Tiles.Apron == [2]uint32{}:
		return usage("VUID-VkSubpassDescription2-flags-10683", "a subpass reads aprons, and that of the render pass is 0×0; must be greater")
	case s.Flags&CustomResolveSubpass != 0 && slices.ContainsFunc(s.Resolves, func(n uint32) bool { return n != Unused }):
		return usage("VUID-VkSubpassDescription2-flags-04907", "a subpass with a custom resolve has resolve attachments; must have none")
	case s.Flags&CustomResolveSubpass != 0 && attachmentOf(s.DepthResolve) != Unused:
		return usage("VUID-VkSubpassDescription2-flags-04908", "a subpass with a custom resolve has a resolve attachment of depth and stencil; must have none")
	}
	if err := r.checkFormats(s); err != nil {
		return err
	}
	return r.checkResolves(s)
}

// checkFormats checks the formats and samples of the attachments that a subpass draws to.
func (r *RenderPassInfo) checkFormats(s *Subpass) error {
	samples := 0
	for _, n := range append(slices.Clone(s.Colors), attachmentOf(s.Depth)) {
		if n == Unused {
			continue
		}
		have := r.samples(n)
		if s.Samples > 1 && have != 1 && have != s.Samples {
			return usage("VUID-VkSubpassDescription2-pNext-06870", "an attachment has %d samples, and the subpass has %d; must have one or as many", have, s.Samples)
		}
		if s.Samples > 1 {
			continue
		}
		if samples != 0 && have != samples {
			return usage("VUID-VkSubpassDescription2-multisampledRenderToSingleSampled-06872", "attachments of %d and of %d samples in one subpass; must have the same", samples, have)
		}
		samples = have
	}
	for _, n := range s.Colors {
		if n != Unused && r.Attachments[n].aspects()&(format.Depth|format.Stencil) != 0 {
			return usage("VUID-VkSubpassDescription2-pColorAttachments-02898", "attachment %d of format %v is a color attachment; must have a color format", n, r.Attachments[n].Format)
		}
	}
	if n := attachmentOf(s.Depth); n != Unused && r.Attachments[n].aspects()&(format.Depth|format.Stencil) == 0 {
		return usage("VUID-VkSubpassDescription2-pDepthStencilAttachment-02900", "attachment %d of format %v is the depth and stencil attachment; must have depth or stencil", n, r.Attachments[n].Format)
	}
	return nil
}

// aspects returns the aspects of the attachment's format; 0 if Chiaro does not have it.
func (a *AttachmentDescription) aspects() format.Aspect {
	if i := format.ByID(uint32(a.Format)); i != nil {
		return i.Aspects
	}
	return 0
}

// checkResolves checks the resolve attachments of a subpass.
func (r *RenderPassInfo) checkResolves(s *Subpass) error {
	for i, n := range s.Resolves {
		if n == Unused {
			continue
		}
		c := s.Colors[i]
		switch {
		case c == Unused:
			return usage("VUID-VkSubpassDescription2-externalFormatResolve-09335", "color attachment %d is none and is resolved; must be an attachment", i)
		case r.samples(c) == 1:
			return usage("VUID-VkSubpassDescription2-externalFormatResolve-09338", "color attachment %d of one sample is resolved; must have several", i)
		case r.samples(n) != 1:
			return usage("VUID-VkSubpassDescription2-pResolveAttachments-03067", "attachment %d of %d samples is resolved to; must have one", n, r.samples(n))
		case r.Attachments[n].Format != r.Attachments[c].Format:
			return usage("VUID-VkSubpassDescription2-externalFormatResolve-09339", "an attachment of format %v is resolved to one of %v; must have the same", r.Attachments[c].Format, r.Attachments[n].Format)
		}
	}
	n := attachmentOf(s.DepthResolve)
	if n == Unused {
		return nil
	}
	switch d := attachmentOf(s.Depth); {
	case d == Unused:
		return usage("VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03177", "there is no depth and stencil attachment, and it is resolved; must be one")
	case s.DepthResolveMode == ResolveNone && s.StencilResolve == ResolveNone:
		return usage("VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03178", "depth and stencil are resolved in no mode; must be in one")
	case !s.DepthResolveMode.known() || !s.StencilResolve.known():
		return &UnsupportedError{Feature: "a resolve mode that is none of Vulkan 1.2"}
	case r.samples(d) == 1:
		return usage("VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03179", "a depth and stencil attachment of one sample is resolved; must have several")
	case r.samples(n) != 1:
		return usage("VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03180", "depth and stencil are resolved to %d samples; must be one", r.samples(n))
	case r.Attachments[n].aspects()&(format.Depth|format.Stencil) == 0:
		return usage("VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-02651", "attachment %d of format %v has depth or stencil resolved to it; must have an aspect of them", n, r.Attachments[n].Format)
	}
	return nil
}

// checkViews checks the view masks of all subpasses together.
func (r *RenderPassInfo) checkViews() error {
	views := r.Subpasses[0].ViewMask != 0
	for i := range r.Subpasses {
		if (r.Subpasses[i].ViewMask != 0) != views {
			return usage("VUID-VkRenderPassCreateInfo2-viewMask-03058", "some subpasses have views, and some have none; must all be of one kind")
		}
	}
	seen := uint32(0)
	for _, m := range r.CorrelatedViews {
		switch {
		case !views:
			return usage("VUID-VkRenderPassCreateInfo2-viewMask-03057", "views are correlated, and no subpass has views; must have some")
		case seen&m != 0:
			return usage("VUID-VkRenderPassCreateInfo2-pCorrelatedViewMasks-03056", "view %d is in two sets of correlated views; must be in one", mathbits.TrailingZeros32(seen&m))
		}
		seen |= m
	}
	return nil
}

// checkDependency checks a dependency.
func (r *RenderPassInfo) checkDependency(d *Dependency) error {
	n, views := uint32(len(r.Subpasses)), r.Subpasses[0].ViewMask != 0
	switch {
	case d.Source != External && d.Source >= n:
		return usage("VUID-VkRenderPassCreateInfo2-srcSubpass-02526", "a dependency is from subpass %d; the render pass has %d", d.Source, n)
	case d.Target != External && d.Target >= n:
		return usage("VUID-VkRenderPassCreateInfo2-dstSubpass-02527", "a dependency is to subpass %d; the render pass has %d", d.Target, n)
	case d.Source == External && d.Target == External:
		return usage("VUID-VkSubpassDependency2-srcSubpass-03085", "a dependency is from outside to outside of the render pass; must have a subpass")
	case d.Source != External && d.Target != External && d.Source > d.Target:
		return usage("VUID-VkSubpassDependency2-srcSubpass-03084", "a dependency is from subpass %d to subpass %d before it; must be to the same or a later one", d.Source, d.Target)
	case d.Source < d.Target && d.Source != External && d.Target != External && r.Subpasses[d.Source].Flags&CustomResolveSubpass != 0:
		return usage("VUID-VkSubpassDescription2-flags-04909", "subpass %d depends on subpass %d, which has a custom resolve; must be the last one", d.Target, d.Source)
	case d.ViewLocal && !views:
		return usage("VUID-VkRenderPassCreateInfo2-viewMask-03059", "a dependency is for each view, and no subpass has views; must have some")
	case d.ViewLocal && d.Source == External:
		return usage("VUID-VkSubpassDependency2-dependencyFlags-03090", "a dependency from outside of the render pass is for each view; must be from a subpass")
	case d.ViewLocal && d.Target == External:
		return usage("VUID-VkSubpassDependency2-dependencyFlags-03091", "a dependency to the outside of the render pass is for each view; must be to a subpass")
	case !d.ViewLocal && d.ViewOffset != 0:
		return usage("VUID-VkSubpassDependency2-dependencyFlags-03092", "a dependency has an offset of views and is not for each view; must be")
	case d.Source == d.Target && d.ViewOffset != 0:
		return usage("VUID-VkSubpassDependency2-viewOffset-02530", "a dependency of subpass %d on itself has an offset of views; must have none", d.Source)
	case d.Source == d.Target && !d.ViewLocal && mathbits.OnesCount32(r.Subpasses[d.Source].ViewMask) > 1:
		return usage("VUID-VkRenderPassCreateInfo2-pDependencies-03060", "a dependency of subpass %d on itself is not for each view; must be, with several views", d.Source)
	}
	return nil
}
