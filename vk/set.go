package vk

import (
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Set is a descriptor set.
type Set struct {
	object
	layout *SetLayout
	pool   *Pool

	mu      sync.RWMutex // guards the fields below: a queue reads a set that is in use while Update writes it
	content compute.Set  // constant while a submission uses the set: Update replaces the bindings that it writes
	used    [][]used     // the objects of content, by binding and element
	version uint64       // of content
}

// used is the objects of one descriptor; nil for a null descriptor.
type used [2]interface{ refer(each func(*object)) }

// newSet returns a set with null descriptors, and with the immutable samplers.
func newSet(l *SetLayout) *Set {
	s := &Set{layout: l, content: make(compute.Set, len(l.slots)), used: make([][]used, len(l.slots))}
	for i, slot := range l.slots {
		b := &s.content[i]
		b.Number = slot.number
		if slot.kind == inlineSlot {
			b.Inline, b.HasInline = make([]byte, slot.count), true
			continue
		}
		s.used[i] = make([]used, slot.count)
		switch slot.kind {
		case uniformSlot, storageSlot:
			b.Buffers = make([]exec.Buffer, slot.count)
		case texelSlot, viewSlot:
			b.Views = make([]*texture.View, slot.count)
		case combinedSlot:
			b.Views = make([]*texture.View, slot.count)
			fallthrough
		case samplerSlot:
			b.Samplers = make([]*texture.Sampler, slot.count)
			for n, x := range slot.immutable {
				b.Samplers[n], s.used[i][n][1] = x.sampler, x
			}
		}
	}
	return s
}

// drop removes the set from its pool.
func (s *Set) drop() {
	s.content, s.used = nil, nil
	s.pool.remove(s)
}

// BufferDescriptor is a range of a buffer. The zero value is the null descriptor.
type BufferDescriptor struct {
	Buffer        *Buffer
	Offset, Range uint64 // bytes; Range may be WholeSize
}

// ImageDescriptor is a view, a sampler, or both. Nil is the null descriptor. Immutable samplers stay.
type ImageDescriptor struct {
	View    *ImageView
	Sampler *Sampler
}

// Write replaces descriptors from an array element of a binding on, with one of its lists. Elements past the end of the
// binding continue in the next binding (Vulkan, Consecutive Binding Updates).
type Write struct {
	Binding, Element uint32
	Buffers          []BufferDescriptor
	Images           []ImageDescriptor
	Texels           []*BufferView // nil elements are null descriptors

	// Inline is the bytes of an inline uniform block from the byte Element on.
	Inline []byte
}

// Update writes descriptors. After an error none of the writes took place. Commands that have begun use the descriptors
// from before an update.
func (s *Set) Update(writes ...Write) error {
	if err := check(nil, "the set", s); err != nil {
		return err
	}
	for i := range writes {
		if err := s.write(&writes[i], false); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.Load()&counted != 0 {
		s.detach(writes)
	}
	s.version++
	for i := range writes {
		s.write(&writes[i], true)
	}
	return nil
}

// detach copies the bindings that writes change.
func (s *Set) detach(writes []Write) {
	s.content = slices.Clone(s.content)
	for i := range s.content {
		b := &s.content[i]
		// A write may continue in later bindings.
		if !slices.ContainsFunc(writes, func(w Write) bool { return w.Binding <= b.Number }) {
			continue
		}
		b.Buffers, b.Views, b.Samplers, b.Inline = slices.Clone(b.Buffers), slices.Clone(b.Views), slices.Clone(b.Samplers), slices.Clone(b.Inline)
	}
}

// write checks a write, and carries it out if apply.
func (s *Set) write(w *Write, apply bool) error {
	i := s.layout.find(w.Binding)
	if i < 0 {
		return usage("VUID-VkWriteDescriptorSet-dstBinding-00315", "binding %d is not in the layout of %v; must be", w.Binding, &s.object)
	}
	if w.Inline != nil {
		return s.writeInline(i, w, apply)
	}
	kind, at, n := s.layout.slots[i].kind, w.Element, 0
	count := max(len(w.Buffers), len(w.Images), len(w.Texels))
	if lists := s.list(w, kind); lists < count {
		return usage("VUID-VkWriteDescriptorSet-descriptorType-00319", "the write to binding %d has %d descriptors of another type; must be of the type of the binding", w.Binding, count)
	}
	for ; n < count; n++ {
		for at >= s.layout.slots[i].count { // consecutive bindings
			if at -= s.layout.slots[i].count; i+1 >= len(s.layout.slots) || s.layout.slots[i+1].kind != kind {
				return usage("VUID-VkWriteDescriptorSet-dstArrayElement-00321", "the write to binding %d has %d descriptors from element %d on; the binding and those of its type after it have fewer", w.Binding, count, w.Element)
			}
			i++
		}
		var err error
		switch kind {
		case uniformSlot, storageSlot:
			err = s.writeBuffer(i, at, &w.Buffers[n], apply)
		case texelSlot:
			err = s.writeTexels(i, at, w.Texels[n], apply)
		default:
			err = s.writeImage(i, at, &w.Images[n], apply)
		}
		if err != nil {
			return err
		}
		at++
	}
	return nil
}

// list returns the length of the list of a write that fits a kind of binding.
func (s *Set) list(w *Write, kind slotKind) int {
	switch kind {
	case uniformSlot, storageSlot:
		return len(w.Buffers)
	case texelSlot:
		return len(w.Texels)
	case inlineSlot:
		return 0
	}
	return len(w.Images)
}

func (s *Set) writeBuffer(i int, at uint32, x *BufferDescriptor, apply bool) error {
	var d exec.Buffer
	if x.Buffer != nil {
		if err := check(s.dev, "the buffer of a descriptor", x.Buffer); err != nil {
			return err
		}
		var err error
		if d, err = x.Buffer.descriptor(x.Offset, x.Range); err != nil {
			return err
		}
		need := [...]BufferUsage{uniformSlot: UniformBuffer, storageSlot: StorageBuffer}[s.layout.slots[i].kind]
		if s.dev.checking > None && x.Buffer.usage&need == 0 {
			return usage("VUID-VkWriteDescriptorSet-descriptorType-00330", "%v is not for the descriptors of binding %d; must have the usage", &x.Buffer.object, s.layout.slots[i].number)
		}
	}
	if apply {
		s.content[i].Buffers[at], s.used[i][at][0] = d, nil
		if x.Buffer != nil {
			s.used[i][at][0] = x.Buffer
		}
	}
	return nil
}

func (s *Set) writeTexels(i int, at uint32, v *BufferView, apply bool) error {
	if v != nil {
		if err := check(s.dev, "the buffer view of a descriptor", v); err != nil {
			return err
		}
	}
	if apply {
		s.content[i].Views[at], s.used[i][at][0] = nil, nil
		if v != nil {
			s.content[i].Views[at], s.used[i][at][0] = v.view, v
		}
	}
	return nil
}

func (s *Set) writeImage(i int, at uint32, x *ImageDescriptor, apply bool) error {
	slot, b, u := &s.layout.slots[i], &s.content[i], &s.used[i][at]
	if x.View != nil {
		if err := check(s.dev, "the view of a descriptor", x.View); err != nil {
			return err
		}
	}
	if x.Sampler != nil {
		if err := check(s.dev, "the sampler of a descriptor", x.Sampler); err != nil {
			return err
		}
	}
	if err := slot.converts(at, x); err != nil {
		return err
	}
	if !apply {
		return nil
	}
	if slot.kind != samplerSlot {
		b.Views[at], u[0] = nil, nil
		if x.View != nil {
			b.Views[at], u[0] = x.View.view, x.View
		}
	}
	if slot.kind != viewSlot && slot.immutable == nil {
		b.Samplers[at], u[1] = nil, nil
		if x.Sampler != nil {
			b.Samplers[at], u[1] = x.Sampler.sampler, x.Sampler
		}
	}
	return nil
}

func (s *Set) writeInline(i int, w *Write, apply bool) error {
	block := s.content[i].Inline
	switch size := uint32(len(block)); {
	case !s.content[i].HasInline:
		return usage("VUID-VkWriteDescriptorSet-descriptorType-00319", "binding %d is not an inline uniform block; must be one", w.Binding)
	case w.Element%4 != 0 || len(w.Inline)%4 != 0 || w.Element > size || uint64(len(w.Inline)) > uint64(size-w.Element):
		return usage("VUID-VkWriteDescriptorSet-descriptorType-02219", "the write has %d bytes from byte %d on; must be a multiple of 4 in the %d bytes of the block", len(w.Inline), w.Element, size)
	}
	if apply {
		copy(block[w.Element:], w.Inline)
	}
	return nil
}

// refer calls each for the objects in the set and for their memory. s.mu is held.
func (s *Set) refer(each func(*object)) {
	for _, list := range s.used {
		for _, u := range list {
			for _, x := range u {
				if x != nil {
					x.refer(each)
				}
			}
		}
	}
}
