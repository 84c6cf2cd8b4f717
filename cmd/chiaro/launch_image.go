package main

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/host"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// launchImage is an image of a launch. Its texels are the contents of the buffer with its name, before the launch and after it.
type launchImage struct {
	Format string `yaml:"format"`
	Size   []int  `yaml:"size"` // one to three extents

	image *benchImage
}

// launchSampler is a sampler of a launch.
type launchSampler struct {
	Filter       string `yaml:"filter"`  // nearest or linear
	Address      string `yaml:"address"` // an addressing mode of the ISA
	Unnormalized bool   `yaml:"unnormalized"`

	sampler *vk.Sampler
}

// launchFilters and launchModes are the words of a launchSampler; "" is the first one of the ISA.
var (
	launchFilters = map[string]enum.Filter{"": enum.FilterNearest, "nearest": enum.FilterNearest, "linear": enum.FilterLinear}
	launchModes   = map[string]enum.AddressMode{"": enum.AddressModeRepeat, "wrap": enum.AddressModeRepeat, "mirror": enum.AddressModeMirroredRepeat,
		"clamp_to_edge": enum.AddressModeClampToEdge, "clamp_to_border": enum.AddressModeClampToBorder}
)

// handleParam is a parameter or a variable that is the handle of an object: texture:IMAGE, texture:IMAGE+SAMPLER, surface:IMAGE or
// sampler:SAMPLER.
type handleParam struct {
	kind, image, sampler string
}

// parseHandle reads a handle; false if a text has no kind of handle.
func parseHandle(text string) (h handleParam, ok bool) {
	kind, name, found := strings.Cut(text, ":")
	switch {
	case !found:
		return h, false
	case kind == "texture", kind == "surface":
		h.image, h.sampler, _ = strings.Cut(name, "+")
	case kind == "sampler":
		h.sampler = name
	default:
		return h, false
	}
	h.kind = kind
	return h, true
}

// checkImages checks the images, the samplers and the handles of a description.
func (j *launchJob) checkImages() error {
	file := j.source.file
	for _, name := range slices.Sorted(maps.Keys(j.file.Images)) {
		if m := j.file.Images[name]; len(m.Size) < 1 || len(m.Size) > 3 || j.named(name) == nil {
			return unreadable("%s: the image %s has %d sizes; must have 1 to 3, and a buffer of its name with the texels", file, name, len(m.Size))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.file.Samplers)) {
		s := j.file.Samplers[name]
		if _, ok := launchFilters[s.Filter]; !ok {
			return unreadable("%s: the sampler %s has the filter %q; want nearest or linear", file, name, s.Filter)
		}
		if _, ok := launchModes[s.Address]; !ok {
			return unreadable("%s: the sampler %s has the addressing mode %q; want wrap, mirror, clamp_to_edge or clamp_to_border", file, name, s.Address)
		}
	}
	list := slices.Collect(maps.Values(j.handles))
	for _, name := range slices.Sorted(maps.Keys(j.file.Bind)) {
		h, ok := parseHandle(j.file.Bind[name])
		if !ok {
			return unreadable("%s: bind has %q for %s; want texture:IMAGE, texture:IMAGE+SAMPLER, surface:IMAGE or sampler:SAMPLER", file, j.file.Bind[name], name)
		}
		list = append(list, h)
	}
	for _, h := range list {
		if h.image != "" && j.file.Images[h.image] == nil || h.kind != "sampler" && h.image == "" {
			return unreadable("%s: %s:%s is no image; must be one of images", file, h.kind, h.image)
		}
		if h.sampler != "" && j.file.Samplers[h.sampler] == nil || h.kind == "sampler" && h.sampler == "" {
			return unreadable("%s: %q is no sampler; must be one of samplers", file, h.sampler)
		}
	}
	return nil
}

