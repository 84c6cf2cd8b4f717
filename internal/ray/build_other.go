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

// readAVX2 and takeAVX2 are not called.
func readAVX2(*batch, *reader) {}

func takeAVX2(*block, *triangle, int) {}
