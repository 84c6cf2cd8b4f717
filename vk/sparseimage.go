package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// sparseImage is the part of an image to which queues bind memory. If the image may have memory in part, its texels are in
// memory of their own, and its blocks are copies of the memory that is bound: a bind copies the memory to the block, and the
// end of a bind copies the block back. So the texels keep the layout that shaders and commands know, and texels without memory
// are zero. The heap counts the memory of all texels. See aliases for blocks that share memory.
type sparseImage struct {
	size      uint64  // of the ranges of opaque binds
	space     *Memory // the address range
	residency *texture.Residency
	blocks    map[texture.SparsePlace]backing
	tails     []sparseTail // by aspect
	aliases   *aliases     // of the device, if the blocks may show memory that others show; nil if not
}

// backing is the memory of a block.
type backing struct {
	memory *Memory
	offset uint64
}

// sparseTail is the mip tail of an aspect: its range of opaque binds, and the memory of its pages.
type sparseTail struct {
	offset, size uint64
	pages        []backing
}

// spread makes the image sparse.
func (m *Image) spread(d *Device) error {
	const rule = "VUID-VkImageCreateInfo-"
	if m.info.Flags&ImageSparseBinding == 0 {
		return usage(rule+"flags-00987", "the image has sparse flags without ImageSparseBinding; must have it")
	}
	partly := m.info.Flags&ImageSparseResidency != 0
	size := roundUp(m.layout.Size(), SparseBlock)
	counted := uint64(0)
	if partly { // a clear stores to texels without memory, before they are zero again
		counted = size
	}
	space, err := d.newSpace(size, counted, false, 0)
	if err != nil {
		return err
	}
	m.sparse = &sparseImage{size: size, space: space}
	if partly && m.info.Flags&ImageSparseAliased != 0 {
		m.sparse.aliases = &d.aliases
	}
	if m.image, err = m.layout.On(space.bytes); err == nil && partly {
		err = m.sparse.divide(m.image)
	}
	if err != nil {
		m.sparse.drop(d)
		return imageError(err)
	}
	m.memory = space
	if m.bytes[0] = space.bytes; m.layout.Disjoint {
		at := uint64(0)
		for i := range m.bytes {
			n := m.layout.PlaneSize(i)
			m.bytes[i] = space.bytes[at:][:n]
			at += n
		}
	}
	return nil
}

// divide divides the image into blocks and mip tails.
func (s *sparseImage) divide(m *texture.Image) (err error) {
	if s.residency, err = m.Sparse(); err != nil {
		return err
	}
	s.blocks = map[texture.SparsePlace]backing{}
	s.size, s.tails = sparseSize(s.residency.Aspects(), m.Layout)
	return nil
}

// sparseSize returns the size of the range of opaque binds, and the mip tails in it: they are after the blocks of all levels.
func sparseSize(list []texture.SparseAspect, l *texture.Layout) (size uint64, tails []sparseTail) {
	for _, a := range list {
		for n := range a.TailLevel {
			blocks := uint64(l.Layers)
			w, h, d := l.LevelExtent(n)
			for i, e := range [3]int{w, h, d} {
				blocks *= uint64((e-1)/a.Block[i] + 1)
			}
			size += blocks * SparseBlock
		}
	}
	for _, a := range list {
		t := sparseTail{offset: size, size: roundUp(uint64(a.TailBytes), SparseBlock)}
		t.pages = make([]backing, t.size/SparseBlock)
		size += t.size
		tails = append(tails, t)
	}
	return size, tails
}

// drop frees the memory of a sparse image; nil does nothing.
func (s *sparseImage) drop(d *Device) {
	if s != nil {
		d.aliases.drop(s)
		d.heap.drop(s.space)
	}
}

// SparseRequirements describes the blocks of an aspect of a sparse image (VkSparseImageMemoryRequirements). The mip tail of all
// layers is one range (VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT). There is no metadata.
type SparseRequirements struct {
	Aspect               Aspect
	Granularity          [3]int // texels of a block
	TailLevel            int    // the first level in the mip tail
	TailOffset, TailSize uint64 // of opaque binds, bytes
	NonStandard          bool   // the granularity is none of the standard blocks (VK_SPARSE_IMAGE_FORMAT_NONSTANDARD_BLOCK_SIZE_BIT)
}

// SparseRequirements returns the blocks of an image that may be bound in part (vkGetImageSparseMemoryRequirements2).
func (m *Image) SparseRequirements() []SparseRequirements {
	if m == nil || m.sparse == nil || m.sparse.residency == nil {
		return nil
	}
	return sparseRequirements(m.layout)
}

