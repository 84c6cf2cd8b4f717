//go:build !arm64

package codemem

// trap fills the space after code: INT3.
const trap = 0xcc

// flush does nothing: x86 processors keep instruction fetches coherent with stores.
func flush(write, run, size uintptr) {}
