package vk

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ptxlower"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// ViewHandleInfo describes a handle of an image view or of a sampler (VkImageViewHandleInfoNVX). A CUDA kernel accesses a texture or a
// surface by the handle.
type ViewHandleInfo struct {
	Type    link.DescriptorType // SampledImage, CombinedImageSampler, StorageImage, or Sampler for a sampler alone
	View    *ImageView
	Sampler *Sampler // of Sampler and CombinedImageSampler
}

// ViewHandle returns the handle of an image view, of 32 bits with a kind above them. It is valid as long as the view and the sampler are
// not closed.
func (d *Device) ViewHandle(info ViewHandleInfo) (uint64, error) {
	if err := d.Err(); err != nil {
		return 0, err
	}
	kind := uint32(ptxlower.HandleTexture)
	required := ImageSampled
	switch info.Type {
	case link.SampledImage, link.CombinedImageSampler:
	case link.StorageImage:
		kind, required = ptxlower.HandleSurface, ImageStorage
	case link.SamplerDescriptor:
		kind = ptxlower.HandleSampler
	default:
		return 0, usage("VUID-VkImageViewHandleInfoNVX-descriptorType-02654", "the type of a handle is %q; must be one of an image with or without a sampler", info.Type)
	}
	var view, sampler uint32
	var err error
	if info.Type != link.SamplerDescriptor {
		if view, err = d.viewIndex(info.View, required); err != nil {
			return 0, err
		}
	}
	if info.Type == link.SamplerDescriptor || info.Type == link.CombinedImageSampler {
		if sampler, err = d.samplerIndex(info.Sampler); err != nil {
			return 0, err
		}
	}
	return ptxlower.Handle(kind, view, sampler), nil
}

// CombinedHandle returns the handle of the view of one handle with the sampler of another (vkGetDeviceCombinedImageSamplerIndexNVX).
func CombinedHandle(view, sampler uint64) uint64 { return ptxlower.WithSampler(view, sampler) }

// Address returns the device address of the image of a view and its size in bytes (VkImageViewAddressPropertiesNVX). The error is a
// *UsageError if the memory has no address.
func (v *ImageView) Address() (address, size uint64, err error) {
	if err := check(nil, "the view", v); err != nil {
		return 0, 0, err
	}
	m := v.image
	if m.memory == nil || m.memory.address == 0 || m.planes[0] != nil {
		return 0, 0, usage("", "the memory of %v has no device address; must have one", &v.object)
	}
	return m.memory.address + m.offset, uint64(len(m.bytes[0])), nil
}

// viewIndex returns the number of a view in handles.
func (d *Device) viewIndex(v *ImageView, required ImageUsage) (uint32, error) {
	if err := check(d, "the view of a handle", v); err != nil {
		return 0, err
	}
	if v.usage()&required == 0 {
		rule := "VUID-VkImageViewHandleInfoNVX-imageView-02656"
		if required == ImageStorage {
			rule = "VUID-VkImageViewHandleInfoNVX-imageView-02657"
		}
		return 0, usage(rule, "the image of %v lacks the usage of the handle; must have it", &v.object)
	}
	n, err := d.views.number(v, &v.number)
	return handleIndex(n, ptxlower.HandleViews, err)
}

// samplerIndex returns the number of a sampler in handles.
func (d *Device) samplerIndex(s *Sampler) (uint32, error) {
	if s == nil {
		return 0, usage("VUID-VkImageViewHandleInfoNVX-sampler-02655", "the handle has no sampler; must have one")
	}
	if err := check(d, "the sampler of a handle", s); err != nil {
		return 0, err
	}
	n, err := d.samplers.number(s, &s.number)
	return handleIndex(n, ptxlower.HandleSamplers, err)
}

// handleIndex returns the number in handles of an object with a number in a table: 0 is none.
func handleIndex(n uint64, most uint32, err error) (uint32, error) {
	if i := uint32(n); err == nil && i < most-1 {
		return i + 1, nil
	}
	return 0, orError(err, &OutOfMemoryError{Bytes: 1})
}

