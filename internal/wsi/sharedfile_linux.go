package wsi

import (
	"errors"

	"golang.org/x/sys/unix"
)

// newSharedFile returns a file without a name, and its mapping.
func newSharedFile(size int) (file int, mapped []byte, err error) {
	if file, err = unix.MemfdCreate("chiaro-surface", unix.MFD_CLOEXEC); err != nil {
		return 0, nil, err
	}
	if err = unix.Ftruncate(file, int64(size)); err == nil {
		mapped, err = unix.Mmap(file, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		return 0, nil, errors.Join(err, unix.Close(file))
	}
	return file, mapped, nil
}

func closeFile(file int) { _ = unix.Close(file) }

func unmapFile(mapped []byte) error { return unix.Munmap(mapped) }
