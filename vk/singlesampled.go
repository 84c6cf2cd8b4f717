package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// Draws of several samples to attachments of one (VK_EXT_multisampled_render_to_single_sampled): an implicit image of several samples
// takes the place of the attachment. It gets the attachment's texels at the beginning of the rendering and is resolved to it at the end.

// implicit is the implicit image of an attachment in a rendering.
type implicit struct {
	single, many *ImageView
	loads        []Aspect // with texels that it gets at the beginning of the rendering
}

// implicitImage is an implicit image. It belongs to the recording, whose renderings use it in turn.
type implicitImage struct {
	info   ImageInfo
	view   *ImageView
	memory *Memory
}

// implicitView returns the view of the implicit image of an attachment; nil if it failed, or if the attachment has several samples.
func (c *CommandBuffer) implicitView(r *rendering, single *ImageView) *implicit {
	if err := check(c.dev, "the view of an attachment", single); err != nil {
		c.fail(err)
		return nil
	}
	if n := single.view.Samples(); n != 1 {
		if n != r.info.Samples {
			c.fail(usage("VUID-VkRenderingInfo-imageView-06858", "%v has %d samples, and the rendering has %d; must have one or as many", &single.object, n, r.info.Samples))
		}
		return nil
	}
	if single.image.info.Flags&ImageMultisampled == 0 && c.dev.checking > None {
		c.fail(usage("VUID-VkRenderingInfo-imageView-06859", "%v is drawn to with %d samples and lacks the flag ImageMultisampled; must have it", &single.image.object, r.info.Samples))
		return nil
	}
	for i := range r.implicit {
		if r.implicit[i].single == single {
			return &r.implicit[i]
		}
	}
	many, err := c.implicitImage(r, single)
	if err != nil {
		c.fail(err)
		return nil
	}
	single.refer(c.each)
	r.implicit = append(r.implicit, implicit{single: single, many: many})
	return &r.implicit[len(r.implicit)-1]
}

// implicitImage returns a view of an implicit image for an attachment that the rendering does not use yet.
func (c *CommandBuffer) implicitImage(r *rendering, single *ImageView) (*ImageView, error) {
	width, height, _ := single.view.Extent()
	info := ImageInfo{
		Type: enum.ImageType2d, Format: link.Format(single.texels().ID), Extent: [3]int{width, height, 1}, Layers: single.layers(), Samples: r.info.Samples,
		Usage: single.image.info.Usage & (ImageColorAttachment | ImageDepthStencilAttachment | ImageInputAttachment),
	}
	for i := range c.implicit {
		m := &c.implicit[i]
		if m.is(&info) && !slices.ContainsFunc(r.implicit, func(used implicit) bool { return used.many == m.view }) {
			return m.view, nil
		}
	}
	m := implicitImage{info: info}
	if err := m.create(c.dev, single.texels().Aspects); err != nil {
		m.close()
		return nil, err
	}
	c.implicit = append(c.implicit, m)
	return m.view, nil
}

// is reports whether the image has a description.
func (m *implicitImage) is(i *ImageInfo) bool {
	o := &m.info
	return o.Format == i.Format && o.Extent == i.Extent && o.Layers == i.Layers && o.Samples == i.Samples && o.Usage == i.Usage
}

// create makes the image, its memory and the view of all of it.
func (m *implicitImage) create(d *Device, aspects format.Aspect) error {
	image, err := d.NewImage(m.info)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			image.Close()
		}
	}()
	size, _ := image.Requirements()
	if m.memory, err = d.Allocate(MemoryInfo{Size: size}); err != nil {
		return err
	}
	if err = image.Bind(m.memory, 0); err != nil {
		return err
	}
	view := ImageViewInfo{Image: image, Type: enum.ViewType2d}
	if m.info.Layers > 1 {
		view.Type = enum.ViewType2dArray
	}
	if aspects&(format.Depth|format.Stencil) == format.Depth|format.Stencil {
		view.Aspect = Depth | Stencil
	}
	m.view, err = d.NewImageView(view)
	return err
}

// close frees the image.
func (m *implicitImage) close() {
	if m.view != nil {
		image := m.view.image
		m.view.Close()
		image.Close()
	}
	m.memory.Close()
}

// dropImplicit frees the implicit images of the recording.
func (c *CommandBuffer) dropImplicit() {
	for i := range c.implicit {
		c.implicit[i].close()
	}
	c.implicit = emptied(c.implicit)
}

