//go:build !amd64

package ray

// add is addPortable.
func (b *binning) add(items []item) { b.addPortable(items) }

// middles is middlesPortable.
func middles(items []item) wideBounds { return middlesPortable(items) }

// areas is areasPortable.
func (b *binning) areas(axis int, left, right *[bins + 1]float32) { b.areasPortable(axis, left, right) }

// partition is partitionPortable.
func (b *binning) partition(items []item, s split) int { return b.partitionPortable(items, s) }

// growBlocks is growBlocksPortable.
func growBlocks(w *wideBounds, blocks []block) { growBlocksPortable(w, blocks) }

// The following functions are not called.

func readAVX2(*batch, *reader) {}

func takeAVX2(*block, *batch, int, int, *wideBounds) {}

func pointsAVX2(*point, *batch, *int, *wideBounds) int { return 0 }

func mortonKeysAVX2(*mortonKey, *point, int, *[4]float32, *[4]float32) {}

func refitNodeAVX2(*node, *[width]ref, *wideBounds, *wideBounds, *wideBounds) {}

func placeAVX2(*[4][3]float64, *[12]float32, *Structure, *placement) bool { return false }
