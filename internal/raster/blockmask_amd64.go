package raster

import "golang.org/x/sys/cpu"

// hasBlockMask reports whether the processor has the instructions of blockMask.
var hasBlockMask = cpu.X86.HasAVX2

// quadMask returns the pixels of a block that are inside four edges.
//
//go:noescape
func quadMask(e *quadEdges) uint64

// sampleMasks sets n masks to the pixels of a block that are inside three or four edges, with the steps of e. The values of the edges
// at the first pixel are the sums of at and of an element of offsets for each mask, clamped to maxEdgeValue. Those of a fourth edge
// that is missing do not matter.
//
//go:noescape
func sampleMasks(e *quadEdges, at, offsets *[maxEdges]int64, n, edges int, masks *uint64)

// blockMasks sets masks[x][y] to the pixels of block (x, y) that are inside three edges, for blocks beside each other from the
// block of e on.
//
//go:noescape
func blockMasks(e *blockEdges, across, down int, masks *[smallBlocks][smallBlocks]uint64)
