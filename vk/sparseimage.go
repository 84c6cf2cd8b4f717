package vk

// sparseImage is the part of an image to which queues bind memory.
type sparseImage struct {
	size  uint64  // of the ranges of opaque binds
	space *Memory // the address range
}

// spread makes the image sparse.
func (m *Image) spread(d *Device) error {
	const rule = "VUID-VkImageCreateInfo-"
	switch flags := m.info.Flags; {
	case flags&ImageSparseBinding == 0:
		return usage(rule+"flags-00987", "the image has sparse flags without ImageSparseBinding; must have it")
	case flags&ImageSparseResidency != 0:
		return &UnsupportedError{Feature: "images that are bound in part"}
	}
	size := roundUp(m.layout.Size(), SparseBlock)
	space, err := d.newSpace(size, false, 0)
	if err != nil {
		return err
	}
	m.sparse = &sparseImage{size: size, space: space}
	if m.image, err = m.layout.On(space.bytes); err != nil {
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

// drop frees the memory of a sparse image; nil does nothing.
func (s *sparseImage) drop(d *Device) {
	if s != nil {
		d.heap.drop(s.space)
	}
}

// opaqueChange returns a bind that was checked.
func (m *Image) opaqueChange(x SparseBind) (sparseChange, error) {
	return &spaceChange{&m.object, m.sparse.space, x}, nil
}
