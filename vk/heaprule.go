package vk

import (
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// match checks the samplers of a comparison of blocks.
func (c *descriptorCheck) match(u *matchUse) {
	in, searches := u.inWindow()
	identical, unnormalized := vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06985, vuid.RuntimeSpirv_OpImageBlockMatchSSDQCOM_06986
	if in {
		identical, unnormalized = vuid.RuntimeSpirv_OpImageBlockMatchWindow_09222, vuid.RuntimeSpirv_OpImageBlockMatchWindow_09223
	}
	target, reference := c.bound(u.program, u.target).sampler, c.bound(u.program, u.reference).sampler
	if target != nil && reference != nil && target != reference {
		c.find(identical, "the target of %v has %v and the reference %v; must have the same sampler", u.op, &target.object, &reference.object)
	}
	for _, s := range [...]*Sampler{target, reference} {
		if s != nil && !s.info.Unnormalized {
			c.find(unnormalized, "%v of %v has normalized coordinates; must have coordinates in texels", &s.object, u.op)
			break
		}
	}
	if searches && target != nil && target.info.BlockWindow == [2]uint32{} {
		c.find(vuid.RuntimeSpirv_pNext_09226, "%v of the target of %v has no search window; must have one", &target.object, u.op)
	}
}

// matrix checks the buffer of a load or a store of a cooperative matrix.
func (c *descriptorCheck) matrix(u *resourceUse) {
	if r := u.resource; c.bound(u.program, r).null {
		c.find(vuid.RuntimeSpirv_OpCooperativeMatrix_12379, "a cooperative matrix is in the buffer of %s, whose descriptor is null; must not be null", r.Place())
	}
}

// direct checks a descriptor at a constant offset in a heap. Null descriptors, and memory that no call has written as a descriptor, are
// not judged.
func (c *descriptorCheck) direct(u *heapUse) {
	sampler := u.typ.Op == spirv.OpTypeSampler
	all := c.bytesAt(c.heaps[flag(sampler)].Address)
	all = all[:min(c.heaps[flag(sampler)].Size, uint64(len(all)))]
	if u.offset > uint64(len(all)) || uint64(len(all))-u.offset < BufferDescriptorSize {
		return
	}
	d := all[u.offset:]
	buffer := u.op == spirv.OpBufferPointerEXT
	has := typeOf(d, buffer)
	if buffer && has == "" { // of an image or a sampler the second word is 0
		if binary.LittleEndian.Uint64(d[8:]) == 0 {
			has = typeOf(d, false)
		}
	}
	if has == "" || binary.LittleEndian.Uint64(d) == 0 {
		return
	}
	typeRule, formatRule, operandRule := vuid.RuntimeSpirv_Result_11341, vuid.RuntimeSpirv_Result_11343, vuid.RuntimeSpirv_Result_11345
	switch {
	case sampler:
		typeRule = vuid.RuntimeSpirv_Result_11340
	case buffer:
		typeRule = vuid.RuntimeSpirv_Result_11342
	case u.op == spirv.OpImageTexelPointer:
		typeRule, formatRule, operandRule = vuid.RuntimeSpirv_Image_11379, vuid.RuntimeSpirv_Image_11380, vuid.RuntimeSpirv_Image_11382
	}
	if want := u.types(); !slices.Contains(want, has) {
		c.find(typeRule, "the %v stage reads a descriptor of the type %s at offset %d of a heap; must be %s", u.stage, has, u.offset, want)
		return
	}
	if s := c.samplerObject(d); sampler && s != nil {
		c.border(s)
	}
	if u.typ.Op != spirv.OpTypeImage {
		return
	}
	name := texelFormat(d).String()
	v := c.viewObject(d)
	if v != nil {
		name = v.format()
		c.operands(operandRule, u, v)
	}
	c.numeric(formatRule, u, name)
}

// types returns the types of descriptors that the instruction reads (Vulkan, Heap Resource Type Correspondence).
func (u *heapUse) types() []link.DescriptorType {
	switch t := u.typ; {
	case t.Op == spirv.OpTypeSampler:
		return []link.DescriptorType{link.SamplerDescriptor}
	case t.Image == nil && u.uniform:
		return []link.DescriptorType{link.UniformBuffer}
	case t.Image == nil:
		return []link.DescriptorType{link.StorageBuffer}
	case t.Image.Dim == spirv.DimBuffer && t.Image.Sampled == 2:
		return []link.DescriptorType{link.StorageTexelBuffer}
	case t.Image.Dim == spirv.DimBuffer:
		return []link.DescriptorType{link.UniformTexelBuffer}
	case t.Image.Dim == spirv.DimSubpassData:
		return []link.DescriptorType{link.InputAttachment}
	case t.Image.Sampled == 2:
		return []link.DescriptorType{link.StorageImage}
	}
	return []link.DescriptorType{link.SampledImage, link.SampleWeightImage, link.BlockMatchImage, link.CombinedImageSampler}
}

// operands checks the operands of an image type beside a view (Vulkan, Heap Image Operand Correspondence).
func (c *descriptorCheck) operands(rule string, u *heapUse, v *ImageView) {
	i, samples := u.typ.Image, max(v.image.layout.Samples, 1)
	if i.MS != (samples > 1) {
		c.find(rule, "the %v stage reads %v, which has %d samples, as an image with multisampling %v; must be equal", u.stage, &v.object, samples, i.MS)
	}
	var ok bool
	switch t := v.info.Type; i.Dim {
	case spirv.Dim1D:
		ok = t == enum.ViewType1d && !i.Arrayed || t == enum.ViewType1dArray && i.Arrayed
	case spirv.DimCube:
		ok = t == enum.ViewTypeCube && !i.Arrayed || t == enum.ViewTypeCubeArray && i.Arrayed
	case spirv.Dim3D:
		ok = t == enum.ViewType3d
	case spirv.DimSubpassData:
		ok = t == enum.ViewType2d || t == enum.ViewType2dArray
	default:
		ok = t == enum.ViewType2d && !i.Arrayed || t == enum.ViewType2dArray && i.Arrayed
	}
	if !ok {
		c.find(rule, "the %v stage reads %v, which has the type %v, as an image of the dimensionality %v, arrayed: %v; must correspond", u.stage, &v.object, v.info.Type, i.Dim, i.Arrayed)
	}
}

// numeric checks the image format and the sampled type of an image type beside a format.
func (c *descriptorCheck) numeric(rule string, u *heapUse, name string) {
	f := format.InfoByName(name)
	if f == nil {
		return
	}
	if want := format.OfShader(u.typ.Image.Format.String()); want != "" && want != name {
		c.find(rule, "the %v stage reads a descriptor of the format %s as %v; must have the format %s", u.stage, name, u.typ.Image.Format, want)
		return
	}
	t := u.typ.Elem
	if t == nil || u.typ.Image.Dim == spirv.DimSubpassData {
		return
	}
	is, kind := format.Float, "floats"
	switch {
	case t.IsInt() && t.Signed:
		is, kind = format.Int, "signed integers"
	case t.IsInt():
		is, kind = format.Uint, "unsigned integers"
	}
	if f.Sampled != is || f.Wide != (t.Width == 64) {
		c.find(rule, "the %v stage reads a descriptor of the format %s as %s of %d bits; must be of the same kind", u.stage, name, kind, t.Width)
	}
}
