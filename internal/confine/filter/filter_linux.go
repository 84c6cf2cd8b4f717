package filter

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// denied are the system calls that a process which answers needs none of. A machine lacks some of them.
var denied = []string{
	// connections
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "socketcall",
	// other processes
	"fork", "vfork", "kill", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "ptrace",
	"process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "setpriority", "ioprio_set", "migrate_pages", "move_pages",
	// files: no change of a folder, of a name or of a mode
	"creat", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat",
	"mknod", "mknodat", "truncate", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes",
	"utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "name_to_handle_at",
	"open_by_handle_at", "inotify_init", "inotify_init1", "fanotify_init",
	// the system
	"mount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount", "fsconfig", "fspick", "mount_setattr", "pivot_root", "chroot", "unshare", "setns",
	"bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "init_module", "finit_module", "delete_module", "kexec_load",
	"kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog", "sethostname", "setdomainname", "settimeofday",
	"clock_settime", "clock_adjtime", "adjtimex", "iopl", "ioperm", "modify_ldt", "vhangup", "personality",
	"shmget", "shmat", "shmctl", "msgget", "semget", "mq_open",
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset",
}

// absent are system calls with arguments that a filter cannot read. A program has another way for each.
var absent = []string{"clone3", "openat2", "io_uring_setup", "io_uring_enter", "io_uring_register"}

// writing are the flags of an open file that may be written, or that is made.
const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// policy returns the filter of a process that answers: it computes, reads files, and uses the streams that it has.
func policy() (*seccomp.Policy, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	known := func(names []string) (out []string) {
		for _, name := range names {
			if _, ok := info.SyscallNames[name]; ok {
				out = append(out, name)
			}
		}
		return out
	}
	conditions := []seccomp.NameWithConditions{
		{Name: "openat", Conditions: seccomp.ArgumentConditions{{Argument: 2, Operation: seccomp.BitsSet, Value: writing}}},
		{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsNotSet, Value: unix.CLONE_THREAD}}},
		// The program that replaces this process has the same number.
		{Name: "tgkill", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.NotEqual, Value: uint64(os.Getpid())}}},
	}
	if len(known([]string{"open"})) > 0 {
		conditions = append(conditions, seccomp.NameWithConditions{Name: "open",
			Conditions: seccomp.ArgumentConditions{{Argument: 1, Operation: seccomp.BitsSet, Value: writing}}})
	}
	return &seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Action: seccomp.ActionErrno | seccomp.Action(unix.EPERM), Names: known(denied), NamesWithCondtions: conditions},
		{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: known(absent)},
	}}, nil
}

// Exec replaces this process by a command that can neither connect nor start a process nor write a file. Its answers go to
// the streams that it has.
func Exec(command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	p, err := policy()
	if err != nil {
		return err
	}
	if err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: *p}); err != nil {
		return fmt.Errorf("the process cannot be confined: %w", err)
	}
	return unix.Exec(path, command, os.Environ())
}

// Supported reports whether this system has the parts that Exec needs.
func Supported() bool {
	_, err := policy()
	return err == nil && seccomp.Supported()
}
