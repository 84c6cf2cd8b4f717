package driver

import (
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/wsi"
)

// Host is the C side of the driver.
type Host struct {
	New       func() *abi.Dispatch // zeroed memory outside of Go; nil if there is none
	Free      func(*abi.Dispatch)
	Interface func() uint32 // the version of the loader's interface; 0 without a loader

	// Message and Report run callbacks of the application: of VK_EXT_debug_utils and of VK_EXT_debug_report.
	Message func(callback unsafe.Pointer, severity, types uint32, data *abi.DebugUtilsMessengerCallbackDataEXT, user uintptr)
	Report  func(callback unsafe.Pointer, r *Report, user uintptr)

	// Memory runs a callback of VK_EXT_device_memory_report.
	Memory func(callback unsafe.Pointer, data *abi.DeviceMemoryReportCallbackDataEXT, user uintptr)

	// Wayland has the calls of Wayland's client library; the zero value is a host without windows of Wayland.
	Wayland wsi.Wayland
}

// Report is a report of VK_EXT_debug_report. Its texts end with 0, in memory that C may read during the call.
type Report struct {
	Flags, Kind     uint32
	Object          uint64
	Location        uint
	Code            int32
	Prefix, Message *byte
}

var host Host

// SetHost sets the C side, before the first call.
func SetHost(h Host) { host = h }

// call runs a command with its arguments, a pointer to its argument struct, and returns its result.
type call func(args unsafe.Pointer) uintptr

// recorder records a command of a command buffer.
type recorder func(c *commandBuffer, args unsafe.Pointer)

// on makes a call of a function with a result.
func on[A any](f func(*A) abi.Result) call {
	return func(p unsafe.Pointer) uintptr { return uintptr(uint32(f((*A)(p)))) }
}

// run makes a call of a function without a result.
func run[A any](f func(*A)) call {
	return func(p unsafe.Pointer) uintptr {
		f((*A)(p))
		return 0
	}
}

// value makes a call of a function with a number as its result.
func value[A any](f func(*A) uint64) call {
	return func(p unsafe.Pointer) uintptr { return uintptr(f((*A)(p))) }
}

// maxElements bounds the arrays of the application. A longer one is a fault of the application, and is read as an empty one: no count
// makes the driver allocate without bound.
const maxElements = 1 << 20

// array returns an array of the application; nil if it is too long.
func array[T any, N uint32 | uint64 | uint](p *T, n N) []T {
	if n > maxElements {
		return nil
	}
	return abi.Slice(p, n)
}

// rec makes a recorder.
func rec[A any](f func(*commandBuffer, *A)) recorder {
	return func(c *commandBuffer, p unsafe.Pointer) { f(c, (*A)(p)) }
}

// calls and recorders have the commands by number: each is in one of them, or the driver does not have it.
var (
	calls     [abi.CommandCount]call
	recorders [abi.CommandCount]recorder
)

// has reports whether the driver has a command.
func has(number int) bool { return calls[number] != nil || recorders[number] != nil }

func init() {
	for _, m := range []map[int]call{addressCalls, structureCalls, micromapCalls, rayCalls, graphCalls, generatedCalls, streamCalls, cudaCalls, instrumentationCalls, executableCalls, presentCalls, externalCalls, hostCalls, faultCalls, shaderObjectCalls, pipelineBinaryCalls, descriptorBufferCalls, descriptorHeapCalls, cooperativeCalls, moduleCalls, physicalExtensionCalls, instanceCalls, physicalCalls, deviceCalls, queueCalls, sparseCalls, surfaceCalls, swapchainCalls, memoryCalls, hostCopyCalls, extendedCalls, privateDataCalls, imageCalls, formatCalls, descriptorCalls, pipelineCalls, renderPassCalls, queryCalls, commandBufferCalls, debugCalls} {
		for n, f := range m {
			calls[n] = f
		}
	}
	for _, m := range []map[int]recorder{addressCommands, structureCommands, micromapCommands, rayCommands, graphCommands, generatedCommands, streamCommands, cudaCommands, instrumentationCommands, memoryCommands, shaderObjectCommands, descriptorBufferCommands, descriptorHeapCommands, cooperativeCommands, advancedStateCommands, bindCommands, pushCommands, dispatchCommands, drawCommands, meshCommands, transferCommands, stateCommands, extendedStateCommands, extendedCommands, renderingCommands, syncCommands, queryCommands, labelCommands} {
		for n, f := range m {
			recorders[n] = f
		}
	}
}

// unknown is VK_ERROR_UNKNOWN, which every command may return.
const unknown = uintptr(uint32(1<<32 + abi.ErrorUnknown))

// permitted returns the result of a command, or VK_ERROR_UNKNOWN for a result that Vulkan does not list for the command.
func permitted(number uint32, result uintptr) uintptr {
	r, list := abi.Result(int32(uint32(result))), abi.Results[number]
	if r == abi.Success || list == nil || slices.Contains(list, r) {
		return result
	}
	return unknown
}

// refused returns the result of a command whose arguments the driver cannot read.
func refused(number uint32) uintptr {
	if abi.Results[number] == nil {
		return 0
	}
	return permitted(number, uintptr(uint32(1<<32+abi.ErrorValidationFailed)))
}

// Call runs a command by number: args points to its argument struct. Number 0 finds a command by name: see find. A panic is a
// fault of the driver: the call returns VK_ERROR_UNKNOWN.
func Call(number uint32, args unsafe.Pointer) (result uintptr) {
	defer func() {
		if r := recover(); r != nil {
			report(r, debug.Stack())
			if result = 0; number != 0 { // find has no result
				result = unknown
			}
		}
	}()
	switch {
	case number == 0:
		return uintptr(find((*findArgs)(args)))
	case number >= abi.CommandCount:
		return 0
	case calls[number] != nil && listened.Load():
		if !checkForm(number, args) {
			return refused(number)
		}
		if result = permitted(number, calls[number](args)); int32(uint32(result)) >= 0 {
			checkResults(number, args)
		}
		return result
	case calls[number] != nil:
		return permitted(number, calls[number](args))
	case recorders[number] != nil:
		c := commandBufferOf(*(**abi.Dispatch)(args))
		switch {
		case c != nil:
			c.drain()
			c.play(number, args)
		case listened.Load():
			checkForm(number, args) // which has a rule on the handle
		}
	}
	return 0
}
