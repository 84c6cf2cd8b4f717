//go:build !amd64

package format

var hasByteRows = false

// loadBytes is not called.
func loadBytes(*float32, *byte, int, *[16]byte) {}

// storeBytes is not called.
func storeBytes(*byte, *float32, int, *[16]byte) {}
