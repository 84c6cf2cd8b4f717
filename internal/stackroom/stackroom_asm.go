//go:build amd64 || arm64

package stackroom

// Make grows the stack of the calling goroutine if less than half of Size is free. It costs a comparison if enough is free.
func Make()

// grow grows the stack to Size. Its frame is five eighths of Size, so that a handler that interrupts it has space below.
func grow()
