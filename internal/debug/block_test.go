package debug

import "testing"

// TestBesides: a block has eight pixels from its corner on, at any even pixel; blocks of coarse fragments begin at a multiple of eight,
// and have the logarithm of the fragment's size, at most 2, in the low bits.
func TestBesides(t *testing.T) {
	for corner := uint32(0); corner < 64; corner += 2 {
		for pixel := corner; pixel < corner+8; pixel++ {
			if !besides(corner, pixel) {
				t.Errorf("pixel %d is not in the block from %d on", pixel, corner)
			}
		}
		if besides(corner, corner+8) || corner >= 8 && besides(corner, corner&^7-1) {
			t.Errorf("the block from %d on has pixels of blocks beside", corner)
		}
	}
	for size := range uint32(3) {
		for pixel := uint32(16); pixel < 24; pixel++ {
			if !besides(16|size, pixel) {
				t.Errorf("pixel %d is not in the block of coarse fragments at 16", pixel)
			}
		}
	}
}
