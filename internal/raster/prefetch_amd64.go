package raster

import "unsafe"

// prefetch asks for so many lines of a cache, of which there must be one, from so many
// bytes behind an address on, where there need not be memory.
//
//go:noescape
func prefetch(at unsafe.Pointer, skip, lines int)
