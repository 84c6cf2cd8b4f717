package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// outOfHost is the result if memory of the host, or space in a table of handles, is exhausted.
const outOfHost abi.Result = abi.ErrorOutOfHostMemory

// resultOf returns the result of an error.
func resultOf(err error) abi.Result {
	var memory *vk.OutOfMemoryError
	var pool *vk.OutOfPoolMemoryError
	var unsupported *vk.UnsupportedError
	var module *vk.InvalidModuleError
	switch {
	case err == nil:
		return abi.Success
	case errors.Is(err, vk.ErrDeviceLost):
		return abi.ErrorDeviceLost
	case errors.Is(err, vk.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return abi.Timeout
	case errors.Is(err, vk.ErrNotReady):
		return abi.NotReady
	case errors.Is(err, vk.ErrCompileRequired):
		return abi.PipelineCompileRequired
	case errors.Is(err, vk.ErrIncompatibleBinary):
		return abi.IncompatibleShaderBinaryEXT
	case errors.Is(err, vk.ErrIncompatiblePipelineBinary), errors.Is(err, vk.ErrPipelineBinaryMissing):
		return abi.PipelineBinaryMissingKHR
	case errors.Is(err, vk.ErrOpaqueAddress):
		return abi.ErrorInvalidOpaqueCaptureAddress
	case errors.As(err, &memory):
		return abi.ErrorOutOfDeviceMemory
	case errors.As(err, &pool):
		return abi.ErrorOutOfPoolMemory
	case errors.As(err, &unsupported):
		return abi.ErrorFeatureNotPresent
	case errors.As(err, &module):
		return abi.ErrorInvalidShaderNV
	}
	return abi.ErrorValidationFailed
}

// report writes the report of a fault of the driver into the folder that the variable CHIARO_REPORT names, if it is set.
func report(cause any, stack []byte) {
	folder := os.Getenv("CHIARO_REPORT")
	if folder == "" {
		return
	}
	name := filepath.Join(folder, fmt.Sprintf("chiaro-%d-%d.txt", os.Getpid(), time.Now().UnixNano()))
	_ = os.WriteFile(name, fmt.Appendf(nil, "%v\n\n%s", cause, stack), 0o600) // there is no place for an error
}
