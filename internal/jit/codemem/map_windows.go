//go:build amd64

package codemem

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// pageSize is the page size of Windows on amd64. Reservations begin at multiples of 64 KiB, but commits and protections count in pages.
const pageSize = 4 << 10

var flushInstructionCache = windows.NewLazySystemDLL("kernel32.dll").NewProc("FlushInstructionCache")

var errOneView = errors.New("codemem: one view of the code on windows")

func mapDual(int) (mapping, error) { return mapping{}, errOneView }

// mapSingle reserves memory in which each page is either writable or executable. Only pages with code are committed.
func mapSingle(size int) (mapping, error) {
	at, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return mapping{}, fmt.Errorf("codemem: VirtualAlloc: %w", err)
	}
	m := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size) // outside the heap of Go
	protect := func(off, size int, writable bool) error {
		here, as := at+uintptr(off), uint32(windows.PAGE_EXECUTE_READ)
		if writable {
			as = windows.PAGE_READWRITE
			if _, err := windows.VirtualAlloc(here, uintptr(size), windows.MEM_COMMIT, as); err != nil {
				return fmt.Errorf("codemem: VirtualAlloc: %w", err)
			}
		}
		var old uint32
		if err := windows.VirtualProtect(here, uintptr(size), as, &old); err != nil {
			return fmt.Errorf("codemem: VirtualProtect: %w", err)
		}
		if !writable {
			if ok, _, err := flushInstructionCache.Call(uintptr(windows.CurrentProcess()), here, uintptr(size)); ok == 0 {
				return fmt.Errorf("codemem: FlushInstructionCache: %w", err)
			}
		}
		return nil
	}
	discard := func(off, size int) error {
		if err := windows.VirtualFree(at+uintptr(off), uintptr(size), windows.MEM_DECOMMIT); err != nil {
			return fmt.Errorf("codemem: VirtualFree: %w", err)
		}
		return nil
	}
	return mapping{write: m, run: m, protect: protect, discard: discard}, nil
}

func unmap(m mapping) error {
	if err := windows.VirtualFree(uintptr(unsafe.Pointer(&m.run[0])), 0, windows.MEM_RELEASE); err != nil {
		return fmt.Errorf("codemem: VirtualFree: %w", err)
	}
	return nil
}
