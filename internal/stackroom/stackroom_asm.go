//go:build amd64 || arm64

package stackroom

// Make grows the stack of the calling goroutine if less than half of Size is free. It costs a comparison if enough is free.
func Make()
