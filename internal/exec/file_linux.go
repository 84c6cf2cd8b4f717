package exec

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The seals of a memory's file. Without the first, another process could shrink it, and an access would fault.
const fileSeals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

// AllocFile is AllocShared of memory in an anonymous file (memfd_create(2)) that other processes can map, by [Memory.File] and
// [MapFile].
func AllocFile(n int) (*Memory, error) {
	page := os.Getpagesize()
	if n < 0 || uint64(n) > 1<<46 {
		return nil, &LimitError{Quantity: "bytes of device memory", Value: uint64(n), Max: 1 << 46}
	}
	fd, err := unix.MemfdCreate("chiaro", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "chiaro")
	if err = f.Truncate(int64((n + page - 1) &^ (page - 1))); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, fileSeals)
	}
	var m *Memory
	if err == nil {
		m, err = MapFile(f, n)
	}
	return m, errors.Join(err, f.Close())
}

// MapFile maps the first n bytes of a file of AllocFile, of this process or of another one. Memory and file are independent
// afterwards. The error is ErrFile if AllocFile did not make the file, or if it has fewer bytes.
func MapFile(f *os.File, n int) (*Memory, error) {
	if f == nil || *f == (os.File{}) { // a method of a zero value would panic
		return nil, ErrFile
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, ErrFile
	}
	own := os.NewFile(uintptr(fd), "chiaro")
	if !pagesStay(fd) {
		own.Close()
		return nil, ErrFile
	}
	block, data, err := guarded(n, unix.MAP_PRIVATE)
	if err != nil {
		own.Close()
		return nil, err
	}
	m := &Memory{bytes: data[:n:n], block: block, shared: true, file: own}
	if len(data) > 0 {
		info, err := own.Stat()
		if err == nil && info.Size() >= int64(len(data)) {
			_, err = unix.MmapPtr(fd, 0, unsafe.Pointer(unsafe.SliceData(data)), uintptr(len(data)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED)
		} else {
			err = ErrFile
		}
		switch {
		case errors.Is(err, unix.ENOMEM): // of the system, whatever the file is
			m.Free()
			return nil, os.NewSyscallError("mmap", err)
		case err != nil:
			m.Free()
			return nil, ErrFile
		}
	}
	return m, nil
}

// pagesStay reports whether an access to a mapping of the file cannot fault because of another process: the file cannot shrink,
// and has no huge pages (MFD_HUGETLB), which the system may lack at the access.
func pagesStay(fd int) bool {
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || seals&unix.F_SEAL_SHRINK == 0 {
		return false
	}
	var system unix.Statfs_t
	return unix.Fstatfs(fd, &system) == nil && uint32(system.Type) != unix.HUGETLBFS_MAGIC
}

// File returns the file of the memory, a new descriptor that the caller closes. The error is ErrFile if the memory has none.
func (m *Memory) File() (*os.File, error) {
	if m.file == nil {
		return nil, ErrFile
	}
	fd, err := unix.FcntlInt(m.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), "chiaro"), nil
}
