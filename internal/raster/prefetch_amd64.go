package raster

import "unsafe"

// prefetch asks for so many lines of a cache, of which there must be one, from an
// address on, which need not be one of memory.
//
//go:noescape
func prefetch(at unsafe.Pointer, lines int)
