// Command icd is Chiaro's Vulkan driver, a shared library with the C interface that the Vulkan loader expects:
//
//	go build -buildmode=c-shared -o libvulkan_chiaro.so ./cmd/icd
//
// It is the only package that uses cgo, and it has no meaning of its own: generated entry points (shim_gen.c) put the arguments
// of each command into a struct and call [call], or record the command in memory of C without a call into Go (icd.c). Package
// internal/driver runs the commands.
package main

/*
#cgo CFLAGS: -std=c11 -O2 -fvisibility=hidden -Wno-unused-function
#cgo LDFLAGS: -ldl -Wl,--wrap=pthread_create -Wl,--wrap=mmap
#include "icd.h"
#include "wayland.h"

struct dispatch *new_dispatch(void);
void free_dispatch(struct dispatch *d);
uint32_t negotiated(void);
void call_messenger(void *callback, uint32_t severity, uint32_t types, void *data, uintptr_t user);
void call_memory(void *callback, void *data, uintptr_t user);
void call_reporter(void *callback, uint32_t flags, uint32_t kind, uint64_t object, size_t location, int32_t code, char *prefix, char *message, uintptr_t user);
*/
import "C"

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/driver"
	"github.com/chiaro-gpu/chiaro/internal/stackroom"
	"github.com/chiaro-gpu/chiaro/internal/wsi"
)

//export chiaro_call
func chiaro_call(number C.uint32_t, args unsafe.Pointer) C.uintptr_t {
	stackroom.Make()
	if number == C.ask_heap {
		if driver.HeapRoom(uint64(*(*C.size_t)(args))) {
			return 1
		}
		return 0
	}
	return C.uintptr_t(driver.Call(uint32(number), args))
}

func init() {
	driver.SetHost(driver.Host{
		New:       func() *abi.Dispatch { return (*abi.Dispatch)(unsafe.Pointer(C.new_dispatch())) },
		Free:      func(d *abi.Dispatch) { C.free_dispatch((*C.struct_dispatch)(unsafe.Pointer(d))) },
		Interface: func() uint32 { return uint32(C.negotiated()) },
		Message: func(callback unsafe.Pointer, severity, types uint32, data *abi.DebugUtilsMessengerCallbackDataEXT, user uintptr) {
			C.call_messenger(callback, C.uint32_t(severity), C.uint32_t(types), unsafe.Pointer(data), C.uintptr_t(user))
		},
		Memory: func(callback unsafe.Pointer, data *abi.DeviceMemoryReportCallbackDataEXT, user uintptr) {
			C.call_memory(callback, unsafe.Pointer(data), C.uintptr_t(user))
		},
		Report: func(callback unsafe.Pointer, r *driver.Report, user uintptr) {
			C.call_reporter(callback, C.uint32_t(r.Flags), C.uint32_t(r.Kind), C.uint64_t(r.Object), C.size_t(r.Location), C.int32_t(r.Code),
				(*C.char)(unsafe.Pointer(r.Prefix)), (*C.char)(unsafe.Pointer(r.Message)), C.uintptr_t(user))
		},
		Wayland: wayland,
	})
}

// wayland are the calls of Wayland's client library.
var wayland = wsi.Wayland{
	Open: func(display, surface unsafe.Pointer) unsafe.Pointer {
		return unsafe.Pointer(C.wayland_open(display, surface))
	},
	Close: func(w unsafe.Pointer) { C.wayland_close((*C.struct_wayland_window)(w)) },
	NewBuffer: func(w unsafe.Pointer, file, width, height int) unsafe.Pointer {
		return unsafe.Pointer(C.wayland_buffer((*C.struct_wayland_window)(w), C.int32_t(file), C.int32_t(width), C.int32_t(height)))
	},
	FreeBuffer: func(b unsafe.Pointer) { C.wayland_free((*C.struct_wayland_buffer)(b)) },
	Busy:       func(b unsafe.Pointer) bool { return C.wayland_busy((*C.struct_wayland_buffer)(b)) != 0 },
	Show: func(w, b unsafe.Pointer) bool {
		return C.wayland_show((*C.struct_wayland_window)(w), (*C.struct_wayland_buffer)(b)) != 0
	},
	Waiting: func(w unsafe.Pointer) bool { return C.wayland_waiting((*C.struct_wayland_window)(w)) != 0 },
	Wait: func(w unsafe.Pointer, milliseconds int) bool {
		return C.wayland_wait((*C.struct_wayland_window)(w), C.int32_t(milliseconds)) != 0
	},
}

func main() {}
