package iface

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Descriptor is the descriptor type of a resource (Vulkan,
// Shader Resource and Descriptor Type Correspondence). If Vulkan has several
// types for one kind of variable (dynamic buffers, inline uniform blocks), it is
// the plain one.
type Descriptor string

// The kinds of descriptors.
const (
	Sampler               Descriptor = "sampler"
	CombinedImageSampler  Descriptor = "combined_image_sampler"
	SampledImage          Descriptor = "sampled_image"
	StorageImage          Descriptor = "storage_image"
	UniformTexelBuffer    Descriptor = "uniform_texel_buffer"
	StorageTexelBuffer    Descriptor = "storage_texel_buffer"
	UniformBuffer         Descriptor = "uniform_buffer"
	StorageBuffer         Descriptor = "storage_buffer"
	InputAttachment       Descriptor = "input_attachment"
	AccelerationStructure Descriptor = "acceleration_structure"
	StorageTensor         Descriptor = "tensor"
)

// Resource is a variable that is bound to a descriptor.
type Resource struct {
	Name    string     `json:"name"`
	Set     uint32     `json:"set"`
	Binding uint32     `json:"binding"`
	Type    Descriptor `json:"type"`
	Count   uint64     `json:"count"` // of descriptors; 0 for an array with a length from the set layout
	Arrays  []uint64   `json:"arrays,omitempty"`

	// Used reports whether the entry point uses the variable statically (Vulkan, Static
	// Use): its functions name the variable, or its interface lists it; in an older
	// reading only memory and image instructions count, see facts.StaticUses.
	Used bool `json:"used"`

	// The access qualifiers of the variable.
	NonReadable bool `json:"nonReadable,omitempty"`
	NonWritable bool `json:"nonWritable,omitempty"`
	Coherent    bool `json:"coherent,omitempty"`
	Volatile    bool `json:"volatile,omitempty"`
	Restrict    bool `json:"restrict,omitempty"`
	Aliased     bool `json:"aliased,omitempty"`

	Attachment *uint32 `json:"inputAttachmentIndex,omitempty"`
	Image      *Image  `json:"image,omitempty"`
	Block      *Block  `json:"block,omitempty"`

	// MissingSet and MissingBinding say that there is no such decoration.
	MissingSet     bool `json:"missingSet,omitempty"`
	MissingBinding bool `json:"missingBinding,omitempty"`

	Class spirv.StorageClass `json:"storageClass"`
	ID    spirv.ID           `json:"-"`
	Inst  int                `json:"-"`
}

// Image is the image type of a resource.
type Image struct {
	Sampled      Type              `json:"sampledType"`
	Dim          spirv.Dim         `json:"dim"`
	Depth        bool              `json:"depth,omitempty"`
	Arrayed      bool              `json:"arrayed,omitempty"`
	Multisampled bool              `json:"multisampled,omitempty"`
	Format       spirv.ImageFormat `json:"format"`
}

// Block is a struct in a buffer.
type Block struct {
	Name    string   `json:"name"` // of the type
	Size    uint64   `json:"size"` // in bytes up to the end of the last member, or up to the start of a runtime array
	Members []Member `json:"members"`

	// Unsized is the stride of the runtime array at its end, in bytes; 0 if
	// there is none.
	Unsized uint32 `json:"runtimeArrayStride,omitempty"`

	ID spirv.ID `json:"-"`
}

// resource adds a variable with a descriptor to the entry point. usedMembers tells
// which members of its block are used. It returns the number of listed elements.
func (e *Entry) resource(m *facts.Module, v *facts.Variable, used bool, usedMembers []bool) int {
	t := v.Type
	r := Resource{Name: nameOf(m, v.ID), Used: used, Class: v.Storage, ID: v.ID, Inst: v.Index}
	for t != nil && (t.IsArray() || t.IsRuntimeArray()) && len(r.Arrays) < maxArrays {
		r.Arrays = append(r.Arrays, t.Count)
		t = t.Elem
	}
	r.Count = Type{Arrays: r.Arrays}.Elements()
	if t == nil {
		return 0
	}
	if r.Type = descriptorOf(m, v.Storage, t); r.Type == "" {
		return 0
	}
	d := decorations{m, v.ID, -1}
	var ok bool
	r.Set, ok = d.literal(spirv.DecorationDescriptorSet)
	r.MissingSet = !ok
	r.Binding, ok = d.literal(spirv.DecorationBinding)
	r.MissingBinding = !ok
	if at, ok := d.literal(spirv.DecorationInputAttachmentIndex); ok {
		r.Attachment = &at
	}
	r.access(m, d, t)
	if i := imageOf(t); i != nil {
		r.Image = &Image{typeOf(m, i.Elem), i.Image.Dim, i.Image.Depth == 1, i.Image.Arrayed, i.Image.MS, i.Image.Format}
	}
	if t.IsStruct() {
		r.Block = blockAt(m, t, usedMembers)
		if m.Name(v.ID) == "" && m.Name(t.ID) != "" {
			r.Name = m.Name(t.ID)
		}
	}
	e.Resources = append(e.Resources, r)
	if r.Block == nil {
		return 1
	}
	return 1 + count(r.Block.Members)
}

// access sets the access qualifiers of the variable. A block has them on each member.
func (r *Resource) access(m *facts.Module, d decorations, t *facts.Type) {
	for _, k := range [...]struct {
		on   *bool
		kind spirv.Decoration
	}{
		{&r.NonReadable, spirv.DecorationNonReadable}, {&r.NonWritable, spirv.DecorationNonWritable},
		{&r.Coherent, spirv.DecorationCoherent}, {&r.Volatile, spirv.DecorationVolatile},
		{&r.Restrict, spirv.DecorationRestrict}, {&r.Aliased, spirv.DecorationAliased},
	} {
		*k.on = d.has(k.kind) || t.IsStruct() && allMembers(m, t, k.kind)
	}
}

// imageOf returns the image of an image or sampled image, nil of all else.
func imageOf(t *facts.Type) *facts.Type {
	if t.Op == spirv.OpTypeSampledImage {
		t = t.Elem
	}
	if t == nil || t.Image == nil {
		return nil
	}
	return t
}

// descriptorOf returns the descriptor type of a variable, "" if it has none
// (Vulkan, Shader Resource and Storage Class Correspondence).
func descriptorOf(m *facts.Module, class spirv.StorageClass, t *facts.Type) Descriptor {
	switch class {
	case spirv.StorageClassStorageBuffer:
		return StorageBuffer
	case spirv.StorageClassUniform:
		if m.Has(t.ID, spirv.DecorationBufferBlock) {
			return StorageBuffer
		}
		return UniformBuffer
	case spirv.StorageClassUniformConstant:
		return opaqueDescriptor(t)
	case spirv.StorageClassTileAttachmentQCOM:
		if t.Image != nil && t.Image.Sampled == 2 {
			return StorageImage
		}
		return opaqueDescriptor(t)
	}
	return ""
}

func opaqueDescriptor(t *facts.Type) Descriptor {
	switch t.Op {
	case spirv.OpTypeSampler:
		return Sampler
	case spirv.OpTypeSampledImage:
		if i := imageOf(t); i != nil && i.Image.Dim == spirv.DimBuffer {
			return UniformTexelBuffer
		}
		return CombinedImageSampler
	case spirv.OpTypeAccelerationStructureKHR:
		return AccelerationStructure
	case spirv.OpTypeTensorARM:
		return StorageTensor
	case spirv.OpTypeImage:
		i := t.Image
		switch {
		case i == nil:
			return ""
		case i.Dim == spirv.DimSubpassData:
			return InputAttachment
		case i.Dim == spirv.DimBuffer && i.Sampled == 2:
			return StorageTexelBuffer
		case i.Dim == spirv.DimBuffer:
			return UniformTexelBuffer
		case i.Sampled == 2:
			return StorageImage
		}
		return SampledImage
	}
	return ""
}

// blockAt describes the block of a buffer.
func blockAt(m *facts.Module, t *facts.Type, used []bool) *Block {
	b := &Block{Name: nameOf(m, t.ID), Members: layoutOf(m, t, used), ID: t.ID, Size: t.Size(0, false)}
	for k := range t.Members {
		p := &t.Members[k]
		if p.Type != nil && p.Type.IsRuntimeArray() {
			b.Unsized = p.Type.ArrayStride
		}
	}
	return b
}
