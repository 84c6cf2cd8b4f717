package vk

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// ErrDeviceLost is the error of all calls after a submission failed. The error that a call returns wraps it, and
// the cause: a *LostError.
var ErrDeviceLost = errors.New("the device is lost")

// ErrTimeout is the error of a wait that ended by its deadline.
var ErrTimeout = errors.New("the wait timed out")

// ErrOpaqueAddress is the error of an allocation, or of a buffer, at an opaque address that is in use or not valid.
var ErrOpaqueAddress = errors.New("the opaque address is not available")

// ErrExternalHandle is the error of an import of memory from a file that does not hold exported memory of the size
// (VK_ERROR_INVALID_EXTERNAL_HANDLE).
var ErrExternalHandle = errors.New("the file does not hold exported memory of the size")

// errNoContext is the error of a call with a nil context.
var errNoContext = usage("", "the context is nil; must be a context")

// LostError is the reason for the loss of a device: the command that failed, and the shader position if there is one.
type LostError struct {
	Command  string    // such as "dispatch"
	Index    int       // of the command in its command buffer, see [CommandBuffer.Count]; −1 if no single command failed
	Location *Location // in the shader; nil if the error is not in a shader
	Cause    error

	// Labels are the open labels of the command, the outermost first.
	Labels []string
}

// Error returns the command, the cause and the location.
func (e *LostError) Error() string {
	if e.Location == nil {
		return fmt.Sprintf("%v: %s%s: %v", ErrDeviceLost, e.Command, labelText(e.Labels), e.Cause)
	}
	return fmt.Sprintf("%v: %s%s: %v: %v", ErrDeviceLost, e.Command, labelText(e.Labels), e.Cause, e.Location)
}

// Unwrap returns ErrDeviceLost and the cause.
func (e *LostError) Unwrap() []error { return []error{ErrDeviceLost, e.Cause} }

// The causes in the loss of a device or in the failure of a creation that a program may tell apart.
type (
	// BudgetError reports a shader that used up its steps: a loop without an end, for one. See the Budget of [DeviceInfo].
	BudgetError = exec.BudgetError
	// LimitError reports a quantity that is too large or too small.
	LimitError = exec.LimitError
)

// InternalError reports a fault of this package or of a callback: a panic, which a creation function returns, or which is
// the cause of the loss of a device.
type InternalError struct {
	Panic any
	Stack []byte // of the goroutine, or of a worker
}

// Error returns the value of the panic.
func (e *InternalError) Error() string { return fmt.Sprintf("internal error: %v", e.Panic) }

// recovered is deferred: it sets err to an *InternalError if the function panics.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = &InternalError{Panic: r, Stack: debug.Stack()}
	}
}

// UsageError reports a call that Vulkan forbids, with the rule.
type UsageError struct {
	Rule    string // a VUID; "" if the rule is of this package
	Message string // "X is …; must be …"
	Cause   error  // of the engine: a limit that the call exceeds; nil for most rules
}

// Error returns the message and the rule.
func (e *UsageError) Error() string {
	if e.Rule == "" {
		return e.Message
	}
	return e.Message + " [" + e.Rule + "]"
}

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Cause }

