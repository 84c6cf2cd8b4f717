//go:build unix

package confine

import (
	"os/exec"
	"syscall"
)

// attributes returns the attributes of a command, which it makes.
func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// Group makes the end of a command's context the end of all processes that the command has started, such as compilers. It is
// called before the start of a command of exec.CommandContext.
func Group(cmd *exec.Cmd) {
	attributes(cmd).Setpgid = true
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
