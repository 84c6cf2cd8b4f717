package raster

import "golang.org/x/sys/cpu"

// hasBlockMask reports whether the processor has the instructions of blockMask.
var hasBlockMask = cpu.X86.HasAVX2

// blockMask returns the pixels of a block that are inside three edges.
//
//go:noescape
func blockMask(e *blockEdges) uint64
