//go:build !linux

package filter

import "errors"

// Exec replaces this process by a command that can neither connect nor start a process nor write a file.
func Exec([]string) error { return errors.New("this system has no seccomp") }

// Supported reports whether this system has the parts that Exec needs.
func Supported() bool { return false }
