//go:build !linux

package driver

import "os"

// hasFiles reports whether the system has files of memory and sync files.
const hasFiles = false

// duplicate returns a further number of an open file.
func duplicate(int) (int, bool) { return -1, false }

// fileNumber returns the number that the system has for a file.
func fileNumber(*os.File) uint64 { return 0 }

// closeNumber closes the number of a file.
func closeNumber(int) {}

// waitNumber reports whether a sync file is signaled: other systems have no such files.
func waitNumber(int) bool { return false }