// makeImages makes the images and samplers, and sets the parameters that are handles.
func (j *launchJob) makeImages(d *shaderDevice) error {
	for _, name := range slices.Sorted(maps.Keys(j.file.Images)) {
		m := j.file.Images[name]
		var err error
		if m.image, err = newImage(d.device, m.Format, m.Size, 1, vk.ImageSampled|vk.ImageStorage|vk.ImageTransferSource|vk.ImageTransferTarget); err != nil {
			return host.Cause(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.file.Samplers)) {
		s := j.file.Samplers[name]
		info := vk.SamplerInfo{Mag: launchFilters[s.Filter], Min: launchFilters[s.Filter], Unnormalized: s.Unnormalized, MaxLod: vk.LodClampNone}
		for i := range info.Address {
			info.Address[i] = launchModes[s.Address]
		}
		if s.Unnormalized {
			info.MaxLod = 0
		}
		var err error
		if s.sampler, err = d.device.NewSampler(info); err != nil {
			return host.Cause(err)
		}
	}
	for _, i := range slices.Sorted(maps.Keys(j.handles)) {
		v, err := j.handle(d.device, j.handles[i])
		if err != nil {
			return host.Cause(err)
		}
		binary.LittleEndian.PutUint64(j.pushed[i].data, v)
	}
	j.buffersOf = d.buffers
	return j.copyImages(d.device, true)
}

// handle returns the handle of a parameter or a variable.
func (j *launchJob) handle(d *vk.Device, h handleParam) (uint64, error) {
	info := vk.ViewHandleInfo{Type: link.SampledImage}
	switch {
	case h.kind == "sampler":
		info.Type = link.SamplerDescriptor
	case h.kind == "surface":
		info.Type = link.StorageImage
	case h.sampler != "":
		info.Type = link.CombinedImageSampler
	}
	if m := j.file.Images[h.image]; m != nil {
		info.View = m.image.view
	}
	if s := j.file.Samplers[h.sampler]; s != nil && h.kind != "surface" {
		info.Sampler = s.sampler
	}
	return d.ViewHandle(info)
}

// bindHandles binds the variables of a module.
func (j *launchJob) bindHandles(d *vk.Device, m *vk.CudaModule) error {
	for _, name := range slices.Sorted(maps.Keys(j.file.Bind)) {
		h, _ := parseHandle(j.file.Bind[name])
		v, err := j.handle(d, h)
		if err != nil {
			return err
		}
		if err := m.Bind(name, v); err != nil {
			return err
		}
	}
	return nil
}

// copyImages copies the buffers of the images to them, or back.
func (j *launchJob) copyImages(d *vk.Device, in bool) error {
	if len(j.file.Images) == 0 {
		return nil
	}
	c, err := d.NewCommandBuffer(vk.CommandBufferInfo{})
	if err == nil {
		err = c.Begin(vk.BeginInfo{OneTime: true})
	}
	if err != nil {
		return err
	}
	for name, m := range j.file.Images {
		b := j.buffersOf[j.named(name)]
		region := []vk.BufferImageCopy{{Extent: m.image.extent}}
		if in {
			c.CopyBufferToImage(b, m.image.Image, region)
		} else {
			c.CopyImageToBuffer(m.image.Image, b, region)
		}
	}
	if err := c.End(); err != nil {
		return host.Cause(err)
	}
	return host.Cause(host.Run(d, c))
}

// newImage makes an image of a format, with one to three extents, and a view of all of it.
func newImage(d *vk.Device, format string, size []int, levels int, usage vk.ImageUsage) (*benchImage, error) {
	return newSamples(d, format, size, levels, 1, usage)
}

// newSamples is newImage with a number of samples.
func newSamples(d *vk.Device, format string, size []int, levels, samples int, usage vk.ImageUsage) (*benchImage, error) {
	info := vk.ImageInfo{Extent: [3]int{1, 1, 1}, Levels: levels, Samples: samples, Usage: usage}
	copy(info.Extent[:], size)
	info.Type = []enum.ImageType{enum.ImageType1d, enum.ImageType2d, enum.ImageType3d}[len(size)-1]
	if err := info.Format.UnmarshalText([]byte(format)); err != nil {
		return nil, err
	}
	m, err := d.NewImage(info)
	if err != nil {
		return nil, host.Cause(err)
	}
	bytes, _ := m.Requirements()
	memory, err := d.Allocate(vk.MemoryInfo{Size: bytes})
	if err == nil {
		err = m.Bind(memory, 0)
	}
	if err != nil {
		return nil, err
	}
	v, err := d.NewImageView(vk.ImageViewInfo{Image: m, Type: []enum.ViewType{enum.ViewType1d, enum.ViewType2d, enum.ViewType3d}[len(size)-1]})
	return &benchImage{m, v, info.Extent}, err
}
