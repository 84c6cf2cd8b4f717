package vk

import (
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Texels have one place in memory, whatever the layout of an image is. Only full checking follows layouts, to compare those that
// descriptors name with those of the subresources when a command executes. A layout that is not known is never wrong: a subresource has
// none until [Image.SetLayout] gives it one, and an attachment of a render pass has none during the pass.

// ImageLayout is a layout of subresources of an image (VkImageLayout).
type ImageLayout uint32

// The layouts.
const (
	UndefinedLayout              ImageLayout = 0
	GeneralLayout                ImageLayout = 1
	ColorAttachmentLayout        ImageLayout = 2
	DepthStencilAttachmentLayout ImageLayout = 3
	DepthStencilReadOnlyLayout   ImageLayout = 4
	ShaderReadOnlyLayout         ImageLayout = 5
	TransferSourceLayout         ImageLayout = 6
	TransferTargetLayout         ImageLayout = 7
	PreinitializedLayout         ImageLayout = 8

	DepthReadOnlyStencilAttachmentLayout ImageLayout = 1000117000
	DepthAttachmentStencilReadOnlyLayout ImageLayout = 1000117001
	DepthAttachmentLayout                ImageLayout = 1000241000
	DepthReadOnlyLayout                  ImageLayout = 1000241001
	StencilAttachmentLayout              ImageLayout = 1000241002
	StencilReadOnlyLayout                ImageLayout = 1000241003
	ReadOnlyLayout                       ImageLayout = 1000314000
	AttachmentLayout                     ImageLayout = 1000314001
	FeedbackLoopLayout                   ImageLayout = 1000339000 // VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT

	// UnknownLayout is no layout of Vulkan: the layout is not known.
	UnknownLayout ImageLayout = 0x7fffffff
)

// ofAspect returns a layout as it is for one aspect: layouts of depth and stencil together mean a layout for each, and those that are
// for attachments or for reading in general mean the layout of the aspect (Vulkan, "Image Layouts").
func (l ImageLayout) ofAspect(a Aspect) ImageLayout {
	const read, write = 0, 1
	var access int
	switch l {
	case DepthStencilReadOnlyLayout, ReadOnlyLayout, DepthReadOnlyLayout, StencilReadOnlyLayout:
		access = read
	case DepthStencilAttachmentLayout, AttachmentLayout, DepthAttachmentLayout, StencilAttachmentLayout, ColorAttachmentLayout:
		access = write
	case DepthReadOnlyStencilAttachmentLayout:
		access = map[bool]int{true: read, false: write}[a == Depth]
	case DepthAttachmentStencilReadOnlyLayout:
		access = map[bool]int{true: write, false: read}[a == Depth]
	case ShaderReadOnlyLayout:
		if a == Color {
			return ReadOnlyLayout
		}
		return l
	default:
		return l
	}
	return [...]ImageLayout{read: ReadOnlyLayout, write: AttachmentLayout}[access]
}

// imageLayouts are the layouts of the subresources of an image.
type imageLayouts struct {
	mu     sync.Mutex
	levels int
	layers int
	of     []ImageLayout // by aspect (stencil second), then by level, then by layer
}

// newLayouts returns unknown layouts for an image; nil if it is not followed: planes have layouts of their own aspects, and images that
// share memory may share layouts.
func (m *Image) newLayouts() *imageLayouts {
	if m.sparse != nil || m.info.Flags&(ImageAlias|ImageSparseBinding) != 0 || format.ByID(uint32(m.info.Format)).Planes != 0 {
		return nil
	}
	l := &imageLayouts{levels: m.layout.Levels, layers: m.layout.Layers}
	l.of = slices.Repeat([]ImageLayout{UnknownLayout}, 2*l.levels*l.layers)
	return l
}

// each calls f for the layout of each subresource of a range.
func (l *imageLayouts) each(r ImageRange, f func(a Aspect, x *ImageLayout)) {
	end := func(base, n, all int) int {
		if n <= 0 || n > all-base {
			return all
		}
		return base + n
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, a := range [...]Aspect{Color | Depth, Stencil} {
		if r.Aspects != 0 && r.Aspects&a == 0 {
			continue
		}
		if i == 0 {
			a = Color
			if r.Aspects&Depth != 0 {
				a = Depth
			}
		}
		for level := max(r.BaseLevel, 0); level < end(r.BaseLevel, r.Levels, l.levels); level++ {
			for layer := max(r.BaseLayer, 0); layer < end(r.BaseLayer, r.Layers, l.layers); layer++ {
				f(a, &l.of[(i*l.levels+level)*l.layers+layer])
			}
		}
	}
}

// SetLayout gives subresources of an image a layout at once, as its creation and the host do (vkCreateImage,
// vkTransitionImageLayout). Only full checking follows the layouts of images, and only of those that were given one by SetLayout.
func (m *Image) SetLayout(r ImageRange, l ImageLayout) error {
	if err := check(nil, "the image", m); err != nil {
		return err
	}
	if m.dev.checking < All {
		return nil
	}
	m.laid.CompareAndSwap(nil, m.newLayouts())
	m.transition(r, l)
	return nil
}

// transition changes the layouts of a range, if they are followed.
func (m *Image) transition(r ImageRange, l ImageLayout) {
	t := m.laid.Load()
	if t == nil {
		return
	}
	if m.layout.Depth > 1 && (r.BaseLayer != 0 || r.Layers > 0 && m.info.Flags&Image2DArrayCompatible != 0) {
		r.BaseLayer, r.Layers, l = 0, 0, UnknownLayout // with maintenance9 the range may be of slices, which have layouts of their own
	}
	t.each(r, func(_ Aspect, x *ImageLayout) { *x = l })
}

// Transition changes the layout of subresources of an image when the command executes, as a barrier does
// (VkImageMemoryBarrier2::newLayout). It has an effect on the findings of full checking alone.
func (c *CommandBuffer) Transition(m *Image, r ImageRange, l ImageLayout) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the image of a transition", m); err != nil {
		c.fail(err)
		return
	}
	c.change(m, r, l)
}

