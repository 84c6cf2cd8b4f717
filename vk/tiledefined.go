package vk

import (
	"cmp"
	"slices"
)

// The sanitizer uninit follows tile memory as one buffer, because allocations and resources share its bytes. Images are followed as a
// whole: after a write to one, all images that share bytes with it count as written.

// tileDefined is the tile memory in the state of a device.
type tileDefined struct {
	bytes   []byte
	off     bool         // something writes it in ways that are not followed: all of it counts as written
	buffers []boundRange // in which buffers are or were
	images  []*Image
	views   map[*ImageView]struct{}
}

// followTile begins to follow the tile memory of the device.
func (d *definedness) followTile(bytes []byte) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := &d.tile
	t.bytes, t.views = bytes, map[*ImageView]struct{}{}
	shadow := make([]byte, len(bytes))
	for i := range shadow {
		shadow[i] = 0xff
	}
	at := address(bytes)
	i, _ := slices.BinarySearchFunc(d.buffers, at, func(x definedBuffer, a uintptr) int { return cmp.Compare(x.start, a) })
	d.buffers = slices.Insert(d.buffers, i, definedBuffer{at, at + uintptr(len(bytes)), shadow, nil})
}

// tileBytes returns the tile memory as the one buffer. d.mu is held.
func (d *definedness) tileBytes() *definedBuffer {
	at := address(d.tile.bytes)
	i, _ := slices.BinarySearchFunc(d.buffers, at, func(x definedBuffer, a uintptr) int { return cmp.Compare(x.start, a) })
	return &d.buffers[i]
}

// tileEnd ends the following of the tile memory. d.mu is held. Commands that run keep the shadow that they have.
func (d *definedness) tileEnd() {
	if !d.tile.off {
		d.tile.off = true
		d.tileBytes().shadow = make([]byte, len(d.tile.bytes))
	}
	for _, m := range d.tile.images {
		d.defineImage(m)
	}
}

// tileBuffer notes a buffer that was bound to tile memory. d.mu is held.
func (d *definedness) tileBuffer(b *Buffer) {
	r := boundRange{b.offset, b.offset + b.size, nil}
	all := r
	d.tile.buffers = append(slices.DeleteFunc(d.tile.buffers, func(o boundRange) bool {
		meets := all.start <= o.end && o.start <= all.end
		if meets {
			all.start, all.end = min(all.start, o.start), max(all.end, o.end)
		}
		return meets
	}), all)
	if b.usage&^(followedBuffers|BufferTileMemory) != 0 || slices.ContainsFunc(d.tile.images, func(m *Image) bool { return m.inTile(r.start, r.end) }) {
		d.tileEnd()
	}
}

// tileImage notes an image that was bound to tile memory. d.mu is held.
func (d *definedness) tileImage(m *Image, n uint64) {
	start, end := m.offset, m.offset+n
	if d.tile.off || m.info.Usage&^(followedImages|ImageTileMemory) != 0 || slices.ContainsFunc(d.tile.buffers, func(r boundRange) bool { return start < r.end && r.start < end }) {
		d.tileEnd()
		return
	}
	m.written = make([]bool, 1)
	d.tile.images = append(d.tile.images, m)
}

// dropTileImage forgets an image.
func (d *definedness) dropTileImage(m *Image) {
	if d != nil && m.memory.isTile() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.tile.images = slices.DeleteFunc(d.tile.images, func(o *Image) bool { return o == m })
	}
}

// inTile reports whether the image has one of the bytes of a range of the tile memory.
func (m *Image) inTile(from, to uint64) bool {
	return m.offset < to && from < m.offset+uint64(len(m.bytes[0]))
}

// wroteTile marks the images that share bytes with one that was written as written. d.mu is held.
func (d *definedness) wroteTile(m *Image) {
	for _, o := range d.tile.images {
		if o != m && o.inTile(m.offset, m.offset+uint64(len(m.bytes[0]))) && !o.written[0] {
			o.written[0] = true
			d.staleViews(o)
		}
	}
}

// defineTile marks a range of the tile memory as written.
func (d *definedness) defineTile(from, to uint64) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.tileBytes().shadow[from:to])
	for _, m := range d.tile.images {
		if m.inTile(from, to) {
			d.defineImage(m)
		}
	}
}

// discardTile marks a range of the tile memory as undefined. Of an image that has bytes outside of the range the rest is not known, and it
// keeps its state.
func (d *definedness) discardTile(from, to uint64) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tile.off {
		return
	}
	for s, i := d.tileBytes().shadow[from:to], 0; i < len(s); i++ {
		s[i] = 0xff
	}
	for _, m := range d.tile.images {
		if m.offset >= from && m.offset+uint64(len(m.bytes[0])) <= to {
			m.written[0] = false
		}
	}
	for v := range d.tile.views {
		if !v.image.written[0] {
			d.freshen(v)
		}
	}
}
