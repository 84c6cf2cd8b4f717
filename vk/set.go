package vk

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// Set is a descriptor set.
type Set struct {
	object
	layout *SetLayout
	pool   *Pool

	mu      sync.RWMutex // a queue reads while a set with update-after-bind is written
	content compute.Set
	buffers [][]*Buffer // of content, by binding and element; nil for null descriptors
}

// newSet returns a set with null descriptors.
func newSet(l *SetLayout) *Set {
	s := &Set{layout: l, content: make(compute.Set, len(l.slots)), buffers: make([][]*Buffer, len(l.slots))}
	for i, slot := range l.slots {
		b := &s.content[i]
		b.Number = slot.number
		if slot.kind == inlineSlot {
			b.Inline, b.HasInline = make([]byte, slot.count), true
			continue
		}
		b.Buffers = make([]exec.Buffer, slot.count)
		s.buffers[i] = make([]*Buffer, slot.count)
	}
	return s
}

// drop removes the set from its pool.
func (s *Set) drop() {
	s.content, s.buffers = nil, nil
	s.pool.remove(s)
}

// BufferDescriptor is a range of a buffer. The zero value is the null descriptor.
type BufferDescriptor struct {
	Buffer        *Buffer
	Offset, Range uint64 // bytes; Range may be WholeSize
}

// Write replaces descriptors from an array element of a binding on. Elements past the end of the binding continue in
// the next binding (Vulkan, Consecutive Binding Updates).
type Write struct {
	Binding, Element uint32
	Buffers          []BufferDescriptor

	// Inline is the bytes of an inline uniform block from the byte Element on.
	Inline []byte
}

// Update writes descriptors. After an error none of the writes took place.
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
	for i := range writes {
		s.write(&writes[i], true)
	}
	return nil
}

// write checks a write, and carries it out if apply.
func (s *Set) write(w *Write, apply bool) error {
	i := s.layout.find(w.Binding)
	if i < 0 {
		return usage("VUID-VkWriteDescriptorSet-dstBinding-00315", "binding %d is not in the layout of %v; must be", w.Binding, &s.object)
	}
	slot := s.layout.slots[i]
	if w.Inline != nil {
		return s.writeInline(i, w, apply)
	}
	kind, at := slot.kind, w.Element
	for n := range w.Buffers {
		for at >= slot.count { // consecutive bindings
			if at -= slot.count; i+1 >= len(s.layout.slots) || s.layout.slots[i+1].kind != kind {
				return usage("VUID-VkWriteDescriptorSet-dstArrayElement-00321", "the write to binding %d has %d descriptors from element %d on; the binding and those of its type after it have fewer", w.Binding, len(w.Buffers), w.Element)
			}
			i++
			slot = s.layout.slots[i]
		}
		if kind == inlineSlot {
			return usage("VUID-VkWriteDescriptorSet-descriptorType-00319", "binding %d is an inline uniform block; must be of buffers", slot.number)
		}
		if err := s.writeBuffer(i, at, &w.Buffers[n], apply); err != nil {
			return err
		}
		at++
	}
	return nil
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
		s.content[i].Buffers[at] = d
		s.buffers[i][at] = x.Buffer
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

// refer calls each for the buffers in the set and for their memory.
func (s *Set) refer(each func(*object)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, list := range s.buffers {
		for _, b := range list {
			if b != nil {
				each(&b.object)
				each(&b.memory.object)
			}
		}
	}
}
