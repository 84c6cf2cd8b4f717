//go:build !amd64

package raster

import "unsafe"

// prefetch does nothing: prefetching changes no result.
func prefetch(unsafe.Pointer, int, int) {}