// SparseImageRequirements is [Image.SparseRequirements] of an image of a description
// (vkGetDeviceImageSparseMemoryRequirements).
func (d *Device) SparseImageRequirements(info ImageInfo) ([]SparseRequirements, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	l, err := d.imageLayout(&info)
	if err != nil || info.Flags&ImageSparseResidency == 0 {
		return nil, err
	}
	return sparseRequirements(l), nil
}

func sparseRequirements(l *texture.Layout) (out []SparseRequirements) {
	list, err := l.SparseAspects()
	if err != nil {
		return nil
	}
	_, tails := sparseSize(list, l)
	for i, a := range list {
		out = append(out, SparseRequirements{Aspect: outside(a.Aspect), Granularity: a.Block, TailLevel: a.TailLevel, TailOffset: tails[i].offset, TailSize: tails[i].size, NonStandard: a.NonStandard})
	}
	return out
}

// SparseImageFormatProperties returns the blocks of images with the format, type, samples, usage and tiling of a description
// (vkGetPhysicalDeviceSparseImageFormatProperties2); nil if they cannot be bound in part.
func (p *PhysicalDevice) SparseImageFormatProperties(info ImageInfo) []SparseRequirements {
	if _, err := p.ImageFormatProperties(info); err != nil {
		return nil
	}
	info.Levels, info.Layers, info.Extent = 1, 1, [3]int{1, 1, 1}
	l, err := (&Device{}).imageLayout(&info)
	if err != nil {
		return nil
	}
	list := sparseRequirements(l)
	for i := range list {
		list[i].TailLevel, list[i].TailOffset, list[i].TailSize = 0, 0, 0
	}
	return list
}

// SparseImageBind shows memory in blocks of a level and layer, or nothing if Memory is nil (VkSparseImageMemoryBind). The blocks
// take 64 KiB each, x fastest, then y.
type SparseImageBind struct {
	Aspect         Aspect
	Level, Layer   int
	Offset, Extent [3]int // texels: multiples of the granularity, or the end of the level
	Memory         *Memory
	MemoryOffset   uint64
}

// SparseImageBinds is the binds of an image by blocks.
type SparseImageBinds struct {
	Image *Image
	Binds []SparseImageBind
}

// changes checks the binds.
func (b *SparseImageBinds) changes(d *Device) (list []sparseChange, err error) {
	if err := check(d, "the image", b.Image); err != nil {
		return nil, err
	}
	s := b.Image.sparse
	if s == nil || s.residency == nil {
		return nil, usage("VUID-VkSparseImageMemoryBindInfo-image-02901", "%v cannot be bound in part; must be made with ImageSparseResidency", &b.Image.object)
	}
	for i := range b.Binds {
		change, err := s.change(d, b.Image, &b.Binds[i])
		if err != nil {
			return nil, err
		}
		list = append(list, change)
	}
	return list, nil
}

