//go:build !linux

package fleet

import "errors"

// Confine replaces this process by a command that can neither connect nor start a process nor write a file.
func Confine([]string) error { return errors.New("this system has no seccomp") }

// CanConfine reports whether this system supports Confine.
func CanConfine() bool { return false }
