//go:build !amd64

package transfer

const hasSumPairs = false

// sumPairs is not called.
func sumPairs(*float32, *pairRows, *tap, int) {}
