package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/link"
)

// translate makes the form of renderings.
func (p *RenderPass) translate() {
	loaded := make([]uint32, len(p.info.Attachments)) // views; all ones without views
	p.link = &link.RenderPass{}
	for i := range p.info.Attachments {
		a := &p.info.Attachments[i]
		p.link.Attachments = append(p.link.Attachments, link.PassAttachment{Format: a.Format, Samples: uint32(a.Samples)})
	}
	for i := range p.info.Subpasses {
		s := &p.info.Subpasses[i]
		form := subpassForm{pass: p, index: i}
		s.each(func(n uint32) {
			mask := s.ViewMask
			if mask == 0 {
				mask = ^uint32(0)
			}
			if left := mask &^ loaded[n]; left != 0 {
				form.loads = append(form.loads, firstUse{n, left & s.ViewMask})
				loaded[n] |= mask
			}
		})
		p.subpasses = append(p.subpasses, form)
		p.link.Subpasses = append(p.link.Subpasses, s.description())
	}
	stored := make([]bool, len(p.info.Attachments))
	for i := len(p.subpasses) - 1; i >= 0; i-- {
		p.info.Subpasses[i].each(func(n uint32) {
			if !stored[n] {
				p.subpasses[i].stores, stored[n] = append(p.subpasses[i].stores, n), true
			}
		})
	}
}

// description returns the subpass in the form of package link.
func (s *Subpass) description() link.Subpass {
	out := link.Subpass{Color: references(s.Colors), Resolve: references(s.Resolves), Depth: (*link.Ref)(s.Depth), ViewMask: s.ViewMask, ShadingRate: attachmentOf(s.ShadingRate) != Unused}
	for _, r := range s.Inputs {
		out.Input = append(out.Input, link.Ref(r.Attachment))
		out.Aspects = append(out.Aspects, link.Aspects(r.Aspects))
	}
	return out
}

// first returns the use of an attachment if the subpass is the first to use it in some views.
func (f *subpassForm) first(n uint32) (views uint32, ok bool) {
	for _, l := range f.loads {
		if l.attachment == n {
			return l.views, true
		}
	}
	return 0, false
}

// compatible reports whether two render passes are compatible (Vulkan, Render Pass Compatibility): they differ at most in load
// operations and in attachments that no subpass uses; in a single subpass resolve attachments do not count.
func (p *RenderPass) compatible(o *RenderPass) bool {
	if p == o {
		return true
	}
	if p == nil || o == nil || len(p.subpasses) != len(o.subpasses) || !slices.Equal(p.info.Dependencies, o.info.Dependencies) || !slices.Equal(p.info.CorrelatedViews, o.info.CorrelatedViews) {
		return false
	}
	same := func(a, b uint32) bool {
		if a == Unused || b == Unused {
			return a == b
		}
		x, y := &p.info.Attachments[a], &o.info.Attachments[b]
		return x.Format == y.Format && max(x.Samples, 1) == max(y.Samples, 1)
	}
	list := func(a, b []uint32) bool {
		at := func(l []uint32, i int) uint32 {
			if i < len(l) {
				return l[i]
			}
			return Unused
		}
		for i := range max(len(a), len(b)) {
			if !same(at(a, i), at(b, i)) {
				return false
			}
		}
		return true
	}
	for i := range p.info.Subpasses {
		s, t := &p.info.Subpasses[i], &o.info.Subpasses[i]
		if s.ViewMask != t.ViewMask || s.Point != t.Point || s.Flags != t.Flags || !list(s.Colors, t.Colors) || !same(attachmentOf(s.Depth), attachmentOf(t.Depth)) || !same(attachmentOf(s.ShadingRate), attachmentOf(t.ShadingRate)) ||
			s.ShadingTexel != t.ShadingTexel || !list(s.inputs(), t.inputs()) {
			return false
		}
		if len(p.subpasses) > 1 && (!list(s.Resolves, t.Resolves) || !same(attachmentOf(s.DepthResolve), attachmentOf(t.DepthResolve)) || s.DepthResolveMode != t.DepthResolveMode || s.StencilResolve != t.StencilResolve) {
			return false
		}
	}
	return true
}

// inputs returns the numbers of the input attachments.
func (s *Subpass) inputs() (out []uint32) {
	for _, r := range s.Inputs {
		out = append(out, r.Attachment)
	}
	return out
}
