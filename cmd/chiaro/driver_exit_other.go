//go:build !unix

package main

import "os"

// exitOf is the exit code of a program.
func exitOf(s *os.ProcessState) int { return s.ExitCode() }
