//go:build amd64

package trampoline

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// faultBytes is the stack memory in bytes that a fault needs: Windows writes the exception and all registers, of AVX-512 too, to the
// stack of the code that faults, and calls the handler there. Without room it ends the process.
const faultBytes = 16 << 10

func mapMemory(size int) ([]byte, error) {
	at, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size), nil // outside the heap of Go
}

func unmapMemory(mem []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(&mem[0])), 0, windows.MEM_RELEASE)
}

// forbid makes pages inaccessible.
func forbid(pages []byte) error {
	var old uint32
	return windows.VirtualProtect(uintptr(unsafe.Pointer(&pages[0])), uintptr(len(pages)), windows.PAGE_NOACCESS, &old)
}