func usage(rule, format string, args ...any) error {
	return &UsageError{Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// tell passes wrong use that a tolerant device permits to its messages.
func (d *Device) tell(err error) {
	if f, ok := err.(*UsageError); ok && d.messages != nil {
		d.messages(Message{Finding: f})
	}
}

// InUseError reports a Close of an object that a submission uses.
type InUseError struct {
	Object string // its kind, and its name if it has one
	Rule   string // the VUID
}

// Error returns the object and the rule.
func (e *InUseError) Error() string {
	text := e.Object + " is in use by a submission that is not finished; must be closed after it"
	if e.Rule != "" {
		text += " [" + e.Rule + "]"
	}
	return text
}

// useRules are the rules on the destruction of objects in use, by kind.
var useRules = map[string]string{
	"buffer": "VUID-vkDestroyBuffer-buffer-00922", "buffer view": "VUID-vkDestroyBufferView-bufferView-00936", "image": "VUID-vkDestroyImage-image-01000",
	"image view": "VUID-vkDestroyImageView-imageView-01026", "memory": "VUID-vkFreeMemory-memory-00677", "sampler": "VUID-vkDestroySampler-sampler-01082",
	"compute pipeline": "VUID-vkDestroyPipeline-pipeline-00765", "graphics pipeline": "VUID-vkDestroyPipeline-pipeline-00765",
	"ray tracing pipeline":   "VUID-vkDestroyPipeline-pipeline-00765",
	"shader object":          vuid.VkDestroyShaderEXT_shader_08482,
	"shader instrumentation": vuid.VkDestroyShaderInstrumentationARM_instrumentation_12374,
	"descriptor pool":        "VUID-vkDestroyDescriptorPool-descriptorPool-00303", "descriptor set": "VUID-vkFreeDescriptorSets-pDescriptorSets-00309",
	"query pool": "VUID-vkDestroyQueryPool-queryPool-00793", "event": "VUID-vkDestroyEvent-event-01145", "semaphore": "VUID-vkDestroySemaphore-semaphore-05149",
	"fence": "VUID-vkDestroyFence-fence-01120", "framebuffer": "VUID-vkDestroyFramebuffer-framebuffer-00892", "render pass": "VUID-vkDestroyRenderPass-renderPass-00873",
	"acceleration structure": "VUID-vkDestroyAccelerationStructureKHR-accelerationStructure-02442",
	"command buffer":         "VUID-vkFreeCommandBuffers-pCommandBuffers-00047",
}

// OutOfMemoryError reports an allocation beyond the memory of the device.
type OutOfMemoryError struct {
	Bytes, Left uint64
	Cause       error // of the system; nil if the bound of the device was reached
}

// Error returns the sizes.
func (e *OutOfMemoryError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("out of memory for %d bytes: %v", e.Bytes, e.Cause)
	}
	return fmt.Sprintf("out of memory for %d bytes; the device has %d left", e.Bytes, e.Left)
}

// Unwrap returns the cause.
func (e *OutOfMemoryError) Unwrap() error { return e.Cause }

// OutOfPoolMemoryError reports an allocation beyond the descriptors of a pool (VK_ERROR_OUT_OF_POOL_MEMORY).
type OutOfPoolMemoryError struct {
	Type       link.DescriptorType // "" for sets
	Need, Left int
}

// Error returns the numbers.
func (e *OutOfPoolMemoryError) Error() string {
	of := "sets"
	if e.Type != "" {
		of = "descriptors of the type " + string(e.Type)
	}
	return fmt.Sprintf("the descriptor pool has %d %s left; must have %d", e.Left, of, e.Need)
}

// InvalidModuleError reports a shader module that breaks rules of SPIR-V or Vulkan.
type InvalidModuleError struct {
	Findings []valid.Finding // errors and warnings, in module order; none without Checking
	Cause    error           // of the compiler, for a module that was not checked; nil after checks
}

// Unwrap returns the cause.
func (e *InvalidModuleError) Unwrap() error { return e.Cause }

// Error returns the first error, with its source line if the module has debug information.
func (e *InvalidModuleError) Error() string {
	if e.Cause != nil {
		return "the module is malformed: " + e.Cause.Error()
	}
	n, text := 0, ""
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Severity != diag.Error {
			continue
		}
		if n++; n > 1 {
			continue
		}
		if text = fmt.Sprintf("%v: %s [%s]", f.Pos, f.Message, f.Code); f.HasSource {
			text = fmt.Sprintf("%s:%d: %s", f.Source.File, f.Source.Line, text)
		}
	}
	if n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text
}

// LinkError reports a pipeline whose parts do not fit.
type LinkError struct {
	Findings []link.Finding
}

// Error returns the first error.
func (e *LinkError) Error() string {
	n, text := 0, ""
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Severity != diag.Error {
			continue
		}
		if n++; n == 1 {
			text = f.Message + " [" + f.Code + "]"
		}
	}
	if n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return text
}

// UnsupportedError reports a valid request for a feature that Chiaro does not have.
type UnsupportedError struct {
	Feature string
	Cause   error // nil, or the error of the engine
}

// Error returns the feature.
func (e *UnsupportedError) Error() string { return "unsupported: " + e.Feature }

// Unwrap returns the cause.
func (e *UnsupportedError) Unwrap() error { return e.Cause }

// StageError reports the stage of a pipeline that cannot be made.
type StageError struct {
	Model spirv.ExecutionModel
	Cause error
}

// Error returns the stage and the cause.
func (e *StageError) Error() string { return fmt.Sprintf("%v stage: %v", e.Model, e.Cause) }

// Unwrap returns the cause.
func (e *StageError) Unwrap() error { return e.Cause }