// orError returns the first error that is not nil.
func orError(x, y error) error {
	if x != nil {
		return x
	}
	return y
}

// usage returns the usage of a view.
func (v *ImageView) usage() ImageUsage {
	if v.info.Usage != 0 {
		return v.info.Usage
	}
	return v.image.info.Usage
}

// handleSet returns the descriptors of the views and samplers of all handles. The submission holds them.
func (x *executor) handleSet() compute.Set {
	textures, surfaces, samplers := []*texture.View{nil}, []*texture.View{nil}, []*texture.Sampler{nil}
	x.dev.views.each(ptxlower.HandleViews-1, func(v *ImageView) {
		var read, written *texture.View
		if v != nil && x.keep(&v.object, v) {
			if v.usage()&ImageSampled != 0 {
				read = v.view
			}
			if v.usage()&ImageStorage != 0 {
				written = v.view
			}
		}
		textures, surfaces = append(textures, read), append(surfaces, written)
	})
	x.dev.samplers.each(ptxlower.HandleSamplers-1, func(s *Sampler) {
		var state *texture.Sampler
		if s != nil && x.keep(&s.object, s) {
			state = s.sampler
		}
		samplers = append(samplers, state)
	})
	return compute.Set{{Number: ptxlower.TextureBinding, Views: textures}, {Number: ptxlower.SamplerBinding, Samplers: samplers}, {Number: ptxlower.SurfaceBinding, Views: surfaces}}
}

// each calls f with the first objects of a table, in the order of their indices: nil for one that is free.
func (t *table[T]) each(most int, f func(*T)) {
	t.mu.RLock()
	list := make([]*T, min(len(t.slots), most))
	for i := range list {
		list[i] = t.slots[i].object
	}
	t.mu.RUnlock()
	for _, x := range list {
		f(x)
	}
}

// Bind makes a handle of [Device.ViewHandle] the texture, surface or sampler of the module with a name, a variable of type .texref,
// .surfref or .samplerref. No launch of the module may be running. A texture whose variable describes a sampler keeps it if the handle has
// none.
func (m *CudaModule) Bind(name string, handle uint64) error {
	if err := check(nil, "the CUDA module", m); err != nil {
		return err
	}
	typ, at := m.image.Opaque(name)
	if typ == "" {
		return usage("", "the CUDA module has no texture, surface or sampler %q; must have one", name)
	}
	to := m.memory.Bytes()[at:]
	if s := m.samplers[name]; s != nil && handle == ptxlower.WithSampler(handle, 0) {
		handle = ptxlower.WithSampler(handle, binary.LittleEndian.Uint64(to))
	}
	binary.LittleEndian.PutUint64(to, handle)
	return nil
}

// bindSamplers makes the samplers that the module describes, and binds them.
func (m *CudaModule) bindSamplers(d *Device) error {
	m.samplers = map[string]*Sampler{}
	for _, s := range m.image.Samplers() {
		info := SamplerInfo{MaxLod: LodClampNone, Unnormalized: s.Unnormalized}
		if s.Linear {
			info.Mag, info.Min = enum.FilterLinear, enum.FilterLinear
		}
		if s.Unnormalized {
			info.MaxLod = 0
		}
		for i, mode := range s.Address {
			info.Address[i] = cudaAddressModes[mode]
		}
		sampler, err := d.NewSampler(info)
		if err != nil {
			return err
		}
		m.samplers[s.Name] = sampler
		h, err := d.ViewHandle(ViewHandleInfo{Type: link.SamplerDescriptor, Sampler: sampler})
		if err != nil {
			return err
		}
		_, at := m.image.Opaque(s.Name)
		binary.LittleEndian.PutUint64(m.memory.Bytes()[at:], h)
	}
	return nil
}

// cudaAddressModes are the modes of ptxlower.AddressModes.
var cudaAddressModes = []enum.AddressMode{enum.AddressModeRepeat, enum.AddressModeMirroredRepeat, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToBorder}
