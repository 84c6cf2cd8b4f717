//go:build !amd64

package raster

const hasBlockMask = false

// quadMask is not called.
func quadMask(*quadEdges) uint64 { return 0 }

// sampleMasks is not called.
func sampleMasks(_ *quadEdges, _, _ *[maxEdges]int64, _, _ int, _ *uint64) {}

// blockMasks is not called.
func blockMasks(*blockEdges, int, int, *[smallBlocks][smallBlocks]uint64) {}
