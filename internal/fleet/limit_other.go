//go:build !linux

package fleet

import "os/exec"

// dieWithParent does nothing: the process ends when its standard input does.
func dieWithParent(*exec.Cmd) {}

// limit does nothing where a process cannot set the limits of another: the limit of time holds everywhere.
func limit(int, Limits) error { return nil }
