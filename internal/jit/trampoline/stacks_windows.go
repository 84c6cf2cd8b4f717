//go:build amd64

package trampoline

import (
	"syscall"
	"unsafe"
)

// faultBytes is the stack memory in bytes that a fault needs: Windows writes the exception and all registers, of AVX-512 too, to the
// stack of the code that faults, and calls the handler there. Without room it ends the process.
const faultBytes = 16 << 10

// Arguments of VirtualAlloc, VirtualFree and VirtualProtect.
const (
	memCommit     = 0x1000
	memReserve    = 0x2000
	memRelease    = 0x8000
	pageNoAccess  = 0x01
	pageReadWrite = 0x04
)

var (
	kernel32       = syscall.NewLazyDLL("kernel32.dll")
	virtualAlloc   = kernel32.NewProc("VirtualAlloc")
	virtualFree    = kernel32.NewProc("VirtualFree")
	virtualProtect = kernel32.NewProc("VirtualProtect")
)

func mapMemory(size int) ([]byte, error) {
	at, _, err := virtualAlloc.Call(0, uintptr(size), memReserve|memCommit, pageReadWrite)
	if at == 0 {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size), nil // outside the heap of Go
}

func unmapMemory(mem []byte) error {
	if ok, _, err := virtualFree.Call(uintptr(unsafe.Pointer(&mem[0])), 0, memRelease); ok == 0 {
		return err
	}
	return nil
}

// forbid makes pages inaccessible.
func forbid(pages []byte) error {
	var old uint32
	ok, _, err := virtualProtect.Call(uintptr(unsafe.Pointer(&pages[0])), uintptr(len(pages)), pageNoAccess, uintptr(unsafe.Pointer(&old)))
	if ok == 0 {
		return err
	}
	return nil
}
