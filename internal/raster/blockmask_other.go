//go:build !amd64

package raster

const hasBlockMask = false

// blockMask is not called.
func blockMask(*blockEdges) uint64 { return 0 }

// blockMasks is not called.
func blockMasks(*blockEdges, int, int, *[smallBlocks][smallBlocks]uint64) {}
