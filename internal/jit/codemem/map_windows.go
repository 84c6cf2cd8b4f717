//go:build amd64

package codemem

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// pageSize is the page size of Windows on amd64. Reservations begin at multiples of 64 KiB, but commits and protections count in pages.
const pageSize = 4 << 10

// Arguments of VirtualAlloc, VirtualFree and VirtualProtect.
const (
	memCommit       = 0x1000
	memReserve      = 0x2000
	memDecommit     = 0x4000
	memRelease      = 0x8000
	pageNoAccess    = 0x01
	pageReadWrite   = 0x04
	pageExecuteRead = 0x20
)

var (
	kernel32              = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc          = kernel32.NewProc("VirtualAlloc")
	virtualFree           = kernel32.NewProc("VirtualFree")
	virtualProtect        = kernel32.NewProc("VirtualProtect")
	flushInstructionCache = kernel32.NewProc("FlushInstructionCache")
)

var errOneView = errors.New("codemem: one view of the code on windows")

func mapDual(int) (mapping, error) { return mapping{}, errOneView }

// mapSingle reserves memory in which each page is either writable or executable. Only pages with code are committed.
func mapSingle(size int) (mapping, error) {
	at, _, err := virtualAlloc.Call(0, uintptr(size), memReserve, pageNoAccess)
	if at == 0 {
		return mapping{}, fmt.Errorf("codemem: VirtualAlloc: %w", err)
	}
	m := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size) // outside the heap of Go
	protect := func(off, size int, writable bool) error {
		here := at + uintptr(off)
		if writable {
			if got, _, err := virtualAlloc.Call(here, uintptr(size), memCommit, pageReadWrite); got == 0 {
				return fmt.Errorf("codemem: VirtualAlloc: %w", err)
			}
		}
		as, old := uintptr(pageExecuteRead), uint32(0)
		if writable {
			as = pageReadWrite
		}
		if ok, _, err := virtualProtect.Call(here, uintptr(size), as, uintptr(unsafe.Pointer(&old))); ok == 0 {
			return fmt.Errorf("codemem: VirtualProtect: %w", err)
		}
		if !writable {
			const thisProcess = ^uintptr(0)
			if ok, _, err := flushInstructionCache.Call(thisProcess, here, uintptr(size)); ok == 0 {
				return fmt.Errorf("codemem: FlushInstructionCache: %w", err)
			}
		}
		return nil
	}
	discard := func(off, size int) error {
		if ok, _, err := virtualFree.Call(at+uintptr(off), uintptr(size), memDecommit); ok == 0 {
			return fmt.Errorf("codemem: VirtualFree: %w", err)
		}
		return nil
	}
	return mapping{write: m, run: m, protect: protect, discard: discard}, nil
}

func unmap(m mapping) error {
	if ok, _, err := virtualFree.Call(uintptr(unsafe.Pointer(&m.run[0])), 0, memRelease); ok == 0 {
		return fmt.Errorf("codemem: VirtualFree: %w", err)
	}
	return nil
}
