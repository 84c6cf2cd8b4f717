package fleet

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent makes the end of the worker the end of the process, even if it is busy.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// limit sets the limits of a process that waits for its first item.
func limit(pid int, l Limits) error {
	for _, r := range []struct {
		resource int
		most     int64
	}{{unix.RLIMIT_DATA, l.Memory}, {unix.RLIMIT_FSIZE, l.Output}} {
		if r.most == 0 {
			continue
		}
		if err := unix.Prlimit(pid, r.resource, &unix.Rlimit{Cur: uint64(r.most), Max: uint64(r.most)}, nil); err != nil {
			return fmt.Errorf("the limits of a process cannot be set: %w", err)
		}
	}
	return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}
