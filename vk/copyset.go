package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// Copy copies descriptors between sets (VkCopyDescriptorSet): of a source set to the set of [Set.Copy]. Elements past the
// end of a binding continue in the next one. Of an inline uniform block, elements and Count are bytes.
type Copy struct {
	Source                       *Set
	SourceBinding, SourceElement uint32
	Binding, Element             uint32
	Count                        uint32
}

// copied is the content of one descriptor.
type copied struct {
	buffer  exec.Buffer
	view    *texture.View
	sampler *texture.Sampler
	used    used
	layout  ImageLayout
}

// Copy copies descriptors to the set. After an error none of the copies took place.
func (s *Set) Copy(copies ...Copy) error {
	if err := check(nil, "the set", s); err != nil {
		return err
	}
	late, first := true, ^uint32(0)
	for i := range copies {
		if err := s.checkCopy(&copies[i]); err != nil {
			return err
		}
		late = late && s.layout.slots[s.layout.find(copies[i].Binding)].late
		first = min(first, copies[i].Binding)
	}
	// The sources are read before the target is locked: two sets may be copied to each other at once.
	lists, blocks := make([][]copied, len(copies)), make([][]byte, len(copies))
	for i := range copies {
		lists[i], blocks[i] = copies[i].read()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.change(first, late); err != nil {
		return err
	}
	for i := range copies {
		c := &copies[i]
		at := s.layout.find(c.Binding)
		if s.content[at].HasInline {
			copy(s.content[at].Inline[c.Element:], blocks[i])
			continue
		}
		s.paste(at, c.Element, lists[i])
	}
	return nil
}

// checkCopy checks the sets, bindings and types of a copy.
func (s *Set) checkCopy(c *Copy) error {
	if err := check(s.dev, "the source of a copy", c.Source); err != nil {
		return err
	}
	from, to := c.Source.layout.find(c.SourceBinding), s.layout.find(c.Binding)
	switch {
	case from < 0:
		return usage("VUID-VkCopyDescriptorSet-srcBinding-00345", "binding %d is not in the layout of the source %v; must be", c.SourceBinding, &c.Source.object)
	case to < 0:
		return usage("VUID-VkCopyDescriptorSet-dstBinding-00347", "binding %d is not in the layout of %v; must be", c.Binding, &s.object)
	}
	x, y := &c.Source.layout.slots[from], &s.layout.slots[to]
	switch {
	case x.kind != mutableSlot && y.kind != mutableSlot && x.typ != y.typ:
		return usage("VUID-VkCopyDescriptorSet-dstBinding-02632", "descriptors of the type %s are copied to binding %d of the type %s; must be of its type", x.typ, y.number, y.typ)
	case x.kind != mutableSlot && y.kind == mutableSlot && !y.accepts(x.typ):
		return usage("VUID-VkCopyDescriptorSet-dstSet-04612", "descriptors of the type %s are copied to the mutable binding %d, which may be %v; must be one of them", x.typ, y.number, y.allowed)
	case x.kind == mutableSlot && y.kind == mutableSlot && !sameTypes(x.allowed, y.allowed):
		return usage("VUID-VkCopyDescriptorSet-dstSet-04614", "the mutable binding %d may be %v, and binding %d may be %v; must have the same types", x.number, x.allowed, y.number, y.allowed)
	case x.kind == mutableSlot && y.kind == inlineSlot:
		return usage("VUID-VkCopyDescriptorSet-srcSet-04613", "the mutable binding %d is copied to the inline uniform block of binding %d; must have its type", x.number, y.number)
	case y.kind == samplerSlot && y.immutable != nil:
		return usage("VUID-VkCopyDescriptorSet-dstBinding-02753", "samplers are copied to binding %d, which has immutable samplers; must not have them", y.number)
	case c.Source.layout.link.Flags&enum.SetFlagsUpdateAfterBindPool != s.layout.link.Flags&enum.SetFlagsUpdateAfterBindPool && c.Source.layout.link.Flags&enum.SetFlagsHostOnlyPool == 0 && s.dev.checking > None:
		return usage("VUID-VkCopyDescriptorSet-srcSet-01918", "one of %v and %v is for updates after it is bound; must be both or none", &c.Source.object, &s.object)
	case x.kind == inlineSlot:
		return s.checkBytes(c, from, to)
	case c.Source == s && s.overlaps(c):
		return usage("VUID-VkCopyDescriptorSet-srcSet-00349", "%d descriptors are copied from element %d to element %d of binding %d; must not overlap", c.Count, c.SourceElement, c.Element, c.Binding)
	}
	if !c.Source.has(from, c.SourceElement, c.Count) {
		return usage("VUID-VkCopyDescriptorSet-srcArrayElement-00346", "%d descriptors are copied from element %d of binding %d on; the binding and those of its type after it have fewer", c.Count, c.SourceElement, c.SourceBinding)
	}
	if !s.has(to, c.Element, c.Count) {
		return usage("VUID-VkCopyDescriptorSet-dstArrayElement-00348", "%d descriptors are copied to element %d of binding %d; the binding and those of its type after it have fewer", c.Count, c.Element, c.Binding)
	}
	return s.checkActive(c, from, y)
}

// checkActive checks the types that mutable descriptors have, for a copy to a binding that is not mutable.
func (s *Set) checkActive(c *Copy, from int, y *layoutSlot) error {
	x := &c.Source.layout.slots[from]
	if x.kind != mutableSlot || y.kind == mutableSlot {
		return nil
	}
	buffers, views, samplers := y.lists()
	list, _ := c.read()
	for i := range list {
		d := &list[i]
		if d.buffer.Bytes != nil && !buffers || d.view != nil && !views || d.sampler != nil && !samplers {
			return usage("VUID-VkCopyDescriptorSet-srcSet-04613", "the mutable descriptor %d of binding %d is copied to binding %d of the type %s; must have the type", c.SourceElement+uint32(i), x.number, y.number, y.typ)
		}
	}
	return nil
}

// checkBytes checks a copy between inline uniform blocks.
func (s *Set) checkBytes(c *Copy, from, to int) error {
	n, m := uint64(len(c.Source.content[from].Inline)), uint64(len(s.content[to].Inline))
	source, target := uint64(c.SourceElement)+uint64(c.Count), uint64(c.Element)+uint64(c.Count)
	switch {
	case (c.SourceElement|c.Element|c.Count)%4 != 0:
		return usage("VUID-VkCopyDescriptorSet-srcBinding-02223", "%d bytes of an inline uniform block are copied from byte %d to byte %d; must be multiples of 4", c.Count, c.SourceElement, c.Element)
	case source > n || target > m:
		return usage("VUID-VkCopyDescriptorSet-srcArrayElement-00346", "%d bytes of an inline uniform block are copied from byte %d to byte %d; must be in its %d and %d bytes", c.Count, c.SourceElement, c.Element, n, m)
	case c.Source == s && from == to && uint64(c.SourceElement) < target && uint64(c.Element) < source:
		return usage("VUID-VkCopyDescriptorSet-srcSet-00349", "%d bytes of an inline uniform block are copied from byte %d to byte %d; must not overlap", c.Count, c.SourceElement, c.Element)
	}
	return nil
}

func sameTypes(x, y []link.DescriptorType) bool {
	return !slices.ContainsFunc(x, func(t link.DescriptorType) bool { return !slices.Contains(y, t) }) &&
		!slices.ContainsFunc(y, func(t link.DescriptorType) bool { return !slices.Contains(x, t) })
}

// has reports whether n elements from one of a binding on are in it and in those that continue it.
func (s *Set) has(i int, at, n uint32) bool {
	ok := true
	for n > 0 && ok {
		if i, at, ok = s.continued(i, at); ok {
			step := min(n, s.count(i)-at)
			n, at = n-step, at+step
		}
	}
	return ok
}

// overlaps reports whether the source and the target of a copy inside of the set share an element. Bindings are counted
// from the first of the set on.
func (s *Set) overlaps(c *Copy) bool {
	place := func(number, element uint32) uint64 {
		n := uint64(element)
		for i := range s.layout.slots[:s.layout.find(number)] {
			n += uint64(s.count(i))
		}
		return n
	}
	from, to, n := place(c.SourceBinding, c.SourceElement), place(c.Binding, c.Element), uint64(c.Count)
	return from < to+n && to < from+n && n > 0
}

// read returns the descriptors of the source, or the bytes of its inline uniform block.
func (c *Copy) read() (list []copied, block []byte) {
	s := c.Source
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, at := s.layout.find(c.SourceBinding), c.SourceElement
	if b := &s.content[i]; b.HasInline {
		return nil, slices.Clone(b.Inline[at : at+c.Count])
	}
	list = make([]copied, c.Count)
	for n := range list {
		i, at, _ = s.continued(i, at)
		b, d := &s.content[i], &list[n]
		d.used, d.layout = s.used[i][at], s.layoutAt(i, at)
		if b.Buffers != nil {
			d.buffer = b.Buffers[at]
		}
		if b.Views != nil {
			d.view = b.Views[at]
		}
		if b.Samplers != nil {
			d.sampler = b.Samplers[at]
		}
		at++
	}
	return list, nil
}

// paste writes descriptors from an element of a binding on. Immutable samplers stay.
func (s *Set) paste(i int, at uint32, list []copied) {
	for n := range list {
		i, at, _ = s.continued(i, at)
		b, d := &s.content[i], &list[n]
		if b.Buffers != nil {
			b.Buffers[at] = d.buffer
		}
		if b.Views != nil {
			b.Views[at] = d.view
		}
		s.use(i, at, 0, d.used[0])
		s.layOut(i, at, d.layout)
		if b.Samplers != nil && s.layout.slots[i].immutable == nil {
			b.Samplers[at] = d.sampler
			s.use(i, at, 1, d.used[1])
		}
		s.changed(i, at)
		at++
	}
}
