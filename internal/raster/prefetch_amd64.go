package raster

import "unsafe"

// prefetch prefetches lines cache lines (at least one; PREFETCHT0), the first of which contains the byte at
// at+skip. The addresses need not be mapped.
//
//go:noescape
func prefetch(at unsafe.Pointer, skip, lines int)
