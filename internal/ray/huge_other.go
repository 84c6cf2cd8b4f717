//go:build !linux

package ray

import "unsafe"

// adviseHuge does nothing.
func adviseHuge(unsafe.Pointer, uintptr) {}
