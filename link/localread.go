package link

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// localReadRules are the rules of how dynamic rendering remaps attachments.
var localReadRules = []Rule{
	{vuid.VkRenderingAttachmentLocationInfo_dynamicRenderingLocalRead_09512, "without dynamicRenderingLocalRead each color attachment has its own location"},
	{vuid.VkRenderingAttachmentLocationInfo_pColorAttachmentLocations_09513, "no two color attachments have one location"},
	{vuid.VkRenderingAttachmentLocationInfo_colorAttachmentCount_09514, "there are no more locations than maxColorAttachments"},
	{vuid.VkRenderingAttachmentLocationInfo_pColorAttachmentLocations_09515, "each location is below maxColorAttachments"},
	{vuid.VkRenderingInputAttachmentIndexInfo_dynamicRenderingLocalRead_09519, "without dynamicRenderingLocalRead no color attachment is read"},
	{vuid.VkRenderingInputAttachmentIndexInfo_dynamicRenderingLocalRead_09520, "without dynamicRenderingLocalRead the depth attachment is not read"},
	{vuid.VkRenderingInputAttachmentIndexInfo_dynamicRenderingLocalRead_09521, "without dynamicRenderingLocalRead the stencil attachment is not read"},
	{vuid.VkRenderingInputAttachmentIndexInfo_pColorAttachmentInputIndices_09522, "no two color attachments have one index"},
	{vuid.VkRenderingInputAttachmentIndexInfo_pColorAttachmentInputIndices_09523, "no color attachment has the index of the depth attachment"},
	{vuid.VkRenderingInputAttachmentIndexInfo_pColorAttachmentInputIndices_09524, "no color attachment has the index of the stencil attachment"},
	{vuid.VkRenderingInputAttachmentIndexInfo_colorAttachmentCount_09525, "there are no more indices than maxColorAttachments"},
	{vuid.VkRenderingInputAttachmentIndexInfo_pDepthInputAttachmentIndex_12274, "each index is below maxPerStageDescriptorInputAttachments"},
}

// localReads checks how attachments are remapped.
func (l *linker) localReads() {
	r := l.d.Rendering
	if r == nil || l.d.Pass != nil {
		return
	}
	side := []Side{{Stage: "rendering"}}
	l.over(vuid.VkRenderingAttachmentLocationInfo_colorAttachmentCount_09514, "maxColorAttachments", uint64(len(r.Locations)), side, "the number of locations")
	l.over(vuid.VkRenderingInputAttachmentIndexInfo_colorAttachmentCount_09525, "maxColorAttachments", uint64(len(r.Inputs)), side, "the number of indices")
	const feature = "dynamicRenderingLocalRead"
	seen := map[Ref]bool{}
	for i, n := range r.Locations {
		at := []Side{{Stage: "rendering", Slot: fmt.Sprintf("color attachment %d", i), Type: n.String(), path: fmt.Sprintf("rendering.color_locations[%d]", i)}}
		if n != Ref(i) {
			l.off(vuid.VkRenderingAttachmentLocationInfo_dynamicRenderingLocalRead_09512, feature, at, fmt.Sprintf("color attachment %d has the location %s", i, n))
		}
		if n == Unused {
			continue
		}
		if seen[n] {
			l.fail(vuid.VkRenderingAttachmentLocationInfo_pColorAttachmentLocations_09513, at, "two color attachments have the location %d; must have locations of their own", n)
		}
		seen[n] = true
		l.below(vuid.VkRenderingAttachmentLocationInfo_pColorAttachmentLocations_09515, "maxColorAttachments", uint64(n), at, "the location of a color attachment")
	}
	l.inputIndices(r, side)
}

// inputIndices checks which input attachments read which attachments.
func (l *linker) inputIndices(r *Rendering, side []Side) {
	const feature, limit = "dynamicRenderingLocalRead", "maxPerStageDescriptorInputAttachments"
	seen := map[Ref]bool{}
	for i, n := range r.Inputs {
		if n == Unused {
			continue
		}
		at := []Side{{Stage: "rendering", Slot: fmt.Sprintf("color attachment %d", i), Type: n.String(), path: fmt.Sprintf("rendering.color_input_indices[%d]", i)}}
		l.off(vuid.VkRenderingInputAttachmentIndexInfo_dynamicRenderingLocalRead_09519, feature, at, fmt.Sprintf("color attachment %d has the index %d", i, n))
		if seen[n] {
			l.fail(vuid.VkRenderingInputAttachmentIndexInfo_pColorAttachmentInputIndices_09522, at, "two color attachments have the index %d; must have indices of their own", n)
		}
		seen[n] = true
		l.below(vuid.VkRenderingInputAttachmentIndexInfo_pDepthInputAttachmentIndex_12274, limit, uint64(n), at, "the index of a color attachment")
	}
	for _, k := range [...]struct {
		index           *Ref
		off, same, what string
	}{
		{r.DepthInput, vuid.VkRenderingInputAttachmentIndexInfo_dynamicRenderingLocalRead_09520, vuid.VkRenderingInputAttachmentIndexInfo_pColorAttachmentInputIndices_09523, "depth"},
		{r.StencilInput, vuid.VkRenderingInputAttachmentIndexInfo_dynamicRenderingLocalRead_09521, vuid.VkRenderingInputAttachmentIndexInfo_pColorAttachmentInputIndices_09524, "stencil"},
	} {
		if k.index == nil || *k.index == Unused {
			continue
		}
		l.off(k.off, feature, side, fmt.Sprintf("the %s attachment has the index %d", k.what, *k.index))
		if seen[*k.index] {
			l.fail(k.same, side, "a color attachment and the %s attachment have the index %d; must have indices of their own", k.what, *k.index)
		}
		l.below(vuid.VkRenderingInputAttachmentIndexInfo_pDepthInputAttachmentIndex_12274, limit, uint64(*k.index), side, "the index of the "+k.what+" attachment")
	}
}
