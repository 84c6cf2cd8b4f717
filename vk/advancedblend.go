package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/link"
)

// BlendOverlap is how the coverages of two blended colors relate (VkBlendOverlapEXT).
type BlendOverlap uint8

// The overlaps.
const (
	OverlapUncorrelated BlendOverlap = BlendOverlap(state.OverlapUncorrelated)
	OverlapDisjoint     BlendOverlap = BlendOverlap(state.OverlapDisjoint)
	OverlapConjoint     BlendOverlap = BlendOverlap(state.OverlapConjoint)
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
	has := func(name string) bool { return p.limit("advancedBlend"+name, 1) != 0 }
	return BlendAdvancedProperties{
		MaxColorAttachments: uint32(p.limit("advancedBlendMaxColorAttachments", state.MaxColors)), IndependentBlend: has("IndependentBlend"),
		NonPremultipliedSrcColor: has("NonPremultipliedSrcColor"), NonPremultipliedDstColor: has("NonPremultipliedDstColor"),
		CorrelatedOverlap: has("CorrelatedOverlap"), AllOperations: has("AllOperations"),
	}
}

// isAdvanced reports whether an operation is an advanced one.
func isAdvanced(op enum.BlendOp) bool { return op >= enum.BlendOpZero && op <= enum.BlendOpBlue }

// state returns the parameters in the form of package draw.
func (b *BlendAdvanced) state() state.AdvancedBlend {
	return state.AdvancedBlend{SrcStraight: !b.SrcPremultiplied, DstStraight: !b.DstPremultiplied, Overlap: state.Overlap(b.Overlap)}
}

// The rules on the parameters: an overlap that is none of Vulkan's; and premultiplied colors and overlaps by properties.
var (
	advancedOfPipeline = [4]string{"VUID-VkPipelineColorBlendAdvancedStateCreateInfoEXT-blendOverlap-parameter", "VUID-VkPipelineColorBlendAdvancedStateCreateInfoEXT-srcPremultiplied-01424",
		"VUID-VkPipelineColorBlendAdvancedStateCreateInfoEXT-dstPremultiplied-01425", "VUID-VkPipelineColorBlendAdvancedStateCreateInfoEXT-blendOverlap-01426"}
	advancedOfCommand = [4]string{"VUID-VkColorBlendAdvancedEXT-blendOverlap-parameter", "VUID-VkColorBlendAdvancedEXT-srcPremultiplied-07505",
		"VUID-VkColorBlendAdvancedEXT-dstPremultiplied-07506", "VUID-VkColorBlendAdvancedEXT-blendOverlap-07507"}
)

// check checks the parameters.
func (b *BlendAdvanced) check(d *Device, rules *[4]string) error {
	if b.Overlap > OverlapConjoint {
		return usage(rules[0], "the overlap is %d; must be at most %d", b.Overlap, OverlapConjoint)
	}
	if d.checking == None {
		return nil
	}
	switch p := d.physical.BlendAdvancedProperties(); {
	case !b.SrcPremultiplied && !p.NonPremultipliedSrcColor:
		return usage(rules[1], "the source of a blend is not premultiplied; must be on this device")
	case !b.DstPremultiplied && !p.NonPremultipliedDstColor:
		return usage(rules[2], "the destination of a blend is not premultiplied; must be on this device")
	case b.Overlap != OverlapUncorrelated && !p.CorrelatedOverlap:
		return usage(rules[3], "the coverages of a blend are correlated; must not be on this device")
	}
	return nil
}

// checkAdvanced checks the advanced blend operations of a pipeline.
func (f *FixedState) checkAdvanced(d *Device) error {
	if k := f.BlendAdvanced; k != nil {
		if err := k.check(d, &advancedOfPipeline); err != nil {
			return err
		}
	}
	list := orZero(f.Blend).Attachments
	for i := range list {
		if x, y := list[i].ColorOp, list[i].AlphaOp; (isAdvanced(x) || isAdvanced(y)) && x != y {
			return usage("VUID-VkPipelineColorBlendAttachmentState-colorBlendOp-01406", "color attachment %d blends colors by %v and alpha by %v; must be equal", i, x, y)
		}
	}
	if d.checking == None || !slices.ContainsFunc(list, func(b link.Blend) bool { return isAdvanced(b.ColorOp) }) {
		return nil
	}
	p := d.physical.BlendAdvancedProperties()
	for i := range list {
		switch op := list[i].ColorOp; {
		case !p.IndependentBlend && op != list[0].ColorOp:
			return usage("VUID-VkPipelineColorBlendAttachmentState-advancedBlendIndependentBlend-01407", "color attachments blend by %v and by %v; must be equal on this device", list[0].ColorOp, op)
		case !p.AllOperations && isAdvanced(op) && !everywhere(op):
			return usage("VUID-VkPipelineColorBlendAttachmentState-advancedBlendAllOperations-01409", "color attachment %d blends by %v; must blend by another operation on this device", i, op)
		}
	}
	if n := len(f.Rendering.Color); n > int(p.MaxColorAttachments) {
		return usage("VUID-VkPipelineColorBlendAttachmentState-colorBlendOp-01410", "%d color attachments have advanced blend operations; must be at most %d", n, p.MaxColorAttachments)
	}
	return nil
}

// everywhere reports whether every device with advanced blend operations has one: multiplication to exclusion, and those of hue,
// saturation and luminosity.
func everywhere(op enum.BlendOp) bool {
	return op >= enum.BlendOpMultiply && op <= enum.BlendOpExclusion || op >= enum.BlendOpHslHue && op <= enum.BlendOpHslLuminosity
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
		if !c.begin() {
			return
		}
		if err := b.check(c.dev, &advancedOfCommand); err != nil {
			c.fail(err)
			return
		}
		k := uint64(advancedIsSet) | uint64(b.Overlap)*advancedOverlap
		k |= flag(!b.SrcPremultiplied)*advancedSrcStraight | flag(!b.DstPremultiplied)*advancedDstStraight | flag(b.ClampResults)*advancedClamp
		c.set(setBlendEquation, uint64(first+i), uint64(b.Op), k)
	}
}
