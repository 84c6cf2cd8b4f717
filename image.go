package chiaro

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Image is the picture of an image at a binding of set 0: a sampled image or a storage image with two dimensions and components of floats.
// The upper left pixel of m is the texel (0, 0), and colors are not premultiplied by alpha. A sampled image is filtered linearly and
// clamped to its edges; samplers without an image need no argument. After Run a storage image that the shader may write is
// drawn to m, which must be a [draw.Image]; components are clamped to 0…1.
func Image(binding uint32, m image.Image) Argument { return SetImage(0, binding, m) }

// SetImage is Image for any set.
func SetImage(set, binding uint32, m image.Image) Argument {
	return Argument{set: set, binding: binding, image: m, isImage: true}
}

// pixelFormat is the format of pictures, which has each color of the standard library.
const pixelFormat = link.FormatR16G16B16A16Unorm

// picture is the image of an argument.
type picture struct {
	argument Argument
	written  bool      // the shader may write it
	pixels   *vk.Image // in pixelFormat
	image    *vk.Image // that the shader uses
}

// isPicture reports whether an argument can be the image of a resource.
func isPicture(r *iface.Resource) bool {
	i := r.Image
	if i == nil || r.Type != iface.CombinedImageSampler && r.Type != iface.SampledImage && r.Type != iface.StorageImage {
		return false
	}
	_, ok := storageFormat(i)
	return ok && i.Dim == spirv.Dim2D && !i.Arrayed && !i.Multisampled && !i.Depth
}

// storageFormat returns the format of an image; ok is false if it has integers.
func storageFormat(i *iface.Image) (f link.Format, ok bool) {
	x := format.InfoByName(format.OfShader(i.Format.String()))
	if x == nil {
		return pixelFormat, i.Sampled.Kind == iface.Float
	}
	return link.Format(x.ID), x.Sampled == format.Float
}

// bindImage makes the image of an argument, and writes its descriptor.
func (r *run) bindImage(a Argument, x *iface.Resource) error {
	if a.image == nil || a.image.Bounds().Empty() {
		return fmt.Errorf("the picture of %s is nil or empty; must have pixels", x.Name)
	}
	p := picture{argument: a, written: x.Type == iface.StorageImage && !x.NonWritable}
	if _, ok := a.image.(draw.Image); p.written && !ok {
		return fmt.Errorf("the shader may write %s, and its picture is a %T; must be a draw.Image", x.Name, a.image)
	}
	const transfers = vk.ImageTransferSource | vk.ImageTransferTarget
	var err error
	if p.pixels, err = r.newImage(pixelFormat, a.image.Bounds().Size(), transfers|vk.ImageSampled|vk.ImageHostTransfer); err != nil {
		return err
	}
	if err := r.device.CopyMemoryToImage(vk.HostImageCopyInfo{Image: p.pixels, Regions: p.region(pixelsOf(a.image))}); err != nil {
		return err
	}
	if p.image = p.pixels; x.Type == iface.StorageImage {
		f, _ := storageFormat(x.Image)
		if p.image, err = r.newImage(f, a.image.Bounds().Size(), transfers|vk.ImageStorage); err != nil {
			return err
		}
	}
	view, err := r.device.NewImageView(vk.ImageViewInfo{Image: p.image, Type: enum.ViewType2d})
	if err != nil {
		return err
	}
	r.made = append(r.made, view)
	r.pictures = append(r.pictures, p)
	d := vk.ImageDescriptor{View: view}
	if x.Type == iface.CombinedImageSampler {
		if d.Sampler, err = r.sampler(); err != nil {
			return err
		}
	}
	return r.sets[a.set].Update(vk.Write{Binding: a.binding, Images: []vk.ImageDescriptor{d}})
}

// bindSamplers writes the descriptors of samplers without an image.
func (r *run) bindSamplers() error {
	for i := range r.entry.Resources {
		x := &r.entry.Resources[i]
		if !x.Used || x.Type != iface.Sampler {
			continue
		}
		s, err := r.sampler()
		if err != nil {
			return err
		}
		if err := r.sets[x.Set].Update(vk.Write{Binding: x.Binding, Images: []vk.ImageDescriptor{{Sampler: s}}}); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) sampler() (*vk.Sampler, error) {
	const edge = enum.AddressModeClampToEdge
	s, err := r.device.NewSampler(vk.SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: [3]enum.AddressMode{edge, edge, edge}})
	if err == nil {
		r.made = append(r.made, s)
	}
	return s, err
}

// newImage makes an image with memory of its own.
func (r *run) newImage(f link.Format, size image.Point, usage vk.ImageUsage) (*vk.Image, error) {
	m, err := r.device.NewImage(vk.ImageInfo{Type: enum.ImageType2d, Format: f, Extent: [3]int{size.X, size.Y}, Usage: usage})
	if err != nil {
		return nil, err
	}
	r.made = append(r.made, m)
	bytes, _ := m.Requirements()
	memory, err := r.device.Allocate(vk.MemoryInfo{Size: bytes})
	if err != nil {
		return nil, err
	}
	r.made = append(r.made, memory)
	return m, m.Bind(memory, 0)
}

// region is the whole picture in memory of the host.
func (p *picture) region(host []byte) []vk.HostImageCopy {
	size := p.argument.image.Bounds().Size()
	return []vk.HostImageCopy{{Host: host, Extent: [3]int{size.X, size.Y, 1}}}
}

// convert records the conversion of the picture between pixels and the image of the shader.
func (p *picture) convert(c *vk.CommandBuffer, from, to *vk.Image) {
	if from == to {
		return
	}
	size := p.argument.image.Bounds().Size()
	box := [2][3]int{{}, {size.X, size.Y, 1}}
	c.BlitImage(from, to, []vk.ImageBlit{{SourceBox: box, TargetBox: box}}, enum.FilterNearest)
}

// draw draws the pixels to the picture of the argument.
func (p *picture) draw(d *vk.Device) error {
	size := p.argument.image.Bounds().Size()
	host := make([]byte, 8*size.X*size.Y)
	if err := d.CopyImageToMemory(vk.HostImageCopyInfo{Image: p.pixels, Regions: p.region(host)}); err != nil {
		return err
	}
	to, b := p.argument.image.(draw.Image), p.argument.image.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := func(i int) uint16 { return binary.LittleEndian.Uint16(host[2*i:]) }
			to.Set(x, y, color.NRGBA64{c(0), c(1), c(2), c(3)})
			host = host[8:]
		}
	}
	return nil
}

// pixelsOf returns the pixels of a picture in pixelFormat.
func pixelsOf(m image.Image) []byte {
	b := m.Bounds()
	out := make([]byte, 0, 8*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			for _, v := range [...]uint16{c.R, c.G, c.B, c.A} {
				out = binary.LittleEndian.AppendUint16(out, v)
			}
		}
	}
	return out
}
