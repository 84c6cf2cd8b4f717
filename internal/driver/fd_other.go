//go:build !linux

package driver

import (
	"os"
	"unsafe"
)

// hasFiles reports whether the system has files of memory and sync files.
const hasFiles = false

// duplicate returns a further number of an open file.
func duplicate(int) (int, bool) { return -1, false }

// fileNumber returns the number that the system has for a file.
func fileNumber(*os.File) uint64 { return 0 }

// mapFile reports that there is no mapping.
func mapFile(*os.File, uint64, uintptr, unsafe.Pointer) (unsafe.Pointer, bool) { return nil, false }

// unmapFile reports that there was no mapping.
func unmapFile(unsafe.Pointer, uintptr, bool) bool { return false }

// closeNumber closes the number of a file.
func closeNumber(int) {}

// waitNumber reports whether a sync file is signaled: other systems have no such files.
func waitNumber(int) bool { return false }
