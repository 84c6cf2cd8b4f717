package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// Draws of several samples to attachments of one (VK_EXT_multisampled_render_to_single_sampled): an implicit image of several samples
// takes the place of the attachment. It gets the attachment's texels at the beginning of the rendering and is resolved to it at the end.

// implicit is an implicit image. It belongs to the recording.
type implicit struct {
	single, many *ImageView
	memory       *Memory
	loads        []Aspect // with texels that it gets at the beginning of the rendering
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
	m := implicit{single: single}
	if err := m.create(c.dev, r.info.Samples); err != nil {
		m.close()
		c.fail(err)
		return nil
	}
	single.refer(c.each)
	r.implicit = append(r.implicit, m)
	return &r.implicit[len(r.implicit)-1]
}

// create makes the image, its memory and the view of all of it.
func (m *implicit) create(d *Device, samples int) error {
	v := m.single
	width, height, _ := v.view.Extent()
	info := ImageInfo{
		Type: enum.ImageType2d, Format: link.Format(v.texels().ID), Extent: [3]int{width, height, 1}, Layers: v.layers(), Samples: samples,
		Usage: v.image.info.Usage & (ImageColorAttachment | ImageDepthStencilAttachment | ImageInputAttachment),
	}
	image, err := d.NewImage(info)
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
	if info.Layers > 1 {
		view.Type = enum.ViewType2dArray
	}
	if a := v.texels().Aspects & (format.Depth | format.Stencil); a == format.Depth|format.Stencil {
		view.Aspect = Depth | Stencil
	}
	m.many, err = d.NewImageView(view)
	return err
}

// close frees the image.
func (m *implicit) close() {
	if m.many != nil {
		image := m.many.image
		m.many.Close()
		image.Close()
	}
	m.memory.Close()
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
	if a.Load == Load || a.views != 0 {
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
	for _, v := range p.inputVariables() {
		if uint64(v.At.Set) >= uint64(len(a.Shader.Sets)) {
			continue
		}
		set := slices.Clone(a.Shader.Sets[v.At.Set])
		if b := set.Find(v.At.Binding); b != nil {
			views := slices.Clone(b.Views)
			for i := range views {
				views[i] = r.implicitOf(views[i])
			}
			b.Views = views
			a.Shader.Sets[v.At.Set] = compute.Set(set)
		}
	}
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
