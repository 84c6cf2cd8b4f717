//go:build !unix

package confine

import "os/exec"

// Group does nothing where a process has no group: the end of a command's context ends the command alone.
func Group(*exec.Cmd) {}
