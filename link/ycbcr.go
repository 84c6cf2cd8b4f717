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
	{vuid.RuntimeSpirv_OpTypeSampler_12203, "what is a sampler alone has no immutable sampler that converts from Y′CbCr"},
	{vuid.RuntimeSpirv_OpTypeImage_12204, "what is an image alone is not beside an immutable sampler that converts from Y′CbCr"},
	{vuid.RuntimeSpirv_None_12205, "an image that is converted from Y′CbCr is an element with a constant index"},
	{vuid.RuntimeSpirv_OpTypeSampledImage_12206, "an image that is converted from Y′CbCr with its sampler is sampled, or asked for the image alone"},
	{vuid.RuntimeSpirv_OpTypeImage_12207, "an image alone that is converted from Y′CbCr is asked for its levels and its size"},
	{vuid.RuntimeSpirv_ConstOffset_10718, "an image that is converted from Y′CbCr is sampled without an offset"},
}

// converted judges how a stage uses what immutable samplers convert from Y′CbCr.
func (l *linker) converted(s *Shader) {
	of := map[spirv.ID]*iface.Resource{}
	for i := range s.Entry.Resources {
		r := &s.Entry.Resources[i]
		if !r.Used || r.MissingSet || r.MissingBinding {
			continue
		}
		b := l.d.Layout.binding(r.Set, r.Binding)
		if b == nil || !b.Ycbcr {
			continue
		}
		sides := []Side{resourceSide(s, r), b.side(r.Set)}
		switch r.Type {
		case iface.Sampler:
			l.fail(vuid.RuntimeSpirv_OpTypeSampler_12203, sides, "%s is a sampler alone, and the immutable sampler of its binding converts from Y′CbCr; must not", r.Name)
		case iface.SampledImage:
			l.fail(vuid.RuntimeSpirv_OpTypeImage_12204, sides, "%s is an image alone, and the immutable sampler of its binding converts from Y′CbCr; must not", r.Name)
			of[r.ID] = r
		case iface.CombinedImageSampler:
			of[r.ID] = r
		}
	}
	if len(of) == 0 {
		return // before the module is read
	}
	m := s.facts()
	if m == nil {
		return
	}
	for i := range s.instructions(m) {
		in := m.Code.Inst(i)
		if in.Op() == spirv.OpLoad {
			v, path := reached(m, inst.Load(in).Pointer())
			if r := of[v]; r != nil && !constantPath(m, path) {
				l.fail(vuid.RuntimeSpirv_None_12205, []Side{s.at(i), resourceSide(s, r)}, "an element of %s, which is converted from Y′CbCr, is taken by an index that is no constant; must be constant", r.Name)
			}
			continue
		}
		if r := of[imageOf(m, in)]; r != nil {
			l.conversion(s, m, i, r)
		}
	}
}

// conversion judges an instruction that takes an image which is converted.
func (l *linker) conversion(s *Shader, m *facts.Module, i int, r *iface.Resource) {
	op, sides := m.Code.Inst(i).Op(), []Side{s.at(i), resourceSide(s, r)}
	if r.Type == iface.SampledImage {
		if op != spirv.OpImageQueryLevels && op != spirv.OpImageQuerySizeLod {
			l.fail(vuid.RuntimeSpirv_OpTypeImage_12207, sides, "%s takes %s, which is converted from Y′CbCr; must be %s or %s", op, r.Name, spirv.OpImageQueryLevels, spirv.OpImageQuerySizeLod)
		}
		return
	}
	name := op.String()
	samples := strings.HasPrefix(name, "OpImageSample") || strings.HasPrefix(name, "OpImageSparseSample")
	if !samples && op != spirv.OpImage {
		l.fail(vuid.RuntimeSpirv_OpTypeSampledImage_12206, sides, "%s takes %s, which is converted from Y′CbCr; must be one that samples, or OpImage", op, r.Name)
	}
	const offsets = spirv.ImageOperandsConstOffsetMask | spirv.ImageOperandsOffsetMask
	if samples && imageOperands(m, i)&offsets != 0 {
		l.fail(vuid.RuntimeSpirv_ConstOffset_10718, sides, "%s has %s, and %s is converted from Y′CbCr; must have no offset", op, imageOperands(m, i)&offsets, r.Name)
	}
}

// imageOf returns the variable of the image, or of the image with its sampler,
// that an instruction takes, 0 where it takes none.
func imageOf(m *facts.Module, in spirv.Inst) spirv.ID {
	if name := in.Op().String(); !strings.HasPrefix(name, "OpImage") && in.Op() != spirv.OpSampledImage || len(in) < 4 || in.Op() == spirv.OpImageTexelPointer {
		return 0
	}
	id := spirv.ID(in[3])
	for range maxChase {
		i := m.Code.Def(id)
		if i < 0 {
			return 0
		}
		switch d := m.Code.Inst(i); d.Op() {
		case spirv.OpCopyObject:
			id = inst.CopyObject(d).Operand()
		case spirv.OpLoad:
			v, _ := reached(m, inst.Load(d).Pointer())
			return v
		default:
			return 0
		}
	}
	return 0
}

// maxPath bounds how many indices a pointer is followed through: types are nested
// no deeper (SPIR-V, Universal Limits).
const maxPath = 256

// reached follows a pointer to what it is made of, and returns that with the
// indices on the way there.
func reached(m *facts.Module, id spirv.ID) (spirv.ID, []spirv.ID) {
	var path []spirv.ID
	for range maxChase {
		i := m.Code.Def(id)
		if i < 0 {
			break
		}
		var more []spirv.ID
		switch in := m.Code.Inst(i); in.Op() {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain:
			id, more = inst.AccessChain(in).Base(), inst.AccessChain(in).Indexes()
		case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
			id, more = inst.UntypedAccessChainKHR(in).Base(), inst.UntypedAccessChainKHR(in).Indexes()
		case spirv.OpCopyObject:
			id = inst.CopyObject(in).Operand()
		default:
			return id, path
		}
		if len(path)+len(more) > maxPath {
			return 0, nil
		}
		path = slices.Concat(more, path)
	}
	return id, path
}

// constantPath reports whether all indices are constants.
func constantPath(m *facts.Module, path []spirv.ID) bool {
	return !slices.ContainsFunc(path, func(id spirv.ID) bool { return m.Const(id) == nil })
}
