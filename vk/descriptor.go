package vk

import (
	"encoding/binary"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// Sizes of the descriptors in descriptor buffers and heaps, in bytes. Each is at a multiple of DescriptorAlignment.
const (
	BufferDescriptorSize  = ir.HeapDescriptor // of uniform and storage buffers, and of acceleration structures
	ImageDescriptorSize   = 32                // of images and texel buffers
	SamplerDescriptorSize = 32

	DescriptorAlignment = ir.HeapDescriptor
)

// DescriptorSize returns the size of a descriptor of a type in descriptor buffers and heaps, in bytes; 0 if it has none.
func DescriptorSize(t link.DescriptorType) uint64 {
	kind, ok := slotKinds[t]
	if !ok || kind == mutableSlot || t == link.UniformBufferDynamic || t == link.StorageBufferDynamic {
		return 0
	}
	return descriptorSizes[kind]
}

// descriptorSizes are the sizes of descriptors: of inline uniform blocks of one byte; mutable ones have that of their largest type.
var descriptorSizes = [...]uint64{
	uniformSlot: BufferDescriptorSize, storageSlot: BufferDescriptorSize, structureSlot: BufferDescriptorSize, inlineSlot: 1, texelSlot: ImageDescriptorSize, viewSlot: ImageDescriptorSize,
	samplerSlot: SamplerDescriptorSize, combinedSlot: ImageDescriptorSize + SamplerDescriptorSize,
	mutableSlot: 0,
}

// size returns the size of a descriptor of the binding in a descriptor buffer.
func (s *layoutSlot) size() uint64 {
	n := descriptorSizes[s.kind]
	for _, t := range s.allowed {
		n = max(n, descriptorSizes[slotKinds[t]])
	}
	return n
}

// place assigns the offsets of the bindings in a descriptor buffer.
func (l *SetLayout) place() {
	l.size = 0
	for i := range l.slots {
		s := &l.slots[i]
		s.offset = l.size
		l.size += (uint64(s.count)*s.size() + DescriptorAlignment - 1) &^ (DescriptorAlignment - 1)
	}
}

// A descriptor in memory has words of 64 bits:
//
//	buffer          address, range with the type
//	structure       device address or number of an acceleration structure, type
//	image, sampler  number of the object, 0, type
//	texel buffer    address, range, format with texelMark and the type
//	combined        image, 0, type, combinedMark, sampler
//
// The type is for full checking, and for views of some slices: its number in the upper byte of the range, or from typeShift on; 0 if it is not known.
//
// Memory is not trusted. An address reaches memory only by way of the allocations with device addresses, and a number only
// objects that are alive; all others are the null descriptor.

// texelMark is in the word of the format of a texel buffer. It is in no number of an object.
const texelMark = 1 << 63

// typeShift is the first bit of the type in the word of the format.
const typeShift = 32

// typeNumber returns the number of a type in descriptors: from 1 on.
func typeNumber(t link.DescriptorType) uint64 {
	return uint64(slices.Index(link.DescriptorTypes(), t) + 1)
}

// typeOf returns the type of a descriptor in memory; "" if it is not known. buffer reports that it is of a buffer.
func typeOf(d []byte, buffer bool) link.DescriptorType {
	n := uint64(d[15])
	if !buffer {
		n = 0
		if len(d) >= ImageDescriptorSize {
			n = binary.LittleEndian.Uint64(d[16:]) >> typeShift & 0xff
		}
	}
	if list := link.DescriptorTypes(); n > 0 && n <= uint64(len(list)) {
		return list[n-1]
	}
	return ""
}

// combinedMark is in a combined image sampler, so that a mutable descriptor has its sampler in the right place.
const combinedMark = 1

// DescriptorInfo is the content of a descriptor in memory (VkDescriptorGetInfoEXT, VkResourceDescriptorInfoEXT). Type
// determines the fields in use; zero fields are the null descriptor.
type DescriptorInfo struct {
	Type link.DescriptorType

	Sampler *Sampler
	View    *ImageView

	// Image describes a view without an object of it, if View is nil.
	Image *ImageViewInfo

	Address, Range uint64 // of a buffer, a texel buffer or an acceleration structure; the range in bytes
	Format         link.Format
}

// WriteDescriptor writes a descriptor to memory for a descriptor buffer or a heap. It returns an error if it is shorter
// than DescriptorSize.
func (d *Device) WriteDescriptor(to []byte, info DescriptorInfo) error {
	if err := d.Err(); err != nil {
		return err
	}
	kind, size := slotKinds[info.Type], DescriptorSize(info.Type)
	if size == 0 || kind == inlineSlot {
		return usage("VUID-VkDescriptorGetInfoEXT-type-08018", "the type of a descriptor in memory is %q; must be one that DescriptorSize has", info.Type)
	}
	if uint64(len(to)) < size {
		return usage("VUID-vkGetDescriptorEXT-dataSize-08125", "a descriptor of the type %s is written to %d bytes; must have %d", info.Type, len(to), size)
	}
	words, err := d.descriptorWords(kind, &info)
	if err != nil {
		return err
	}
	for i := range size / 8 {
		binary.LittleEndian.PutUint64(to[8*i:], words[i])
	}
	return nil
}

// descriptorWords returns the words of a descriptor.
func (d *Device) descriptorWords(kind slotKind, info *DescriptorInfo) (words [(ImageDescriptorSize + SamplerDescriptorSize) / 8]uint64, err error) {
	switch kind {
	case uniformSlot, storageSlot, structureSlot, texelSlot:
		switch {
		case info.Address == 0:
		case kind == structureSlot:
			words[0], words[1] = info.Address, typeNumber(info.Type)<<56
		case kind == texelSlot:
			words[0], words[1], words[2] = info.Address, min(info.Range, ir.HeapRange), uint64(info.Format)|typeNumber(info.Type)<<typeShift|texelMark
		default:
			words[0], words[1] = info.Address, min(info.Range, ir.HeapRange)|typeNumber(info.Type)<<56
		}
		return words, nil
	}
	words[2] = typeNumber(info.Type) << typeShift
	at := 0
	if kind != samplerSlot {
		at = ImageDescriptorSize / 8
		if words[0], err = d.viewNumber(info); err != nil {
			return words, err
		}
	}
	if kind == combinedSlot {
		words[3] = combinedMark
	}
	if kind != viewSlot && info.Sampler != nil {
		if err := check(d, "the sampler of a descriptor", info.Sampler); err != nil {
			return words, err
		}
		words[at], err = d.samplers.number(info.Sampler, &info.Sampler.number)
	}
	return words, err
}

// viewNumber returns the number of the view of a descriptor; 0 if it is null.
func (d *Device) viewNumber(info *DescriptorInfo) (uint64, error) {
	v := info.View
	if v == nil && info.Image == nil {
		return 0, nil
	}
	if v == nil {
		var err error
		if v, err = d.viewOf(info.Image); err != nil {
			return 0, err
		}
	}
	if err := check(d, "the view of a descriptor", v); err != nil {
		return 0, err
	}
	return d.views.number(v, &v.number)
}

// viewOf returns the view of a description. The image owns it.
func (d *Device) viewOf(info *ImageViewInfo) (*ImageView, error) {
	if err := check(d, "the image", info.Image); err != nil {
		return nil, err
	}
	if info.MinLod != info.MinLod { // a key that is not equal to itself
		return nil, usage("VUID-VkImageViewMinLodCreateInfoEXT-minLod-06456", "the least level of detail is not a number; must be one")
	}
	m := info.Image
	m.described.Lock()
	defer m.described.Unlock()
	if v := m.views[*info]; v != nil {
		return v, nil
	}
	if len(m.views) >= maxNumbered {
		return nil, &OutOfMemoryError{Bytes: 1}
	}
	v, err := d.NewImageView(*info)
	if err != nil {
		return nil, err
	}
	if m.views == nil {
		m.views = map[ImageViewInfo]*ImageView{}
	}
	m.views[*info] = v
	return v, nil
}

// closeViews closes the views of descriptions.
func (m *Image) closeViews() {
	m.described.Lock()
	defer m.described.Unlock()
	for _, v := range m.views {
		v.Close()
	}
	m.views = nil
}

// descriptors reads descriptors in memory for the commands of an executor. It caches decoded descriptors until stale, so that a
// descriptor is read again only if it may have changed.
type descriptors struct {
	regions []exec.Region    // that are held; nil if they are not known
	uses    []*regions       // that are released at the end of the command buffer
	kept    map[*object]bool // objects of the submission that descriptors name: whether they are alive
	texels  map[texelKey]*texture.View
	sets    map[setKey]compute.Set
	lists   *compute.HeapLists
}

// setKey names a set in a descriptor buffer, texelKey a texel buffer.
type (
	setKey struct {
		layout  *SetLayout
		address uint64
	}
	texelKey struct {
		address, n uint64
		format     link.Format
	}
)

// stale drops the decoded descriptors, since memory may have changed.
func (x *descriptors) stale() {
	clear(x.texels)
	clear(x.sets)
	x.lists, x.regions = nil, nil
}

// forget drops everything at the end of a command buffer.
func (x *descriptors) forget(d *Device) {
	x.stale()
	clear(x.kept)
	for _, r := range x.uses {
		d.heap.release(r)
	}
	clear(x.uses)
	x.uses = x.uses[:0]
}

// keep acquires an object for the submission, with all that it refers to. It reports whether they are alive.
func (x *executor) keep(base *object, o interface{ refer(each func(*object)) }) bool {
	if ok, seen := x.memory.kept[base]; seen {
		return ok
	}
	ok := true
	o.refer(func(o *object) { ok = ok && x.work.hold(o) == nil })
	if x.memory.kept == nil {
		x.memory.kept = map[*object]bool{}
	}
	x.memory.kept[base] = ok
	return ok
}

// readBuffer returns the buffer of a descriptor.
func (x *executor) readBuffer(d []byte) exec.Buffer {
	a := compute.Args{Regions: x.held()}
	return a.BufferOf(d)
}

// viewObject returns the view of a descriptor of an image; nil for none.
func (x *executor) viewObject(d []byte) *ImageView {
	if binary.LittleEndian.Uint64(d[8:]) != 0 {
		return nil
	}
	v := x.dev.views.get(binary.LittleEndian.Uint64(d))
	if v == nil || !x.keep(&v.object, v) {
		return nil
	}
	return v
}

// texelFormat returns the format of a descriptor of a texel buffer; 0 if it is of none.
func texelFormat(d []byte) link.Format {
	if len(d) < ImageDescriptorSize || binary.LittleEndian.Uint64(d[8:]) == 0 {
		return 0
	}
	word := binary.LittleEndian.Uint64(d[16:])
	if word&texelMark == 0 {
		return 0
	}
	return link.Format(uint32(word))
}

// readView returns the view of a descriptor of an image or a texel buffer; nil for none.
func (x *executor) readView(d []byte) *texture.View {
	if v := x.viewObject(d); v != nil {
		return v.in(typeOf(d, false))
	}
	f := texelFormat(d)
	if f == 0 {
		return nil
	}
	first, second := binary.LittleEndian.Uint64(d), binary.LittleEndian.Uint64(d[8:])
	key := texelKey{first, second, f}
	if v, ok := x.memory.texels[key]; ok {
		return v
	}
	a := compute.Args{Regions: x.held()}
	var v *texture.View
	if b := a.BufferAt(first, second); b.Bytes != nil {
		m, offset := x.dev.heap.place(first)
		v, _ = m.texels(b.Bytes[:b.Range()], key.format.String(), offset) // an error is a null descriptor
	}
	if x.memory.texels == nil {
		x.memory.texels = map[texelKey]*texture.View{}
	}
	x.memory.texels[key] = v
	return v
}

// readSampler returns the sampler of a descriptor; nil for none.
func (x *executor) readSampler(d []byte) *texture.Sampler {
	if s := x.samplerObject(d); s != nil {
		return s.sampler
	}
	return nil
}

func (x *executor) samplerObject(d []byte) *Sampler {
	if binary.LittleEndian.Uint64(d[8:]) != 0 {
		return nil
	}
	s := x.dev.samplers.get(binary.LittleEndian.Uint64(d))
	if s == nil || !x.keep(&s.object, s) {
		return nil
	}
	return s
}
