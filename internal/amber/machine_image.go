package amber

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// pictures are the images of a machine with their views and samplers, made when a pipeline first binds them.
type pictures struct {
	pixels   map[*Buffer]*vk.Image
	faults   map[*Buffer]error // of the buffers that cannot be images
	views    map[shownAs]*vk.ImageView
	texels   map[shownAs]*vk.BufferView
	samplers map[*Sampler]*vk.Sampler
}

func newPictures() pictures {
	return pictures{map[*Buffer]*vk.Image{}, map[*Buffer]error{}, map[shownAs]*vk.ImageView{}, map[shownAs]*vk.BufferView{}, map[*Sampler]*vk.Sampler{}}
}

// shownImages returns the buffers that pipelines of a script have as images: bound or attached.
func (s *Script) shownImages() map[*Buffer]bool {
	all := map[*Buffer]bool{}
	for _, p := range s.Pipelines {
		for _, c := range append(slices.Clone(p.Graphics.Colors), p.Graphics.Resolves...) {
			all[c.Buffer] = true
		}
		if b := p.Graphics.DepthStencil; b != nil {
			all[b] = true
		}
		if x := p.Graphics.Rates; x != nil {
			all[x.Buffer] = true
		}
		for i := range p.Bindings {
			if b := &p.Bindings[i]; b.Kind.shows() {
				for _, x := range b.Buffers {
					all[x] = true
				}
			}
		}
	}
	eachReference(s.Commands, func(c *WriteReference) {
		if c.ofImage() {
			all[c.Of.Buffers[0]] = true
		}
	})
	return all
}

// formatOf returns the format of texels as package vk has it.
func formatOf(f *format.Format) (x link.Format, err error) {
	return x, x.UnmarshalText([]byte(f.Name))
}

// newImage makes the image of a buffer without memory. The contents of the buffer are its base level.
func (m *machine) newImage(b *Buffer) (*vk.Image, error) {
	if b.Image == nil || b.Texel == nil {
		return nil, errors.New("it is no image")
	}
	f, err := formatOf(b.Texel)
	if err != nil {
		return nil, err
	}
	use := vk.ImageTransferSource | vk.ImageTransferTarget | vk.ImageSampled | vk.ImageStorage | vk.ImageInputAttachment
	if b.Texel.IsDepthStencil() {
		use |= vk.ImageDepthStencilAttachment
	} else {
		use |= vk.ImageColorAttachment
	}
	x, err := m.device.NewImage(vk.ImageInfo{
		Type: enum.ImageType(b.Image.Dimensions - 1), Format: f, Extent: [3]int{b.Image.Width, b.Image.Height, b.Image.Depth},
		Levels: b.Image.MipLevels, Samples: b.Image.Samples, Layers: b.Image.Layers, Usage: use, Linear: true,
	})
	if err != nil {
		return nil, host.Cause(err)
	}
	if aspectsOf(b.Texel) == vk.Depth|vk.Stencil {
		return x, nil
	}
	base, _ := x.Subresource(0, 0, 0)
	if n := base.Size * uint64(b.Image.layers()); n != uint64(len(b.Data)) {
		return nil, fmt.Errorf("%d bytes of texels; the image has %d", len(b.Data), n)
	}
	return x, nil
}

// view returns the image view of descriptor i of a binding.
func (m *machine) view(b *Binding, i int) (*vk.ImageView, error) {
	buffer := b.Buffers[i]
	key := shownAs{buffer: buffer, baseMip: b.BaseMip}
	if v, ok := m.views[key]; ok {
		return v, nil
	}
	x, err := m.pixels[buffer], m.faults[buffer]
	var v *vk.ImageView
	if err == nil {
		m.split(buffer)
		shape := enum.ViewType1d + enum.ViewType(buffer.Image.Dimensions-1)
		if buffer.Image.layers() > 1 {
			shape += enum.ViewType1dArray - enum.ViewType1d
		}
		v, err = m.device.NewImageView(vk.ImageViewInfo{Image: x, Type: shape, BaseLevel: b.BaseMip})
	}
	if err != nil {
		return nil, m.fault(CodeSize, b.At, "buffer %s as %s: %v", buffer.Name, b.Kind, host.Cause(err))
	}
	m.views[key] = v
	return v, nil
}

