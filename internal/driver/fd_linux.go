package driver

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hasFiles reports whether the system has files of memory and sync files.
const hasFiles = true

// duplicate returns a further number of an open file.
func duplicate(fd int) (int, bool) {
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	return n, err == nil
}

// fileNumber returns the number that the system has for a file.
func fileNumber(f *os.File) uint64 {
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return 0
	}
	return s.Ino
}

// mapFile maps bytes of a file at a fixed address, replacing its mapping, or at an address that the system chooses. All are multiples of
// the size of a page.
func mapFile(f *os.File, offset uint64, bytes uintptr, at unsafe.Pointer) (unsafe.Pointer, bool) {
	flags := unix.MAP_SHARED
	if at != nil {
		flags |= unix.MAP_FIXED
	}
	p, err := unix.MmapPtr(int(f.Fd()), int64(offset), at, bytes, unix.PROT_READ|unix.PROT_WRITE, flags)
	return p, err == nil
}

// unmapFile ends a mapping. If reserve is set, a mapping without access takes its place.
func unmapFile(at unsafe.Pointer, bytes uintptr, reserve bool) bool {
	if !reserve {
		return unix.MunmapPtr(at, bytes) == nil
	}
	_, err := unix.MmapPtr(-1, 0, at, bytes, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err == nil
}

// closeNumber closes the number of a file.
func closeNumber(fd int) { _ = unix.Close(fd) }

// syncFileInfo is the structure sync_file_info of the kernel, and readSyncFile is SYNC_IOC_FILE_INFO, which reads it
// (linux/sync_file.h).
type syncFileInfo struct {
	name                  [32]byte
	status                int32
	flags, fences, unused uint32
	list                  uint64
}

const readSyncFile = 0xc0383e04

// waitNumber waits until a sync file is signaled. It reports false if the file is no sync file: a pipe, for example, may be never
// readable, but the kernel requires drivers to signal each of their fences in finite time.
func waitNumber(fd int) bool {
	var info syncFileInfo
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), readSyncFile, uintptr(unsafe.Pointer(&info))); errno != 0 {
		return false
	}
	for {
		list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(list, -1); !errors.Is(err, unix.EINTR) {
			return err == nil && list[0].Revents&unix.POLLIN != 0
		}
	}
}
