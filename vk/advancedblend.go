package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// BlendOverlap is how the coverages of two blended colors relate (VkBlendOverlapEXT).
type BlendOverlap uint8

// The overlaps.
const (
	OverlapUncorrelated = BlendOverlap(state.OverlapUncorrelated)
	OverlapDisjoint     = BlendOverlap(state.OverlapDisjoint)
	OverlapConjoint     = BlendOverlap(state.OverlapConjoint)
)

// BlendAdvanced has the parameters of advanced blend operations (VkPipelineColorBlendAdvancedStateCreateInfoEXT).
type BlendAdvanced struct {
	SrcPremultiplied, DstPremultiplied bool
	Overlap                            BlendOverlap
}

// ColorBlendAdvanced is an advanced blend operation of a color attachment (VkColorBlendAdvancedEXT).
type ColorBlendAdvanced struct {
	Op enum.BlendOp // from BlendOpZero on
	BlendAdvanced
	ClampResults bool // to 0…1
}

// BlendAdvancedProperties are the properties of advanced blend operations
// (VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT). Blending is coherent: fragments of one sample blend in order
// (advancedBlendCoherentOperations).
type BlendAdvancedProperties struct {
	MaxColorAttachments                                uint32
	IndependentBlend                                   bool
	NonPremultipliedSrcColor, NonPremultipliedDstColor bool
	CorrelatedOverlap                                  bool
	AllOperations                                      bool
}

// BlendAdvancedProperties returns the properties of advanced blend operations.
func (p *PhysicalDevice) BlendAdvancedProperties() BlendAdvancedProperties {
	if p == nil {
		return BlendAdvancedProperties{}
	}
	return BlendAdvancedProperties{state.MaxColors, true, true, true, true, true}
}

// isAdvanced reports whether an operation is an advanced one.
func isAdvanced(op enum.BlendOp) bool { return op >= enum.BlendOpZero && op <= enum.BlendOpBlue }

// state returns the parameters in the form of package draw.
func (b *BlendAdvanced) state() state.AdvancedBlend {
	return state.AdvancedBlend{SrcStraight: !b.SrcPremultiplied, DstStraight: !b.DstPremultiplied, Overlap: state.Overlap(b.Overlap)}
}

// checkAdvanced checks the advanced blend operations of a pipeline.
func (f *FixedState) checkAdvanced() error {
	if k := f.BlendAdvanced; k != nil && k.Overlap > OverlapConjoint {
		return usage("VUID-VkPipelineColorBlendAdvancedStateCreateInfoEXT-blendOverlap-parameter", "the overlap is %d; must be at most %d", k.Overlap, OverlapConjoint)
	}
	list := orZero(f.Blend).Attachments
	for i := range list {
		if x, y := list[i].ColorOp, list[i].AlphaOp; (isAdvanced(x) || isAdvanced(y)) && x != y {
			return usage("VUID-VkPipelineColorBlendAttachmentState-colorBlendOp-01406", "color attachment %d blends colors by %v and alpha by %v; must be equal", i, x, y)
		}
	}
	return nil
}

// The operands of a recorded advanced blend operation: the operation, and a set of bits with the overlap.
const (
	advancedIsSet = 1 << iota
	advancedSrcStraight
	advancedDstStraight
	advancedClamp
	advancedOverlap // and the bits above
)

// unpackAdvanced returns the operation of two operands.
func unpackAdvanced(op, k uint64) (enum.BlendOp, state.AdvancedBlend) {
	return enum.BlendOp(op), state.AdvancedBlend{
		SrcStraight: k&advancedSrcStraight != 0, DstStraight: k&advancedDstStraight != 0, Clamp: k&advancedClamp != 0, Overlap: state.Overlap(k / advancedOverlap),
	}
}

// SetColorBlendAdvanced sets advanced blend operations of color attachments from first on. They replace the equations of
// SetBlendEquation, which replaces them.
func (c *CommandBuffer) SetColorBlendAdvanced(first int, list ...ColorBlendAdvanced) {
	for i, b := range list {
		if !isAdvanced(b.Op) {
			if c.begin() {
				c.fail(usage("VUID-VkColorBlendAdvancedEXT-advancedBlendOp-parameter", "the blend operation is %d; must be an advanced one", b.Op))
			}
			return
		}
		if b.Overlap > OverlapConjoint {
			if c.begin() {
				c.fail(usage("VUID-VkColorBlendAdvancedEXT-blendOverlap-parameter", "the overlap is %d; must be at most %d", b.Overlap, OverlapConjoint))
			}
			return
		}
		k := uint64(advancedIsSet) | uint64(b.Overlap)*advancedOverlap
		k |= flag(!b.SrcPremultiplied)*advancedSrcStraight | flag(!b.DstPremultiplied)*advancedDstStraight | flag(b.ClampResults)*advancedClamp
		c.set(setBlendEquation, uint64(first+i), uint64(b.Op), k)
	}
}
