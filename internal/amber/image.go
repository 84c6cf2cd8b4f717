package amber

import (
	"fmt"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/vk"
)

// images are the images, views and samplers of a script that is running, made when
// a pipeline first binds them.
type images struct {
	images   map[*Buffer]*texture.Image
	views    map[shownAs]*texture.View
	samplers map[*Sampler]*texture.Sampler
	// apart are the images that have memory separate from the buffer's: images with both
	// depth and stencil.
	apart map[*Buffer]*texture.Image
}

// shownAs is a buffer or image as a binding shows it.
type shownAs struct {
	buffer        *Buffer
	texels        bool  // of a texel buffer
	offset, bytes int64 // of a texel buffer
	baseMip       int   // of an image
	attachment    bool
	aspects       vk.Aspect
	attached      format.Aspect // of an attachment
}

func newImages() *images {
	return &images{map[*Buffer]*texture.Image{}, map[shownAs]*texture.View{}, map[*Sampler]*texture.Sampler{}, map[*Buffer]*texture.Image{}}
}

// bindTexture adds the images and samplers of a binding to the arguments.
func (r *runner) bindTexture(args *compute.Args, b *Binding) error {
	at := compute.Binding{Set: b.Set, Binding: b.Binding}
	views := make([]*texture.View, len(b.Buffers))
	for i, buffer := range b.Buffers {
		if buffer == nil {
			continue
		}
		var err error
		if views[i], err = r.view(b, i); err != nil {
			return err
		}
	}
	var samplers []*texture.Sampler
	for _, s := range b.Samplers {
		x, err := r.sampler(s)
		if err != nil {
			return err
		}
		samplers = append(samplers, x)
	}
	if len(samplers) == 1 { // one means all images of an array
		samplers = slices.Repeat(samplers, max(len(b.Buffers), 1))
	}
	args.Images[at] = place(args.Images[at], b.Element, views...)
	args.Samplers[at] = place(args.Samplers[at], b.Element, samplers...)
	return nil
}

// view returns the image view of descriptor i of a binding.
func (r *runner) view(b *Binding, i int) (*texture.View, error) {
	buffer := b.Buffers[i]
	key := shownAs{buffer: buffer, baseMip: b.BaseMip}
	texels := b.Kind == UniformTexelBuffer || b.Kind == StorageTexelBuffer
	if texels {
		part, err := r.slice(b, i, r.memory[buffer])
		if err != nil {
			return nil, err
		}
		key = shownAs{buffer: buffer, texels: true, offset: int64(len(r.memory[buffer]) - len(part.Bytes)), bytes: int64(part.Range())}
	}
	if v, ok := r.images.views[key]; ok && !texels { // a buffer's memory may become an image's
		return v, nil
	}
	v, err := r.newView(b, key)
	if err != nil {
		return nil, r.fault(CodeSize, b.At, "buffer %s as %s: %v", buffer.Name, b.Kind, err)
	}
	r.images.views[key] = v
	return v, nil
}

func (r *runner) newView(b *Binding, key shownAs) (*texture.View, error) {
	buffer := key.buffer
	if key.texels {
		f := buffer.Texel
		if f == nil {
			f = texelOf(buffer.Type)
		}
		if f == nil {
			return nil, fmt.Errorf("elements of type %s are no texels", buffer.Type)
		}
		return texture.NewBufferView(r.memory[buffer][key.offset:][:key.bytes], f.Name)
	}
	m, err := r.image(buffer)
	if err != nil {
		return nil, err
	}
	return texture.NewView(m, texture.ViewDesc{Dim: m.Dim, BaseLevel: key.baseMip, Arrayed: m.Layers > 1})
}

// image returns an image with the contents of the buffer as its base level; from then on
// the image owns the contents.
func (r *runner) image(b *Buffer) (*texture.Image, error) {
	if m, ok := r.images.images[b]; ok {
		return m, nil
	}
	if b.Image == nil || b.Texel == nil {
		return nil, fmt.Errorf("it is no image")
	}
	m, err := texture.NewImage(texture.Desc{
		Format: b.Texel.Name, Dim: ir.Dim1D + ir.Dim(b.Image.Dimensions-1),
		Width: b.Image.Width, Height: b.Image.Height, Depth: b.Image.Depth,
		Levels: b.Image.MipLevels, Samples: b.Image.Samples, Layers: b.Image.Layers, Packed: true,
	})
	if err != nil {
		return nil, err
	}
	data := r.memory[b]
	if len(m.Aspects()) > 1 {
		r.images.images[b], r.images.apart[b] = m, m
		b.split(m, data)
		return m, nil
	}
	base := m.LevelBytes(0, 0)
	if len(base) != len(data) {
		return nil, fmt.Errorf("%d bytes of texels where the image has %d", len(data), len(base))
	}
	copy(base, data)
	r.memory[b] = base
	r.images.images[b] = m
	return m, nil
}

// sampler returns a sampler. AmberScript has no word for the mode of mip levels:
// the nearest is read.
func (r *runner) sampler(s *Sampler) (*texture.Sampler, error) {
	if x, ok := r.images.samplers[s]; ok {
		return x, nil
	}
	filter := func(w string) texture.Filter { return texture.Filter(slices.Index(filters, w)) }
	address := func(w string) texture.AddressMode { return texture.AddressMode(slices.Index(addressModes, w)) }
	d := texture.SamplerDesc{
		Mag: filter(s.MagFilter), Min: filter(s.MinFilter),
		Address: [3]texture.AddressMode{address(s.AddressU), address(s.V), address(s.W)},
		MinLod:  float32(s.MinLOD), MaxLod: float32(s.MaxLOD),
		Border: borders[s.BorderColor], Unnormalized: s.Unnormalized, Compare: s.Compares,
	}
	if i := slices.Index(compareOps, s.CompareOp); i >= 0 {
		d.CompareOp = texture.CompareOp(i)
	}
	x, err := texture.NewSampler(d)
	if err != nil {
		return nil, r.fault(CodeSize, s.At, "sampler %s: %v", s.Name, err)
	}
	r.images.samplers[s] = x
	return x, nil
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