// texelView returns the buffer view of descriptor i of a binding; nil if its range has no bytes.
func (m *machine) texelView(b *Binding, i int) (*vk.BufferView, error) {
	buffer := b.Buffers[i]
	offset, size, err := m.slice(b, i, m.memory[buffer])
	if err != nil {
		return nil, err
	}
	key := shownAs{buffer: buffer, texels: true, offset: offset, bytes: size}
	if v, ok := m.texels[key]; ok || size == 0 {
		return v, nil
	}
	f := buffer.Texel
	if f == nil {
		f = texelOf(buffer.Type)
	}
	if f == nil {
		return nil, m.fault(CodeSize, b.At, "buffer %s as %s: elements of type %s are no texels", buffer.Name, b.Kind, buffer.Type)
	}
	var v *vk.BufferView
	code, err := formatOf(f)
	if err == nil {
		v, err = m.device.NewBufferView(vk.BufferViewInfo{Buffer: m.buffers[buffer], Format: code, Offset: offset, Range: size})
	}
	if err != nil {
		return nil, m.fault(CodeSize, b.At, "buffer %s as %s: %v", buffer.Name, b.Kind, host.Cause(err))
	}
	m.texels[key] = v
	return v, nil
}

// sampler returns a sampler. AmberScript has no word for the mode of mip levels: the nearest is read.
func (m *machine) sampler(s *Sampler) (*vk.Sampler, error) {
	if x, ok := m.samplers[s]; ok {
		return x, nil
	}
	filter := func(w string) enum.Filter { return enum.Filter(slices.Index(filters, w)) }
	address := func(w string) enum.AddressMode { return enum.AddressMode(slices.Index(addressModes, w)) }
	info := vk.SamplerInfo{
		Mag: filter(s.MagFilter), Min: filter(s.MinFilter), Address: [3]enum.AddressMode{address(s.AddressU), address(s.V), address(s.W)},
		MinLod: float32(s.MinLOD), MaxLod: float32(s.MaxLOD), Border: borders[s.BorderColor], Unnormalized: s.Unnormalized, Compare: s.Compares,
	}
	if i := slices.Index(compareOps, s.CompareOp); i >= 0 {
		info.CompareOp = enum.CompareOp(i)
	}
	x, err := m.device.NewSampler(info)
	if err != nil {
		return nil, m.fault(CodeSize, s.At, "sampler %s: %v", s.Name, host.Cause(err))
	}
	m.samplers[s] = x
	return x, nil
}

// textureWrite returns the write of a binding of images, texel buffers or samplers.
func (m *machine) textureWrite(b *Binding) (vk.Write, error) {
	w := vk.Write{Binding: b.Binding, Element: b.Element, Type: descriptorTypes[b.Kind]}
	if b.Kind == UniformTexelBuffer || b.Kind == StorageTexelBuffer {
		for i, buffer := range b.Buffers {
			var v *vk.BufferView
			if buffer != nil {
				var err error
				if v, err = m.texelView(b, i); err != nil {
					return w, err
				}
			}
			w.Texels = append(w.Texels, v)
		}
		return w, nil
	}
	w.Images = make([]vk.ImageDescriptor, max(len(b.Buffers), len(b.Samplers)))
	for i, buffer := range b.Buffers {
		if buffer == nil {
			continue
		}
		var err error
		if w.Images[i].View, err = m.view(b, i); err != nil {
			return w, err
		}
	}
	for i := range w.Images {
		n := i
		if len(b.Samplers) == 1 { // one means all images of an array
			n = 0
		}
		if n >= len(b.Samplers) {
			break
		}
		var err error
		if w.Images[i].Sampler, err = m.sampler(b.Samplers[n]); err != nil {
			return w, err
		}
	}
	return w, nil
}

// shownAs is a buffer or image as a binding shows it.
type shownAs struct {
	buffer        *Buffer
	texels        bool   // of a texel buffer
	offset, bytes uint64 // of a texel buffer
	baseMip       int    // of an image
	attachment    bool
	aspects       vk.Aspect // of an attachment
}

// borders are the border colors by their words.
var borders = map[string][4]uint32{
	"float_transparent_black": {},
	"int_transparent_black":   {},
	"float_opaque_black":      {3: math.Float32bits(1)},
	"int_opaque_black":        {3: 1},
	"float_opaque_white":      {math.Float32bits(1), math.Float32bits(1), math.Float32bits(1), math.Float32bits(1)},
	"int_opaque_white":        {1, 1, 1, 1},
}