// multiply puts the implicit image in place of an attachment of one sample, if the rendering has several.
func (c *CommandBuffer) multiply(r *rendering, a *AttachmentInfo, of Aspect) {
	if r.info.Samples < 2 || a.View == nil {
		return
	}
	m := c.implicitView(r, a.View)
	if m == nil {
		return
	}
	if a.Resolve != nil && a.ResolveMode != ResolveNone {
		c.fail(usage("VUID-VkRenderingAttachmentInfo-imageView-06863", "an attachment of one sample is resolved to %v in a rendering of %d samples; must be resolved to itself", &a.Resolve.object, r.info.Samples))
		return
	}
	if a.Load != ClearOnLoad || a.views != 0 { // the texels stay if the load operation does not care
		m.loads = append(m.loads, of)
	}
	a.single, a.View, a.Resolve = a.View, m.many, a.View
}

// implicitInput makes the implicit image of an input attachment that the subpass may not draw to.
func (c *CommandBuffer) implicitInput(r *rendering, v *ImageView) {
	before := len(r.implicit)
	m := c.implicitView(r, v)
	if m == nil || len(r.implicit) == before {
		return
	}
	for _, of := range [...]Aspect{Color, Depth, Stencil} {
		if v.attachment(of) != nil {
			m.loads = append(m.loads, of)
		}
	}
}

// origin returns the view that the attachment had before an implicit image took its place.
func (a *AttachmentInfo) origin() *ImageView {
	if a == nil || a.single == nil {
		return orZero(a).View
	}
	return a.single
}

// replicate copies the texels of attachments of one sample to all samples of their implicit images.
func (r *rendering) replicate() {
	for i := range r.implicit {
		m := &r.implicit[i]
		for _, of := range m.loads {
			x, y, width, height, layers := r.region()
			for layer := range layers {
				draw.Replicate(m.many.image.image, m.many.coord(of, x, y, layer), m.single.image.image, m.single.coord(of, x, y, layer), width, height)
			}
		}
	}
}

// keepSamples copies the samples that a suspended rendering has left to the rendering that resumes it.
func (r *rendering) keepSamples(suspended *rendering) {
	for i := range r.implicit {
		m := &r.implicit[i]
		for k := range suspended.implicit {
			if o := &suspended.implicit[k]; o.single == m.single {
				copy(m.many.image.bytes[0], o.many.image.bytes[0])
			}
		}
	}
}

// implicitInputs replaces the descriptors of input attachments of one sample by the implicit images.
func (x *executor) implicitInputs(p *drawable, a *state.Args) {
	r := x.graphics.current
	if len(r.implicit) == 0 {
		return
	}
	for _, sets := range [...][]compute.Set{a.Shader.Sets, a.Shader.StageSets[ir.Fragment]} {
		for _, v := range p.inputVariables() {
			if uint64(v.At.Set) < uint64(len(sets)) {
				sets[v.At.Set] = r.implicitSet(sets[v.At.Set], v.At.Binding)
			}
		}
	}
	if inHeap := a.Shader.HeapView; inHeap != nil {
		a.Shader.HeapLists = compute.NewHeapLists() // other renderings have other views
		a.Shader.HeapView = func(descriptor []byte) *texture.View {
			v := inHeap(descriptor)
			if typeOf(descriptor, false) == link.DescriptorType(iface.InputAttachment) {
				v = r.implicitOf(v)
			}
			return v
		}
	}
}

// implicitSet returns a set with the views of implicit images in a binding.
func (r *rendering) implicitSet(set compute.Set, binding uint32) compute.Set {
	set = slices.Clone(set)
	if b := set.Find(binding); b != nil {
		b.Views = slices.Clone(b.Views)
		for i := range b.Views {
			b.Views[i] = r.implicitOf(b.Views[i])
		}
	}
	return set
}

// implicitOf returns the view of an implicit image in place of a view of its attachment, and others unchanged.
func (r *rendering) implicitOf(v *texture.View) *texture.View {
	for i := range r.implicit {
		m := &r.implicit[i]
		for _, of := range [...]Aspect{Color, Depth, Stencil} {
			if s := m.single.attachment(of); v != nil && s != nil && shader.SameTexels(s, v) {
				return m.many.attachment(of)
			}
		}
	}
	return v
}
