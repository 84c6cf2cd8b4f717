//go:build unix

package main

import (
	"os"
	"syscall"
)

// exitOf is the exit code of a program as shells have it: 128 and the signal that ended it.
func exitOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
