//go:build !amd64

package raster

const hasBlockMask = false

// quadMask is not called.
func quadMask(*quadEdges) uint64 { return 0 }

// sampleMasks is not called.
func sampleMasks(*quadEdges, *[maskGroup][maxEdges]int32, int, int, *uint64) {}

// blockMasks is not called.
func blockMasks(*blockEdges, int, int, *[smallBlocks][smallBlocks]uint64) {}