// change checks a bind.
func (s *sparseImage) change(d *Device, m *Image, x *SparseImageBind) (sparseChange, error) {
	const rule = "VUID-VkSparseImageMemoryBind-"
	aspects := s.residency.Aspects()
	a := slices.IndexFunc(aspects, func(a texture.SparseAspect) bool { return x.Aspect == 0 || outside(a.Aspect) == x.Aspect })
	if a < 0 {
		return nil, usage("VUID-VkSparseImageMemoryBindInfo-subresource-01106", "a bind has the aspect %#x; must be one of the image", uint32(x.Aspect))
	}
	blocks, ok := s.residency.Blocks(a, x.Level)
	switch {
	case !ok:
		return nil, usage("VUID-VkSparseImageMemoryBindInfo-subresource-01722", "a bind has the level %d; must be one before the mip tail", x.Level)
	case x.Layer < 0 || x.Layer >= m.layout.Layers:
		return nil, usage("VUID-VkSparseImageMemoryBindInfo-subresource-01723", "a bind has the layer %d; the image has %d", x.Layer, m.layout.Layers)
	}
	w, h, depth := m.layout.LevelExtent(x.Level)
	c := &blockChange{image: m, first: texture.SparsePlace{Aspect: a, Level: x.Level, Layer: x.Layer}, memory: x.Memory, offset: x.MemoryOffset}
	place := [3]*int{&c.first.X, &c.first.Y, &c.first.Z}
	for i, size := range [3]int{w, h, depth} {
		g := aspects[a].Block[i]
		if x.Offset[i] < 0 || x.Offset[i]%g != 0 || x.Offset[i] >= size {
			return nil, usage(rule+[]string{"offset-01107", "offset-01109", "offset-01111"}[i], "a bind is at %v; must be within the level, at multiples of %v", x.Offset, aspects[a].Block)
		}
		end := x.Extent[i] + x.Offset[i]
		if x.Extent[i] < 1 || x.Extent[i] > size-x.Offset[i] || x.Extent[i]%g != 0 && end != size {
			return nil, usage(rule+[]string{"extent-01108", "extent-01110", "extent-01112"}[i], "a bind has the extent %v at %v; must be multiples of %v, or end with the level", x.Extent, x.Offset, aspects[a].Block)
		}
		*place[i], c.count[i] = x.Offset[i]/g, min((x.Extent[i]-1)/g+1, blocks[i])
	}
	if x.Memory != nil {
		n := uint64(c.count[0]) * uint64(c.count[1]) * uint64(c.count[2])
		if err := x.Memory.spans(d, x.MemoryOffset, n*SparseBlock); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// blockChange is a bind of blocks.
type blockChange struct {
	image  *Image
	first  texture.SparsePlace
	count  [3]int
	memory *Memory
	offset uint64
}

func (c *blockChange) refer(each func(*object)) {
	each(&c.image.object)
	if c.memory != nil {
		each(&c.memory.object)
	}
}

// apply moves the content of the blocks.
func (c *blockChange) apply() error {
	s, next := c.image.sparse, backing{c.memory, c.offset}
	for z := range c.count[2] {
		for y := range c.count[1] {
			for x := range c.count[0] {
				p := c.first
				p.X, p.Y, p.Z = p.X+x, p.Y+y, p.Z+z
				s.move(p, next)
				next.offset += SparseBlock
			}
		}
	}
	return nil
}

// move gives a block its memory, or none.
func (s *sparseImage) move(p texture.SparsePlace, to backing) {
	s.replace(aliasCopy{image: s, place: p}, s.blocks[p], to)
	delete(s.blocks, p)
	if to.memory != nil {
		s.blocks[p] = to
	}
	s.residency.Set(p, to.memory != nil)
}

// replace stores the content of a block or of a page of a mip tail in its memory, and gives it the content of another memory.
func (s *sparseImage) replace(c aliasCopy, from, to backing) {
	if s.aliases != nil {
		s.aliases.leave(c, from)
	} else {
		from.use(func(memory []byte) {
			c.rows(func(row []byte, at int) { copy(memory[at:], row) })
		})
	}
	c.rows(func(row []byte, _ int) { clear(row) })
	if s.aliases != nil {
		s.aliases.join(c, to)
		return
	}
	to.use(func(memory []byte) {
		c.rows(func(row []byte, at int) { copy(row, memory[at:]) })
	})
}

// use calls f with the 64 KiB of memory, if there is memory and it is not freed.
func (b backing) use(f func(memory []byte)) {
	if b.memory != nil && b.memory.acquire() {
		f(b.memory.bytes[b.offset:][:SparseBlock])
		b.memory.release()
	}
}

// opaqueChange returns a bind that was checked.
func (m *Image) opaqueChange(x SparseBind) (sparseChange, error) {
	s := m.sparse
	if s.residency == nil {
		return &spaceChange{&m.object, s.space, x}, nil
	}
	for i, t := range s.tails {
		if x.Offset >= t.offset && x.Offset < t.offset+t.size && x.Size <= t.offset+t.size-x.Offset {
			return &tailChange{m, i, x}, nil
		}
	}
	return nil, usage("", "a bind has %d bytes at offset %d; must be within a mip tail", x.Size, x.Offset)
}

// tailChange is a bind of pages of a mip tail.
type tailChange struct {
	image  *Image
	aspect int
	bind   SparseBind
}

func (c *tailChange) refer(each func(*object)) {
	each(&c.image.object)
	if c.bind.Memory != nil {
		each(&c.bind.Memory.object)
	}
}

// apply moves the content of the pages.
func (c *tailChange) apply() error {
	s := c.image.sparse
	t := &s.tails[c.aspect]
	for n := uint64(0); n < c.bind.Size; n += SparseBlock {
		page := (c.bind.Offset - t.offset + n) / SparseBlock
		b, next := &t.pages[page], backing{c.bind.Memory, c.bind.MemoryOffset + n}
		if next.memory == nil {
			next = backing{}
		}
		s.replace(aliasCopy{s, texture.SparsePlace{Aspect: c.aspect, X: int(page)}, true}, *b, next)
		*b = next
	}
	s.residency.SetTail(c.aspect, !slices.ContainsFunc(t.pages, func(b backing) bool { return b.memory == nil }))
	return nil
}
