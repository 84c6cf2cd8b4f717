//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignorePipe makes writing to a closed pipe return an error instead of ending the process.
func ignorePipe() { signal.Ignore(syscall.SIGPIPE) }
