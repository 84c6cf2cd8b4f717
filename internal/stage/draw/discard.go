package draw

import "github.com/chiaro-gpu/chiaro/internal/raster"

// applyDiscardRectangles removes the samples that the discard rectangles exclude. Draws with
// rectangles have one block for each item. Vulkan §"Discard Rectangles Test" tests the pixel and not
// its samples, so that all samples of a pixel have the same result.
func (d *binWorker) applyDiscardRectangles(items []uint64) {
	words, r := d.draw.itemWords(), &d.draw.state.Discard
	if len(r.Rectangles) == 0 {
		return
	}
	for ; len(items) > 0; items = items[words:] {
		x, y := raster.Item(items).At()
		in := uint64(0)
		for _, q := range r.Rectangles {
			in |= pixelsInside(q.Raster(), int32(x), int32(y))
		}
		if r.Exclusive {
			in = ^in
		}
		for n := range d.draw.key.Samples {
			items[1+n] &= in
		}
	}
}

// pixelsInside returns the pixels of a block inside of a rectangle. Bit 8·y + x is a pixel of
// the block. A rectangle with x from 2 to 4 and y from 0 to 1:
//
//	pixelRow 0b00011100
//	result   0x1c1c
func pixelsInside(r raster.Rect, x, y int32) (m uint64) {
	r = r.Intersect(raster.Rect{X0: x, Y0: y, X1: x + raster.Block, Y1: y + raster.Block})
	if r.Empty() {
		return 0
	}
	pixelRow := (uint64(1)<<(r.X1-r.X0) - 1) << (r.X0 - x)
	for v := r.Y0 - y; v < r.Y1-y; v++ {
		m |= pixelRow << (raster.Block * v)
	}
	return m
}
