//go:build !linux

package wsi

import "errors"

// newSharedFile returns an error: the system has no files of memory.
func newSharedFile(int) (file int, mapped []byte, err error) {
	return 0, nil, errors.New("this system has no files of memory")
}

func closeFile(int) {}

func unmapFile([]byte) error { return nil }