// change records a change of layouts, if the image's are followed.
func (c *CommandBuffer) change(m *Image, r ImageRange, l ImageLayout) {
	if m.laid.Load() == nil {
		return
	}
	m.refer(c.refer)
	w := take[layoutChange](c)
	*w = layoutChange{m, r, l}
	c.deferred("transition", w)
}

// layoutChange is a recorded Transition.
type layoutChange struct {
	image  *Image
	ranges ImageRange
	layout ImageLayout
}

func (w *layoutChange) run(*executor) error {
	w.image.transition(w.ranges, w.layout)
	return nil
}

// passLayouts records the layouts of the attachments of a render pass: not known from its begin on, the final ones after its end. An
// attachment without a final layout keeps none.
func (c *CommandBuffer) passLayouts(p *passInstance, ends bool) {
	for i, v := range p.views {
		if v == nil || v.image.laid.Load() == nil {
			continue
		}
		a := &p.pass.info.Attachments[i]
		r := v.covered()
		r.Aspects &^= Stencil
		color, stencil := UnknownLayout, UnknownLayout
		if ends && a.Final != UndefinedLayout {
			color, stencil = a.Final, a.Final
			if a.StencilFinal != UndefinedLayout {
				stencil = a.StencilFinal
			}
		}
		for _, part := range [...]struct {
			aspects Aspect
			layout  ImageLayout
		}{{r.Aspects, color}, {v.covered().Aspects & Stencil, stencil}} {
			if part.aspects != 0 {
				r.Aspects = part.aspects
				c.change(v.image, r, part.layout)
			}
		}
	}
}

// covered returns the range of a view: of an image of three dimensions, the whole levels.
func (v *ImageView) covered() ImageRange {
	r := ImageRange{v.info.Aspect, v.info.BaseLevel, v.info.Levels, v.info.BaseLayer, v.info.Layers}
	if r.Aspects == 0 {
		r.Aspects = firstAspect(v.image)
	}
	if v.image.layout.Depth > 1 {
		r.BaseLayer, r.Layers = 0, 0
	}
	return r
}

// unconditional returns the functions of a program that each invocation calls: the calls of the entry point before its code branches.
func unconditional(p *ir.Program) map[*ir.Func]bool {
	out := map[*ir.Func]bool{}
	f := p.Funcs[0]
	for _, v := range f.Code[1:] {
		x := f.Val(v)
		if x.Op.Is(ir.Control) || x.Op.Is(ir.Ends) {
			break
		}
		if x.Op == ir.Call {
			out[p.Funcs[x.Aux]] = true
		}
	}
	return out
}

// laidOut checks that the subresources of a descriptor have the layout that was named when it was written. An access that a branch may
// skip is not judged, nor one of a command that may run no invocation, nor one through a binding that may be partially bound.
func (c *descriptorCheck) laidOut(u *imageUse, d *boundDescriptor) {
	t := d.view.image.laid.Load()
	if t == nil || !u.certain || c.idle {
		return
	}
	found := false
	t.each(d.view.covered(), func(a Aspect, x *ImageLayout) {
		if found || *x == UnknownLayout {
			return
		}
		if c.graphics.perTile && *x == FeedbackLoopLayout {
			found = true
			c.find(vuid.VkCmdDraw_None_10679, "%v is accessed in the layout %d of feedback loops, in a part of the rendering that runs for each tile; must be in another", &d.view.object, *x)
			return
		}
		if d.layout == UndefinedLayout || d.layout == UnknownLayout || d.layout.ofAspect(a) == x.ofAspect(a) {
			return
		}
		found = true
		rule := vuid.VkCmdDraw_None_09600
		if u.sampler != nil && u.sampler.Set == u.image.Set && u.sampler.Binding == u.image.Binding {
			rule = vuid.VkCmdDraw_imageLayout_00344 // combined with a sampler, which the other rule does not list
		}
		c.find(rule, "%v is accessed by a descriptor for the layout %d, and a subresource has the layout %d; must be equal", &d.view.object, d.layout, *x)
	})
}
