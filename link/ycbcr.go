package link

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// ycbcrRules are the rules of how stages use immutable samplers that convert from
// Y′CbCr (Vulkan, Runtime SPIR-V Validation). The view beside such a sampler in a
// descriptor converts too: no other one may be written there
// (VUID-VkWriteDescriptorSet-descriptorType-04149).
var ycbcrRules = []Rule{
	{vuid.RuntimeSpirv_OpTypeSampler_12203, "a separate sampler is no immutable sampler that converts from Y′CbCr"},
	{vuid.RuntimeSpirv_OpTypeImage_12204, "a separate image has no immutable sampler in its binding that converts from Y′CbCr"},
	{vuid.RuntimeSpirv_None_12205, "an image that is converted from Y′CbCr is an element with a constant index"},
	{vuid.RuntimeSpirv_OpTypeSampledImage_12206, "an image that is converted from Y′CbCr with its sampler is sampled, or used by OpImage"},
	{vuid.RuntimeSpirv_OpTypeImage_12207, "a separate image that is converted from Y′CbCr is queried only for its levels and its size"},
	{"SPV-Subsampled-Index", "a combined image sampler of subsampled images is an element with a constant index"},
	{vuid.RuntimeSpirv_ConstOffset_10718, "an image that is converted from Y′CbCr is sampled without an offset"},
}

// converted checks how a stage uses values that immutable samplers convert from Y′CbCr.
func (l *linker) converted(s *Shader) {
	of := s.bound(func(r *iface.Resource) bool {
		b := l.d.Layout.binding(s, r)
		return b != nil && b.Ycbcr && (r.Type == iface.Sampler || r.Type == iface.SampledImage || r.Type == iface.CombinedImageSampler)
	})
	for i := range s.Entry.Resources { // in the order of the stage
		r := &s.Entry.Resources[i]
		if of[r.ID] != r {
			continue
		}
		sides := func() []Side {
			return []Side{resourceSide(s, r), l.d.Layout.binding(s, r).side(r.Set)}
		}
		switch r.Type {
		case iface.Sampler:
			l.fail(vuid.RuntimeSpirv_OpTypeSampler_12203, sides(), "%s is a separate sampler, and the immutable sampler of its binding converts from Y′CbCr; must not convert", r.Name)
			delete(of, r.ID)
		case iface.SampledImage:
			l.fail(vuid.RuntimeSpirv_OpTypeImage_12204, sides(), "%s is a separate image, and the immutable sampler of its binding converts from Y′CbCr; must not convert", r.Name)
		}
	}
	if len(of) == 0 {
		return // before the module is read
	}
	if t := s.trace(); t != nil {
		l.conversions(s, t, of)
	}
}

// conversions checks the instructions that reach images which are converted.
func (l *linker) conversions(s *Shader, t *tracer, of map[spirv.ID]*iface.Resource) {
	chained := map[int]bool{} // the access chains that are reported
	for i, in := range t.instructions() {
		if in.Op() == spirv.OpLoad {
			for _, at := range t.pointers(inst.Load(in).Pointer()) {
				r := of[at.id]
				chain, constant := t.constant(at.path)
				if r == nil || constant || chained[chain] {
					continue
				}
				chained[chain] = true
				l.fail(vuid.RuntimeSpirv_None_12205, []Side{s.at(chain), resourceSide(s, r)}, "an index into %s, which is converted from Y′CbCr, is no constant; must be constant", r.Name)
			}
			continue
		}
		id, ok := imageOf(in)
		if !ok {
			continue
		}
		judged := map[*iface.Resource]bool{} // several calls may pass the same one
		for _, at := range t.images(id) {
			if r := of[at.id]; r != nil && !judged[r] {
				judged[r] = true
				l.conversion(s, t.m, i, r)
			}
		}
	}
}

// conversion checks an instruction that uses a converted image.
func (l *linker) conversion(s *Shader, m *facts.Module, i int, r *iface.Resource) {
	op, sides := m.Code.Inst(i).Op(), []Side{s.at(i), resourceSide(s, r)}
	if r.Type == iface.SampledImage {
		if op != spirv.OpImageQueryLevels && op != spirv.OpImageQuerySizeLod {
			l.fail(vuid.RuntimeSpirv_OpTypeImage_12207, sides, "%s uses %s, which is converted from Y′CbCr; must be %s or %s", op, r.Name, spirv.OpImageQueryLevels, spirv.OpImageQuerySizeLod)
		}
		return
	}
	if !samples(op) && op != spirv.OpImage {
		l.fail(vuid.RuntimeSpirv_OpTypeSampledImage_12206, sides, "%s uses %s, which is converted from Y′CbCr; must be one that samples, or OpImage", op, r.Name)
	}
	const offsets = spirv.ImageOperandsConstOffsetMask | spirv.ImageOperandsOffsetMask
	if samples(op) && imageOperands(m, i)&offsets != 0 {
		l.fail(vuid.RuntimeSpirv_ConstOffset_10718, sides, "%s has %s, and %s is converted from Y′CbCr; must have no offset", op, imageOperands(m, i)&offsets, r.Name)
	}
}

// imageOf returns the image, or sampled image, operand of an instruction, or false if there
// is none.
func imageOf(in spirv.Inst) (spirv.ID, bool) {
	op := in.Op()
	if !strings.HasPrefix(op.String(), "OpImage") && op != spirv.OpSampledImage || len(in) < 4 || op == spirv.OpImageTexelPointer {
		return 0, false
	}
	return spirv.ID(in[3]), true
}

// subsampled checks how a stage indexes arrays of combined image samplers, one of which
// reads subsampled images (Vulkan, Descriptor Set Interface).
func (l *linker) subsampled(s *Shader) {
	of := s.bound(func(r *iface.Resource) bool {
		b := l.d.Layout.binding(s, r)
		return b != nil && !b.Ycbcr && r.Type == iface.CombinedImageSampler && len(r.Arrays) > 0 && slices.ContainsFunc(b.Immutable, func(k Sampler) bool { return k.Subsampled })
	})
	if len(of) == 0 {
		return // before the module is read
	}
	t := s.trace()
	if t == nil {
		return
	}
	chained := map[int]bool{} // the access chains that are reported
	for _, in := range t.instructions() {
		if in.Op() != spirv.OpLoad {
			continue
		}
		for _, at := range t.pointers(inst.Load(in).Pointer()) {
			r := of[at.id]
			chain, constant := t.constant(at.path)
			if r == nil || constant || chained[chain] {
				continue
			}
			chained[chain] = true
			l.fail("SPV-Subsampled-Index", []Side{s.at(chain), resourceSide(s, r)}, "an index into %s, which reads subsampled images, is no constant; must be constant", r.Name)
		}
	}
}
