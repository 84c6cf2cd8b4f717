//go:build unix && !linux

package exec

// adviseHuge does nothing: the system has no such hint.
func adviseHuge([]byte) {}
