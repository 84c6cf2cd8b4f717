package vk

import (
	"math"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// Set is a descriptor set.
type Set struct {
	object
	pool   *Pool // nil for push descriptors
	taken  []int // descriptors of the bounds of the pool
	blocks int   // inline uniform blocks, if the pool bounds them

	// A bind and a draw read these four, which share a cache line or two: frames with hundreds of sets miss the near caches.
	layout  *SetLayout
	mu      sync.RWMutex // guards the fields below: a queue reads a set that is in use while Update writes it
	content compute.Set  // constant while a submission uses the set: Update replaces the bindings that it writes
	version uint64       // of content

	used    [][]used        // the objects of content, by binding and element
	many    []usedCounts    // the objects of long bindings, by binding
	layouts [][]ImageLayout // of full checking: the layouts of used, by binding and element; nil for none
	epoch   uint64          // of the updates that invalidate command buffers with the set
}

// user is an object that uses other objects, or only itself.
type user interface{ refer(each func(*object)) }

// used is the objects of one descriptor: null for a null descriptor, nil for one that was never written.
type used [2]user

// usedCounts counts the descriptors of each object, so that a submission acquires an object once. It is nil for short bindings.
type usedCounts map[user]int

// change replaces an object.
func (m usedCounts) change(old, new user) {
	if m == nil || old == new {
		return
	}
	if old != nil {
		if m[old]--; m[old] == 0 {
			delete(m, old)
		}
	}
	if new != nil {
		m[new]++
	}
}

// use sets an object of a descriptor: object 1 is the sampler.
func (s *Set) use(i int, at uint32, n int, x user) {
	u := &s.used[i][at][n]
	s.many[i].change(*u, x)
	*u = x
}

// layOut notes the layout that a descriptor names.
func (s *Set) layOut(i int, at uint32, l ImageLayout) {
	if s.dev == nil || s.dev.checking < All {
		return
	}
	if l != UndefinedLayout && s.layouts == nil {
		s.layouts = make([][]ImageLayout, len(s.used))
	}
	if l != UndefinedLayout && s.layouts[i] == nil {
		s.layouts[i] = make([]ImageLayout, len(s.used[i]))
	}
	if s.layouts != nil && s.layouts[i] != nil {
		s.layouts[i][at] = l
	}
}

// layoutAt returns the layout that a descriptor names.
func (s *Set) layoutAt(i int, at uint32) ImageLayout {
	if s.layouts == nil || s.layouts[i] == nil {
		return UndefinedLayout
	}
	return s.layouts[i][at]
}

// changed tells the lists of a binding that a descriptor has changed.
func (s *Set) changed(i int, at uint32) {
	b := &s.content[i]
	b.Lists.Changed(b, int(at))
}

// newSet returns a set with null descriptors, and with the immutable samplers. variable is the count of the binding with a
// variable count.
func newSet(l *SetLayout, variable uint32) *Set {
	s := &Set{layout: l, content: make(compute.Set, len(l.slots)), used: make([][]used, len(l.slots)), many: make([]usedCounts, len(l.slots))}
	for i := range l.slots {
		slot, b := &l.slots[i], &s.content[i]
		n := slot.count
		if slot.variable {
			n = variable
		}
		b.Number = slot.number
		if slot.kind == inlineSlot {
			b.Inline, b.HasInline = make([]byte, n), true
			continue
		}
		if s.used[i] = make([]used, n); n >= compute.LongList {
			s.many[i] = usedCounts{}
		}
		buffers, views, samplers := slot.lists()
		if buffers {
			b.Buffers = make([]exec.Buffer, n)
		}
		if views {
			b.Views = make([]*texture.View, n)
		}
		if samplers {
			b.Samplers = make([]*texture.Sampler, n)
		}
		s.fixSamplers(i)
	}
	s.renew(0)
	return s
}

// renew replaces the long lists of the bindings from a number on.
func (s *Set) renew(first uint32) {
	for i := range s.content {
		if b := &s.content[i]; b.Number >= first && len(s.used[i]) >= compute.LongList {
			b.Lists = compute.NewLists()
		}
	}
}

// lists reports which lists the descriptors of a binding need.
func (s *layoutSlot) lists() (buffers, views, samplers bool) {
	if s.kind != mutableSlot {
		return s.kind <= structureSlot, s.kind == texelSlot || s.kind == viewSlot || s.kind == combinedSlot, s.kind == samplerSlot || s.kind == combinedSlot
	}
	for _, t := range s.allowed {
		one := layoutSlot{kind: slotKinds[t]}
		x, y, z := one.lists()
		buffers, views, samplers = buffers || x, views || y, samplers || z
	}
	return buffers, views, samplers
}

// fixSamplers sets the immutable samplers of a binding.
func (s *Set) fixSamplers(i int) {
	for n := range s.layout.slots[i].immutable {
		s.fixSampler(i, uint32(n))
	}
}

func (s *Set) fixSampler(i int, at uint32) {
	x := s.layout.slots[i].immutable[at]
	s.content[i].Samplers[at] = x.sampler
	s.use(i, at, 1, x)
}

// count returns the number of descriptors of a binding.
func (s *Set) count(i int) uint32 { return uint32(len(s.used[i])) }

// drop removes the set from its pool.
func (s *Set) drop() {
	s.pool.remove(s)
	s.content, s.used, s.many, s.layouts = nil, nil, nil, nil
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
	Layout  ImageLayout // of the view when shaders access it, for full checking; UndefinedLayout if it is not known
}

// Write replaces descriptors from an array element of a binding on, with one of its lists. Elements past the end of the
// binding continue in the next binding (Vulkan, Consecutive Binding Updates).
type Write struct {
	Binding, Element uint32

	// Type is the type of the descriptors; "" is the type of the binding. A mutable binding needs it.
	Type link.DescriptorType

	Buffers []BufferDescriptor
	Images  []ImageDescriptor
	Texels  []*BufferView // nil elements are null descriptors

	Structures []*AccelerationStructure // nil elements are null descriptors

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
	late, first := true, uint32(math.MaxUint32)
	for i := range writes {
		late = late && s.layout.slots[s.layout.find(writes[i].Binding)].late
		first = min(first, writes[i].Binding)
	}
	if err := s.change(first, late); err != nil {
		return err
	}
	for i := range writes {
		s.write(&writes[i], true)
	}
	return nil
}

// change begins a change of the bindings from a number on. late reports that the change may follow a bind. s.mu is held.
func (s *Set) change(first uint32, late bool) error {
	pending := s.state.Load()&counted != 0
	if pending && !late && s.dev.checking >= All {
		return usage("VUID-vkUpdateDescriptorSets-None-03047", "%v is updated while a submission uses it; must not be, or its bindings must be for updates after they are bound", &s.object)
	}
	if pending {
		s.detach(first)
		s.renew(first)
	}
	s.version++
	if !late {
		s.epoch++
	}
	return nil
}

// detach copies the bindings from a number on: a write may continue in later bindings.
func (s *Set) detach(first uint32) {
	s.content = slices.Clone(s.content)
	for i := range s.content {
		if b := &s.content[i]; b.Number >= first {
			b.Buffers, b.Views, b.Samplers, b.Inline = slices.Clone(b.Buffers), slices.Clone(b.Views), slices.Clone(b.Samplers), slices.Clone(b.Inline)
		}
	}
}

// write checks a write, and carries it out if apply.
func (s *Set) write(w *Write, apply bool) error {
	i := s.layout.find(w.Binding)
	if i < 0 {
		return usage("VUID-VkWriteDescriptorSet-dstBinding-00315", "binding %d is not in the layout of %v; must be", w.Binding, &s.object)
	}
	slot := &s.layout.slots[i]
	typ := w.Type
	if typ == "" && slot.kind != mutableSlot {
		typ = slot.typ
	}
	if !slot.accepts(typ) {
		return usage("VUID-VkWriteDescriptorSet-descriptorType-00319", "the write to binding %d is of the type %q; must be of the type of the binding", w.Binding, typ)
	}
	if w.Inline != nil {
		return s.writeInline(i, w, apply)
	}
	kind, at, n := slotKinds[typ], w.Element, 0
	count := max(len(w.Buffers), len(w.Images), len(w.Texels), len(w.Structures))
	if w.list(kind) < count {
		return usage("VUID-VkWriteDescriptorSet-descriptorType-00319", "the write to binding %d has %d descriptors of another type; must be of the type of the binding", w.Binding, count)
	}
	for ; n < count; n++ {
		var ok bool
		if i, at, ok = s.continued(i, at); !ok {
			return usage("VUID-VkWriteDescriptorSet-dstArrayElement-00321", "the write to binding %d has %d descriptors from element %d on; the binding and those of its type after it have fewer", w.Binding, count, w.Element)
		}
		if apply && s.layout.slots[i].kind == mutableSlot {
			s.empty(i, at)
		}
		var err error
		switch kind {
		case uniformSlot, storageSlot:
			err = s.writeBuffer(i, at, &w.Buffers[n], kind, apply)
		case structureSlot:
			err = s.writeStructure(i, at, w.Structures[n], apply)
		case texelSlot:
			err = s.writeTexels(i, at, w.Texels[n], apply)
		default:
			err = s.writeImage(i, at, &w.Images[n], typ, apply)
		}
		if err != nil {
			return err
		}
		at++
	}
	return nil
}

// continued returns the binding and the element of an element that may be past the end of its binding. The bindings must be
// of one type for the same stages, with the same flags and either all with immutable samplers or none.
func (s *Set) continued(i int, at uint32) (int, uint32, bool) {
	for at >= s.count(i) {
		if at -= s.count(i); i+1 >= len(s.layout.slots) {
			return 0, 0, false
		}
		x, y := &s.layout.link.Bindings[i], &s.layout.link.Bindings[i+1]
		if x.Type != y.Type || x.Stages != y.Stages || x.Flags != y.Flags || x.Samplers != y.Samplers || !slices.Equal(x.Mutable, y.Mutable) {
			return 0, 0, false
		}
		i++
	}
	return i, at, true
}

// empty makes a descriptor null.
func (s *Set) empty(i int, at uint32) {
	b := &s.content[i]
	if b.Buffers != nil {
		b.Buffers[at] = exec.Buffer{}
	}
	if b.Views != nil {
		b.Views[at] = nil
	}
	if b.Samplers != nil {
		b.Samplers[at] = nil
	}
	s.use(i, at, 0, nil)
	s.use(i, at, 1, nil)
	s.layOut(i, at, UndefinedLayout)
	s.changed(i, at)
}

// list returns the length of the list of a write that fits a kind of descriptors.
func (w *Write) list(kind slotKind) int {
	switch kind {
	case uniformSlot, storageSlot:
		return len(w.Buffers)
	case structureSlot:
		return len(w.Structures)
	case texelSlot:
		return len(w.Texels)
	case inlineSlot:
		return 0
	}
	return len(w.Images)
}

func (s *Set) writeBuffer(i int, at uint32, x *BufferDescriptor, kind slotKind, apply bool) error {
	var d exec.Buffer
	if x.Buffer != nil {
		if err := check(s.dev, "the buffer of a descriptor", x.Buffer); err != nil {
			return err
		}
		var err error
		if d, err = x.Buffer.descriptor(x.Offset, x.Range); err != nil {
			return err
		}
		need := [...]BufferUsage{uniformSlot: UniformBuffer, storageSlot: StorageBuffer}[kind]
		if s.dev.checking > None && x.Buffer.usage&need == 0 {
			return usage("VUID-VkWriteDescriptorSet-descriptorType-00330", "%v is not for the descriptors of binding %d; must have the usage", &x.Buffer.object, s.layout.slots[i].number)
		}
	}
	if apply {
		s.content[i].Buffers[at] = d
		s.use(i, at, 0, userOf(x.Buffer))
		s.changed(i, at)
	}
	return nil
}

func (s *Set) writeStructure(i int, at uint32, a *AccelerationStructure, apply bool) error {
	if a != nil {
		if err := check(s.dev, "the acceleration structure of a descriptor", a); err != nil {
			return err
		}
		if s.dev.checking > None && a.info.Level == BottomLevel {
			return usage("VUID-VkWriteDescriptorSetAccelerationStructureKHR-pAccelerationStructures-03579", "%v of a descriptor is a bottom level; must be a top level", &a.object)
		}
	}
	if apply {
		s.content[i].Buffers[at] = a.descriptor()
		s.use(i, at, 0, userOf(a))
		s.changed(i, at)
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
		s.content[i].Views[at] = nil
		if v != nil {
			s.content[i].Views[at] = v.view
		}
		s.use(i, at, 0, userOf(v))
		s.changed(i, at)
	}
	return nil
}

// writeImage writes a descriptor of a type with an image or a sampler, or both.
func (s *Set) writeImage(i int, at uint32, x *ImageDescriptor, typ link.DescriptorType, apply bool) error {
	kind, slot, b := slotKinds[typ], &s.layout.slots[i], &s.content[i]
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
	if kind != samplerSlot {
		b.Views[at] = nil
		if x.View != nil {
			b.Views[at] = x.View.in(typ)
		}
		s.use(i, at, 0, userOf(x.View))
		s.layOut(i, at, x.Layout)
	}
	if kind != viewSlot && slot.immutable == nil {
		b.Samplers[at] = nil
		if x.Sampler != nil {
			b.Samplers[at] = x.Sampler.sampler
		}
		s.use(i, at, 1, userOf(x.Sampler))
	}
	s.changed(i, at)
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

// userOf returns an object as a user; null if it is nil.
func userOf[T any, P interface {
	*T
	user
}](p P) user {
	if p == nil {
		return null{}
	}
	return p
}

// updates returns the number of the updates that invalidate command buffers with the set.
func (s *Set) updates() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.epoch
}

// dropClosed makes descriptors with closed objects null, and reports whether there were any. Vulkan permits such descriptors if
// no shader uses them dynamically, in partly bound bindings, or statically, in others (VUID-vkCmdDraw-None-08114): the other
// bindings keep them, for the error, but on a tolerant device. Immutable samplers remain.
func (s *Set) dropClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	for i := range s.used {
		slot := &s.layout.slots[i]
		if !slot.partial && !s.dev.tolerant {
			continue
		}
		for at := range s.used[i] {
			if !s.used[i][at].closed(slot.immutable == nil) {
				continue
			}
			if !found && s.state.Load()&counted != 0 {
				s.detach(0)
				s.renew(0)
			}
			found = true
			s.empty(i, uint32(at))
			s.use(i, uint32(at), 0, null{})
			if slot.immutable != nil {
				s.fixSampler(i, uint32(at))
			}
		}
	}
	if found {
		s.version++
	}
	return found
}

// closed reports whether an object of a descriptor is closed; the sampler only counts if samplers.
func (u *used) closed(samplers bool) (found bool) {
	for n, x := range u {
		if x != nil && (n == 0 || samplers) {
			x.refer(func(o *object) { found = found || !o.alive() })
		}
	}
	return found
}

// refer calls each for the objects in the set and for their memory. s.mu is held.
func (s *Set) refer(each func(*object)) {
	for i, list := range s.used {
		if s.many[i] != nil {
			for x := range s.many[i] {
				x.refer(each)
			}
			continue
		}
		for _, u := range list {
			for _, x := range u {
				if x != nil {
					x.refer(each)
				}
			}
		}
	}
}
